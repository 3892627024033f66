"""The offset doctor: finds the offset convention of a file, and counts how many records fit each.

With surfaces, a record fits a convention if every surface is at its offsets. Without, impossible offsets
(outside the text, inside a character) and unlikely ones (a blank, punctuation or half a word at an end)
decide; indistinguishable conventions are reported together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.formats.doctor.offset_evidence import IMPOSSIBLE, faults
from core.formats.framework.conventions import Convention, converter, every_convention
from core.formats.framework.errors import FormatError
from core.formats.framework.format import ReadOptions, Refusal
from core.formats.framework.registry import opened
from core.formats.shapes.standoff import Record, Standoff, fits

SAMPLE = 5_000  # records examined
_SAMPLE = 2000  # records that a convention must fit one of to be tried on the rest


@dataclass(frozen=True, slots=True)
class Row:
    """The evidence for one convention.

    Args:
        fits: records without contradiction. impossible: impossible spans.
        odd: unlikely boundaries; 0 if surfaces decide.
    """

    convention: Convention
    fits: int
    impossible: int
    odd: int


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A diagnosis.

    Args:
        format: of the file. records: examined ones with spans. surfaces: of these, with surfaces.
        rows: every convention, the best first.
        best: the most likely; several if indistinguishable, none if no record fits.
        defined: the convention the format is defined by.
    """

    format: str
    records: int
    surfaces: int
    rows: tuple[Row, ...]
    best: tuple[Convention, ...]
    defined: Convention

    @property
    def decided(self) -> bool:
        """Whether a single convention is best."""
        return len(self.best) == 1

    @property
    def chosen(self) -> Convention:
        """The convention to read with: the format's if it is among the best."""
        return self.defined if self.defined in self.best or not self.best else self.best[0]


def diagnose(path: Path | str, format: str | None = None, options: ReadOptions | None = None) -> Diagnosis:
    """Try every convention on a file.

    Raises:
        FormatError: the file cannot be read, its format has no offsets, or none of its records has a span.
    """
    options = options or ReadOptions()
    chosen, source = opened(path, format, options.encoding, options.mapping is not None)
    if not isinstance(chosen, Standoff):
        raise FormatError(
            "{name} is {title}, which has no offsets to examine", name=source.path.name, title=chosen.title
        )
    records: list[Record] = []
    for item in chosen.records(source, options):
        if isinstance(item, Refusal) or not item.marks:
            continue
        records.append(item)
        if len(records) == SAMPLE:
            break
    if not records:
        raise FormatError("{name} has no spans, so there are no offsets to examine", name=source.path.name)
    return _diagnosis(chosen, records)


def _diagnosis(format: Standoff, records: list[Record]) -> Diagnosis:
    with_surfaces = [record for record in records if any(mark.surface is not None for mark in record.marks)]
    judged = with_surfaces or records
    candidates = _candidates(judged, bool(with_surfaces))
    rows = [
        _with_surfaces(candidate, judged) if with_surfaces else _without_surfaces(candidate, judged)
        for candidate in candidates
    ]
    defined = format.convention
    rows.sort(key=lambda row: (-row.fits, IMPOSSIBLE * row.impossible + row.odd, row.convention != defined))
    best = [row.convention for row in rows if _score(row) == _score(rows[0])]
    return Diagnosis(
        format.name,
        len(records),
        len(with_surfaces),
        tuple(rows),
        tuple(_distinguishable(best, judged, defined)) if rows[0].fits else (),
        defined,
    )


def _score(row: Row) -> tuple[int, int]:
    return row.fits, IMPOSSIBLE * row.impossible + row.odd


def _candidates(records: list[Record], surfaces: bool) -> list[Convention]:
    """All conventions; for a long file with surfaces only those that fit one of the first records."""
    everything = list(every_convention())
    if not surfaces or len(records) <= _SAMPLE:
        return everything
    first = records[:_SAMPLE]
    return [
        convention for convention in everything if any(fits(record, convention) for record in first)
    ] or everything


def _with_surfaces(convention: Convention, records: Iterable[Record]) -> Row:
    fitting = impossible = 0
    for record in records:
        good = fits(record, convention)
        fitting += good
        if not good:
            impossible += _impossible(record, convention)
    return Row(convention, fitting, impossible, 0)


def _impossible(record: Record, convention: Convention) -> int:
    convert = converter(record.text, convention)
    count = 0
    for mark in record.marks:
        try:
            convert(mark.start, mark.end)
        except ValueError:
            count += 1
    return count


def _without_surfaces(convention: Convention, records: Iterable[Record]) -> Row:
    total: Counter[str] = Counter()
    for record in records:
        impossible, odd = faults(record, convention)
        total.update(fits=not impossible, impossible=impossible, odd=odd)
    return Row(convention, total["fits"], total["impossible"], total["odd"])


def _distinguishable(
    best: list[Convention], records: list[Record], preferred: Convention
) -> list[Convention]:
    """The best conventions without those that read all records like another; the preferred one first."""
    ordered = sorted(best, key=lambda convention: convention != preferred)
    kept: list[Convention] = []
    for convention in ordered:
        if not any(_read_alike(convention, other, records) for other in kept):
            kept.append(convention)
    return kept


def _read_alike(convention: Convention, other: Convention, records: list[Record]) -> bool:
    for record in records:
        left, right = converter(record.text, convention), converter(record.text, other)
        for mark in record.marks:
            try:
                extent = left(mark.start, mark.end)
            except ValueError:
                extent = None
            try:
                if extent != right(mark.start, mark.end):
                    return False
            except ValueError:
                if extent is not None:
                    return False
    return True
