"""Many points at once: kernels x GPUs x values of parameters."""
from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path as FilePath
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from tilescope import _core
from tilescope._columns import columns, flat
from tilescope._errors import TilescopeError
from tilescope._html import table
from tilescope._words import Path, Value, text_of

Axis = Union[Value, Iterable[Union[Value, Sequence[Value]]]]

_GROUPS = ("parameters", "metrics", "derived", "provenance")
_SHOWN = ("status", "gpc__cycles_elapsed.max", "tflops", "pct_of_peak", "l2_hit_rate_pct", "bottleneck")


class Sweep(Dict[str, np.ndarray]):
    """A column per name, one element per point, in the study's order: study, kernel, gpu, parameters, status ("ok" or "failed"),
    reason (of a failure), metrics, derived values. Whole numbers are int64, or float64 with NaN where a point has none.

    document: the same as `tilescope sweep export --format json` writes it (docs/sweep.md)
    units: of the columns that have one
    """

    def __init__(self, document: Dict[str, Any]) -> None:
        super().__init__(columns([flat(point, _GROUPS) for point in document["points"]], real=frozenset(_core.real_values())))
        self.document = document
        self.units: Dict[str, str] = document["units"]

    @property
    def points(self) -> int:
        """How many there are."""
        return len(self.document["points"])

    def _repr_html_(self) -> str:
        parameters = {name for point in self.document["points"] for name in point.get("parameters", {})}
        names = [name for name, values in self.items()
                 if name in _SHOWN or ((name in parameters or name in ("kernel", "gpu")) and len(set(values.tolist())) > 1)]
        rows = list(zip(*(self[name].tolist()[:20] for name in names)))
        header = [f"{name} [{self.units[name]}]" if name in self.units else name for name in names]
        more = f", the first {len(rows)} shown" if len(rows) < self.points else ""
        return table(rows, header, caption=f"{self.points} points{more}")


def _texts(values: Any) -> Any:
    """Values of an axis for the study's text: those of a list one by one."""
    if isinstance(values, Iterable) and not isinstance(values, str):
        return [_texts(one) for one in values]
    return text_of(values)


def _several(one_or_more: Union[Path, Sequence[Path]]) -> List[str]:
    single = isinstance(one_or_more, (str, os.PathLike))
    return [text_of(one) for one in ([one_or_more] if single else one_or_more)]


def sweep(kernels: Union[Path, Sequence[Path]], axes: Optional[Mapping[Union[str, Tuple[str, ...]], Axis]] = None,
          gpu: Union[Path, Sequence[Path]] = "h200", set: Optional[Mapping[str, Value]] = None,  # noqa: A002
          constraints: Union[str, Sequence[str]] = (), sample: str = "fast", mode: str = "timing",
          threads: Optional[int] = None, store: Optional[Path] = None, study: str = "python",
          cache_control: str = "all") -> Sweep:
    """Simulates every combination of kernels, GPUs and values of parameters, several at a time.

    kernels, gpu: one or several, as `run` takes them
    axes: values by name: {"bm": [64, 128], "raster": ["row", "morton"], ("M", "N", "K"): [512, 1024], "gpu.l2.size_mib": [50, 100]}.
          A name is a parameter of a kernel, "gpu." and a value of the GPU's file, or "launch.registers_per_thread" or
          "launch.dynamic_smem_bytes"; a tuple of names advances together. A text "256:4096:*2" is a range (docs/sweep.md)
    set: values of the GPU's configuration for all points: {"l2.size_mib": 50}
    constraints: formulas; a point for which one does not hold does not exist: "bm*bk + bk*bn <= 48KiB / 4"
    sample, mode, cache_control: as `run` takes them
    threads: points simulated side by side, all of the machine's unless given; results are the same
    store: a file that keeps the results: what it has is not computed again, and `tilescope sweep show` reads it
    study: what the points are called in the store

    What only a combination breaks is a failed point with its reason; the others go on. Raises TilescopeError for names and
    values that no point could have; KeyboardInterrupt on Ctrl-C: what had finished is in the store.
    """
    cores = len(os.sched_getaffinity(0))
    side_by_side = min(cores, 1024) if threads is None else threads
    if isinstance(side_by_side, bool) or not isinstance(side_by_side, int) or not 1 <= side_by_side <= 1024:
        raise TilescopeError(f"threads: got {side_by_side!r}; must be a whole number from 1 to 1024")
    parameters = {name if isinstance(name, str) else ",".join(name): _texts(axis)
                  for name, axis in (axes or {}).items()}
    parameters.update({f"gpu.{name}": text_of(value) for name, value in (set or {}).items()})
    text: Dict[str, Any] = {"study": study, "mode": mode, "sample": sample, "cache_control": cache_control,
                            "gpus": _several(gpu), "kernels": _several(kernels)}
    if parameters:
        text["parameters"] = parameters
    if constraints:
        text["constraints"] = _several(constraints)
    return Sweep(_document(json.dumps(text, ensure_ascii=False), store, side_by_side))


def _document(text: str, store: Optional[Path], threads: int) -> Dict[str, Any]:
    if store is not None:
        return json.loads(_core.sweep(text, "sweep", os.fspath(store), threads))
    with tempfile.TemporaryDirectory(prefix="tilescope-") as folder:
        return json.loads(_core.sweep(text, "sweep", str(FilePath(folder) / "sweep.db"), threads))
