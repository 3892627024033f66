"""Roles are enforced where the browser asks: pages closed as a whole, callbacks by their right."""

from types import SimpleNamespace

import gradio as gr
import pytest

from app.data import documents as data_documents
from app.data import export as data_export
from app.data import page as data
from app.dictionary import versions as dictionary_versions
from app.dictionary import word_table
from app.dictionary import words as dictionary_words
from app.i18n.binding import Texts
from app.ledger import verdict as ledger_verdict
from app.main import choose_project
from app.services import rights
from app.services.errors import sentence
from app.services.indexes.workspace_indexes import EarlierIndexes
from app.services.session import Sessions
from app.settings import backups, label_change, label_editor
from app.settings import guideline as settings_guideline
from app.settings import people as settings_people
from app.settings import projects as settings_projects
from app.tag import page as tag
from app.train import page as train
from app.ui.callback import ALONE
from app.ui.frame import Frame
from app.ui.runs import decision as run_decision
from app.ui.runs import naming as run_naming
from app.ui.runs import panel as run_panel
from app.ui.window import status_bar
from app.ui.window.navigation import project_choices
from core.store import Workspace
from core.store.annotation import regions
from core.store.document import documents, trash
from core.store.label import labels
from core.store.project import assignments, members, projects
from core.store.project.members import NotAllowed
from core.store.run import runs
from core.store.suggest import patterns
from core.text import Document, LabelSet, Span
from tests.app.asking import Asking
from tests.browser.annotator_backend import plain
from tests.store.separate import separate
from tests.workspaces import new_workspace


@pytest.fixture
def team(tmp_path):
    with Workspace.open(new_workspace(tmp_path)) as workspace:
        project = projects.create(workspace, "news")
        labels.put(workspace, project.id, LabelSet().extended(["PER", "ORG"]))
        yield separate(workspace, project)


@pytest.fixture
def sessions(team):
    bench = SimpleNamespace(
        workspace=team.workspace,
        first_project=lambda user="", last=None: team.project,
        limits=ALONE,
        earlier=EarlierIndexes(team.workspace),
    )
    return Sessions(lambda token: bench)


@pytest.fixture
def asking(sessions):
    """The annotator as the page with a token asks it."""
    return lambda token: Asking(sessions, token)


def edit(document, *spans, base=0, status=None):
    return {
        "document": document, "base_revision": base, "client_edit": f"edit-{document}-{base}-0",
        "action": "label", "spans": plain(spans), "rejected": [], "status": status, "run": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("callback", "right"),
    [
        (data.confirm, "import"), (data.add_samples, "import"), (data_documents.to_trash, "remove_documents"),
        (data_documents.empty_trash, "remove_documents"), (data_documents.deal, "import"),
        (data_export.write, "export"), (word_table.dictionary_add, "change_dictionary"),
        (dictionary_words.dictionary_bring, "change_dictionary"), (ledger_verdict.activate, "promote"),
        (word_table.dictionary_change, "change_dictionary"), (ledger_verdict.roll_back, "promote"),
        (dictionary_versions.version_back, "change_dictionary"),
        (dictionary_words.take_file, "change_dictionary"),
        (train.retrain, "train"), (run_decision.make_active, "promote"),
        (run_decision.keep, "promote"), (run_panel.cancel, "train"), (run_naming.save, "train"),
        (label_editor.save_labels, "change_labels"), (label_change.change_label, "change_labels"),
        (label_change.undo, "change_labels"), (settings_guideline.guideline_save, "change_labels"),
        (settings_projects.trash_project, "manage"), (settings_projects.rename_project, "manage"),
        (tag.annotate, "import"),
    ],
)  # fmt: skip
def test_who_lacks_the_right_gets_a_sentence_before_anything_happens(sessions, callback, right):
    assert callback.right == right
    refused = [role for role in members.ROLES if role not in members.SEPARATE[right]]
    names = {"annotator": "ana", "reviewer": "rui", "manager": "mia"}
    for user in [*(names[role] for role in refused), "stranger"]:
        session = sessions.open(user, "en")
        with pytest.raises(NotAllowed):
            list(callback(session) or ())  # the other arguments are never looked at; some answer in steps


