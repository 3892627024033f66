"""Names in jieba's dictionary, by part of speech: persons, places, organisations, other names.

jieba uses the tags of ICTCLAS, whose first letters denote the class: ``nr`` (persons, also ``nrt`` and
``nrfg``), ``ns`` (places), ``nt`` (organisations), ``nz`` (other proper names).
"""

from __future__ import annotations

from collections.abc import Mapping

from core.lexicon import jieba_dictionary
from core.lexicon.entry import Entry

KINDS = {"person": "nr", "place": "ns", "organisation": "nt", "other": "nz"}
SOURCE = "jieba"


def names() -> dict[str, tuple[Entry, ...]]:
    """The names of each kind with their frequencies.

    Names of one character, mostly surnames, are left out, because taggers do not match them as words.

    Raises:
        LexiconError: the package or its dictionary is missing or damaged.
    """
    by_kind: dict[str, list[Entry]] = {kind: [] for kind in KINDS}
    for entry in jieba_dictionary.read():
        for kind, tag in KINDS.items():
            if entry.type.startswith(tag) and len(entry.word) > 1:
                by_kind[kind].append(entry)
    return {kind: tuple(entries) for kind, entries in by_kind.items()}


def labelled(labels: Mapping[str, str]) -> list[Entry]:
    """The names of the chosen kinds (keys of ``labels``), each with its label as its type."""
    return [
        Entry(entry.word, entry.frequency, labels[kind])
        for kind, entries in names().items()
        if labels.get(kind)
        for entry in entries
    ]
