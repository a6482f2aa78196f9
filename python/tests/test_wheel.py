"""The wheel installs without a network into an empty folder, and works from any other."""
import base64
import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

from program import ROOT, answer

PACKAGE = os.path.join(os.environ["PYTHONPATH"].split(os.pathsep)[0], "tilescope")
ASK = "import json, tilescope; print(tilescope.__file__); print(json.dumps(tilescope.run('gemm_tiled', mode='counts', gpu='h100')))"


def made(folder):
    command = [sys.executable, os.path.join(ROOT, "tools", "wheel"), PACKAGE, "--version", "0.1.0", "-o", folder]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.wheel = made(os.path.join(self.folder.name, "wheel"))

    def test_record_lists_every_file_with_its_hash(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            self.assertIsNone(wheel.testzip())
            names = wheel.namelist()
            record = list(csv.reader(io.StringIO(wheel.read("tilescope-0.1.0.dist-info/RECORD").decode())))
            self.assertEqual([row[0] for row in record], names)
            for name, digest, size in record[:-1]:
                content = wheel.read(name)
                wanted = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={wanted}", str(len(content))), name)
            self.assertIn("tilescope/py.typed", names)
            self.assertIn("tilescope/configs/gpus/h200.yaml", names)
            self.assertIn("\nRequires-Dist: numpy\n", wheel.read("tilescope-0.1.0.dist-info/METADATA").decode())
            tag = os.path.basename(self.wheel).removesuffix(".whl").split("-", 2)[2]
            self.assertIn(f"\nTag: {tag}\n", wheel.read("tilescope-0.1.0.dist-info/WHEEL").decode())

    def test_equal_packages_give_equal_bytes(self):
        again = made(os.path.join(self.folder.name, "again"))
        with open(self.wheel, "rb") as one, open(again, "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_works_from_an_empty_folder(self):
        target, elsewhere = os.path.join(self.folder.name, "target"), os.path.join(self.folder.name, "elsewhere")
        os.mkdir(elsewhere)
        pip = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False)
        if pip.returncode == 0:
            command = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-cache-dir",
                       "--disable-pip-version-check", "--target", target, self.wheel]
            subprocess.run(command, check=True, capture_output=True)
        else:  # what pip does with a wheel that has no scripts
            with zipfile.ZipFile(self.wheel) as wheel:
                wheel.extractall(target)
        environment = {**os.environ, "PYTHONPATH": target}
        environment.pop("TILESCOPE_CONFIGS", None)
        done = subprocess.run([sys.executable, "-c", ASK], cwd=elsewhere, env=environment, check=True,
                              capture_output=True, text=True)
        where, result = done.stdout.splitlines()
        self.assertEqual(where, os.path.join(target, "tilescope", "__init__.py"))
        wanted = json.loads(answer("run", "gemm_tiled", "--mode", "counts", "--gpu", "h100", "--format", "json"))
        self.assertEqual(json.loads(result), wanted)

    def test_a_package_without_its_module_is_refused(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "wheel"), os.path.join(ROOT, "python", "tilescope"),
                               "--version", "1", "-o", self.folder.name], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no compiled module", done.stderr)


if __name__ == "__main__":
    unittest.main()
