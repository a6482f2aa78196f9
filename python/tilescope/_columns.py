"""Rows of a document as columns."""
from __future__ import annotations

from typing import Any, Collection, Dict, Iterable, List, Mapping

import numpy as np

Columns = Dict[str, np.ndarray]


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def column(values: List[Any], real: bool = False) -> np.ndarray:
    """int64 where every value is a whole number, float64 where all are numbers (NaN: a row has none), else text ("": none).
    Texts that are numbers count as such. real: never int64."""
    known = [_number(value) if isinstance(value, str) else value for value in values if value is not None]
    if known and all(isinstance(value, (int, float)) for value in known):
        given = iter(known)
        numbers = [np.nan if value is None else next(given) for value in values]
        whole = not real and all(isinstance(value, int) and -2**63 <= value < 2**63 for value in numbers)
        return np.array(numbers, dtype=np.int64 if whole else np.float64)
    return np.array(["" if value is None else str(value) for value in values], dtype=np.str_)


def flat(row: Mapping[str, Any], groups: Iterable[str]) -> Dict[str, Any]:
    """The row with the values of `groups` beside its others."""
    groups = tuple(groups)
    return {name: value for key, one in row.items() for name, value in (one.items() if key in groups else [(key, one)])}


def columns(rows: List[Mapping[str, Any]], real: Collection[str] = ()) -> Columns:
    """A column for each name, in the order of their first appearance. real: those that are float64 whatever their values."""
    names: Dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    return {name: column([row.get(name) for row in rows], name in real) for name in names}
