"""The Annotate page over a real store: what it shows, saves, suggests and refuses."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from types import SimpleNamespace

import gradio as gr
import pytest

from app.annotate import page as annotate
from app.annotate.widget.annotation_payload import Edit, QueueQuery
from app.annotate.widget.annotator import AnnotatorError
from app.i18n.binding import Texts
from app.services.errors import AppError
from app.services.indexes import EarlierIndexes
from app.services.session import Sessions
from app.ui.frame import PAGES, Frame
from app.ui.navigation import open_document
from core.lexicon import Lexicon
from core.store.annotation import comments
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.lexicon import changes as lexicon_changes
from core.store.project import journal, projects
from core.store.run import predictions, runs
from core.store.suggest import distant
from core.text import Document, LabelSet, Span
from tests.store.by_hand import add_words, number_of
from tests.workspaces import new_workspace

TEXT = "沈知微在青岛海川能源公司担任总经理。"
WORDS = ["青岛", "海川", "海川能源公司", "总经理"]


class WordServing:
    """A serving tagger that takes every word of its lexicon for a TITLE."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def run_of(self, project_id: int) -> str:
        run = projects.get(self.workspace, project_id).serving_run
        if run is None:
            raise AppError("This project has no tagger yet. Train one on the Train page.")
        return run

    @contextmanager
    def tagger(self, project_id: int):
        self.run_of(project_id)
        yield SimpleNamespace(lexicon=Lexicon(WORDS))


def words_as_titles(tagger, found):
    return [
        document.with_spans(
            Span(m.head, m.tail + 1, "TITLE", 0.5) for m in tagger.lexicon.match(document.text)
        )
        for document in found
    ]


@pytest.fixture
def workspace(tmp_path):
    opened = Workspace.open(new_workspace(tmp_path / "workspace"))
    yield opened
    opened.close()


@pytest.fixture
def project(workspace):
    made = projects.create(workspace, "news")
    labels.put(workspace, made.id, LabelSet.from_names(["NAME", "ORG", "TITLE", "LOC"]))
    texts = [
        Document("a", TEXT, (Span(0, 3, "NAME"),)),
        Document("b", "总经理来了。"),
        Document("c", "没有词。"),
    ]
    documents.add(workspace, made.id, texts)
    return made


@pytest.fixture
def sessions(workspace, project):
    workbench = SimpleNamespace(
        workspace=workspace,
        serving=WordServing(workspace),
        first_project=lambda user="", last=None: project.id,
        earlier=EarlierIndexes(workspace),
    )
    return Sessions(lambda token: workbench)


@pytest.fixture
def session(sessions):
    return sessions.open("ana", "en")


@pytest.fixture
def backend(sessions):
    return annotate.ProjectBackend(sessions)


@pytest.fixture
def serving(workspace, project, monkeypatch):
    """A run `flat-0001` that serves the project, with its lexicon saved beside its model."""
    from core.taggers.base import tagging

    run = runs.create(workspace, project.id, "flat")
    runs.set_status(workspace, run.name, "finished")
    Lexicon(WORDS).save(run.folder / "model" / "lexicon")
    projects.set_serving(workspace, project.id, run.name)
    monkeypatch.setattr(tagging, "tag", words_as_titles)
    return run.name


def edit(document, spans=(), *, base=0, rejected=(), id="edit-0001", action="label", status=None, run=None):
    return Edit(document, base, id, action, tuple(spans), tuple(rejected), status, run)


def question(**changes):
    return QueueQuery(
        **({"order": "position", "status": None, "label": "", "search": "", "offset": 0} | changes)
    )


def keys(objects):
    return sorted((span["start"], span["end"], span["label"]) for span in objects)


def test_opening_without_a_name_shows_the_first_document(backend, session):
    state = backend.open(session.token, None)
    assert state["document"]["text"] == TEXT
    assert keys(state["document"]["spans"]) == [(0, 3, "NAME")]
    assert [label["name"] for label in state["labels"]] == ["NAME", "ORG", "TITLE", "LOC"]
    assert state["serving"] is None


def test_an_empty_project_has_no_document_and_no_error(backend, session, workspace):
    session.project_id = projects.create(workspace, "empty").id
    state = backend.open(session.token, None)
    assert (state["document"], state["suggestions"]) == (None, [])


def test_an_edit_is_saved_in_the_name_of_the_session_and_found_again(backend, session):
    answer = backend.save(session.token, edit(1, [Span(0, 3, "NAME"), Span(4, 6, "LOC")], base=1))
    assert answer["revision"] == 2
    state = backend.open(session.token, 1)
    assert keys(state["document"]["spans"]) == [(0, 3, "NAME"), (4, 6, "LOC")]
    (newest, *_) = backend.history(session.token, 1)["events"]
    assert (newest["user"], newest["action"], newest["current"]) == ("ana", "label", True)
    assert keys(newest["added"]) == [(4, 6, "LOC")]


