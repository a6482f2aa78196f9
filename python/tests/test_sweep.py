"""sweep() computes what `tilescope sweep` computes, as columns."""
import json
import os
import tempfile
import unittest

import numpy as np
import tilescope
from program import answer

STUDY = """
study: python
mode: counts
sample: fast
gpus: [a100, h200]
kernels: [gemm_tiled]
parameters:
  M,N,K: [64, 128]
  swizzle: [none, xor]
  tile: [16, 32]
  gpu.l2.size_mib: [base, 20]
constraints: tile == 16 || M > 64
"""
AXES = {("M", "N", "K"): np.array([64, 128]), "swizzle": ["none", "xor"], "tile": range(16, 33, 16),
        "gpu.l2.size_mib": ["base", 20]}


def counted(**options):
    return tilescope.sweep("gemm_tiled", AXES, gpu=["a100", "h200"], constraints="tile == 16 || M > 64", mode="counts", **options)


class Sweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = counted()

    def test_equals_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            study, store = os.path.join(folder, "study.yaml"), os.path.join(folder, "of-the-program.db")
            with open(study, "w") as file:
                file.write(STUDY)
            answer("sweep", study, "-o", store)
            text = answer("sweep", "export", store, "--format", "json")
            for points in (self.all, counted(threads=1)):
                self.assertEqual(json.dumps(points.document, indent=1, ensure_ascii=False) + "\n", text)

    def test_columns(self):
        points = self.all
        self.assertEqual(points.points, 24)
        self.assertEqual({len(values) for values in points.values()}, {24})
        self.assertEqual((points["M"].dtype, points["tile"].dtype), (np.int64, np.int64))
        self.assertEqual(points["swizzle"].dtype.kind, "U")
        self.assertEqual(points["shared_conflict_factor"].dtype, np.float64)
        self.assertEqual(points["dram__bytes_read.sum"].dtype, np.int64)
        self.assertEqual(points.units["dram__bytes_read.sum"], "byte")
        self.assertEqual(points["tile"][:12].tolist(), [16, 16, 16, 16, 16, 16, 32, 32, 16, 16, 32, 32])
        one = tilescope.run("gemm_tiled", gpu="h200", parameters={"M": 128, "N": 128, "K": 128, "tile": 32, "swizzle": "xor"},
                            set={"l2.size_mib": 20}, mode="counts", sample="fast")
        row = int(np.flatnonzero((points["gpu"] == "h200") & (points["M"] == 128) & (points["tile"] == 32)
                                 & (points["swizzle"] == "xor") & (points["gpu.l2.size_mib"] == 20))[0])
        self.assertEqual(points["smsp__inst_executed.sum"][row], one["metrics"]["smsp__inst_executed.sum"])

    def test_failed_points_have_a_reason_and_nan(self):
        tiles = tilescope.sweep("gemm_tiled", {"M,N,K": [128], "tile": [16, 32]}, set={"sm.max_threads_per_cta": 512})
        self.assertEqual(tiles["status"].tolist(), ["ok", "failed"])
        self.assertIn("1024", tiles["reason"][1])
        self.assertEqual(np.isnan(tiles["gpc__cycles_elapsed.max"]).tolist(), [False, True])

    def test_store_is_the_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "tiles.db")
            first = counted(store=store, study="tiles")
            self.assertEqual(counted(store=store, study="tiles").document, first.document)
            self.assertEqual(json.loads(answer("sweep", "export", store, "--format", "json")), first.document)

    def test_errors(self):
        for ask, sentence in (
            (lambda: tilescope.sweep("gemm_tiled", {"tiel": [8]}), r"parameters\.tiel: .*did you mean tile"),
            (lambda: tilescope.sweep("gemm_tield"), "unknown kernel 'gemm_tield' .did you mean gemm_tiled"),
            (lambda: tilescope.sweep("gemm_tiled", gpu="h20"), "unknown GPU 'h20'"),
            (lambda: tilescope.sweep("gemm_tiled", mode="time"), "mode: got 'time'; must be timing or counts"),
            (lambda: tilescope.sweep("gemm_tiled", threads=0), "threads: got 0; must be a whole number from 1 to 1024"),
            (lambda: tilescope.sweep("gemm_tiled", constraints="tile =="), "constraints: in the formula"),
            (lambda: tilescope.sweep("gemm_tiled", store="/nowhere/x.db"), "there is no folder /nowhere"),
        ):
            with self.subTest(sentence), self.assertRaisesRegex(tilescope.TilescopeError, sentence) as caught:
                ask()
            self.assertNotRegex(str(caught.exception), r"sweep:\d")

    def test_all_errors_at_once(self):
        with self.assertRaises(tilescope.TilescopeError) as caught:
            tilescope.sweep("gemm_tiled", {"tiel": [8], "M": [0]}, gpu="h20")
        self.assertEqual(len(caught.exception.diagnostics), 3)
        self.assertEqual(str(caught.exception).count("\n"), 2)

    def test_table_of_a_sweep(self):
        html = self.all._repr_html_()
        self.assertIn("24 points, the first 20 shown", html)
        self.assertIn("<th>tile</th>", html)
        self.assertNotIn("<th>K2</th>", html)


if __name__ == "__main__":
    unittest.main()
