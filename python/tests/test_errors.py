"""What is wrong is said in the program's words."""
import os
import pickle
import tempfile
import unittest

import tilescope
from program import refusal


class Errors(unittest.TestCase):
    def refused(self, ask, *words):
        with self.assertRaises(tilescope.TilescopeError) as caught:
            ask()
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        text = str(error) + "\n" + (error.hint + "\n" if error.hint else "")
        self.assertEqual(text, refusal(*words))
        return error

    def test_kernel(self):
        self.refused(lambda: tilescope.run("gemm_tield"), "run", "gemm_tield")

    def test_gpu(self):
        error = self.refused(lambda: tilescope.run("gemm_tiled", gpu="h20"), "run", "gemm_tiled", "--gpu", "h20")
        self.assertIn("did you mean", str(error))

    def test_all_wrong_parameters_at_once(self):
        error = self.refused(lambda: tilescope.run("gemm_tiled", parameters={"M": 0, "tiel": 8}), "run", "gemm_tiled", "-p", "M=0",
                             "-p", "tiel=8")
        self.assertEqual(len(error.diagnostics), 2)

    def test_set(self):
        error = self.refused(lambda: tilescope.run("gemm_tiled", set={"l2.sise_mib": 50}), "run", "gemm_tiled", "--set",
                             "l2.sise_mib=50")
        self.assertEqual(error.diagnostics[0].file, "--set l2.sise_mib=50")

    def test_options(self):
        for name, value in (("mode", "time"), ("sample", "slow"), ("threads", 0), ("by", "warp"), ("top", 3)):
            with self.subTest(name):
                self.refused(lambda: tilescope.run("gemm_tiled", **{name: value}), "run", "gemm_tiled", f"--{name}", str(value))

    def test_everything_wrong_with_a_file_with_places(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "gpu.yaml")
            with open(path, "w") as file:
                file.write("name: x\nl2:\n  slics: 4\n  size_mib: 0\n")
            error = self.refused(lambda: tilescope.run("gemm_tiled", gpu=path), "run", "gemm_tiled", "--gpu", path)
        self.assertGreater(len(error.diagnostics), 2)
        one = next(one for one in error.diagnostics if "l2.size_mib: got" in one.message)
        self.assertEqual((one.file, one.line, one.column), (path, 4, 13))

    def test_launch_that_no_sm_holds(self):
        self.refused(lambda: tilescope.run("gemm_tiled", set={"sm.max_threads_per_cta": 512}), "run", "gemm_tiled", "--set",
                     "sm.max_threads_per_cta=512")

    def test_file_that_is_missing(self):
        self.refused(lambda: tilescope.run("nowhere.yaml"), "run", "nowhere.yaml")
        self.refused(lambda: tilescope.run("--help"), "run", "--", "--help")

    def test_formula(self):
        self.refused(lambda: tilescope.banks("lane*"), "banks", "--expr", "lane*")
        self.refused(lambda: tilescope.banks([0, 1, 2]), "banks", "--lanes", "0 1 2")
        self.refused(lambda: tilescope.banks("lane", width=16), "banks", "--expr", "lane", "--width", "16")
        self.refused(lambda: tilescope.explain("gemm_tiled", top=0), "explain", "gemm_tiled", "--top", "0")

    def test_values_that_are_no_words(self):
        with self.assertRaisesRegex(TypeError, "got None; must be a number or a text"):
            tilescope.run("gemm_tiled", parameters={"M": None})

    def test_survives_a_process_boundary(self):
        with self.assertRaises(tilescope.TilescopeError) as caught:
            tilescope.run("gemm_tiled", parameters={"M": 0})
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(copy), copy.hint, copy.diagnostics),
                         (str(caught.exception), caught.exception.hint, caught.exception.diagnostics))


if __name__ == "__main__":
    unittest.main()
