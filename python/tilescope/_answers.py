"""Documents that the simulator answers with."""
from __future__ import annotations

import json
from typing import Any, Dict, List

from tilescope import _core
from tilescope._columns import Columns, columns, flat
from tilescope._html import table


def answer(command: str, options: List[str], words: List[str]) -> Any:
    """The JSON document of a command. Raises TilescopeError; KeyboardInterrupt on Ctrl-C."""
    return json.loads(_core.command([command, "--format=json", *options, "--", *words]))


class Document(Dict[str, Any]):
    """A JSON document of the command line, as json.loads() reads it."""

    @property
    def json(self) -> str:
        """The document as a text."""
        return json.dumps(self, indent=2, ensure_ascii=False)


class Result(Document):
    """The answer of one run, schema tilescope.result/1 (docs/result-format.md). Names have their units in `tilescope.metrics()`
    or in themselves (`_pct`: per cent, `_gbs`: GB/s); shown as a table in a notebook."""

    @property
    def lines(self) -> Columns:
        """Of a run with `by`: an array per counter, one element per instruction or source line. Metrics are counts of the whole
        launch, `samples_pct` is the share of all stall samples in per cent; stalls are in warp cycles. Empty without `by`."""
        rows = []
        for line in self.get("lines", []):
            row = flat(line, ["metrics"])
            row.update({f"stall_cycles.{name}": value for name, value in row.pop("stall_cycles", {}).items()})
            rows.append(row)
        return columns(rows)

    def _repr_html_(self) -> str:
        if self.get("schema") != "tilescope.result/1":
            return table([(key, value) for key, value in self.items() if not isinstance(value, (dict, list))])
        parts = {**self["metrics"], **self["derived"]}
        rows = [(name, parts[key], unit) for key, name, unit in _HEADLINE if key in parts]
        return table(rows, caption=f"{self['kernel']} on {self['gpu']}")


_HEADLINE = (
    ("gpc__cycles_elapsed.max", "cycles", ""),
    ("gpu__time_duration.sum", "time", "ns"),
    ("tflops", "FLOP/s", "TFLOP/s"),
    ("pct_of_peak", "of the peak", "%"),
    ("occupancy_pct", "occupancy", "%"),
    ("shared_conflict_factor", "wavefronts per ideal wavefront", ""),
    ("l1_hit_rate_pct", "L1 hit rate", "%"),
    ("l2_hit_rate_pct", "L2 hit rate", "%"),
    ("dram__bytes_read.sum", "HBM read", "byte"),
    ("dram__bytes_write.sum", "HBM written", "byte"),
    ("bottleneck_reason", "bottleneck", ""),
)
