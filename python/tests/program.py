"""The program, whose answers the package must equal."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ["TILESCOPE_PROGRAM"]
DATA = os.path.join(ROOT, "tests", "data")


def _asked(words):
    package = os.path.join(os.environ["PYTHONPATH"].split(os.pathsep)[0], "tilescope", "configs")
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "TILESCOPE_CONFIGS": package})


def answer(*words):
    """What it prints, byte for byte."""
    done = _asked(words)
    if done.returncode != 0:
        raise AssertionError(f"{words}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def refusal(*words):
    """What it says is wrong, without its own name before a sentence, and hints."""
    done = _asked(words)
    if done.returncode == 0:
        raise AssertionError(f"{words}: exit 0")
    return done.stderr.removeprefix("tilescope: ")
