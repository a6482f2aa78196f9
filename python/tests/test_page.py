"""docs/python.md shows what its lines print."""
import os
import subprocess
import sys
import unittest

from program import ROOT

BUILD = os.path.dirname(os.environ["PYTHONPATH"].split(os.pathsep)[0])


class Page(unittest.TestCase):
    def test_answers(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "python-page"), "--check", "--build", BUILD],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