@pytest.mark.parametrize("page", sorted(rights.PAGE_RIGHTS))
def test_pages_are_closed_by_the_table_of_rights(sessions, page):
    for user, role in (("ana", "annotator"), ("rui", "reviewer"), ("mia", "manager")):
        session = sessions.open(user, "en")
        if role in members.SEPARATE[rights.PAGE_RIGHTS[page]]:
            rights.check_page(session, page)
        else:
            with pytest.raises(NotAllowed):
                rights.check_page(session, page)
    with pytest.raises(NotAllowed):
        rights.check_page(sessions.open("stranger", "en"), page)


def test_every_callback_of_a_closed_page_is_refused_and_not_only_those_that_show_it(sessions):
    frame = Frame(Texts(), sessions)
    with gr.Blocks():
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        frame.page = "data"
        call = frame._callback(lambda session: "all documents", {ALONE: gr.Markdown()})
        listed = frame.server(lambda session: {"said": "all documents"})
        frame.page = None
    token = sessions.open("ana", "en").token
    with pytest.raises(gr.Error, match="annotator"):
        call(token)
    assert "annotator" in listed({"token": token})["message"]
    assert call(sessions.open("rui", "en").token) == "all documents"


def test_a_backup_takes_the_manager_of_every_project(sessions):
    for user in ("ana", "rui", "stranger"):
        with pytest.raises(NotAllowed):
            backups.make_backup(sessions.open(user, "en"), lambda done, total: None)
        with pytest.raises(NotAllowed):
            backups.restore_backup(sessions.open(user, "en"), "anything.sqlite")


def test_a_right_that_does_not_exist_is_a_mistake_of_ours():
    with pytest.raises(KeyError):
        rights.needs("fly")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_refusal_is_worded_in_the_persons_language(sessions, language):
    session = sessions.open("ana", language)
    with pytest.raises(NotAllowed) as refused:
        rights.check(session, "promote")
    said = sentence(refused.value, language)
    assert "mia" in said
    assert ("annotator" in said) == (language == "en")
    assert ("标注者" in said) == (language == "zh")


def test_the_queue_holds_ones_own_documents_with_ones_own_status(team, sessions, asking):
    ana, bo = sessions.open("ana", "en"), sessions.open("bo", "en")
    asking(ana.token).told("save_edit", **edit(team.ids[0], Span(0, 3, "PER"), status="done"))
    mine = asking(ana.token).told("list_queue")
    assert [row["status"] for row in mine["rows"]] == ["done", "imported", "new"]
    assert mine["own"] == {"handed": 3, "done": 1}
    assert [row["status"] for row in asking(bo.token).told("list_queue")["rows"]] == [
        "new",
        "imported",
        "new",
    ]
    labelled = {"status": "done", "label": "PER"}
    assert asking(ana.token).told("list_queue", filter=labelled)["total"] == 1
    assert asking(bo.token).told("list_queue", filter=labelled)["total"] == 0


def test_a_token_opens_only_the_users_own_version(team, sessions, asking):
    ana, bo = sessions.open("ana", "en"), sessions.open("bo", "en")
    asking(ana.token).told("save_edit", **edit(team.ids[0], Span(0, 3, "PER")))
    seen = asking(bo.token).told("open_document", document=team.ids[0])
    assert seen["document"]["spans"] == []
    assert asking(bo.token).told("read_history", document=team.ids[0])["events"] == []
    assert len(asking(ana.token).told("read_history", document=team.ids[0])["events"]) == 1


