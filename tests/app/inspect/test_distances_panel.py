"""The panel of relative distances of the Inspect page."""

from dataclasses import replace

import numpy as np
import pytest

from app.inspect.sentence import distances


def test_the_panel_opens_on_all_distances(look):
    shown = look()["distances"]
    assert shown["group"]["visible"]
    assert "Red" in shown["how"]
    assert len(shown["figure"].data) == 4


def test_every_picture_can_be_chosen(session, look):
    look()
    trace = session.memory["inspect"].trace
    shown = distances.draw_picture(session, distances.FUSED)
    np.testing.assert_allclose(np.asarray(shown["figure"].data[0].z), trace.relative.norms, rtol=1e-5)
    assert "ReLU" in shown["how"]
    shown = distances.draw_picture(session, distances.SINUSOIDS)
    assert np.asarray(shown["figure"].data[0].z).shape == (2 * len(trace.text) - 1, 16)
    assert "distance" in shown["how"]
    figure = distances.draw_picture(session, "tail-head")["figure"]
    assert np.asarray(figure.data[0].z).tolist() == trace.lattice.distances()["tail-head"].tolist()


@pytest.mark.parametrize("show", ["head-tail", "no such thing", None])
def test_what_this_flat_does_not_fuse_gives_what_it_does(session, look, show):
    look()
    seen = session.memory["inspect"]
    two = replace(seen.trace.relative, kinds=("head-head", "tail-tail"))
    seen = replace(seen, trace=replace(seen.trace, relative=two))
    assert len(distances.draw_picture(session, show, seen)["figure"].data) == 2


def test_a_tagger_that_does_not_look_at_distances_has_no_such_panel(session, look):
    look()
    trace = session.memory["inspect"].trace
    assert distances.has(trace)
    assert not distances.has(replace(trace, relative=None))
