"""The Inspect page over a real store and a real, tiny FLAT: every panel from one sentence."""

from __future__ import annotations

from types import SimpleNamespace

import gradio as gr
import numpy as np
import pytest
import torch

from app.errors import AppError
from app.figures.attention import MEAN
from app.frame import PAGES, Frame
from app.i18n.binding import Texts
from app.pages import inspect, inspect_panels
from app.serving import ServingTaggers
from app.session import Session, Sessions
from core.lexicon import Lexicon
from core.store import documents, labels, projects, runs
from core.store.workspace import Workspace
from core.taggers.flat import Flat, FlatConfig
from core.taggers.tagger import Resources
from core.taggers.trace import MixTrace, MrcTrace, Trace
from core.text import Document, LabelSet, Span

TEXT = "陈禾在岭南市工作"
PANELS = (
    "notice", "panels", "why", "lattice_group", "lattice", "mrc_group", "mrc_panel", "mrc_plot",
    "attention", "layer", "head", "heatmap", "bertviz", "crf", "crf_plot", "mix_group", "mix",
    "distances_group", "distances",
)  # fmt: skip


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    """A FLAT that learned one sentence by heart."""
    torch.manual_seed(5)
    torch.set_num_threads(1)
    config = FlatConfig(
        layers=2, hidden=16, heads=2, ffn=16, char_dim=8, bigram_dim=0, word_dim=8, embedding_dropout=0.0
    )
    gold = [Document("1", TEXT, (Span(3, 6, "LOC"),))]
    flat = Flat.build(config, ["LOC"], Resources(gold, Lexicon(["岭南", "岭南市", "工作"])))
    optimiser = torch.optim.AdamW(flat.parameters(), lr=0.02)
    flat.train()
    for _ in range(40):
        optimiser.zero_grad()
        flat.loss(flat.collate(gold)).backward()
        optimiser.step()
    folder = tmp_path_factory.mktemp("model")
    flat.save(folder)
    return folder


@pytest.fixture
def session(tmp_path, model_folder):
    with Workspace.open(tmp_path / "workspace") as workspace:
        project = projects.create(workspace, "news")
        labels.put(workspace, project.id, LabelSet.from_names(["LOC"]))
        documents.add(workspace, project.id, [Document("a", TEXT)])
        runs.register(workspace, project.id, "flat-0001", "flat", model_folder, {})
        projects.set_serving(workspace, project.id, "flat-0001")
        device = SimpleNamespace(wait=lambda: None)
        workbench = SimpleNamespace(workspace=workspace, serving=ServingTaggers(workspace, device))
        yield Session("token", "me", workbench, project.id)


def look(session, sentence=TEXT, view="heatmap", layer=None, head=None, panel="emissions"):
    return dict(
        zip(PANELS, inspect.look(session, "flat-0001", sentence, view, layer, head, panel), strict=True)
    )


def test_the_pickers_offer_finished_runs_and_the_projects_documents(session):
    run, document, empty, button = inspect.show(session, None)
    assert run["choices"] == ["flat-0001"]
    assert run["value"] == "flat-0001"
    assert document["choices"][0][0] == TEXT
    assert not empty["visible"]
    assert button["interactive"]
    assert inspect.choose(session, document["choices"][0][1]) == TEXT


def test_a_project_without_a_run_says_what_to_do(session):
    session.project_id = projects.create(session.workspace, "empty").id
    run, _, empty, button = inspect.show(session, None)
    assert run["choices"] == []
    assert empty["visible"]
    assert not button["interactive"]


def test_one_sentence_fills_every_panel(session):
    drawn = look(session)
    assert [word["surface"] for word in drawn["lattice"]["words"]] == ["岭南", "岭南市", "工作"]
    assert drawn["lattice"]["spans"][0]["explain"].startswith("岭南市 · LOC")
    assert len(drawn["distances"].data) == 4
    assert drawn["layer"]["choices"] == [("0", 0), ("1", 1)]
    assert [value for _, value in drawn["head"]["choices"]] == [MEAN, 0, 1]
    assert np.asarray(drawn["heatmap"]["value"].data[0].z).shape == (len(TEXT), len(TEXT) + 3)
    assert drawn["crf_plot"].data[0].z.shape[1] == len(TEXT)
    assert not drawn["notice"]["visible"]


def test_a_panel_stands_only_where_the_tagger_has_something_to_show(session):
    drawn = look(session)
    groups = ("lattice_group", "mrc_group", "attention", "crf", "mix_group", "distances_group")
    assert [drawn[name]["visible"] for name in groups] == [True, False, True, True, False, True]