def test_earlier_decisions_come_from_ones_own_versions_only(team, sessions, asking):
    ana, bo = sessions.open("ana", "en").token, sessions.open("bo", "en").token
    asking(ana).told(
        "save_edit", **edit(team.ids[0], Span(7, 11, "ORG"))
    )  # 青禾大学, which stands in the next one too
    asking(bo).told("save_edit", **edit(team.ids[0], Span(7, 9, "PER")))

    def earlier(token):
        suggested = asking(token).told("find_suggestions", document=team.ids[1])["suggestions"]
        return [(s["start"], s["end"], s["label"]) for s in suggested if s["source"] == "earlier"]

    assert earlier(ana) == [(3, 7, "ORG")]
    assert earlier(bo) == [(3, 5, "PER")]


def test_unassigned_documents_can_be_neither_read_nor_changed(team, sessions, asking):
    members.put(team.workspace, team.project, "cy", "annotator", by="mia")
    for user in ("cy", "stranger"):
        ask = asking(sessions.open(user, "en").token)
        document = {"document": team.ids[0]}
        for name, fields in (
            ("open_document", document),
            ("list_words", document),
            ("save_edit", edit(team.ids[0], Span(0, 3, "PER"))),
            ("read_history", document),
            ("restore_revision", document | {"revision": 0, "base_revision": 0}),
        ):
            assert ask.refused(name, **fields)[0] == "invalid"


def test_another_project_on_the_screen_opens_no_closed_document(team, sessions, asking):
    other = projects.create(team.workspace, "my own")
    session = sessions.open("cy", "en")
    session.turn_to(other.id)
    assert (
        "is not in this workspace" in asking(session.token).refused("open_document", document=team.ids[0])[1]
    )


def test_ones_own_document_opens_no_other_projects_labels_rules_or_tagger(team, sessions, asking):
    """Turned to a closed project with a text of one's own, nobody learns what that project knows about it."""
    own = projects.create(team.workspace, "my own")
    document = documents.add(team.workspace, own.id, [Document("mine", "林知远")]).ids[0]
    patterns.add(team.workspace, team.project, "林.", "PER", user="mia")
    session = sessions.open("stranger", "en")
    session.turn_to(team.project)
    ask = asking(session.token)
    for name, fields in (
        ("open_document", {}),
        ("find_suggestions", {}),
        ("list_patterns", {}),
        ("try_pattern", {"pattern": "."}),
        ("suggest_spans", {"without": ["林"]}),
        ("tag_from", {"start": 0, "without": ["林"]}),
        ("list_words", {}),
        ("read_order", {"order": "random"}),
        ("score_order", {"order": "random"}),
    ):
        assert "Ask mia" in ask.refused(name, document=document, **fields)[1]


def test_what_was_done_before_turning_to_a_closed_project_is_still_saved(team, sessions, asking):
    own = projects.create(team.workspace, "my own")
    labels.put(team.workspace, own.id, LabelSet().extended(["PER"]))
    document = documents.add(team.workspace, own.id, [Document("mine", "林知远")]).ids[0]
    session = sessions.open("stranger", "en")
    session.turn_to(team.project)
    assert asking(session.token).told("save_edit", **edit(document, Span(0, 3, "PER")))["revision"] == 1


def test_looking_a_word_up_shows_no_document_to_whom_they_are_closed(sessions):
    closed = word_table.dictionary_look(sessions.open("ana", "en"), word_table.OneWord(word="青禾"))
    assert "documents" not in closed
    assert "matches" not in closed
    opened = word_table.dictionary_look(sessions.open("rui", "en"), word_table.OneWord(word="青禾"))
    assert (opened["documents"], len(opened["matches"])) == (2, 2)
    with pytest.raises(NotAllowed):
        word_table.dictionary_documents(sessions.open("ana", "en"), word_table.SomeWords(words=["青禾"]))


