"""The figures of relative distances hold the numbers of the trace, named and on one scale."""

from dataclasses import replace

import numpy as np
import pytest

from app.inspect.figures.distances import MOST_TICKS, NAMED, distance_heatmaps, fused_norms, sinusoid_table
from core.inspection.sentence.distances_view import distances_view
from core.taggers.base.trace import LatticeTrace, RelativeTrace, Trace
from tests.app.inspect.figures.sample_trace import sample_trace

RELATIVE = RelativeTrace(
    ("head-head", "head-tail", "tail-head", "tail-tail"),
    np.arange(64.0).reshape(8, 8) / 7,
    np.linspace(-1, 1, 44).reshape(11, 4),
)


def view_of(lattice=None, **relative):
    lattice = lattice or sample_trace().lattice
    text = "".join(lattice.nodes[: lattice.characters])
    parts = {"lattice": lattice, "relative": replace(RELATIVE, **relative)}
    return distances_view(Trace(text, tuple(text), (), "flat", **parts))


def test_four_heatmaps_hold_the_four_distances_of_flat_on_one_scale():
    lattice = sample_trace().lattice
    figure = distance_heatmaps(view_of())
    heads, tails = lattice.head.tolist(), lattice.tail.tolist()
    pairs = [(heads, heads), (heads, tails), (tails, heads), (tails, tails)]
    for drawn, (left, right) in zip(figure.data, pairs, strict=True):
        assert np.asarray(drawn.z).tolist() == [[a - b for b in right] for a in left]
        assert drawn.coloraxis == "coloraxis"
    assert figure.layout.coloraxis.cmin == -figure.layout.coloraxis.cmax == -5


@pytest.mark.parametrize("kinds", [("head-head", "tail-tail"), ("tail-head",)])
def test_only_the_distances_asked_for_are_drawn(kinds):
    lattice = sample_trace().lattice
    figure = distance_heatmaps(view_of(), kinds)
    drawn = [np.asarray(trace.z).tolist() for trace in figure.data]
    assert drawn == [lattice.distances()[kind].tolist() for kind in kinds]
    assert len(figure.layout.annotations) == len(kinds)


def test_one_distance_names_both_nodes_of_every_cell():
    (drawn,) = distance_heatmaps(view_of(), ("head-tail",)).data
    assert drawn.customdata[3][7].tolist() == ["岭", "岭南市"]


def test_names_are_inert_in_what_the_figure_says():
    lattice = sample_trace().lattice
    hostile = replace(lattice, nodes=("<b>", *lattice.nodes[1:]))
    (drawn,) = fused_norms(view_of(hostile)).data
    assert drawn.customdata[0][0].tolist() == ["&lt;b&gt;"] * 2


def test_norms_run_from_row_to_column():
    figure = fused_norms(view_of())
    np.testing.assert_allclose(np.asarray(figure.data[0].z), RELATIVE.norms, rtol=1e-6)
    assert figure.layout.yaxis.autorange == "reversed"
    assert (figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == ("from node", "to node")


def test_a_long_sentence_has_ticks_that_can_be_read_and_cells_without_names():
    nodes = NAMED + 1
    lattice = LatticeTrace(("字",) * nodes, np.arange(nodes), np.arange(nodes), nodes)
    figure = fused_norms(view_of(lattice, norms=np.ones((nodes, nodes))))
    assert len(figure.layout.xaxis.tickvals) <= MOST_TICKS
    assert figure.data[0].customdata is None


def test_the_sinusoids_have_a_row_for_every_distance_around_zero():
    figure = sinusoid_table(view_of(), "zh")
    (drawn,) = figure.data
    assert np.asarray(drawn.y).tolist() == list(range(-5, 6))
    np.testing.assert_allclose(np.asarray(drawn.z), RELATIVE.sinusoids, rtol=1e-6)
    assert figure.layout.yaxis.title.text == "距离 d（字符）"


def test_one_character_and_no_character_can_be_drawn():
    one = LatticeTrace(("一",), np.zeros(1, int), np.zeros(1, int), 1)
    assert distance_heatmaps(view_of(one)).layout.coloraxis.cmax == 1
    none = LatticeTrace((), np.zeros(0, int), np.zeros(0, int), 0)
    assert len(distance_heatmaps(view_of(none)).data) == 4
    assert fused_norms(view_of(none, norms=np.zeros((0, 0)))).data
