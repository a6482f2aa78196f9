"""run() and explain() answer what the program answers."""
import json
import os
import unittest

import numpy as np
import tilescope
from program import ROOT, answer

SMALL = {"M": 128, "N": 128, "K": 64}
SMALL_WORDS = ["-p", "M=128", "-p", "N=128", "-p", "K=64"]
LISTING = os.path.join(ROOT, "traces", "samples", "sass", "gemm_naive.yaml")


class EqualsTheProgram(unittest.TestCase):
    def check(self, result, *words):
        text = answer(*words, "--format", "json")
        said = json.dumps(json.loads(text))  # the same numbers in the same order: the last of 17 digits may be written otherwise
        self.assertEqual(json.dumps(result), said)
        self.assertEqual(json.dumps(json.loads(result.json)), said)

    def test_built_in_kernel(self):
        self.check(tilescope.run("gemm_tiled", parameters=SMALL), "run", "gemm_tiled", *SMALL_WORDS)

    def test_gpu_set_mode_and_sample(self):
        result = tilescope.run("gemm_tiled:swizzle=xor", gpu="a100", parameters=SMALL,
                               set={"l2.size_mib": 20, "clock.sm_mhz": 1000.5}, mode="counts", sample="off", threads=2)
        self.check(result, "run", "gemm_tiled:swizzle=xor", "--gpu", "a100", *SMALL_WORDS, "--set", "l2.size_mib=20",
                   "--set", "clock.sm_mhz=1000.5", "--mode", "counts", "--sample", "off")
        self.assertNotIn("gpc__cycles_elapsed.max", result["metrics"])

    def test_compiled_kernel_by_line(self):
        result = tilescope.run(LISTING, by="line", sample="fast", top=7)
        self.check(result, "run", LISTING, "--by", "line", "--sample", "fast", "--top", "7")

    def test_threads_do_not_change_the_answer(self):
        self.assertEqual(tilescope.run("gemm_tiled", parameters=SMALL, threads=1),
                         tilescope.run("gemm_tiled", parameters=SMALL, threads=3))

    def test_explain(self):
        self.check(tilescope.explain("gemm_tiled:transpose_a=1", parameters=SMALL, top=1), "explain", "gemm_tiled:transpose_a=1",
                   *SMALL_WORDS, "--top", "1")

    def test_lists(self):
        for name in ("kernels", "gpus", "metrics"):
            with self.subTest(name):
                self.assertEqual(getattr(tilescope, name)(), json.loads(answer("list", name, "--format", "json")))
        self.assertIn("h200", [one["name"] for one in tilescope.gpus()])
        self.assertEqual(answer("--version"), f"tilescope {tilescope.__version__}\n")

    def test_parameters_of_numpy(self):
        sizes = {"M": np.int64(128), "N": np.float64(128).astype(int), "K": "64", "transpose_a": np.bool_(True)}
        self.check(tilescope.run("gemm_tiled", parameters=sizes), "run", "gemm_tiled", *SMALL_WORDS, "-p", "transpose_a=1")


class Lines(unittest.TestCase):
    def test_columns_of_by_line(self):
        result = tilescope.run(LISTING, by="line", sample="fast")
        lines = result.lines
        self.assertEqual({len(values) for values in lines.values()}, {len(result["lines"])})
        self.assertEqual(lines["index"].dtype, np.int64)
        self.assertEqual(lines["samples_pct"].dtype, np.float64)
        self.assertEqual(lines["text"].dtype.kind, "U")
        self.assertAlmostEqual(lines["samples_pct"].sum(), 100)
        self.assertEqual(lines["smsp__inst_executed.sum"].sum(), result["metrics"]["smsp__inst_executed.sum"])
        self.assertEqual(lines["stall_cycles.barrier"].tolist(), [one["stall_cycles"]["barrier"] for one in result["lines"]])

    def test_none_unless_asked_for(self):
        self.assertEqual(tilescope.run("gemm_tiled", parameters=SMALL, mode="counts").lines, {})


class Notebook(unittest.TestCase):
    def test_table_of_a_result(self):
        html = tilescope.run("gemm_tiled", parameters=SMALL)._repr_html_()
        self.assertIn("<caption>gemm_tiled on NVIDIA H200 SXM</caption>", html)
        self.assertIn("<td>L2 hit rate</td>", html)

    def test_what_a_name_holds_is_text(self):
        result = tilescope.run("gemm_tiled", parameters=SMALL, mode="counts")
        result["kernel"] = "<script>"
        self.assertIn("&lt;script&gt;", result._repr_html_())


if __name__ == "__main__":
    unittest.main()
