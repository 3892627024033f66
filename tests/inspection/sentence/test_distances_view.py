"""The distances between the nodes of a lattice, written out node by node."""

from dataclasses import replace

import numpy as np
import pytest

from core.inspection.sentence.distances_view import distances_view
from core.taggers.base.trace import RelativeTrace
from tests.inspection.attention_traces import HEAD, NODES, TAIL, flat_trace

RELATIVE = RelativeTrace(("head-head",), np.arange(64.0).reshape(8, 8), np.zeros((11, 4)))


def test_a_view_holds_every_distance_and_the_encodings_of_the_trace():
    view = distances_view(replace(flat_trace(), relative=RELATIVE))
    edges = {"head": HEAD, "tail": TAIL}
    for name, matrix in view.distances.items():
        first, second = (edges[edge] for edge in name.split("-"))
        assert matrix.tolist() == [[a - b for b in second.tolist()] for a in first.tolist()]
    assert set(view.distances) == {"head-head", "head-tail", "tail-head", "tail-tail"}
    assert (view.nodes, view.kinds, view.reach) == (NODES, ("head-head",), 5)
    assert view.norms is RELATIVE.norms
    assert view.sinusoids is RELATIVE.sinusoids


def test_a_tagger_that_uses_no_distances_has_no_view():
    with pytest.raises(ValueError, match="does not use"):
        distances_view(flat_trace())
