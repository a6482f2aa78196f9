"""Tables for notebooks."""
from __future__ import annotations

from html import escape
from typing import Any, Iterable, Sequence


def cell(value: Any) -> str:
    """A number with at most five significant digits, or a text."""
    if isinstance(value, float):
        return f"{value:.5g}"
    return escape(str(value))


def table(rows: Iterable[Sequence[Any]], header: Sequence[str] = (), caption: str = "") -> str:
    html = "<table>"
    if caption:
        html += f"<caption>{escape(caption)}</caption>"
    if header:
        html += "<thead><tr>" + "".join(f"<th>{escape(name)}</th>" for name in header) + "</tr></thead>"
    lines = ["<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows]
    return html + "<tbody>" + "".join(lines) + "</tbody></table>"
