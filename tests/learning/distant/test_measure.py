"""A dictionary is measured as a naive loop over matches and labels would measure it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.learning.distant import TypedWords, distant_labels, measure, typed_surfaces
from core.lexicon import Entry
from core.lexicon.maximum_matching import DIRECTIONS
from core.text import Document, Span
from core.text.scoring import score_documents

_words = st.dictionaries(
    st.text("甲乙丙丁", min_size=1, max_size=3), st.sets(st.sampled_from("AB"), min_size=1), max_size=8
)


@st.composite
def _labelled(draw: st.DrawFn, number: int = 0) -> Document:
    text = draw(st.text("甲乙丙丁", min_size=1, max_size=14))
    at = st.integers(0, len(text) - 1)
    spans = {
        (min(a, b), max(a, b) + 1, label)
        for a, b, label in draw(st.lists(st.tuples(at, at, st.sampled_from("AB")), max_size=5))
    }
    meta = {"annotated_regions": [sorted(draw(st.tuples(at, at)))]} if draw(st.booleans()) else {}
    return Document(f"d{number}", text, tuple(Span(*key) for key in sorted(spans)), meta)


def _corpus() -> st.SearchStrategy[list[Document]]:
    return st.lists(_labelled(), max_size=4).map(
        lambda given: [Document(f"d{at}", one.text, one.spans, one.meta) for at, one in enumerate(given)]
    )


@given(_corpus(), _words, st.sampled_from(["skip", "most frequent", "keep both"]))
def test_scores_are_those_of_the_one_scorer(
    documents: list[Document], types: dict[str, set[str]], rule: str
) -> None:
    words = TypedWords.of(types)
    found = measure(documents, words, ambiguous=rule)  # type: ignore[arg-type]
    for direction in DIRECTIONS:
        tagged = [distant_labels(one, words, direction, ambiguous=rule) for one in documents]  # type: ignore[arg-type]
        expected = score_documents(documents, tagged)
        scores = dict(found.scores[direction])
        micro = scores.pop("", None)
        assert scores == expected.per_label
        assert (micro or expected.micro) == expected.micro


@given(_corpus(), _words)
def test_coverage_and_precision_are_those_of_a_naive_loop(
    documents: list[Document], types: dict[str, set[str]]
) -> None:
    words = TypedWords.of(types)
    found = measure(documents, words, ambiguous="keep both")
    for label, covered in found.coverage.items():
        spans = [one.surface(span) for one in documents for span in one.spans if span.label == label]
        held = [surface for surface in spans if label in types.get(surface, ())]
        other = [surface for surface in spans if surface in types and label not in types[surface]]
        assert (covered.occurrences, covered.held, covered.other) == (len(spans), len(held), len(other))
        distinct = (covered.surfaces, covered.held_surfaces, covered.other_surfaces)
        assert distinct == (len(set(spans)), len(set(held)), len(set(other)))
    assert set(found.coverage) == {span.label for one in documents for span in one.spans}
    for direction in DIRECTIONS:
        for type_, counts in found.matches[direction].items():
            assert (counts.right, counts.otherwise, counts.unlabelled) == _naive(
                documents, words, direction, type_
            )


def _naive(documents: list[Document], words: TypedWords, direction: str, type_: str) -> tuple[int, ...]:
    right = otherwise = unlabelled = 0
    for one in documents:
        known = set(range(len(one.text)))
        if "annotated_regions" in one.meta:
            known = {at for start, end in one.meta["annotated_regions"] for at in range(start, end)}
            known |= {at for span in one.spans for at in range(span.start, span.end)}
        for match in distant_labels(one, words, direction, ambiguous="keep both").spans:  # type: ignore[arg-type]
            if match.label != type_ or not known & set(range(match.start, match.end)):
                continue
            if any(match.key == span.key for span in one.spans):
                right += 1
            elif any(match.overlaps(span) for span in one.spans):
                otherwise += 1
            else:
                unlabelled += 1
    return right, otherwise, unlabelled


def _example() -> list[Document]:
    return [
        Document("a", "张三在北京", (Span(0, 2, "PER"), Span(3, 5, "LOC"))),
        Document("b", "北京大学的张三", (Span(0, 4, "ORG"), Span(5, 7, "PER"))),
        Document("c", "北京人"),
    ]


def test_a_worked_example() -> None:
    found = measure(_example(), TypedWords.of({"北京": "LOC", "张三": "ORG"}))
    assert found.documents == 3
    north = found.words["forward"]["北京", "LOC"]
    assert (north.right, north.otherwise, north.unlabelled, north.precision) == (
        1,
        1,
        1,
        pytest.approx(1 / 3),
    )
    person = found.coverage["PER"]
    assert (person.occurrences, person.held, person.other, person.surfaces) == (2, 0, 2, 1)
    assert found.worst("forward")[0][:2] == ("北京", "LOC") or found.worst("forward")[0][:2] == (
        "张三",
        "ORG",
    )
    assert found.missing == {("张三", "PER"): 2, ("北京大学", "ORG"): 1}


def test_the_worst_words_come_first() -> None:
    worst = measure(_example(), TypedWords.of({"北京": "LOC", "人": "PER"})).worst("backward")
    assert [(surface, counts.false) for surface, _, counts in worst] == [("北京", 2), ("人", 1)]


def test_nothing_to_read_and_nothing_to_match_are_measured_too() -> None:
    nothing = measure([], TypedWords.of({"北京": "LOC"}))
    assert (nothing.documents, nothing.coverage, nothing.missing) == (0, {}, {})
    empty = measure(_example(), TypedWords([]))
    assert empty.matches["forward"] == {}
    assert empty.scores["forward"][""].recall == 0.0
    assert empty.coverage["LOC"].held == 0
    assert measure([Document("d", "")], TypedWords([])).worst("forward") == []


def test_a_word_without_a_type_is_no_match() -> None:
    assert measure(_example(), TypedWords([Entry("北京")])).words["forward"] == {}


def test_surfaces_people_labelled_come_with_how_often_and_how_consistently() -> None:
    found = {one.surface: one for one in typed_surfaces(_example())}
    assert (found["北京"].type, found["北京"].count, found["北京"].share) == ("LOC", 1, 0.5)
    assert (found["张三"].type, found["张三"].count, found["张三"].share) == ("PER", 2, 1.0)
    assert [one.surface for one in typed_surfaces(_example(), least=2, share=0.9)] == ["张三"]
    assert typed_surfaces([]) == []
