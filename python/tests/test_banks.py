"""banks() answers what the program answers, and its arrays say the same."""
import json
import unittest

import numpy as np
import tilescope
from program import answer

LANES = np.arange(32)


class Banks(unittest.TestCase):
    def test_equals_the_program(self):
        for access, words in (("lane*32", ["--expr", "lane*32"]), ("lane*33", ["--expr", "lane*33"]),
                              (LANES * 2, ["--lanes", " ".join(map(str, LANES * 2))])):
            for width in (32, 64, 128):
                for op in ("ld", "st"):
                    with self.subTest(words=words, width=width, op=op):
                        text = answer("banks", *words, "--width", str(width), "--op", op, "--format", "json")
                        self.assertEqual(json.dumps(tilescope.banks(access, width=width, op=op), indent=2) + "\n", text)

    def test_grid(self):
        conflict = tilescope.banks("lane*32")
        self.assertEqual((conflict["wavefronts"], conflict["ideal"]), (32, 1))
        self.assertEqual((conflict.grid.shape, conflict.grid.dtype), ((32, 32), np.int64))
        self.assertEqual(conflict.grid[:, 0].tolist(), (LANES * 32).tolist())
        self.assertTrue((conflict.grid[:, 1:] == -1).all())
        self.assertEqual(conflict.words.tolist(), [[32] + [0] * 31])

    def test_wide_lanes_have_phases(self):
        wide = tilescope.banks("lane", width=128)
        self.assertEqual(wide.grid[9].tolist(), [-1] * 4 + [36, 37, 38, 39] + [-1] * 24)
        self.assertEqual(wide.phase.tolist(), (LANES // 8).tolist())
        self.assertEqual(wide.words.tolist(), [[1] * 32] * 4)

    def test_words_are_the_wavefronts_of_every_phase(self):
        for formula in ("lane*2", "(lane%4)*8 + lane/4", "lane*lane"):
            for width in (32, 64, 128):
                with self.subTest(formula=formula, width=width):
                    one = tilescope.banks(formula, width=width)
                    self.assertEqual(one.words.max(axis=1).tolist(), [phase["wavefronts"] for phase in one["phases"]])

    def test_byte_addresses_and_inactive_lanes(self):
        self.assertEqual(tilescope.banks(LANES * 128, unit="byte"), tilescope.banks(list(LANES * 32)))
        self.assertEqual(tilescope.banks(LANES * 16, unit="byte", width=128), tilescope.banks(LANES, width=128))
        half = tilescope.banks([*range(16), *[None] * 16])
        self.assertEqual(half, tilescope.banks("lane < 16 ? lane : -1") | {"hints": half["hints"]})
        self.assertEqual(half.phase.tolist(), [0] * 16 + [-1] * 16)
        with self.assertRaisesRegex(tilescope.TilescopeError, "got byte address 2; must be a multiple of 4, the bytes of a lane"):
            tilescope.banks(LANES * 2, unit="byte")
        with self.assertRaisesRegex(tilescope.TilescopeError, "unit: got 'word'; must be 'element' or 'byte'"):
            tilescope.banks(LANES, unit="word")
        with self.assertRaisesRegex(tilescope.TilescopeError, "a formula gives indices"):
            tilescope.banks("lane", unit="byte")


if __name__ == "__main__":
    unittest.main()
