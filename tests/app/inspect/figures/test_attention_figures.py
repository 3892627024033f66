"""The figures of the attention panel, on the data they carry."""

import numpy as np
import pytest

from app.inspect.figures.attention_heads import MOST_WRITTEN, head_heatmap
from app.inspect.figures.attention_thumbnails import attention_thumbnails
from app.ui.figures.attention import attention_heatmap
from app.ui.figures.axes import upright_axis
from core.inspection.sentence.attention_units import units
from core.inspection.sentence.attention_view import MEAN, ROLLOUT, attention_map, attention_view
from core.taggers.base.trace import Trace
from core.text import Span
from tests.inspection.attention_traces import bert_trace, flat_trace, random_weights


def drawn(figure, x, y):
    """The value at a place of a thumbnail figure."""
    data = figure.data[0]
    across, down = np.asarray(data.x), np.asarray(data.y)
    return np.asarray(data.z)[np.abs(down - y).argmin(), np.abs(across - x).argmin()]


def test_the_heatmap_is_in_the_chosen_units():
    shown = attention_view(bert_trace(), "words", special=False, layer=1, head=0).chosen
    figure = attention_heatmap(shown)
    np.testing.assert_allclose(np.asarray(figure.data[0].z), shown.weights)
    assert tuple(figure.layout.yaxis.ticktext) == ("湖", "边", "Lakeside", "好")
    assert figure.layout.title.text == "weights of layer 1, head 0"
    assert "rollout" in attention_heatmap(attention_map(bert_trace(), 1, ROLLOUT)).layout.title.text


def test_a_long_entity_is_named_by_its_beginning_and_in_full_under_the_pointer():
    name = "白石湖畔的林间旧书店与茶馆"
    spans = (Span(0, len(name), "LOC"),)
    trace = Trace(name, tuple(name), spans, "cnn", (random_weights(1, len(name), len(name), 1),))
    figure = attention_heatmap(attention_map(trace, 0, MEAN, "spans"))
    assert figure.layout.yaxis.ticktext[0] == "白石湖畔的林间旧书店与…"
    assert figure.data[0].customdata[0][0].tolist() == [name, name]


def test_markup_in_a_sentence_is_inert():
    trace = Trace("<b>", tuple("<b>"), (), "cnn", (random_weights(1, 3, 3, 1),))
    figure = attention_heatmap(attention_map(trace, 0, 0))
    assert figure.layout.xaxis.ticktext[0] == "&lt;"
    assert figure.data[0].customdata[0][2].tolist() == ["&lt;", "&gt;"]


def test_every_head_of_every_layer_has_a_thumbnail_in_its_place():
    trace = flat_trace()
    nodes = units(trace, "nodes")
    figure = attention_thumbnails(attention_view(trace).thumbnails, 1, 2)
    rows, columns = len(nodes.rows), len(nodes.columns)
    for layer in range(2):
        for head in range(3):
            weights = trace.attention[layer][head][:rows]
            for row in range(rows):
                for column in range(columns):
                    x = head - 0.5 + (column + 1) / (columns + 1)
                    y = layer - 0.5 + (row + 1) / (rows + 1)
                    assert (round(x), round(y)) == (head, layer)
                    assert drawn(figure, x, y) == pytest.approx(weights[row, column] / weights.max())


def test_the_chosen_head_is_framed_and_the_layer_where_none_is():
    thumbnails = attention_view(flat_trace()).thumbnails
    (frame,) = attention_thumbnails(thumbnails, 1, 2).layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (1.5, 2.5, 0.5, 1.5)
    (frame,) = attention_thumbnails(thumbnails, 0, MEAN).layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (-0.5, 2.5, -0.5, 0.5)


def test_one_number_for_every_head_with_the_chosen_one_framed():
    values = np.arange(6.0).reshape(2, 3)
    figure = head_heatmap(values, "bits", 1, 0, most=9.0)
    np.testing.assert_array_equal(np.asarray(figure.data[0].z), values)
    assert figure.data[0].zmax == 9.0
    assert figure.layout.title.text == "bits"
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].y1) == (-0.5, 1.5)
    assert figure.data[0].texttemplate
    assert head_heatmap(np.zeros((2, MOST_WRITTEN)), "bits", 0, 0).data[0].texttemplate is None


def test_chinese_words_are_written_downwards_and_markup_stays_inert():
    axis = upright_axis(["林", "白石", "[CLS]", "<i>", "?谁", "?[UNK]"], "t")
    assert axis["ticktext"] == ["林", "白<br>石", "C<br>L<br>S", "&lt;i&gt;", "?<br>谁", "?<br>U<br>N<br>K"]
    assert axis["tickangle"] == 0
    # Pieces of letters have no room beside each other: plotly may turn them all.
    axis = upright_axis(["the", "lake", "side", "白石"], "t")
    assert axis["tickangle"] is None
    assert axis["ticktext"][3] == "白石"
