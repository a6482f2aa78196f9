"""study.py PROGRAM STORE: a store of 10,000 points. Two are simulated; the others are made of them, with figures that follow a formula of
their parameters, so that a study of this size takes a second."""

import itertools
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

program, store = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    study = os.path.join(folder, "study.yaml")
    with open(study, "w", encoding="utf-8") as out:
        out.write("study: tiles\ngpus: [h200]\nkernels: [gemm_tiled]\nparameters:\n  M,N,K: [64, 128]\n")
    subprocess.run([program, "sweep", study, "-o", store], check=True, stdout=subprocess.DEVNULL)

base = sqlite3.connect(store)
row = base.execute("SELECT * FROM results LIMIT 1").fetchone()
point = base.execute("SELECT * FROM points LIMIT 1").fetchone()
base.execute("DELETE FROM results")
base.execute("DELETE FROM points")
levels = {
    "bm": [16, 32, 48, 64, 96, 128, 160, 192, 224, 256],
    "bn": [16, 32, 48, 64, 96, 128, 160, 192, 224, 256],
    "bk": [8, 16, 24, 32, 64],
    "stages": [1, 2, 3, 4, 5],
    "raster": ["row", "column", "grouped", "morton"],
}
for position, values in enumerate(itertools.product(*levels.values()), 1):
    parameters = dict(zip(levels, values))
    bm, bn, bk, stages, raster = values
    result = json.loads(row[3])
    shared = (bm + bn) * bk * 4 * stages
    far = abs(bm - 128) / 64 + abs(bn - 96) / 48 + abs(bk - 32) / 40 + abs(stages - 3) / 3 + {"row": 0.4, "column": 0.5, "grouped": 0, "morton": 0.2}[raster]
    cycles = round(90000 * (1 + 0.31 * far + 0.02 * (position * 7919 % 101) / 101))
    result["metrics"]["gpc__cycles_elapsed.max"] = cycles
    result["metrics"]["launch__shared_mem_config_size"] = shared
    result["metrics"]["dram__bytes_read.sum"] = round(4e9 / min(bm, bn) * (1 if raster == "grouped" else 1.3))
    result["derived"]["tflops"] = 2 * 4096**3 / (cycles / 1.98e9) / 1e12 / 100
    result["derived"]["l2_hit_rate_pct"] = 100 - 900 / (bm + bn) - (position % 13) / 7
    result["derived"]["l1_hit_rate_pct"] = 30 + (position % 17) / 3
    result["derived"]["shared_conflict_factor"] = 1 + (bm % 64) / 64
    failed = shared > 2_000_000
    key = f"{position:032x}"
    base.execute("INSERT INTO results VALUES (?,?,?,?,?,?)",
                 (key, "failed", "a CTA needs more shared memory than an SM has", "", 0, row[5]) if failed else (key, "ok", "", json.dumps(result), 0, row[5]))
    base.execute("INSERT INTO points VALUES (?,?,?,?,?,?,?,?)",
                 (point[0], position, key, point[3], point[4], json.dumps({k: str(v) for k, v in parameters.items()}), point[6], point[7]))
base.commit()
base.execute("VACUUM")
