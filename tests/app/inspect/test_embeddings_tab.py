"""The Embeddings tab over a real store and a real, tiny FLAT."""

import tracemalloc
from types import SimpleNamespace

import gradio as gr
import numpy as np
import pytest

from app.inspect.corpus import embeddings as page
from app.inspect.corpus import vector_map as maps
from app.inspect.corpus.vector_map import Asked, vector_map
from app.services.errors import AppError
from app.ui.window.navigation import AskedDocument
from core.inspection.representations.states import span_vectors
from core.store.document import documents
from core.store.run import predicted, predictions, runs
from core.text import Document, Span
from tests.store.by_hand import number_of
from tests.taggers.small_taggers import small_tagger

SENTENCES = [
    f"{who}在{where}工作。<b>后来</b>他走了。" for who in ("陈禾", "周平") for where in ("岭南市", "云州")
]
LABELLED = [
    Document(f"d{number}", text, (Span(3, text.index("工"), "LOC"),), {"split": "dev" if number else "train"})
    for number, text in enumerate(SENTENCES)
]


@pytest.fixture
def corpus(session):
    """The session with four labelled documents, three of them dev; document numbers by name."""
    documents.add(session.workspace, session.project_id, LABELLED)
    return {doc.id: number_of(session.workspace, session.project_id, doc.id) for doc in LABELLED}


def draw(session, **changed):
    asked = {
        "run": "flat-0001",
        "unit": "span",
        "layer": "layer 2",
        "parts": ["train", "dev"],
        "method": "pca",
        "colour": "label",
        "other": "",
    }
    return page.draw(session, lambda *done: None, **{**asked, **changed})


def test_every_span_of_people_and_of_the_run_is_a_point(session, corpus):
    told = []
    asked = Asked("flat-0001", "layer 2", "span", ("train", "dev"))
    found = vector_map(session, asked, "pca", lambda *step: told.append(step[0]))
    gold = {(corpus[doc.id], span.start, span.end) for doc in LABELLED for span in doc.spans}
    assert gold <= {(point.document_id, point.start, point.end) for point in found.points}
    assert {point.gold for point in found.points if point.kind != "spurious"} == {"LOC"}
    assert list(dict.fromkeys(told)) == ["choosing", "answering", "reading", "projecting"]
    assert told[-1] == "projecting"
    with session.workbench.taggers.tagger(session.project_id, "flat-0001") as tagger:
        for point, vector in zip(found.vectors.points, found.vectors.values, strict=True):
            own = span_vectors(tagger, [Document("", point.text)], [[(point.start, point.end)]], "layer 2")
            np.testing.assert_allclose(vector, own[0], atol=1e-5)


def test_what_was_read_is_kept_until_a_document_changes(session, corpus, monkeypatch):
    reads = []
    real = maps._read
    monkeypatch.setattr(maps, "_read", lambda *args: reads.append(args) or real(*args))
    draw(session)
    draw(session, method="tsne", colour="error")
    assert len(reads) == 1
    predictions.put_one(session.workspace, "flat-0001", corpus["d1"], [Span(0, 2, "LOC")])
    draw(session)
    draw(session, layer="embeddings")
    assert len(reads) == 3


def test_a_map_that_is_kept_reads_no_document_again(session, corpus):
    asked, told = Asked("flat-0001", "layer 2", "span", ("train", "dev")), []
    first = vector_map(session, asked, "pca", lambda *step: None)
    again = vector_map(session, asked, "tsne", lambda *step: told.append(step[0]))
    assert again.vectors is first.vectors
    assert told == ["projecting"]


def test_choosing_goes_through_the_documents_in_portions_and_can_be_stopped(session, corpus, monkeypatch):
    monkeypatch.setattr(predicted, "PORTION", 2)
    told = []

    def stop(*step):
        told.append(step)
        if step[1] == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        vector_map(session, Asked("flat-0001", "layer 2", "span", ("train", "dev")), "pca", stop)
    assert told == [("choosing", 2, 4)]


def test_only_a_portion_of_the_texts_is_held_while_documents_are_chosen(session, monkeypatch):
    monkeypatch.setattr(predicted, "PORTION", 4)
    monkeypatch.setattr(maps, "MOST_DOCUMENTS", 3)
    size = 50_000
    long = [Document(f"long{n}", chr(0x4E00 + n) * size, (Span(0, 1, "LOC"),)) for n in range(60)]
    documents.add(session.workspace, session.project_id, long)
    asked = Asked("flat-0001", "layer 2", "span", ("train",))
    tracemalloc.start()
    ids, count = maps._sampled_ids(session, asked, lambda *step: None)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(ids), count) == (3, 60)
    assert peak < 30 * 2 * size, "half of the texts, at two bytes a character"


def test_a_sample_of_long_documents_ends_where_their_characters_are_too_many(session, corpus, monkeypatch):
    asked = Asked("flat-0001", "layer 2", "span", ("train", "dev"))
    shortest, *_, longest = sorted(len(text) for text in SENTENCES)
    for most, documents_read in ((1, 1), (2 * longest, 2), (4 * longest, 4)):
        monkeypatch.setattr(maps, "MOST_CHARACTERS", most)
        ids, count = maps._sampled_ids(session, asked, lambda *step: None)
        assert (len(ids), count) == (documents_read, 4)
    assert 3 * shortest > 2 * longest


