"""What the list of effects and the table of variants send to the browser."""

import json

import pytest

from app.inspect.widgets.effect_rows import effects_value, signed
from app.inspect.widgets.variant_rows import variants_value
from core.inspection.what_if.edit_effects import effects
from core.inspection.what_if.variants import Variant
from core.text import LabelSet, Span

HOSTILE = "<img src=x onerror=alert(1)>${x}{{y}}"


@pytest.mark.parametrize(
    ("change", "written"),
    [(-0.31, "−.31"), (0.05, "+.05"), (-1.0, "−1.00"), (0.004, ""), (-0.004, ""), (None, "")],
)
def test_a_change_of_confidence_has_a_sign_and_two_digits(change, written):
    assert signed(change) == written


def test_the_list_holds_what_changed_with_both_surfaces():
    before, after = "林知远去岭南", "周林去岭南" + HOSTILE
    told = effects(
        [Span(0, 3, "PER", 0.9), Span(4, 6, "LOC", 0.8)], [Span(0, 3, "PER", 0.59), Span(4, 6, "LOC", 0.8)]
    )
    value = effects_value(told, before, after, "en", empty="nothing")
    assert value["rows"] == [
        {
            "kind": "kept",
            "name": "confidence",
            "before": {"label": "PER", "surface": "林知远", "score": 0.9},
            "after": {"label": "PER", "surface": "周林去", "score": 0.59},
            "change": "−.31",
            "fell": True,
        }
    ]
    assert value["empty"] == "nothing"


def test_matched_words_that_came_and_went_are_one_row_and_long_lists_are_cut():
    words = ([f"词{n}" for n in range(20)], ["岭南"])
    (row,) = effects_value([], "", "", "zh", empty="", words=words)["rows"]
    assert (row["kind"], row["name"]) == ("words", "匹配的词")
    assert row["note"].endswith("词11 …  − 岭南")


def test_a_variants_row_says_what_became_of_the_entity():
    variant = Variant("spaced", f"林 知 远{HOSTILE}", Span(0, 5, "PER"))
    tried = [(variant, (Span(0, 5, "PER", 0.4),)), (variant, (Span(0, 3, "PER", 0.4),)), (variant, ())]
    value = variants_value("line", "note", LabelSet().extended(["PER"]), "en", tried, score=0.9)
    assert [(row["kind"], row["outcome"], row["change"]) for row in value["rows"]] == [
        ("held", "kept", "−.50"),
        ("boundary", "moved boundary", ""),
        ("lost", "lost", ""),
    ]
    assert value["rows"][0]["text"] == variant.text
    assert value["rows"][0]["marks"] == [
        {"start": 0, "end": 5, "label": "PER", "score": 0.4, "source": "tagger"}
    ]
    json.dumps(value)
