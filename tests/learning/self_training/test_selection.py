"""What is learned of predictions on raw text, against a choice made character by character."""

from hypothesis import given, settings
from hypothesis import strategies as st

from core.learning.self_training.selection import confident, raw_texts
from core.text import Document, Span
from core.text.annotated_regions import REGIONS, annotated_regions

TEXT = "陈禾在岭南市工作"


@st.composite
def predictions(draw):
    """A text with up to four predicted spans, which may overlap, of any confidence or none."""
    places = draw(
        st.lists(st.tuples(st.integers(0, 7), st.integers(1, 3), st.sampled_from("AB")), max_size=4)
    )
    spans = {}
    for start, length, label in places:
        score = draw(st.sampled_from([None, 0.1, 0.5, 0.89, 0.9, 1.0]))
        spans[start, min(start + length, 8), label] = score
    return Document("x", TEXT, tuple(Span(*key, score) for key, score in spans.items()))


@settings(max_examples=60, deadline=None)
@given(predictions())
def test_a_character_is_learned_unless_only_a_doubtful_span_lies_on_it(document):
    sure = {span.key for span in document.spans if (span.score or 0) >= 0.9}
    found = confident([document], 0.9)
    if not sure:
        assert found == []
        return
    (chosen,) = found
    assert {span.key for span in chosen.spans} == sure
    assert all(span.score is None for span in chosen.spans)
    doubtful = {span for span in document.spans if span.key not in sure}
    regions = annotated_regions(chosen)
    for at in range(len(TEXT)):
        is_learned = not any(span.start <= at < span.end for span in doubtful)
        assert (regions is None or any(a <= at < b for a, b in regions)) == is_learned


def test_what_people_said_of_a_text_wins_over_any_prediction():
    gold = Document("gold", "陈禾来了", (Span(0, 2, "PER"),))
    corrected = Document("corrected", "她去了", (), {REGIONS: [[0, 1]]})
    unlabelled = [
        Document("copy", "陈禾来了"), Document("again", "她去了"), Document("blank", " \n"),
        Document("new", "他来了", (Span(0, 1, "PER"),)), Document("twice", "他来了"),
    ]  # fmt: skip
    assert raw_texts(unlabelled, [gold, corrected]) == [Document("new", "他来了")]
