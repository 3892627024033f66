"""Detects the column layout of a word list, which is ambiguous in one line, by a majority of its lines."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_COMMAS = re.compile(r"[^\t,]*[^\t,\s](?:,[^\t,\s][^\t,]*){1,2}")
_QUOTED = re.compile(r'"[^\t]+"(?:,[^\t,\s][^\t,]*){0,2}')
_TYPE = re.compile(r"[^\W\d][\w-]*")
_NUMBER = re.compile(r"-?\d+")
_THREE = re.compile(r"\S+\s+\d+\s+[^\W\d]\w*")
SAMPLE = 5000  # lines that are inspected
MOST_TYPES = 20  # different second columns, or a tenth of the lines: ``family,given`` has more
# Column names in a header line.
_WORDS = {"word", "words", "term", "terms", "text", "surface", "entity", "name"} | {
    "词", "词语", "词条", "单词", "实体", "名称", "文本"
}  # fmt: skip
_OTHERS = {"type", "types", "label", "labels", "tag", "pos", "freq", "frequency", "count"} | {
    "类型", "类别", "标签", "词性", "频率", "词频", "频次", "次数"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a word list.

    Args:
        commas: columns are separated by commas. any_type: word and frequency are followed by a type in any
            script. heading: number of the header line, 0 for none.
    """

    commas: bool = False
    any_type: bool = False
    heading: int = 0


def layout_of(lines: Sequence[str]) -> Layout:
    """The layout of more than half of the lines, judged by an even sample."""
    stripped = map(str.strip, lines[:: max(1, len(lines) // SAMPLE)])
    sample = [line for line in stripped if line and not line.startswith("#")]
    half = len(sample) / 2
    commas = sum("," in line and _is_comma_line(line) for line in sample) > half and _has_types(sample)
    any_type = sum(_THREE.fullmatch(line) is not None for line in sample) > half
    return Layout(commas, any_type, _heading(lines, commas))


def comma_cells(line: str) -> list[str]:
    """The columns of a line, which may be quoted; the whole line if it cannot be parsed."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], skipinitialspace=True), [""])]
    except csv.Error:
        return [line]


def _is_comma_line(line: str) -> bool:
    return _COMMAS.fullmatch(line) is not None or _QUOTED.fullmatch(line) is not None


def _has_types(lines: Sequence[str]) -> bool:
    """Whether the columns after the first are numbers and a few types."""
    kinds: Counter[str] = Counter()
    strange = 0
    for line in lines:
        if "," in line:
            cells = [cell for cell in comma_cells(line)[1:] if cell and not _NUMBER.fullmatch(cell)]
            kinds.update(cells)
            strange += any(not _TYPE.fullmatch(cell) for cell in cells)
    return len(kinds) <= max(MOST_TYPES, len(lines) // 10) and strange <= len(lines) / 2


def _heading(lines: Sequence[str], commas: bool) -> int:
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = comma_cells(line) if commas and "\t" not in line else line.split("\t")
        first, *rest = (cell.strip().casefold() for cell in cells)
        return number if first in _WORDS and rest and _OTHERS.issuperset(rest) else 0
    return 0
