"""Coverage and precision of a typed dictionary on labelled documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from core.learning.distant.labelling import Ambiguous, labels_in
from core.learning.distant.typed_words import TypedWords
from core.lexicon.maximum_matching import DIRECTIONS, Direction
from core.text import Document, Span
from core.text.annotated_regions import judged
from core.text.scoring import Score


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of a label's entities the dictionary covers.

    Args:
        occurrences, surfaces: labelled spans, and distinct surfaces among them. held, held_surfaces: those
            in the dictionary with this label as a type. other, other_surfaces: with other types only.
    """

    occurrences: int
    held: int
    other: int
    surfaces: int
    held_surfaces: int
    other_surfaces: int


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """Counts of matches: same label, another label or boundary, not labelled."""

    right: int = 0
    otherwise: int = 0
    unlabelled: int = 0

    @property
    def matches(self) -> int:
        """Number of matches."""
        return self.right + self.otherwise + self.unlabelled

    @property
    def false(self) -> int:
        """Matches that are not an entity of the type."""
        return self.otherwise + self.unlabelled

    @property
    def precision(self) -> float | None:
        """Share of right matches; None without matches."""
        return self.right / self.matches if self.matches else None


@dataclass(frozen=True)
class DictionaryMeasure:
    """A dictionary against labels.

    Args:
        documents: number read. coverage: by label. matches: by direction, then type.
        scores: the dictionary as a tagger, by direction, then label; "" for all labels together.
        words: by direction, then matched surface and type. missing: number of labelled spans by surface and
            type not in the dictionary, the most frequent first.
    """

    documents: int
    coverage: dict[str, Coverage]
    matches: dict[Direction, dict[str, MatchCounts]]
    scores: dict[Direction, dict[str, Score]]
    words: dict[Direction, dict[tuple[str, str], MatchCounts]]
    missing: dict[tuple[str, str], int]

    def worst(self, direction: Direction, limit: int = 50) -> list[tuple[str, str, MatchCounts]]:
        """The words with the most false matches; of ties, the least precise first."""
        listed = [(surface, type_, counts) for (surface, type_), counts in self.words[direction].items()]
        wrong = [item for item in listed if item[2].false]
        return sorted(wrong, key=lambda item: (-item[2].false, item[2].right, item[:2]))[:limit]


@dataclass
class _Tally:
    """Running counts."""

    documents: int = 0
    gold: Counter[tuple[str, str]] = field(default_factory=Counter)
    kinds: dict[Direction, Counter[tuple[str, str, str]]] = field(
        default_factory=lambda: {direction: Counter() for direction in DIRECTIONS}
    )


def measure(
    documents: Iterable[Document],
    words: TypedWords,
    *,
    ambiguous: Ambiguous = "skip",
    progress: Callable[[int], None] | None = None,
) -> DictionaryMeasure:
    """Compare maximum matching, in every direction, with the documents' gold spans.

    Matches outside the annotated regions do not count. Documents are read once, in order.

    Args:
        progress: called with the number of documents read so far; may raise to stop.

    Raises:
        OffsetError: a document's annotated regions are malformed.
    """
    tally = _Tally()
    for document in documents:
        tally.documents += 1
        spans = {span.key: span for span in document.spans}
        tally.gold.update((document.surface(span), span.label) for span in spans.values())
        under = bytearray(len(document.text))
        for span in document.spans:
            under[span.start : span.end] = b"\1" * len(span)
        matches = labels_in(document.text, words, DIRECTIONS, ambiguous)
        for direction, labelled in matches.items():
            kinds = tally.kinds[direction]
            for span in judged(document, labelled):
                kind = (
                    "right" if span.key in spans else "otherwise" if _touches(under, span) else "unlabelled"
                )
                kinds[document.surface(span), span.label, kind] += 1
        if progress is not None:
            progress(tally.documents)
    return _measured(tally, words)


def _touches(under: bytearray, match: Span) -> bool:
    """Whether a labelled span covers a character of the match."""
    return under.find(1, match.start, match.end) >= 0


def _measured(tally: _Tally, words: TypedWords) -> DictionaryMeasure:
    by_word = {direction: _by_word(kinds) for direction, kinds in tally.kinds.items()}
    by_type = {direction: _by_type(counts) for direction, counts in by_word.items()}
    gold = Counter[str]()
    for (_, label), times in tally.gold.items():
        gold[label] += times
    missing = {key: times for key, times in tally.gold.items() if key[1] not in words.types(key[0])}
    return DictionaryMeasure(
        tally.documents,
        _coverage(tally.gold, words),
        by_type,
        {direction: _scores(gold, counts) for direction, counts in by_type.items()},
        by_word,
        dict(sorted(missing.items(), key=lambda item: (-item[1], item[0]))),
    )


def _by_word(kinds: Counter[tuple[str, str, str]]) -> dict[tuple[str, str], MatchCounts]:
    words = dict.fromkeys((surface, type_) for surface, type_, _ in kinds)
    return {
        (surface, type_): MatchCounts(
            *(kinds[surface, type_, kind] for kind in ("right", "otherwise", "unlabelled"))
        )
        for surface, type_ in words
    }


def _by_type(words: dict[tuple[str, str], MatchCounts]) -> dict[str, MatchCounts]:
    by_type: dict[str, MatchCounts] = {}
    for (_, type_), word in words.items():
        total = by_type.get(type_, MatchCounts())
        by_type[type_] = MatchCounts(
            total.right + word.right, total.otherwise + word.otherwise, total.unlabelled + word.unlabelled
        )
    return dict(sorted(by_type.items()))


def _scores(gold: Counter[str], matches: dict[str, MatchCounts]) -> dict[str, Score]:
    """By label and, under "", of all: exact extents and labels, as `core.text.scoring` counts them."""
    nothing = MatchCounts()
    scores = {
        label: Score(gold[label], matches.get(label, nothing).matches, matches.get(label, nothing).right)
        for label in sorted({*gold, *matches})
    }
    counts = [(score.gold, score.predicted, score.correct) for score in scores.values()]
    return {"": Score(*(sum(column) for column in zip(*counts, strict=True)))} | scores if counts else {}


def _coverage(gold: Counter[tuple[str, str]], words: TypedWords) -> dict[str, Coverage]:
    rows: dict[str, list[int]] = {}
    for (surface, label), times in gold.items():
        row = rows.setdefault(label, [0] * 6)
        types = words.types(surface)
        for place, applies in ((0, True), (1, label in types), (2, bool(types) and label not in types)):
            row[place] += times * applies
            row[place + 3] += applies
    return {label: Coverage(*rows[label]) for label in sorted(rows)}
