"""Launches Triton kernels of this folder: those of a list, in its order.

    python3 gpu/triton/launches.py LIST [--once] [--share I/N] [--good FILE]

A line of LIST is KERNEL CONFIGURATION SIZES; `#` starts a comment. Every launch is checked against PyTorch on the GPU, and a line
`KERNEL CONFIGURATION SIZES: ok, error X` (or WRONG, or what was raised) tells of it; the exit code is 1 if one is not right. --once: launches
these kernels, once each, and no others, so that a profiler or recorder around the program sees them alone. --share: every N-th line,
from the I-th on (1 to N). --good: the lines that were right are appended to FILE. Inputs have fixed seeds and are made on the CPU.
"""

import argparse
import sys

import torch

import attention
import layer_norm
import matmul
import softmax

KERNELS = {**matmul.KERNELS, **softmax.KERNELS, **layer_norm.KERNELS, **attention.KERNELS}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--share", default="1/1")
    parser.add_argument("--good")
    return parser.parse_args()


def lines(path):
    with open(path) as file:
        stripped = [line.split("#")[0].split() for line in file]
    return [words for words in stripped if words]


def relative_error(got, wanted):
    """In the Frobenius norm; NaN where shapes differ."""
    if got.shape != wanted.shape:
        return float("nan")
    return ((got.double() - wanted.double()).norm() / wanted.double().norm()).item()


def run(words, check):
    """Launches once; true if the result is right or nobody asks."""
    name = " ".join(words)
    try:
        out, reference, tolerance = KERNELS[words[0]](*words[1:])
        torch.cuda.synchronize()
        if not check:
            return True
        error = relative_error(out, reference())
        good = error <= tolerance  # a NaN is not
        print(f"{name}: {'ok' if good else 'WRONG'}, error {error:.2g}", flush=True)
        return good
    except Exception as raised:  # of the compiler, mostly; the others of the list still run
        print(f"{name}: {type(raised).__name__}: {str(raised)[:2000]}", flush=True)
        return False


def main():
    asked = options()
    share, shares = (int(number) for number in asked.share.split("/"))
    torch.backends.cuda.matmul.allow_tf32 = False
    all_good = True
    for words in lines(asked.list)[share - 1 :: shares]:
        good = run(words, not asked.once)
        all_good = all_good and good
        if good and asked.good:
            with open(asked.good, "a") as file:
                file.write(" ".join(words) + "\n")
    sys.exit(0 if all_good else 1)


if __name__ == "__main__":
    main()
