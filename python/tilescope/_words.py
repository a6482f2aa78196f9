"""Python's values as the words of the command line."""
from __future__ import annotations

import os
from numbers import Integral, Real
from typing import Any, List, Mapping, Optional, Union

Path = Union[str, "os.PathLike[str]"]
Value = Union[str, int, float]


def text_of(value: Any) -> str:
    """A number (NumPy's too), a truth value (1 or 0) or a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return str(int(value))
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    raise TypeError(f"got {value!r}; must be a number or a text")


def option(name: str, value: Any) -> List[str]:
    """--name=value; nothing for None."""
    return [] if value is None else [f"--{name}={text_of(value)}"]


def assignments(name: str, values: Optional[Mapping[str, Value]]) -> List[str]:
    """--name=KEY=VALUE for each."""
    return [f"--{name}={key}={text_of(value)}" for key, value in (values or {}).items()]
