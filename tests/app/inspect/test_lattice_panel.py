"""The lattice panel of the Inspect page."""

from base64 import b64decode

import numpy as np
import pytest

from app.inspect.sentence import lattice
from app.services.errors import AppError
from app.ui.payload import InvalidPayload
from tests.app.asking import asked


def test_every_node_of_the_lattice_is_drawn_with_the_span_in_focus(look):
    value = look()["lattice"]["lattice"]
    assert value["nodes"][value["characters"] :] == ["岭南", "岭南市", "工作"]
    assert value["frequency"] == [1, 1, 1]
    (span,) = value["spans"]
    assert (span["start"], span["end"], span["label"], span["focus"]) == (3, 6, "LOC", True)
    assert value["heads"] == [2, 2]
    assert value["attention"]["queries"] == value["attention"]["keys"] == 11


def test_the_browser_is_answered_with_the_matrix_it_asks_for(session, look):
    value = look()["lattice"]["lattice"]
    answer = asked(lattice.lattice_attention, session, {"mark": value["mark"], "layer": 1, "head": 0})
    steps = np.frombuffer(b64decode(answer["weights"]), dtype="<u2").reshape(8, 11)
    expected = session.memory["inspect"].trace.attention[1][0]
    np.testing.assert_allclose(steps * answer["scale"], expected, atol=1e-5)


@pytest.mark.parametrize(("layer", "head"), [(2, 0), (-1, 0), (0, 2), (0, -2)])
def test_what_is_no_layer_or_head_is_refused(session, look, layer, head):
    value = look()["lattice"]["lattice"]
    with pytest.raises(AppError, match="no such layer"):
        asked(lattice.lattice_attention, session, {"mark": value["mark"], "layer": layer, "head": head})


@pytest.mark.parametrize(("layer", "head"), [("0", 0), (None, None), (True, 0), (0.0, 0)])
def test_a_layer_or_head_is_a_whole_number(session, look, layer, head):
    value = look()["lattice"]["lattice"]
    with pytest.raises(InvalidPayload) as refused:
        asked(lattice.lattice_attention, session, {"mark": value["mark"], "layer": layer, "head": head})
    assert refused.value.detail.startswith("layer: ")


def test_a_question_about_another_sentence_is_refused(session, look):
    before = look("岭南市")["lattice"]["lattice"]
    now = look()["lattice"]["lattice"]
    assert before["mark"] != now["mark"]
    with pytest.raises(AppError, match="another sentence"):
        asked(lattice.lattice_attention, session, {"mark": before["mark"], "layer": 0, "head": 0})
    for mark in ("", None, 7):
        with pytest.raises(InvalidPayload) as refused:
            asked(lattice.lattice_attention, session, {"mark": mark, "layer": 0, "head": 0})
        assert refused.value.detail.startswith("mark: ")


def test_a_question_before_any_sentence_is_refused(session):
    with pytest.raises(AppError):
        asked(lattice.lattice_attention, session, {"layer": 0, "head": 0})
