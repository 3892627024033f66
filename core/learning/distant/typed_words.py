"""A dictionary whose words name entities: each surface with the types it may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from core.lexicon import Entry, Lexicon
from core.lexicon.maximum_matching import Extent

DEFAULT_SOURCE = "dictionary"


class TypedWords:
    """Surfaces and their types, with the matcher that finds them.

    A surface may have several types. Words without a type are matched, so that no entity is found inside
    them, but give no label.

    Args:
        entries: words with frequency and type; frequencies of repeated entries are added.
        source: where these words come from (such as a dictionary's version), named by every label.
        sources: other sources of single words, by surface and type.
    """

    def __init__(
        self,
        entries: Iterable[Entry],
        *,
        source: str = DEFAULT_SOURCE,
        sources: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        counts: dict[str, dict[str, int]] = {}
        for entry in entries:
            types = counts.setdefault(entry.word, {})
            types[entry.type] = types.get(entry.type, 0) + entry.frequency
        self._types = {word: _ranked(types) for word, types in counts.items()}
        self._source, self._sources = source, dict(sources or {})

    @classmethod
    def of(cls, types: Mapping[str, str | Iterable[str]], *, source: str = DEFAULT_SOURCE) -> TypedWords:
        """From a mapping of surfaces to their type or types, all with frequency 1.

        Raises:
            LexiconError: an invalid word or type (see `core.lexicon.Entry`).
        """
        entries = (
            Entry(word, 1, type_)
            for word, given in types.items()
            for type_ in ([given] if isinstance(given, str) else given)
        )
        return cls(entries, source=source)

    def types(self, surface: str) -> tuple[str, ...]:
        """The types of a surface, the most frequent first, then by name; empty if it is unknown."""
        return self._types.get(surface, ())

    def source(self, surface: str, type_: str) -> str:
        """The source of a surface with a type."""
        return self._sources.get((surface, type_), self._source)

    @property
    def labels(self) -> tuple[str, ...]:
        """All types, by name."""
        return tuple(sorted({type_ for types in self._types.values() for type_ in types}))

    @property
    def conflicts(self) -> dict[str, tuple[str, ...]]:
        """Surfaces with more than one type."""
        return {surface: types for surface, types in self._types.items() if len(types) > 1}

    @cached_property
    def lexicon(self) -> Lexicon:
        """The surfaces as a lexicon."""
        return Lexicon(self._types)

    def places(self, text: str) -> list[Extent]:
        """Start and end of every occurrence of every surface, single characters included."""
        extents = [(start, end) for start, end, _ in self.lexicon.offsets(text)]
        return extents + [(at, at + 1) for at in self.lexicon.match_characters(text)]

    def __contains__(self, surface: object) -> bool:
        return surface in self._types

    def __len__(self) -> int:
        return len(self._types)


def _ranked(types: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(sorted((type_ for type_ in types if type_), key=lambda type_: (-types[type_], type_)))
