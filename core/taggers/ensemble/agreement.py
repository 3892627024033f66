"""Which trained taggers can be averaged: those that give probabilities to the same things."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.runtime.message import ToldValueError, pgettext
from core.taggers.base.model_folder import ModelHeader, read_header
from core.taggers.base.registry import by_name
from core.taggers.ensemble.config import FEWEST, MOST
from core.taggers.sequence.tagger import SequenceConfig, SequenceTagger
from core.taggers.span.config import SpanConfig
from core.taggers.span.tagger import SpanTagger

TAGS, SPANS = pgettext("output of a tagger", "tags"), pgettext("output of a tagger", "span scores")
CHARACTERS, WORDS = pgettext("unit of a tagger", "characters"), pgettext("unit of a tagger", "words")


class EnsembleError(ToldValueError):
    """Taggers cannot be averaged; the message says which, why, and what to do."""


def check_agreement(folders: Sequence[Path]) -> None:
    """Check that the taggers in these model folders can be averaged; weights are not read.

    They must have the same kind of output (a tag per unit, or a score per span), the same labels in any
    order, and the same unit and tag scheme, or decoding.

    Args:
        folders: model folders; messages name them.

    Raises:
        EnsembleError: too few or too many, or one does not fit.
        ModelFolderError, UnknownTaggerError: one cannot be read.
    """
    if not FEWEST <= len(folders) <= MOST:
        raise EnsembleError(
            "an ensemble has {fewest} to {most} members, got {count}",
            fewest=FEWEST,
            most=MOST,
            count=len(folders),
        )
    headers = [read_header(folder) for folder in folders]
    for folder, header in zip(folders, headers, strict=True):
        _check_kind(folder, header)
    for folder, header in zip(folders[1:], headers[1:], strict=True):
        _check_pair(folders[0], headers[0], folder, header)


def _check_kind(folder: Path, header: ModelHeader) -> None:
    kind = by_name(header.tagger)
    if not kind.built_from_documents:
        raise EnsembleError(
            "{folder} is an ensemble itself; name its members instead, the folders below {inside}",
            folder=folder,
            inside=folder / "members",
        )
    if not issubclass(kind, (SequenceTagger, SpanTagger)):
        raise EnsembleError(
            "{folder} is {title}, which an ensemble cannot average: it needs taggers with a tag per unit, or "
            "span; leave it out",
            folder=folder,
            title=kind.title,
        )


def _check_pair(first: Path, expected: ModelHeader, folder: Path, header: ModelHeader) -> None:
    """Compare a member with the first one."""
    one, other = (
        each.config_of(at, by_name(each.tagger).Config) for at, each in ((first, expected), (folder, header))
    )
    outputs = [SPANS if isinstance(config, SpanConfig) else TAGS for config in (one, other)]
    if outputs[0] != outputs[1]:
        raise EnsembleError(
            "{folder} gives {what}, but {first} gives {others}; average taggers with the same output",
            folder=folder,
            first=first,
            what=outputs[1],
            others=outputs[0],
        )
    lacking, extra = (sorted(set(a) - set(b)) for a, b in _both_ways(expected.labels, header.labels))
    if lacking or extra:
        raise EnsembleError(
            "{folder} has other labels than {first}: {labels} against {others}; train both on documents with "
            "the same labels",
            folder=folder,
            first=first,
            labels=extra or list(header.labels),
            others=lacking or list(expected.labels),
        )
    if isinstance(one, SequenceConfig) and isinstance(other, SequenceConfig):
        if one.reads_words != other.reads_words:
            raise EnsembleError(
                "{folder} tags {unit}, but {first} tags {others}; train one of them again with the other's "
                "unit",
                folder=folder,
                first=first,
                unit=WORDS if other.reads_words else CHARACTERS,
                others=WORDS if one.reads_words else CHARACTERS,
            )
        _check_option(first, one.scheme, folder, other.scheme, "scheme")
    if isinstance(one, SpanConfig) and isinstance(other, SpanConfig):
        _check_option(first, one.decoding, folder, other.decoding, "decoding")


def _both_ways(one: Sequence[str], other: Sequence[str]) -> tuple[tuple[Sequence[str], Sequence[str]], ...]:
    return (one, other), (other, one)


def _check_option(first: Path, expected: str, folder: Path, value: str, name: str) -> None:
    if value != expected:
        raise EnsembleError(
            "{folder} has {option} {value}, but {first} has {expected}; train one of them again with the "
            "other's",
            folder=folder,
            first=first,
            option=name,
            value=value,
            expected=expected,
        )