def test_a_stranger_learns_nothing_of_a_closed_project_from_picker_bar_and_settings(team, sessions, tmp_path):
    own = projects.create(team.workspace, "my own")
    runs.register(team.workspace, team.project, "demo", "flat", tmp_path, {"dev": {"micro": {"f1": 0.91}}})
    projects.set_active(team.workspace, team.project, "demo")
    team_name = projects.get(team.workspace, team.project).name
    stranger, ana = sessions.open("stranger", "en"), sessions.open("ana", "en")
    stranger.turn_to(team.project)  # as a page is that was open when the first member was added
    picker = project_choices(stranger)
    assert picker["choices"] == [("my own", own.id), ("A project you cannot open", team.project)]
    assert status_bar.active_line(stranger) == "not accessible"
    shown = repr([settings_projects.show(stranger), label_change.show(stranger)])
    assert team_name not in shown
    assert "PER" not in shown
    assert label_change.preview(stranger, "PER", "rename", None, None) == ""
    assert (team_name, team.project) in project_choices(ana)["choices"]
    assert status_bar.active_line(ana) == "active: demo (F1 91.0)"
    assert "PER" in repr(label_change.show(ana))


def test_a_closed_project_cannot_be_turned_to_nor_seen_in_the_trash(team, sessions):
    projects.create(team.workspace, "my own")
    stranger, mia = sessions.open("stranger", "en"), sessions.open("mia", "en")
    stranger.turn_to(projects.by_name(team.workspace, "my own").id)
    with pytest.raises(NotAllowed, match="mia"):
        choose_project(stranger, team.project)
    trash.trash_project(team.workspace, team.project)
    mia.turn_to(stranger.project_id)
    assert settings_projects.show(stranger)["trashed"]["choices"] == []
    assert [id_ for _, id_ in settings_projects.show(mia)["trashed"]["choices"]] == [team.project]


def test_only_managers_see_the_members(sessions):
    listed = {
        user: settings_people.show(sessions.open(user, "en"))["people"] for user in ("mia", "ana", "stranger")
    }
    assert listed["mia"]["choices"] == ["mia", "rui", "ana", "bo"]
    assert listed["mia"]["value"] == ["ana", "bo"]
    assert (listed["ana"]["choices"], listed["stranger"]["choices"]) == ([], [])


def test_a_delayed_request_applies_to_its_original_project(team, sessions, asking):
    """The server was gone, the window opened anew at another project with the same labels."""
    own, other = (projects.create(team.workspace, name).id for name in ("my own", "my other"))
    ids = {}
    for project in (own, other):
        labels.put(team.workspace, project, LabelSet().extended(["PER", "ORG"]))
        texts = [Document(str(at), "周敏在青禾", (Span(0, 2, "PER"),)) for at in range(2)]
        ids[project] = documents.add(team.workspace, project, texts).ids
    session = sessions.open("lin", "en")
    session.turn_to(other)

    def spans(project):
        return [documents.get(team.workspace, id_).spans for id_ in ids[project]]

    ask = asking(session.token)
    order = {"label": "PER", "new": "ORG", "but": ids[own][0], "client_edit": "batch-0001"}
    assert ask.told("replace_labels", **order)["documents"] == 1
    assert spans(own) == [(Span(0, 2, "PER"),), (Span(0, 2, "ORG"),)]
    ask.told("turn_batch", batch="batch-0001", way="undo", but=ids[own][0], client_edit="turn-0001")
    places = [{"document": ids[own][1], "start": 3, "end": 5, "surface": "青禾"}]
    assert ask.told("label_occurrences", label="ORG", places=places, client_edit="batch-0002")["added"] == 1
    assert spans(own) == [(Span(0, 2, "PER"),), (Span(0, 2, "PER"), Span(3, 5, "ORG"))]
    assert spans(other) == [(Span(0, 2, "PER"),)] * 2
    closed = order | {"but": team.ids[0], "client_edit": "batch-0003"}
    assert "Ask mia" in ask.refused("replace_labels", **closed)[1]


