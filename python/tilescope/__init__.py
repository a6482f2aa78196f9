"""A simulator of a GPU's memory hierarchy: conflicts, hit rates, traffic and cycles of CUDA kernels on modelled GPUs.

    >>> import tilescope
    >>> result = tilescope.run("gemm_tiled", gpu="h200", parameters={"M": 512, "N": 512, "K": 512})
    >>> result["metrics"]["gpc__cycles_elapsed.max"]        # cycles of the SM clock
    >>> tilescope.banks("lane*32")["wavefronts"]            # of one shared-memory load
    >>> tiles = tilescope.sweep("gemm_register", {"bm": [64, 128], "bn": [64, 128]})
    >>> tiles["tflops"]                                     # a NumPy array, one element per point

Answers are dictionaries equal to the JSON documents of the command line, with NumPy arrays where there are columns. What is
wrong raises TilescopeError with the command line's sentences. Nothing holds the interpreter's lock while it simulates, Ctrl-C
stops it, and calls from several threads run side by side.
"""
from pathlib import Path as _Path

from tilescope import _core
from tilescope._answers import Document, Result
from tilescope._banks import Banks, banks
from tilescope._errors import Diagnostic, TilescopeError
from tilescope._kernels import explain, run
from tilescope._lists import gpus, kernels, metrics
from tilescope._sweep import Sweep, sweep

__version__: str = _core.version()
__all__ = ["Banks", "Diagnostic", "Document", "Result", "Sweep", "TilescopeError", "banks", "explain", "gpus", "kernels",
           "metrics", "run", "sweep"]

for _public in (Banks, Diagnostic, Document, Result, Sweep, TilescopeError):
    _public.__module__ = __name__  # where users find them

_core.use_config_directory(str(_Path(__file__).resolve().parent / "configs"))