def test_a_tagger_that_reads_queries_shows_its_answers_and_no_lattice(session):
    start = np.full((2, len(TEXT)), 0.5)
    answers = MrcTrace(
        ("LOC", "PER"), ("哪里", "谁"), start, start, np.array([[0, 3, 5]]), np.array([0.7]), True
    )
    trace = Trace(TEXT, tuple(TEXT), (), "mrc", mix=MixTrace(np.array([0.4, 0.6])), mrc=answers)
    drawn = dict(
        zip(PANELS[3:], inspect_panels.draw(session, trace, "heatmap", None, None, "emissions"), strict=True)
    )
    groups = ("lattice_group", "mrc_group", "attention", "crf", "mix_group", "distances_group")
    assert [drawn[name]["visible"] for name in groups] == [False, True, False, False, True, False]
    # A picker without choices may hold no value, or the next call would be refused.
    assert (drawn["layer"]["choices"], drawn["layer"]["value"]) == ([], None)
    assert drawn["mrc_panel"]["choices"] == [("starts and ends", -1), ("LOC", 0), ("PER", 1)]
    assert len(drawn["mrc_plot"].data) == 2
    assert inspect_panels.draw_mrc(session, 0).data[0].z[3][5] == 0.7


def test_another_run_is_looked_into_only_once_there_is_a_sentence(session):
    choices = ("heatmap", None, None, "emissions")
    assert inspect.look_again(session, "flat-0001", " ", *choices) == tuple(gr.skip() for _ in PANELS)
    drawn = dict(zip(PANELS, inspect.look_again(session, "flat-0001", TEXT, *choices), strict=True))
    assert drawn["panels"]["visible"]


def test_a_tagger_without_a_dictionary_says_so(session):
    trace = Trace(TEXT, tuple(TEXT), (Span(3, 6, "LOC", 0.5),), "bilstm_crf")
    assert inspect._why_table(session, trace, None)["value"] == [
        ["岭南市 LOC 0.50", "this tagger reads no dictionary", "", ""]
    ]


def test_why_names_the_words_under_the_span_and_what_becomes_of_it_without_them(session):
    table = look(session)["why"]
    assert table["headers"] == ["Span", "without the word", "prediction becomes", "change"]
    assert {row[1] for row in table["value"]} == {"岭南", "岭南市"}
    assert all(row[0].startswith("岭南市 LOC ") for row in table["value"])
    assert all(row[2] for row in table["value"])


def test_the_words_of_the_project_act_on_the_lattice(session):
    from core.store import lexicon_changes

    lexicon_changes.add(session.workspace, session.project_id, ["在岭"], user="me")
    assert "在岭" in [word["surface"] for word in look(session)["lattice"]["words"]]


@pytest.mark.parametrize("view", ["head", "model"])
def test_bertviz_takes_the_place_of_the_heatmap(session, view):
    drawn = look(session, view=view)
    assert not drawn["heatmap"]["visible"]
    assert "requirejs" in drawn["bertviz"]["page"]
    back, frame = inspect_panels.draw_attention(session, "heatmap", 1, 0)
    assert back["visible"]
    assert frame["page"] == ""


def test_every_picture_of_the_crf_can_be_chosen(session):
    look(session)
    for panel in ("emissions", "marginals", "transitions"):
        assert inspect_panels.draw_crf(session, panel).data


def test_a_text_longer_than_the_page_draws_is_cut_and_said_so(session):
    drawn = look(session, sentence="岭南市" * 200)
    assert drawn["notice"]["visible"]
    assert str(inspect.MOST_CHARACTERS) in drawn["notice"]["value"]
    assert len(drawn["lattice"]["tokens"]) == inspect.MOST_CHARACTERS


@pytest.mark.parametrize("sentence", [None, "", "  \n "])
def test_no_sentence_asks_for_one(session, sentence):
    with pytest.raises(AppError, match="sentence first"):
        look(session, sentence=sentence)


def test_hostile_and_odd_texts_are_drawn(session):
    for sentence in ("<img src=x onerror=alert(1)>${1}{{x}}`", "😀𠮷", "一"):
        drawn = look(session, sentence=sentence)
        assert drawn["lattice"]["tokens"] == list(sentence)


def test_the_page_builds_and_wires():
    frame = Frame(Texts(), Sessions(lambda token: None))
    with gr.Blocks():
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        with gr.Tabs() as frame.tabs:
            for name in PAGES:
                with gr.Tab(name) as frame.tab[name]:
                    pass
        inspect.wire(inspect.layout(frame), frame)