def test_comments_of_other_annotators_are_hidden_while_everybody_labels_alone(team, sessions, asking):
    ana, bo, rui = (sessions.open(user, "en").token for user in ("ana", "bo", "rui"))
    for at, token in enumerate((ana, rui)):
        asking(token).told(
            "add_comment",
            document=team.ids[0],
            text=f"remark {at}",
            start=0,
            end=3,
            label="PER",
            client_edit=f"remark-{at}-123456",
        )
    seen = {
        name: asking(token).told("list_comments", document=team.ids[0])["comments"]
        for name, token in (("ana", ana), ("bo", bo))
    }
    assert [one["user"] for one in seen["ana"]] == ["ana", "rui"]
    assert [one["user"] for one in seen["bo"]] == ["rui"]
    span = {"document": team.ids[0], "start": 0, "end": 3, "label": "PER"}
    assert [step["user"] for step in asking(bo).told("read_span_history", **span)["steps"]] == ["rui"]
    other = {"document": team.ids[0], "comment": seen["ana"][0]["id"], "state": "trashed"}
    assert asking(bo).refused("set_comment", **other)[0] == "invalid"
    assert len(asking(rui).told("list_comments", document=team.ids[0])["comments"]) == 2


def test_without_assignments_the_queue_says_so_and_strangers_learn_whom_to_ask(team, sessions, asking):
    members.put(team.workspace, team.project, "cy", "annotator", by="mia")
    opened = asking(sessions.open("cy", "en").token).told("open_document", document=None)
    assert (opened["document"], opened["handed"]) == (None, True)
    stranger = asking(sessions.open("stranger", "en").token)
    assert "Ask mia" in stranger.refused("open_document")[1]
    assert "Ask mia" in stranger.refused("list_queue")[1]


def test_reviewers_see_every_document_in_its_agreed_form(team, sessions, asking):
    token = sessions.open("rui", "en").token
    assert asking(token).told("list_queue")["total"] == 3
    assert asking(token).told("open_document", document=team.ids[1])["document"]["spans"] == [
        {"start": 0, "end": 2, "label": "PER"}
    ]


def test_annotated_regions_of_a_version_belong_to_its_annotator(team, sessions, asking):
    ana, bo, rui = (sessions.open(user, "en").token for user in ("ana", "bo", "rui"))
    nothing = {"own": True, "whole": False, "regions": [], "marked": []}
    assert asking(ana).told("open_document", document=team.ids[0])["annotated"] == nothing
    mark = {"document": team.ids[0], "changes": [{"start": 0, "end": 3, "annotated": True}], "way": "mark"}
    assert asking(ana).told("set_annotated_regions", **mark)["annotated"]["marked"] == [[0, 3]]
    assert asking(bo).told("read_annotated_regions", document=team.ids[0])["annotated"] == nothing
    assert regions.get(team.workspace, team.ids[0]).marked == ()
    other = mark | {"changes": [{"start": 2, "end": 5, "annotated": True}]}
    assert asking(rui).told("set_annotated_regions", **other)["annotated"] == {
        "own": False, "whole": False, "regions": [[2, 5]], "marked": [[2, 5]],
    }  # fmt: skip
    assert asking(ana).told("read_annotated_regions", document=team.ids[0])["annotated"]["marked"] == [[0, 3]]
    assert asking(bo).told("read_steps", document=team.ids[0], revision=0)["past"] == []
    (step,) = asking(ana).told("read_steps", document=team.ids[0], revision=0)["past"]
    assert step["annotated"]["back"] == [{"start": 0, "end": 3, "annotated": False}]
    assignments.set_plan(team.workspace, team.project, "separate", 1, by="mia")
    with team.workspace.writing() as db:
        db.execute("DELETE FROM assignments WHERE user = 'bo'")
    for name, fields in (
        ("read_annotated_regions", {"document": team.ids[0]}),
        ("set_annotated_regions", mark),
    ):
        assert "not assigned" in asking(bo).refused(name, **fields)[1]
