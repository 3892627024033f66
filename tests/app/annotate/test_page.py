"""The Annotate page over a real store: what it shows, saves, suggests and refuses."""

import sqlite3
from contextlib import contextmanager
from types import SimpleNamespace

import gradio as gr
import pytest

from app.annotate import page as annotate
from app.i18n.binding import Texts
from app.services import in_project
from app.services.errors import AppError
from app.services.indexes.workspace_indexes import EarlierIndexes
from app.services.session import Sessions
from app.ui.frame import PAGES, Frame
from app.ui.window.navigation import open_document
from core.lexicon import Lexicon
from core.store.annotation import annotations as saved
from core.store.annotation import comments, working
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.lexicon import changes as lexicon_changes
from core.store.project import journal, nesting, projects
from core.store.run import predictions, runs
from core.store.suggest import distant
from core.text import Document, LabelSet, Span
from tests.app.asking import FUNCTIONS, Asking
from tests.browser.annotator_backend import plain
from tests.store.by_hand import add_words, number_of
from tests.workspaces import new_workspace

TEXT = "沈知微在青岛海川能源公司担任总经理。"
WORDS = ["青岛", "海川", "海川能源公司", "总经理"]


class WordTagger:
    """An active tagger that takes every word of its lexicon for a TITLE."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def run_of(self, project_id: int) -> str:
        run = projects.get(self.workspace, project_id).active_run
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
    labels.put(workspace, made.id, LabelSet().extended(["NAME", "ORG", "TITLE", "LOC"]))
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
        taggers=WordTagger(workspace),
        first_project=lambda user="", last=None: project.id,
        earlier=EarlierIndexes(workspace),
    )
    return Sessions(lambda token: workbench)


@pytest.fixture
def session(sessions):
    return sessions.open("ana", "en")


@pytest.fixture
def ask(sessions, session):
    return Asking(sessions, session.token)


@pytest.fixture
def active_run(workspace, project, monkeypatch):
    """A run `flat-0001` that serves the project, with its lexicon saved beside its model."""
    from core.taggers.base import tagging

    run = runs.create(workspace, project.id, "flat")
    runs.set_status(workspace, run.name, "finished")
    Lexicon(WORDS).save(run.folder / "model" / "lexicon")
    projects.set_active(workspace, project.id, run.name)
    monkeypatch.setattr(tagging, "tag", words_as_titles)
    return run.name


def edit(document, spans=(), *, base=0, rejected=(), id="edit-0001", action="label", status=None, run=None):
    return {
        "document": document, "base_revision": base, "client_edit": id, "action": action, "status": status,
        "spans": plain(spans), "rejected": plain(rejected), "run": run,
    }  # fmt: skip


def keys(objects):
    return sorted((span["start"], span["end"], span["label"]) for span in objects)


def test_opening_without_a_name_shows_the_first_document(ask, session):
    state = ask.told("open_document", document=None)
    assert state["document"]["text"] == TEXT
    assert keys(state["document"]["spans"]) == [(0, 3, "NAME")]
    assert [label["name"] for label in state["labels"]] == ["NAME", "ORG", "TITLE", "LOC"]
    assert state["active_run"] is None


def test_a_document_says_whether_spans_may_overlap(ask, session):
    assert ask.told("open_document", document=1)["nested"] is False
    nesting.choose(session.workspace, session.project_id, True)
    assert ask.told("open_document", document=1)["nested"] is True


def test_an_empty_project_has_no_document_and_no_error(ask, session, workspace):
    session.project_id = projects.create(workspace, "empty").id
    state = ask.told("open_document", document=None)
    assert (state["document"], state["suggestions"]) == (None, [])


def test_an_edit_is_saved_under_the_sessions_user(ask, session):
    answer = ask.told("save_edit", **edit(1, [Span(0, 3, "NAME"), Span(4, 6, "LOC")], base=1))
    assert answer["revision"] == 2
    state = ask.told("open_document", document=1)
    assert keys(state["document"]["spans"]) == [(0, 3, "NAME"), (4, 6, "LOC")]
    (newest, *_) = ask.told("read_history", document=1)["events"]
    assert (newest["user"], newest["action"], newest["current"]) == ("ana", "label", True)
    assert keys(newest["added"]) == [(4, 6, "LOC")]


def test_the_same_edit_sent_twice_is_applied_once(ask, session):
    first = ask.told("save_edit", **edit(2, [Span(0, 3, "TITLE")]))
    assert ask.told("save_edit", **edit(2, [Span(0, 3, "TITLE")])) == first
    assert len(ask.told("read_history", document=2)["events"]) == 1


def test_an_edit_on_an_old_revision_is_a_conflict_that_says_who_saved_what(ask, session, sessions):
    other = sessions.open("ben", "en")
    Asking(sessions, other.token).told("save_edit", **edit(2, [Span(0, 3, "TITLE")]))
    answer = ask("save_edit", **edit(2, [Span(0, 1, "ORG")], id="edit-0002"))
    assert (answer["ok"], answer["code"]) == (False, "conflict")
    current = answer["current"]
    assert (keys(current["spans"]), current["user"], current["revision"]) == ([(0, 3, "TITLE")], "ben", 1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (edit(1, [Span(0, 99, "NAME")], base=1), "ends after the text"),
        (edit(999), "999"),
        (edit(1, base=1, run="flat-9999"), "flat-9999"),
    ],
)
def test_an_edit_that_cannot_be_is_refused_for_good(ask, session, wrong, said):
    code, message = ask.refused("save_edit", **wrong)
    assert code == "invalid"
    assert said in message


def test_a_store_that_cannot_write_is_worth_another_try(ask, session, monkeypatch):
    def locked(*_, **__):
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(working, "save", locked)
    code, message = ask.refused("save_edit", **edit(1, base=1))
    assert code == "failed"
    assert "Something went wrong" in message


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_unknown_token_gets_nothing(sessions, name):
    assert Asking(sessions, "forged").refused(name)[0] == "session"


def test_the_queue_finds_one_chinese_character_and_filters(ask, session):
    ask.told("save_edit", **edit(2, [Span(0, 3, "TITLE")], status="done"))

    def shown(order="position", **which):
        return [row["id"] for row in ask.told("list_queue", order=order, filter=which)["rows"]]

    assert shown() == [1, 2, 3]
    assert shown(search="来") == [2]
    assert shown(status="done") == [2]
    assert shown(label="NAME") == [1]
    assert sorted(shown(order="random")) == [1, 2, 3]
    assert ask.told("list_queue", offset=2)["total"] == 3


def test_the_next_document_stays_in_the_filter_also_from_a_document_outside_it(ask, session):
    def neighbour(document, backwards=False, **which):
        return ask.told("find_neighbour", document=document, backwards=backwards, filter=which)["document"]

    assert [neighbour(document=number) for number in (1, 2, 3)] == [2, 3, None]
    assert [neighbour(document=number, backwards=True) for number in (1, 2, 3)] == [None, 1, 2]
    assert neighbour(document=1, search="没有") == 3
    ask.told("save_edit", **edit(2, [Span(0, 3, "TITLE")], status="done"))
    assert neighbour(document=1, status="new") == 3
    assert neighbour(document=2, status="imported", backwards=True) == 1


def test_a_row_of_the_queue_says_how_many_comments_wait(ask, session, workspace):
    comments.add(workspace, 2, "？", user=session.user, start=0, end=2)
    comments.resolve(workspace, 2, comments.add(workspace, 2, "！", user="ana").id)
    comments.add(workspace, 3, "？", user="ana")
    rows = ask.told("list_queue")["rows"]
    assert [row["comments"] for row in rows] == [0, 1, 1]


def test_an_ignored_document_is_opened_last_and_returns_to_what_it_was(ask, session, workspace):
    saved.set_status(workspace, 1, "ignored", user="ana", reason="too short")
    assert ask.told("open_document", document=None)["document"]["id"] == 2
    opened = ask.told("open_document", document=1)["document"]
    assert (opened["status"], opened["reason"], opened["returns_to"]) == ("ignored", "too short", "new")
    assert "returns_to" not in ask.told("open_document", document=2)["document"]
    for number in (2, 3):
        saved.set_status(workspace, number, "ignored", user="ana")
    assert ask.told("open_document", document=None)["document"]["id"] == 1


def test_least_confident_comes_first(ask, session, workspace, active_run):
    predictions.put_one(workspace, active_run, 1, [Span(0, 3, "NAME", 0.9)])
    predictions.put_one(workspace, active_run, 2, [Span(0, 3, "TITLE", 0.3)])
    rows = ask.told("list_queue", order="least_confident")["rows"]
    assert [(row["id"], row["confidence"]) for row in rows] == [(2, 0.3), (1, 0.9), (3, None)]


def test_tagging_stores_the_prediction_so_that_rejections_become_corrections(
    ask, session, workspace, active_run
):
    assert ask.told("open_document", document=2)["active_run"] == {"name": active_run, "answered": False}
    answer = ask.told("suggest_spans", document=2, without=[])
    assert keys(answer["suggestions"]) == [(0, 3, "TITLE")]
    assert answer["words"] == [[0, 3]]
    assert ask.told("open_document", document=2)["active_run"]["answered"] is True
    ask.told("save_edit", **edit(2, rejected=[Span(0, 3, "TITLE")], action="reject", run=active_run))
    from core.store.run import ledger

    (row,) = ledger.page(workspace, session.project_id).rows
    assert row.correction.claim.kind == "spurious"


def test_tagging_without_a_word_changes_the_spans_and_stores_nothing(ask, session, workspace, active_run):
    ask.told("suggest_spans", document=1, without=[])
    stored = predictions.get(workspace, active_run, 1)
    answer = ask.told("suggest_spans", document=1, without=["总经理"])
    assert (14, 17, "TITLE") not in keys(answer["suggestions"])
    assert (4, 6, "TITLE") in keys(answer["suggestions"])
    assert [14, 17] not in answer["words"]
    assert predictions.get(workspace, active_run, 1) == stored


def test_tagging_without_an_active_run_is_refused(ask, session):
    code, message = ask.refused("suggest_spans", document=1, without=[])
    assert code == "failed"
    assert "tagger" in message.lower()


def test_lattice_words_follow_the_project_s_word_list_without_loading_the_tagger(
    ask, session, workspace, active_run
):
    answer = ask.told("list_words", document=1)
    assert answer == {"words": [[4, 6], [6, 8], [6, 12], [14, 17]], "read": True}
    lexicon_changes.remove(workspace, session.project_id, ["海川"], user="ana")
    add_words(workspace, session.project_id, ["担任"], user="ana")
    assert ask.told("list_words", document=1)["words"] == [[4, 6], [6, 12], [12, 14], [14, 17]]


def test_before_a_tagger_is_active_the_words_are_the_base_dictionary_s(ask, session, workspace):
    add_words(workspace, session.project_id, ["海川能源"], user="ana")
    lexicon_changes.remove(workspace, session.project_id, ["总经理"], user="ana")
    answer = ask.told("list_words", document=1)
    assert [TEXT[start:end] for start, end in answer["words"]] == [
        "青岛",
        "海川能源",
        "能源",
        "公司",
        "担任",
        "经理",
    ]
    assert not answer["read"]


def test_a_tagger_without_a_lexicon_reads_none_of_the_words(ask, session, active_run):
    in_project.run(session, active_run).model_folder.joinpath("lexicon").rename(
        session.workspace.folder / "away"
    )
    answer = ask.told("list_words", document=1)
    assert [4, 6] in answer["words"]
    assert not answer["read"]


def test_a_word_with_a_type_is_a_suggestion_of_the_dictionary(ask, session, workspace):
    add_words(workspace, session.project_id, {"青岛": "LOC", "担任": "VERB", "能源": ""}, user="ana")
    (suggestion,) = ask.told("open_document", document=1)["suggestions"]
    assert suggestion == {"start": 4, "end": 6, "label": "LOC", "score": 1.0, "source": "dictionary"}


def test_a_suggestion_of_a_label_the_project_lacks_is_not_shown(ask, session, workspace, active_run):
    predictions.put_one(workspace, active_run, 1, [Span(0, 3, "PLANET", 0.9), Span(4, 6, "LOC", 0.8)])
    assert keys(ask.told("open_document", document=1)["suggestions"]) == [(4, 6, "LOC")]


def test_going_back_to_a_revision_is_a_new_event(ask, session):
    ask.told("save_edit", **edit(2, [Span(0, 3, "TITLE")]))
    ask.told("save_edit", **edit(2, [], base=1, id="edit-0002", action="delete"))
    state = ask.told("restore_revision", document=2, revision=1, base_revision=2)
    assert keys(state["document"]["spans"]) == [(0, 3, "TITLE")]
    assert [event["revision"] for event in ask.told("read_history", document=2)["events"]] == [3, 2, 1]


def test_showing_the_page_points_it_at_the_session_and_once_at_an_asked_document(session):
    open_document(session, 3)
    first, second = annotate.show(session)["page"], annotate.show(session)["page"]
    assert (first["language"], first["document"]) == ("en", 3)
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
        frame.fill_when_moved()
    listened = {target for dependency in demo.fns.values() for target in dependency.targets}
    assert (components.annotator._id, "leave") in listened
    assert (frame.tab["annotate"]._id, "select") in listened


def test_the_queue_lists_distant_batches_and_filters_by_one(ask, session, workspace, project):
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
    answer = ask.told("list_queue", batch=made.id)
    assert [row["id"] for row in answer["rows"]] == [number]
    assert answer["batches"] == [{"id": made.id, "at": made.at, "documents": 1}]
    (step,) = ask.told("read_span_history", document=number, start=0, end=3, label="TITLE")["steps"]
    assert (step["kind"], step["source"]["batch"]) == ("suggested", made.id)
    journal.undo(workspace, project.id, made.id, user="mei")
    answer = ask.told("list_queue", batch=made.id)
    assert (answer["rows"], answer["batches"]) == ([], [])
