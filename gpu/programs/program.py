"""What the Python programs of this folder share: their turn on the GPU, inputs from fixed seeds, checks of results, the last line.

A program launches the same kernels with the same arguments every time it runs, so that one run can be captured and another measured.
Inputs and weights are made on the CPU and copied: no launch prepares them.
"""

import fcntl
import os
import sys

import torch

_turn = None
_wrong = False
_checksum = 0.0


def take_turn():
    """First call of every program: where TILESCOPE_TURN names a file, waits until no other program holds its lock, and keeps the lock
    until the process ends. Several programs can then start together while one at a time uses the GPU."""
    global _turn
    path = os.environ.get("TILESCOPE_TURN")
    if path:
        _turn = open(path, "w")
        fcntl.flock(_turn, fcntl.LOCK_EX)


def settle(tf32=False, separate=False):
    """Fixes what PyTorch would choose by time or by default: seeds, algorithms, TF32. separate: every tensor is an allocation of its own,
    so that the contents of what a launch reads are not those of everything else in a pool."""
    if separate:
        os.environ["PYTORCH_NO_CUDA_MEMORY_CACHING"] = "1"
    torch.manual_seed(1)
    torch.set_num_threads(4)
    torch.backends.cudnn.benchmark = False
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.backends.cudnn.allow_tf32 = tf32


def choice(values):
    """The program's one argument, of these values; exits with 2 otherwise."""
    if len(sys.argv) != 2 or sys.argv[1] not in values:
        print(f"usage: {os.path.basename(sys.argv[0])} {'|'.join(values)}", file=sys.stderr)
        sys.exit(2)
    return sys.argv[1]


def uniform(*shape, seed, low=-1.0, high=1.0):
    """Evenly spread numbers on the CPU."""
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) * (high - low) + low


def normal(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def integers(bound, *shape, seed):
    return torch.randint(bound, shape, generator=torch.Generator().manual_seed(seed))


def expect_close(what, got, wanted, tolerance):
    """Relative distance in the Frobenius norm, on the CPU in double precision."""
    global _wrong, _checksum
    got, wanted = got.detach().cpu().double(), wanted.detach().cpu().double()
    _checksum += got.sum().item()
    error = ((got - wanted).norm() / wanted.norm().clamp_min(1e-30)).item() if got.shape == wanted.shape else float("nan")
    if not error <= tolerance:  # a NaN is not
        print(f"{what}: relative error {error:g}; must be at most {tolerance:g}", file=sys.stderr)
        _wrong = True


def expect_equal(what, got, wanted):
    global _wrong, _checksum
    got, wanted = got.detach().cpu(), wanted.detach().cpu()
    _checksum += got.double().sum().item()
    if got.shape != wanted.shape or not torch.equal(got, wanted.to(got.dtype)):
        print(f"{what}: differs from the CPU's", file=sys.stderr)
        _wrong = True


def finish():
    """Last call of every program: prints the verdict and exits."""
    torch.cuda.synchronize()
    name = " ".join([os.path.splitext(os.path.basename(sys.argv[0]))[0], *sys.argv[1:]])
    print(f"{name}: {'WRONG' if _wrong else 'ok'}, checksum {_checksum:.6g}", flush=True)
    sys.exit(1 if _wrong else 0)