def test_points_are_coloured_by_label_or_by_what_went_wrong(session, corpus):
    said = {"d0": LABELLED[0].spans, "d1": [], "d2": [Span(3, 5, "LOC")], "d3": LABELLED[3].spans}
    for name, spans in said.items():
        predictions.put_one(session.workspace, "flat-0001", corpus[name], spans)
    drawn = draw(session, colour="label")
    assert [trace.name.split()[0] for trace in drawn["figures_0"].data] == ["LOC"]
    by_error = page.redraw(session, "error")
    assert [trace.name for trace in by_error["figures_0"].data] == [
        "right (2)",
        "wrong boundary (1)",
        "missed (1)",
    ]
    assert "points of 4 documents" in by_error["note"]
    hover = [said for trace in drawn["figures_0"].data for said in trace.text]
    assert all("【" in said for said in hover)
    assert not any("<b>" in said for said in hover), "plotly would read markup"


def test_characters_can_be_points_too(session, corpus):
    drawn = draw(session, unit="character")
    names = {trace.name.split(" (")[0] for trace in drawn["figures_0"].data}
    assert names == {"LOC", "no entity"}
    total = sum(len(trace.x) for trace in drawn["figures_0"].data)
    assert total == sum(len(text) for text in SENTENCES)


def test_a_click_shows_the_sentence_and_the_document_opens_in_annotate(session, corpus):
    draw(session)
    (one,) = session.memory[page.DRAWN]
    number = next(at for at, point in enumerate(one.points) if point.document_id == corpus["d1"])
    picked = page.pick(session, 0, SimpleNamespace(customdata=number))
    row = picked["sentence"]["sentences"][0]
    assert row["text"] == "陈禾在云州工作。", "the sentence, not the whole document"
    assert (row["spans"][0]["start"], row["spans"][0]["source"]) == (3, "person")
    assert "gold: `LOC`" in picked["caption"]
    assert picked["open"]["visible"]
    assert page.open_picked(session) == gr.update(selected="annotate")
    assert session.memory["annotate"] == AskedDocument(corpus["d1"])


@pytest.mark.parametrize("hostile", [None, "0", -1, 10**9, True, [0], {"x": 1}])
def test_a_click_on_no_point_is_refused(session, corpus, hostile):
    draw(session)
    with pytest.raises(AppError, match="map has changed"):
        page.pick(session, 0, SimpleNamespace(customdata=hostile))
    with pytest.raises(AppError, match="map has changed"):
        page.pick(session, 1, SimpleNamespace(customdata=0))


def test_another_run_is_drawn_beside_it_on_its_own_axes(session, corpus, tmp_path):
    small_tagger("bilstm_crf", documents=LABELLED).save(tmp_path / "other")
    runs.register(
        session.workspace, session.project_id, "bilstm_crf-0001", "bilstm_crf", tmp_path / "other", {}
    )
    drawn = draw(session, other="bilstm_crf-0001")
    assert drawn["second"]["visible"]
    assert drawn["figures_0"].layout.title.text == "flat-0001 · layer 2"
    assert drawn["figures_1"].layout.title.text == "bilstm_crf-0001 · context", (
        "its highest: it has no layer 2"
    )
    assert "its own space" in drawn["note"]


def test_layers_are_offered_the_highest_first_chosen(session, corpus):
    shown = page.show(session, "flat-0001", "label")
    layer = shown["layer"]
    assert (shown["notice"]["visible"], shown["board"]["visible"]) == (False, True)
    assert layer["choices"] == [("embeddings", "embeddings"), ("layer 1", "layer 1"), ("layer 2", "layer 2")]
    assert layer["value"] == "layer 2"
    assert shown["other"]["choices"] == [("no other run", "")]


def test_what_was_drawn_is_shown_again_in_another_language(session, corpus):
    draw(session, unit="character")
    session.language = "zh"
    shown = page.show_again(session, "flat-0001", "error", True)
    assert {trace.name.split()[0] for trace in shown["figures_0"].data} <= {
        "正确",
        "漏标",
        "多标",
        "标签错误",
    }
    assert shown["layer"]["choices"][2] == ("第 2 层", "layer 2")


def test_nothing_is_loaded_for_a_tab_nobody_opened(session):
    assert page.show_again(session, "flat-0001", "label", False) == {}
    assert not session.workbench.taggers.is_loaded("flat-0001")


def test_a_list_of_words_has_no_states(session, tmp_path):
    small_tagger("dictionary").save(tmp_path / "words")
    runs.register(
        session.workspace, session.project_id, "dictionary-0001", "dictionary", tmp_path / "words", {}
    )
    shown = page.show(session, "dictionary-0001", "label")
    assert "no hidden states" in shown["notice"]["value"]
    assert not shown["board"]["visible"]


def test_a_run_of_another_project_or_one_that_cannot_be_loaded_is_a_notice(session, tmp_path):
    assert "Train one first" in page.show(session, "flat-9999", "label")["notice"]["value"]
    runs.register(session.workspace, session.project_id, "flat-0009", "flat", tmp_path, {})
    shown = page.show(session, "flat-0009", "label")
    assert "config.json" in shown["notice"]["value"]
    assert not shown["board"]["visible"]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"parts": []}, "at least one kind"),
        ({"parts": ["test"]}, "the map needs three"),
        ({"run": None}, "Train one first"),
    ],
)
def test_too_little_to_draw_says_what_to_do(session, corpus, changed, expected):
    with pytest.raises(AppError, match=expected):
        draw(session, **changed)


def test_more_points_than_fit_are_sampled_and_the_note_says_so(session, corpus, monkeypatch):
    monkeypatch.setattr(maps, "MOST_POINTS", 3)
    monkeypatch.setattr(maps, "MOST_DOCUMENTS", 3)
    drawn = draw(session, unit="character")
    assert sum(len(trace.x) for trace in drawn["figures_0"].data) == 3
    assert "a sample of 4 documents" in drawn["note"]
    assert "chosen at random" in drawn["note"]
    monkeypatch.setattr(maps, "MOST_T_SNE_POINTS", 3)
    assert "means little" in draw(session, unit="character", method="tsne")["note"]
