"""What there is to choose from."""
from __future__ import annotations

from typing import Any, Dict, List

from tilescope._answers import answer


def kernels() -> List[Dict[str, Any]]:
    """The built-in kernels: name, summary, and of each parameter name, default, what is accepted and its meaning with unit."""
    return answer("list", [], ["kernels"])


def gpus() -> List[Dict[str, Any]]:
    """The built-in GPUs: name, product, clock in MHz, SMs, sizes in byte, peaks in FLOP/s, bandwidths in GB/s."""
    return answer("list", [], ["gpus"])


def metrics() -> List[Dict[str, Any]]:
    """The metrics of a result: name (as Nsight Compute spells it), unit, meaning, and whether it needs mode "timing"."""
    return answer("list", [], ["metrics"])
