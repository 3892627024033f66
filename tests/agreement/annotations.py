"""Annotations for the tests: values of single characters, published examples, made-up corpora."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from core.agreement import AnnotatedDocument, ReliabilityData
from core.text import Span

LABELS = ("PER", "ORG", "LOC")
PEOPLE = ("ann", "bao", "chen")


def of_values(people: Mapping[str, Sequence[str | None]]) -> ReliabilityData:
    """One document of one character for every item; a value is a label on it, None is not annotated."""
    count = len(next(iter(people.values())))
    return ReliabilityData(
        tuple(
            AnnotatedDocument(
                str(item),
                1,
                {
                    name: (Span(0, 1, value),)
                    for name, values in people.items()
                    if (value := values[item]) is not None
                },
            )
            for item in range(count)
        ),
        tuple(people),
    )


def of_counts(table: Sequence[Sequence[int]]) -> ReliabilityData:
    """From rows of how many raters chose each category; which rater chose it plays no part."""
    raters = sum(table[0])
    chosen = [[str(c) for c, times in enumerate(row) for _ in range(times)] for row in table]
    return of_values({f"r{place}": [row[place] for row in chosen] for place in range(raters)})


def one_document(length: int, people: Mapping[str, Sequence[tuple[int, int, str]]]) -> ReliabilityData:
    """One text that everybody annotated."""
    versions = {name: tuple(Span(*key) for key in keys) for name, keys in people.items()}
    return ReliabilityData((AnnotatedDocument("one", length, versions),), tuple(people))


@st.composite
def corpora(draw, nested: bool = True) -> ReliabilityData:
    """A few documents, each seen by some of three people."""
    documents = []
    for number in range(draw(st.integers(0, 4))):
        length = draw(st.integers(0, 12))
        versions = {}
        for name in draw(st.sets(st.sampled_from(PEOPLE))):
            keys = st.tuples(st.integers(0, length), st.integers(0, length), st.sampled_from(LABELS))
            spans = [Span(a, b, label) for a, b, label in draw(st.lists(keys, max_size=5)) if a < b]
            versions[name] = tuple(spans if nested else _disjoint(spans))
        documents.append(AnnotatedDocument(str(number), length, versions))
    return ReliabilityData(tuple(documents), PEOPLE)


def _disjoint(spans: Sequence[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in spans:
        if not any(span.overlaps(other) and span.label == other.label for other in kept):
            kept.append(span)
    return kept
