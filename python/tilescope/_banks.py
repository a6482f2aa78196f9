"""The bank conflicts of one shared-memory instruction."""
from __future__ import annotations

from typing import Iterable, Optional, Union

import numpy as np

from tilescope._answers import Document, answer
from tilescope._errors import TilescopeError
from tilescope._html import table
from tilescope._words import option, text_of

LANES = BANKS = 32


class Banks(Document):
    """What one shared-memory instruction costs, schema tilescope.banks/1 (docs/banks.md): `wavefronts`, `ideal`, `conflicts`,
    phases with the lanes that collide, and hints."""

    @property
    def grid(self) -> np.ndarray:
        """32 lanes x 32 banks, int64: the 4-byte word, from the start of the array, that the lane touches in the bank; -1: none."""
        words_per_lane = self["width"] // 32
        grid = np.full((LANES, BANKS), -1, dtype=np.int64)
        for lane, index in enumerate(self["lane_index"]):
            if index >= 0:
                words = index * words_per_lane + np.arange(words_per_lane)
                grid[lane, words % BANKS] = words
        return grid

    @property
    def phase(self) -> np.ndarray:
        """32 lanes, int64: which phase of the instruction serves the lane, from 0; -1: the lane is inactive."""
        phase = np.full(LANES, -1, dtype=np.int64)
        for number, one in enumerate(self["phases"]):
            phase[one["lanes"]] = number
        return phase

    @property
    def words(self) -> np.ndarray:
        """Phases x 32 banks, int64: different words that the phase touches in the bank. More than one collide."""
        grid, phase = self.grid, self.phase
        words = np.zeros((len(self["phases"]), BANKS), dtype=np.int64)
        for number in range(len(words)):
            for bank in range(BANKS):
                touched = grid[phase == number, bank]
                words[number, bank] = len(np.unique(touched[touched >= 0]))
        return words

    def _repr_html_(self) -> str:
        return table([(self["op"], f"{self['width']} bit", self["wavefronts"], self["ideal"], self["conflicts"])],
                     header=["op", "width", "wavefronts", "ideal", "conflicts"])


def _index(value: Optional[int], bytes_per_lane: int, unit: str) -> str:
    if value is None:
        return "-1"
    text = text_of(value)
    if unit == "element" or text == "-1":
        return text
    address = int(text)
    if address % bytes_per_lane != 0:
        raise TilescopeError(f"access: got byte address {address}; must be a multiple of {bytes_per_lane}, the bytes of a lane")
    return str(address // bytes_per_lane)


def banks(access: Union[str, Iterable[Optional[int]]], width: int = 32, op: str = "ld", unit: str = "element") -> Banks:
    """Counts the bank conflicts of one shared-memory instruction; equal to `tilescope banks --format json`.

    access: a formula of the lane's index, such as "lane*33" (docs/banks.md), or 32 indices, one per lane; -1 or None: the lane
            is inactive
    width: bits per lane: 32, 64 or 128
    op: "ld" or "st"
    unit: of 32 given indices: "element" (of the width) or "byte"

    Raises TilescopeError for a formula that cannot be read, another number of lanes, or a wrong width, op or unit.
    """
    if unit not in ("element", "byte"):
        raise TilescopeError(f"unit: got {unit!r}; must be 'element' or 'byte'")
    options = option("width", width) + option("op", op)
    if isinstance(access, str):
        if unit == "byte":
            raise TilescopeError("unit: got 'byte' with a formula; must be 'element': a formula gives indices in units of the "
                                 "width")
        return Banks(answer("banks", [*options, f"--expr={access}"], []))
    bytes_per_lane = int(width) // 8 or 4
    lanes = " ".join(_index(value, bytes_per_lane, unit) for value in access)
    return Banks(answer("banks", [*options, f"--lanes={lanes}"], []))
