"""Each variant of a sentence spelt out by hand, and the span where it stands in it."""

import pytest

from core.inspection.what_if import variants
from core.inspection.what_if.variants import VARIANTS, Subject, make_variant, make_variants, outcome
from core.text import Span

TEXT = "昨日林知远先生乘G12次列车。"
SPAN = Span(2, 5, "PER", 0.9)
SUBJECT = Subject(TEXT, SPAN, ["周若水", "林知远", "欧阳山"])


@pytest.mark.parametrize(
    ("name", "text", "surface"),
    [
        ("swapped", "昨日周若水先生乘G12次列车。", "周若水"),
        ("traditional", "昨日林知遠先生乘G12次列車。", "林知遠"),
        ("spaced", "昨日林 知 远先生乘G12次列车。", "林 知 远"),
        ("emoji", "昨日🙂林知远先生乘G12次列车。", "林知远"),
        ("full_width", "昨日林知远先生乘Ｇ１２次列车。", "林知远"),
        ("unpunctuated", "昨日林知远先生乘G12次列车", "林知远"),
    ],
)
def test_a_variant_changes_one_thing_and_knows_where_the_span_is(name, text, surface):
    variant = make_variant(name, SUBJECT)
    assert (variant.name, variant.text) == (name, text)
    assert text[variant.span.start : variant.span.end] == surface
    assert variant.span.label == "PER"


def test_a_sentence_has_the_variants_in_which_something_changes():
    assert [variant.name for variant in make_variants(SUBJECT)] == [
        name for name in VARIANTS if name not in ("simplified", "half_width")
    ]
    bare = Subject("我在看海", Span(3, 4, "LOC"))
    assert [variant.name for variant in make_variants(bare)] == ["emoji"]


def test_back_from_traditional_and_from_full_width():
    wide = Subject("林知遠乘Ｇ１２次", Span(0, 3, "PER"))
    assert make_variant("simplified", wide).text == "林知远乘Ｇ１２次"
    assert make_variant("half_width", wide).text == "林知遠乘G12次"
    assert make_variant("full_width", wide) is None


def test_swaps_go_round_the_other_surfaces():
    others = [make_variant("swapped", Subject(TEXT, SPAN, SUBJECT.surfaces, turn)) for turn in range(3)]
    assert [variant.text[2:5] for variant in others] == ["周若水", "欧阳山", "周若水"]
    assert make_variant("swapped", Subject(TEXT, SPAN, ["林知远"])) is None
    longer = make_variant("swapped", Subject(TEXT, SPAN, ["欧阳若水"]))
    assert longer.span == Span(2, 6, "PER")


def test_a_conversion_that_changes_the_length_still_knows_where_the_span_is(monkeypatch):
    monkeypatch.setattr(variants, "_converter", lambda config: lambda text: text.replace("日", "个日头"))
    variant = make_variant("traditional", SUBJECT)
    assert variant.text == "昨个日头林知远先生乘G12次列车。"
    assert variant.span == Span(4, 7, "PER")


def test_the_last_mark_is_deleted_only_where_there_is_one_outside_the_span():
    def without(text, start, end):
        return make_variant("unpunctuated", Subject(text, Span(start, end, "X")))

    assert without("去岭南！ \n", 1, 3).text == "去岭南"
    assert without("去岭南", 1, 3) is None
    assert without("读《海》", 1, 4) is None


def test_blanks_are_put_only_where_there_is_none():
    variant = make_variant("spaced", Subject("Li Na说", Span(0, 5, "PER")))
    assert variant.text == "L i N a说"
    assert variant.span == Span(0, 7, "PER")


def test_half_a_surrogate_pair_has_no_other_script():
    assert make_variant("traditional", Subject("林\ud800远", Span(0, 1, "PER"))) is None


def test_the_outcome_is_what_became_of_the_span_in_question():
    variant = make_variant("emoji", SUBJECT)
    assert outcome(variant, [Span(3, 6, "PER", 0.5), Span(0, 2, "TIME")]).kind == "kept"
    assert outcome(variant, [Span(0, 2, "TIME")]).kind == "lost"
    assert outcome(variant, [Span(3, 5, "PER")]).kind == "boundary"
    assert outcome(variant, [Span(3, 6, "LOC")]).kind == "label"
