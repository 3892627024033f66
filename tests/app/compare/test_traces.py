"""Both traces side by side, of two small taggers that have different things to show."""

from types import SimpleNamespace

import gradio as gr
import numpy as np
import pytest

from app.compare import reading as compare_reading
from app.compare import traces as compare_traces
from app.i18n.binding import Texts
from app.services.errors import AppError
from app.services.loaded_taggers import LoadedTaggers
from app.services.session import Session, Sessions
from app.ui.frame import Frame
from core.inspection.sentence.attention_view import MEAN, ROLLOUT
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import predictions, runs
from core.text import Document, LabelSet, Span
from tests.app.asking import asked
from tests.store.by_hand import number_of
from tests.taggers.small_flat import DOCUMENTS, LABELS
from tests.taggers.small_taggers import small_tagger
from tests.workspaces import new_workspace

TEXT = DOCUMENTS[0].text


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Model folders of a FLAT and of a BiLSTM-CRF, which has neither lattice nor attention."""
    made = {}
    for name in ("flat", "bilstm_crf"):
        made[name] = tmp_path_factory.mktemp(name)
        small_tagger(name).save(made[name])
    return made


@pytest.fixture
def session(tmp_path, folders):
    with Workspace.open(new_workspace(tmp_path / "workspace")) as workspace:
        project = projects.create(workspace, "news").id
        labels.put(workspace, project, LabelSet().extended(LABELS))
        gold = [Document("a", TEXT, (Span(0, 3, "PER"),)), Document("long", TEXT * 40)]
        documents.add(workspace, project, gold)
        for name, folder in folders.items():
            runs.register(workspace, project, name, name, folder, {})
            predictions.put(workspace, name, [document.with_spans(()) for document in gold])
        taggers = LoadedTaggers(workspace, SimpleNamespace(wait=lambda: None))
        made = Session("token", "lin", SimpleNamespace(workspace=workspace, taggers=taggers), project)
        asked = compare_reading.Asked(("flat", "bilstm_crf"), "bilstm_crf", ("none",))
        made.memory[compare_reading.MEMORY] = compare_reading.read(made, asked)
        yield made


@pytest.fixture
def view():
    frame = Frame(Texts(), Sessions(lambda token: None))
    with gr.Blocks():
        yield compare_traces.layout(frame)


def drawn(session, view, name):
    shown = compare_traces.draw(session, number_of(session.workspace, session.project_id, name))
    assert shown.keys() <= {"both", *view.parts}
    return shown


def test_each_part_is_drawn_where_the_model_has_it_and_said_to_be_missing_where_not(session, view):
    shown = drawn(session, view, "a")
    first, second = shown["sentence_base"], shown["sentence_other"]
    assert (shown["both"]["visible"], shown["cut"]["visible"]) == (True, False)
    assert (shown["name_base"], shown["name_other"]) == ("`flat` (base)", "`bilstm_crf`")
    assert [row["text"] for row in first["sentences"]] == [TEXT, TEXT]
    assert first["sentences"][0]["spans"][0]["source"] == "person"
    assert len(second["sentences"]) == 2
    for part, has in {"lattice": (1, 0), "crf": (1, 1), "attention": (1, 0), "mix": (0, 0)}.items():
        assert shown[part]["visible"] == any(has)
        for side, there in zip(compare_traces.SIDES, map(bool, has), strict=True):
            assert shown[f"{part}_{side}_holder"]["visible"] == there
            assert shown[f"{part}_{side}_absent"]["visible"] == (not there)
            assert (f"{part}_{side}" in shown) == there
    assert shown["lattice_other_absent"]["value"] == "`bilstm_crf` has no such figure."
    assert shown["crf_base"].data[0].z.shape[1] == len(TEXT)


def test_layer_and_head_are_those_of_each_run_and_begin_at_its_top(session, view):
    shown = drawn(session, view, "a")
    layer, head = shown["layer_base"], shown["head_base"]
    assert [value for _, value in layer["choices"]] == [0, 1]
    assert [value for _, value in head["choices"]] == [MEAN, ROLLOUT, 0, 1, 2]
    assert (layer["value"], head["value"]) == (1, MEAN)
    assert "layer_other" not in shown, "it has no attention"
    trace = session.memory[compare_traces.MEMORY][0].trace
    np.testing.assert_allclose(shown["attention_base"].data[0].z, trace.attention[1][:, : len(TEXT)].mean(0))
    shown = compare_traces.choose(session, "base", 0, 2)
    assert (shown["layer_base"]["value"], shown["head_base"]["value"]) == (0, 2)
    np.testing.assert_allclose(shown["attention_base"].data[0].z, trace.attention[0][2, : len(TEXT)])


@pytest.mark.parametrize(("layer", "head"), [(9, 9), (None, None), ("0", -7), (-1, 3)])
def test_a_layer_or_head_there_is_not_is_the_top_and_the_mean(session, view, layer, head):
    drawn(session, view, "a")
    shown = compare_traces.choose(session, "base", layer, head)
    assert (shown["layer_base"]["value"], shown["head_base"]["value"]) == (1, MEAN)


def test_nothing_is_chosen_of_a_run_without_attention_or_before_there_are_two(session, view):
    assert compare_traces.choose(session, "base", 0, 0) == {}
    drawn(session, view, "a")
    assert compare_traces.choose(session, "other", 0, 0) == {}


def test_the_lattice_of_either_run_is_requested_by_its_mark(session, view):
    mark = drawn(session, view, "a")["lattice_base"]["mark"]
    answer = asked(compare_traces.lattice_attention, session, {"mark": mark, "layer": 1, "head": 2})
    assert (answer["layer"], answer["head"], answer["queries"]) == (1, 2, len(TEXT))
    for payload in ({"mark": "other", "layer": 0, "head": 0}, {"mark": mark, "layer": 7, "head": 0}):
        with pytest.raises(AppError):
            asked(compare_traces.lattice_attention, session, payload)


def test_a_long_document_is_cut_and_says_so(session, view):
    shown = drawn(session, view, "long")
    assert shown["cut"]["value"] == f"The first 300 of {len(TEXT) * 40} characters."
    assert len(shown["sentence_base"]["sentences"][0]["text"]) == 300
    assert shown["crf_other"].data[0].z.shape[1] == 300


def test_without_a_selected_document_it_says_what_to_do(session):
    with pytest.raises(AppError, match="Choose a document"):
        compare_traces.draw(session, None)


def test_nothing_is_shown_before_anything_is_compared(session, view):
    session.memory.clear()
    number = number_of(session.workspace, session.project_id, "a")
    assert compare_traces.draw(session, number) == {"both": gr.update(visible=False)}
