"""What the simulator refuses."""
from __future__ import annotations

from typing import Iterable, NamedTuple, Tuple


class Diagnostic(NamedTuple):
    """One thing that is wrong with an input, and where."""

    file: str  # or the command line's words, such as "--set l2.size_mib=0"
    line: int  # from 1; 0: the input as a whole
    column: int  # from 1; 0: the line, or the input, as a whole
    message: str


class TilescopeError(ValueError):
    """Something asked for does not exist or cannot be. The text is what the command line prints: one sentence for each thing
    that is wrong, with the value seen and what is accepted; everything that is wrong with a file in one error.

    hint: what to do about it; often empty.
    diagnostics: the same with places, where an input has places; empty otherwise.
    """

    hint: str
    diagnostics: Tuple[Diagnostic, ...]

    def __init__(self, message: str, hint: str = "", diagnostics: Iterable[Tuple[str, int, int, str]] = ()) -> None:
        super().__init__(message)
        self.hint = hint
        self.diagnostics = tuple(Diagnostic(*one) for one in diagnostics)

    def __reduce__(self):  # of exceptions, pickle keeps the text alone: pools of processes would lose the rest
        return type(self), (self.args[0], self.hint, tuple(tuple(one) for one in self.diagnostics))