def test_the_same_edit_sent_twice_is_applied_once(backend, session):
    first = backend.save(session.token, edit(2, [Span(0, 3, "TITLE")]))
    assert backend.save(session.token, edit(2, [Span(0, 3, "TITLE")])) == first
    assert len(backend.history(session.token, 2)["events"]) == 1


def test_an_edit_on_an_old_revision_is_a_conflict_that_says_who_saved_what(backend, session, sessions):
    other = sessions.open("ben", "en")
    backend.save(other.token, edit(2, [Span(0, 3, "TITLE")]))
    with pytest.raises(AnnotatorError) as refused:
        backend.save(session.token, edit(2, [Span(0, 1, "ORG")], id="edit-0002"))
    assert refused.value.code == "conflict"
    current = refused.value.details["current"]
    assert (keys(current["spans"]), current["user"], current["revision"]) == ([(0, 3, "TITLE")], "ben", 1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (edit(1, [Span(0, 99, "NAME")], base=1), "ends after the text"),
        (edit(999), "999"),
        (edit(1, base=1, run="flat-9999"), "flat-9999"),
    ],
)
def test_an_edit_that_cannot_be_is_refused_for_good(backend, session, wrong, said):
    with pytest.raises(AnnotatorError, match=said) as refused:
        backend.save(session.token, wrong)
    assert refused.value.code == "invalid"


def test_a_store_that_cannot_write_is_worth_another_try(backend, session, monkeypatch):
    def locked(*_, **__):
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(annotate.working, "save", locked)
    with pytest.raises(AnnotatorError, match="database is locked") as refused:
        backend.save(session.token, edit(1, base=1))
    assert refused.value.code == "failed"


@pytest.mark.parametrize("call", ["open", "words", "history"])
def test_an_unknown_token_gets_nothing(backend, session, call):
    with pytest.raises(AnnotatorError) as refused:
        getattr(backend, call)("forged", 1)
    assert refused.value.code == "session"


def test_the_queue_finds_one_chinese_character_and_filters(backend, session):
    backend.save(session.token, edit(2, [Span(0, 3, "TITLE")], status="done"))

    def shown(**q):
        return [row["id"] for row in backend.queue(session.token, question(**q))["rows"]]

    assert shown() == [1, 2, 3]
    assert shown(search="来") == [2]
    assert shown(status="done") == [2]
    assert shown(label="NAME") == [1]
    assert sorted(shown(order="random")) == [1, 2, 3]
    assert backend.queue(session.token, question(offset=2))["total"] == 3


def test_a_row_of_the_queue_says_how_many_comments_wait(backend, session, workspace):
    comments.add(workspace, 2, "？", user=session.user, start=0, end=2)
    comments.resolve(workspace, 2, comments.add(workspace, 2, "！", user="ana").id)
    comments.add(workspace, 3, "？", user="ana")
    rows = backend.queue(session.token, question())["rows"]
    assert [row["comments"] for row in rows] == [0, 1, 1]


def test_least_confident_comes_first(backend, session, workspace, serving):
    predictions.put_one(workspace, serving, 1, [Span(0, 3, "NAME", 0.9)])
    predictions.put_one(workspace, serving, 2, [Span(0, 3, "TITLE", 0.3)])
    rows = backend.queue(session.token, question(order="least_confident"))["rows"]
    assert [(row["id"], row["confidence"]) for row in rows] == [(2, 0.3), (1, 0.9), (3, None)]


def test_asking_the_tagger_stores_what_it_said_so_that_a_no_becomes_a_correction(
    backend, session, workspace, serving
):
    assert backend.open(session.token, 2)["serving"] == {"name": serving, "answered": False}
    answer = backend.suggest(session.token, 2, ())
    assert keys(answer["suggestions"]) == [(0, 3, "TITLE")]
    assert answer["words"] == [[0, 3]]
    assert backend.open(session.token, 2)["serving"]["answered"] is True
    backend.save(session.token, edit(2, rejected=[Span(0, 3, "TITLE")], action="reject", run=serving))
    from core.store.run import ledger

    (row,) = ledger.page(workspace, session.project_id).rows
    assert row.correction.claim.kind == "spurious"


