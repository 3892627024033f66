"""The attention panel of the Inspect page."""

from __future__ import annotations

import numpy as np
import pytest

from app.figures.attention import MEAN
from app.pages.inspect import attention

TEXT = "陈禾在岭南市工作"


def test_layers_and_heads_can_be_chosen(look):
    _, layer, head, _, figure, _ = look()["attention"]
    assert layer["choices"] == [("0", 0), ("1", 1)]
    assert [value for _, value in head["choices"]] == [MEAN, 0, 1]
    assert np.asarray(figure.data[0].z).shape == (len(TEXT), len(TEXT) + 3)


@pytest.mark.parametrize("view", ["head", "model"])
def test_bertviz_takes_the_place_of_the_heatmap(session, look, view):
    look()
    heatmap, _, frame = attention.draw_view(session, view, 1, 0)
    assert not heatmap["visible"]
    assert "requirejs" in frame["page"]
    heatmap, _, frame = attention.draw_view(session, "heatmap", 1, 0)
    assert heatmap["visible"]
    assert frame["page"] == ""
