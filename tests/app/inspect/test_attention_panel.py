"""The attention panel of the Inspect page."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from app.inspect.panel import Look
from app.inspect.sentence import attention
from app.inspect.widgets.bertviz_frame import MOST_NEURON_NODES
from core.inspection.sentence.attention_view import MEAN, ROLLOUT
from core.store.run import runs
from core.taggers.base.trace import PieceTrace, QueryKeyTrace
from core.text import Document, Span
from tests.inspection.attention_traces import bert_trace, flat_trace, random_weights, soft_lexicon_trace
from tests.taggers.small_taggers import small_tagger

TEXT = "陈禾在岭南市工作"


def seen(session, trace, focus=None):
    session.memory["inspect"] = Look("a run", trace, focus=focus)
    return session.memory["inspect"]


def drawn(session, trace, view="heatmap", kind="first", special=True, layer=None, head=None):
    look = seen(session, trace)
    return attention.draw(session, look, view, kind, special, layer, head, "target", None)


def with_vectors(trace):
    """The trace as of an encoder whose queries and keys alone make its attention."""
    vectors = tuple(np.ones((2, len(trace.keys), 3)) for _ in trace.attention)
    return replace(trace, query_key=QueryKeyTrace(vectors, vectors))


def heads_of(session, look):
    """The panel as it first comes."""
    return attention.draw(session, look, "heatmap", "first", True, 0, MEAN, "target", None)


def values(update):
    return [value for _, value in update["choices"]]


def test_layers_heads_and_units_of_a_flat_can_be_chosen(look):
    panel = look()["attention"]
    assert values(panel["layer"]) == [0, 1]
    assert values(panel["head"]) == [MEAN, ROLLOUT, 0, 1]
    assert values(panel["kind"])[:3] == ["nodes", "characters", "words"]
    assert panel["kind"]["value"] == "nodes"
    assert not panel["special"]["visible"]
    assert np.asarray(panel["heatmap"].data[0].z).shape == (len(TEXT), len(TEXT) + 3)


def test_units_and_special_pieces_are_those_of_the_encoder(session):
    panel = drawn(session, bert_trace())
    assert panel["kind"]["choices"][0] == ("word pieces", "nodes")
    assert panel["kind"]["value"] == "characters"
    assert panel["special"]["visible"]
    panel = drawn(session, bert_trace(), kind="words", special=False)
    assert list(panel["heatmap"].layout.yaxis.ticktext) == ["湖", "边", "Lakeside", "好"]


def test_choices_that_another_run_has_not_fall_back(session):
    panel = drawn(session, soft_lexicon_trace(), view="neuron", kind="nodes", layer=7, head=9)
    assert [panel[name]["value"] for name in ("view", "kind", "layer", "head")] == [
        *("heatmap", "characters", 0, MEAN)
    ]


def test_the_neuron_view_is_offered_only_where_vectors_explain_the_attention(session):
    assert values(drawn(session, bert_trace())["view"]) == ["heatmap", "head", "model"]
    assert values(drawn(session, with_vectors(bert_trace()))["view"]) == [
        "heatmap",
        "head",
        "model",
        "neuron",
    ]


@pytest.mark.parametrize("view", ["head", "model", "neuron"])
def test_bertviz_takes_the_place_of_the_heatmap(session, view):
    seen(session, with_vectors(bert_trace()))
    answer = attention.redraw(session, view, "nodes", True, 1, 0, "target", 0)
    assert not answer["pictures"]["visible"]
    assert "requirejs" in answer["bertviz"]["page"]
    assert answer["note"]["visible"] == (view == "neuron")
    answer = attention.redraw(session, "heatmap", "nodes", True, 1, 0, "target", 0)
    assert answer["pictures"]["visible"]
    assert answer["bertviz"]["page"] == ""


def test_a_sentence_too_long_for_bertviz_is_drawn_as_a_heatmap_with_the_reason(session):
    count = MOST_NEURON_NODES + 1
    trace = replace(
        bert_trace(),
        text="湖" * count,
        spans=(),
        attention=(random_weights(2, count, count, 1),),
        pieces=PieceTrace(("湖",) * count, np.arange(count), np.arange(count) + 1),
    )
    panel = drawn(session, with_vectors(trace), view="neuron")
    assert panel["pictures"]["visible"]
    assert str(count) in panel["note"]["value"]
    assert panel["bertviz"]["page"] == ""


@pytest.fixture
def asked(session, tmp_path):
    """A tagger that reads a sentence behind a query for each label, as the run ``mrc-0001`` in view."""
    tagger = small_tagger("mrc")
    tagger.save(tmp_path / "mrc")
    runs.register(session.workspace, session.project_id, "mrc-0001", "mrc", tmp_path / "mrc", {})
    tagger.eval()
    trace = tagger.trace(tagger.collate([Document("a", TEXT)]))[0]
    session.memory["inspect"] = Look("mrc-0001", trace)
    return tagger


def test_the_query_that_was_read_before_the_text_is_chosen_and_its_pieces_are_named(session, asked):
    trace = session.memory["inspect"].trace
    choices = "heatmap", "nodes", True, 0, MEAN, "target", None
    first = attention.draw(session, session.memory["inspect"], *choices)
    assert first["query"]["visible"]
    assert values(first["query"]) == list(range(len(trace.mrc.labels)))
    assert first["query"]["value"] == trace.mrc.attended
    other = (trace.mrc.attended + 1) % len(trace.mrc.labels)
    second = attention.ask(session, other, *choices)
    assert second["query"]["value"] == other
    behind = asked.with_attention(trace, other)
    np.testing.assert_allclose(second["heatmap"].data[0].z, behind.attention[0].mean(0), atol=1e-6)
    assert trace.mrc.labels[other] in second["heatmap"].layout.title.text
    query = [name for name in second["heatmap"].data[0].customdata[0, :, 1] if name.startswith("?")]
    assert query == [name for name in behind.keys if name.startswith("?")] != []
    # What is chosen next is drawn of the same query, and the text's share for it can be measured.
    again = attention.redraw(session, *choices[:3], 1, 0, "target", 0)
    np.testing.assert_allclose(again["heatmap"].data[0].z, behind.attention[1][0], atol=1e-6)
    own = behind.pieces.end > behind.pieces.start
    paid = [[head[own][:, behind.pieces.query].sum(1).mean() for head in layer] for layer in behind.attention]
    np.testing.assert_allclose(np.asarray(again["heads"].data[0].z), paid, atol=1e-6)


@pytest.mark.parametrize("query", [None, -1, 99, "PER"])
def test_a_query_there_is_not_changes_nothing(session, asked, query):
    answer = attention.ask(session, query, "heatmap", "nodes", True, 0, MEAN, "target", None)
    assert answer == {}


def test_a_tagger_without_queries_is_offered_none(session):
    assert not drawn(session, bert_trace())["query"]["visible"]


def click(session, x, y):
    event = SimpleNamespace(x=x, y=y)
    return attention.enlarge(session, event, "heatmap", "nodes", True, 0, MEAN, "entropy", None)


def test_a_click_on_a_picture_chooses_its_layer_and_head(session):
    seen(session, flat_trace())
    shown = click(session, 1.8, 0.6)
    assert (shown["layer"], shown["head"]) == (1, 2)
    np.testing.assert_allclose(np.asarray(shown["heatmap"].data[0].z), flat_trace().attention[1][2])
    for name in ("thumbnails", "heads"):
        assert shown[name].layout.shapes[0].x0 == 1.5


@pytest.mark.parametrize(
    ("x", "y"), [(3, 0), (0, 2), (-1, 0), ("0", 0), (None, None), (float("nan"), 0), (1e300, 0)]
)
def test_a_click_nowhere_changes_nothing(session, x, y):
    seen(session, flat_trace())
    assert click(session, x, y) == {}


def test_before_a_sentence_nothing_is_drawn(session):
    assert click(session, 0, 0) == {}
    assert attention.redraw(session, "heatmap", "nodes", True, 0, 0, "target", 0) == {}
    assert attention.measure_again(session, "target", 0, 0, 0) == {}


def test_the_heads_that_look_at_a_word_are_told_in_words(session):
    trace = flat_trace()
    look = seen(session, trace, focus=trace.spans[1])
    shown = heads_of(session, look)
    target, words, figure = shown["target"], shown["words"], shown["heads"]
    # The longest word in the entity in focus comes first to mind.
    assert target["choices"][target["value"]][0] == "白石湖, word 3–6"
    paid = np.stack([layer[:, 3:6, 7].mean(1) for layer in trace.attention])
    np.testing.assert_allclose(np.asarray(figure.data[0].z), paid)
    layer, head = np.unravel_index(paid.argmax(), paid.shape)
    assert f"Layer {layer}, head {head}: the characters of the word 白石湖 give it {paid.max():.2f}" in words
    assert "Uniform attention would give 0.12" in words  # 1 of 8 nodes


def test_an_entity_can_be_asked_about_where_there_are_no_words(session):
    look = seen(session, bert_trace())
    shown = heads_of(session, look)
    target, words = shown["target"], shown["words"]
    assert [name for name, _ in target["choices"]] == ["湖边 Lakeside, LOC 0–11", "Lakeside, ORG 3–11"]
    assert "inside the entity" in words


def test_without_words_and_entities_the_entropy_comes_first(session):
    look = seen(session, replace(bert_trace(), spans=()))
    shown = heads_of(session, look)
    measure, target, words = shown["measure"], shown["target"], shown["words"]
    assert measure["value"] == "entropy"
    assert "target" not in values(measure)
    assert not target["visible"]
    assert "2.81 bits" in words  # of seven pieces


def test_entropy_relative_to_its_largest_and_distance_can_be_chosen(session):
    trace = flat_trace()
    seen(session, trace)
    bits = np.asarray(attention.measure_again(session, "entropy", None, 0, 0)["heads"].data[0].z)
    shown = attention.measure_again(session, "relative", None, 0, 0)
    np.testing.assert_allclose(np.asarray(shown["heads"].data[0].z), bits / 3)  # log2 of eight nodes
    assert f"{bits.min():.2f} bits" in shown["words"]
    assert not shown["target"]["visible"]
    words = attention.measure_again(session, "distance", None, 0, 0)["words"]
    assert "Shortest distance" in words


def test_markup_in_the_sentence_stays_text(session):
    trace = replace(bert_trace(), text="<b>ö Lakeside好", spans=(Span(0, 3, "<i>"),))
    look = seen(session, trace)
    words = heads_of(session, look)["words"]
    assert "<b>" not in words
    assert "&lt;b&gt;" in words


def test_an_entity_beyond_the_first_window_has_nothing_to_tell(session):
    trace = replace(bert_trace(), text=bert_trace().text + "湖", spans=(Span(12, 13, "LOC"),))
    look = seen(session, trace)
    words = heads_of(session, look)["words"]
    assert "outside the tagger" in words