def test_asking_without_a_word_changes_the_answer_and_stores_nothing(backend, session, workspace, serving):
    backend.suggest(session.token, 1, ())
    stored = predictions.get(workspace, serving, 1)
    answer = backend.suggest(session.token, 1, ("总经理",))
    assert (14, 17, "TITLE") not in keys(answer["suggestions"])
    assert (4, 6, "TITLE") in keys(answer["suggestions"])
    assert [14, 17] not in answer["words"]
    assert predictions.get(workspace, serving, 1) == stored


def test_asking_where_no_tagger_serves_says_so(backend, session):
    with pytest.raises(AnnotatorError) as refused:
        backend.suggest(session.token, 1, ())
    assert refused.value.code == "failed"
    assert "tagger" in str(refused.value).lower()


def test_lattice_words_follow_the_project_s_word_list_without_loading_the_tagger(
    backend, session, workspace, serving
):
    assert backend.words(session.token, 1)["words"] == [[4, 6], [6, 8], [6, 12], [14, 17]]
    lexicon_changes.remove(workspace, session.project_id, ["海川"], user="ana")
    add_words(workspace, session.project_id, ["担任"], user="ana")
    assert backend.words(session.token, 1)["words"] == [[4, 6], [6, 12], [12, 14], [14, 17]]


def test_a_word_with_a_type_is_a_suggestion_of_the_dictionary(backend, session, workspace):
    add_words(workspace, session.project_id, {"青岛": "LOC", "担任": "VERB", "能源": ""}, user="ana")
    (suggestion,) = backend.open(session.token, 1)["suggestions"]
    assert suggestion == {"start": 4, "end": 6, "label": "LOC", "score": 1.0, "source": "dictionary"}


def test_a_suggestion_of_a_label_the_project_lacks_is_not_shown(backend, session, workspace, serving):
    predictions.put_one(workspace, serving, 1, [Span(0, 3, "PLANET", 0.9), Span(4, 6, "LOC", 0.8)])
    assert keys(backend.open(session.token, 1)["suggestions"]) == [(4, 6, "LOC")]


def test_going_back_to_a_revision_is_a_new_event(backend, session):
    backend.save(session.token, edit(2, [Span(0, 3, "TITLE")]))
    backend.save(session.token, edit(2, [], base=1, id="edit-0002", action="delete"))
    state = backend.restore(session.token, 2, 1, 2)
    assert keys(state["document"]["spans"]) == [(0, 3, "TITLE")]
    assert [event["revision"] for event in backend.history(session.token, 2)["events"]] == [3, 2, 1]


def test_showing_the_page_points_it_at_the_session_and_once_at_an_asked_document(session):
    open_document(session, 3)
    first, second = annotate.show(session)["page"], annotate.show(session)["page"]
    assert (first["token"], first["language"], first["document"]) == (session.token, "en", 3)
    assert second["document"] is None
    assert first["visit"] != second["visit"]


def test_the_widget_may_lead_to_a_page_of_the_app_only(session):
    block = gr.HTML(render=False)
    to_data = gr.EventData(block, {"page": "data"})
    elsewhere = gr.EventData(block, {"page": "javascript:alert(1)"})
    assert annotate.leave(session, to_data)["selected"] == "data"
    assert "selected" not in annotate.leave(session, elsewhere)


def test_the_page_is_wired_to_its_tab(sessions):
    frame = Frame(Texts(), sessions)
    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        with gr.Tabs() as frame.tabs:
            for page in PAGES:
                frame.tab[page] = gr.Tab(page)
            with frame.tab["annotate"]:
                components = annotate.layout(frame)
        annotate.wire(components, frame)
    listened = {target for dependency in demo.fns.values() for target in dependency.targets}
    assert (components.annotator._id, "leave") in listened
    assert (frame.tab["annotate"]._id, "select") in listened


def test_the_queue_names_the_batches_of_the_dictionary_and_is_narrowed_to_one(
    backend, session, workspace, project
):
    number = number_of(workspace, project.id, "b")
    labelled = [distant.DistantLabels(number, (Span(0, 3, "TITLE"),), {})]
    made = distant.put(
        workspace,
        project.id,
        labelled,
        "suggest",
        version=1,
        direction="forward",
        ambiguous="skip",
        user="mei",
    )
    narrowed = QueueQuery("position", None, "", "", 0, made.id)
    answer = backend.queue(session.token, narrowed)
    assert [row["id"] for row in answer["rows"]] == [number]
    assert answer["batches"] == [{"id": made.id, "at": made.at, "documents": 1}]
    (step,) = backend.span_history(session.token, number, 0, 3, "TITLE")["steps"]
    assert (step["kind"], step["source"]["batch"]) == ("suggested", made.id)
    journal.undo(workspace, project.id, made.id, user="mei")
    answer = backend.queue(session.token, narrowed)
    assert (answer["rows"], answer["batches"]) == ([], [])
