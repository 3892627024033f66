"""What a browser names is looked up in the project on its screen and in no other."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.annotate import document as annotated
from app.annotate import suggesting, windows
from app.compare import documents as compare_documents
from app.data import documents as data_documents
from app.ledger import page as ledger
from app.ledger import verdict as ledger_verdict
from app.services import in_project
from app.services.loaded_taggers import LoadedTaggers
from app.services.session import Session
from app.tag import page as tag
from app.ui.payload import OneDocument
from app.ui.runs import decision as run_decision
from app.ui.runs import panel as run_panel
from core.store import Workspace
from core.store.db.errors import NotFound
from core.store.document import documents
from core.store.project import members, projects
from core.store.run import predictions, runs
from core.text import Document, Span
from tests.workspaces import new_workspace

APP = Path(in_project.__file__).parents[1]


@pytest.fixture
def place(tmp_path):
    with Workspace.open(new_workspace(tmp_path)) as workspace:
        closed, own = projects.create(workspace, "closed"), projects.create(workspace, "own")
        document = documents.add(workspace, closed.id, [Document("secret", "不可外传")]).ids[0]
        members.put(workspace, closed.id, "mia", "manager", by="mia")
        run = runs.register(workspace, closed.id, "secret-run", "flat", tmp_path / "model", {"dev": {}})
        predictions.put_one(workspace, run.name, document, [Span(0, 2, "X")])
        asked = []
        jobs = SimpleNamespace(cancel=asked.append, resume=asked.append)
        bench = SimpleNamespace(
            workspace=workspace, jobs=jobs, taggers=LoadedTaggers(workspace, None), check_room=lambda: None
        )
        session = Session("token", "stranger", bench, own.id)
        yield SimpleNamespace(session=session, document=document, run=run.name, asked=asked, closed=closed.id)


def test_a_document_and_a_run_of_another_project_are_not_there(place):
    with pytest.raises(NotFound):
        in_project.document(place.session, place.document)
    with pytest.raises(NotFound):
        in_project.run(place.session, place.run)
    place.session.turn_to(place.closed)
    assert in_project.document(place.session, place.document).text == "不可外传"
    assert in_project.run(place.session, place.run).name == place.run


@pytest.mark.parametrize(
    "call",
    [
        lambda place: compare_documents.in_hand(place.session, place.document),
        lambda place: data_documents.to_trash(place.session, place.document, "", "all", 0),
        lambda place: ledger_verdict.show(place.session, place.run),
        lambda place: ledger_verdict.answer(place.session, lambda *done: None, place.run),
        lambda place: ledger_verdict.keep(place.session, place.run),
        lambda place: ledger.open_correction(place.session, SimpleNamespace(document=place.document)),
        lambda place: run_panel.follow(place.session, place.run, []),
        lambda place: run_panel.cancel(place.session, place.run, []),
        lambda place: run_panel.resume(place.session, place.run, []),
        lambda place: run_decision.keep(place.session, place.run),
        lambda place: tag.go_documents(place.session, lambda *done: None, place.run, "all"),
        lambda place: place.session.workbench.taggers.labels(place.session.project_id, place.run),
        lambda place: annotated.open_document(place.session, annotated.OpenDocument(document=place.document)),
        lambda place: annotated.suggest_spans(
            place.session, annotated.Without(document=place.document, without=[])
        ),
        lambda place: annotated.list_words(place.session, OneDocument(document=place.document)),
        lambda place: annotated.restore_revision(
            place.session, annotated.Restore(document=place.document, revision=0, base_revision=0)
        ),
        lambda place: windows.tag_from(
            place.session, windows.Part(document=place.document, start=0, without=[])
        ),
        lambda place: suggesting.find_suggestions(place.session, OneDocument(document=place.document)),
    ],
)
def test_pages_neither_show_nor_change_what_another_project_holds(place, call):
    with pytest.raises(NotFound):
        call(place)
    workspace = place.session.workspace
    assert documents.get(workspace, place.document).text
    assert runs.get(workspace, place.run).declined is None
    assert predictions.get(workspace, place.run, place.document) is not None
    assert place.asked == []


def test_pages_look_documents_and_runs_up_in_one_place():
    straight = re.compile(r"\b(documents|runs)\.get\(session")
    found = {
        str(path.relative_to(APP)) for path in APP.rglob("*.py") if straight.search(path.read_text("utf-8"))
    }
    # These read what the server itself has named: the active run, the texts to tag, a document just found.
    named_here = {"ui/window/status_bar.py", "tag/page.py", "ui/annotation/correcting.py"}
    assert found == {"services/in_project.py"} | named_here
