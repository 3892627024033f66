"""AdaPU takes in what is predicted often and always as one type."""

from core.learning.distant import TypedWords, distant_labels, span_sources
from core.learning.pu.adaptive import consistent_words, extend
from core.lexicon import Entry
from core.text import Document, Span

WORDS = TypedWords.of({"林晓平": "PER"})


def said(text, *spans):
    return Document(text, text, spans)


def steady(answers, least=2):
    return consistent_words(answers, WORDS, least, ("PER", "LOC"))


def test_a_surface_predicted_often_and_always_alike_is_new():
    answers = [said("周一鸣来了", Span(0, 3, "PER")), said("看见周一鸣", Span(2, 5, "PER"))]
    assert steady(answers) == [Entry("周一鸣", 2, "PER")]


def test_one_predicted_too_seldom_is_not():
    assert steady([said("周一鸣来了", Span(0, 3, "PER"))]) == []


def test_one_predicted_as_two_types_is_not():
    answers = [
        said("青岛", Span(0, 2, "LOC")),
        said("青岛", Span(0, 2, "LOC")),
        said("青岛好", Span(0, 2, "PER")),
    ]
    assert steady(answers) == []


def test_one_that_stands_somewhere_without_being_predicted_is_not():
    answers = [said("青岛好", Span(0, 2, "LOC")), said("去青岛", Span(1, 3, "LOC")), said("青岛")]
    assert steady(answers) == []


def test_inside_a_longer_prediction_is_no_such_place():
    answers = [
        said("青岛好", Span(0, 2, "LOC")),
        said("去青岛", Span(1, 3, "LOC")),
        said("青岛湾", Span(0, 3, "LOC")),
    ]
    assert [entry.word for entry in steady(answers)] == ["青岛"]


def test_what_the_list_has_and_what_is_no_word_are_not_new():
    answers = [said("林晓平", Span(0, 3, "PER")), said("林晓平", Span(0, 3, "PER"))]
    answers += [said("x\ty", Span(0, 3, "PER")), said("x\ty", Span(0, 3, "PER"))]
    assert steady(answers) == []


def test_single_characters_count_too():
    answers = [said("去沪", Span(1, 2, "LOC")), said("沪上", Span(0, 1, "LOC"))]
    assert steady(answers) == [Entry("沪", 2, "LOC")]


def test_the_longer_list_names_the_round_and_keeps_the_order_of_types():
    both = TypedWords([Entry("长安", 5, "ORG"), Entry("长安", 1, "LOC"), Entry("林晓平", 1, "PER")])
    longer = extend(both, [Entry("周一鸣", 4, "PER")], 2)
    assert longer.types("长安") == ("ORG", "LOC")
    document = distant_labels(Document("d", "林晓平和周一鸣"), longer)
    assert span_sources(document) == {(0, 3, "PER"): "dictionary", (4, 7, "PER"): "AdaPU 2"}
