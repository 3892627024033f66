"""A data set from the page: downloaded as a ZIP, or pushed with a token that is kept nowhere."""

import zipfile

import pytest

from app.services.background.tasks import Stopped
from app.services.errors import AppError
from app.services.exporting import dataset as dataset_export
from app.services.exporting.dataset import Wanted
from app.services.exporting.documents import Choice
from app.services.hosting import FilePolicy
from app.services.limits.table import Limits
from core.export.errors import ExportError
from core.store.db import audit
from core.store.document import documents
from core.text import Document, Span
from tests.export.stand_in_hub import TOKEN, hub

__all__ = ["hub"]

WANTED = Wanted(Choice(), "jsonl", "cc-by-4.0", named=False)


@pytest.fixture
def filled(session):
    spans = (Span(0, 2, "PER"),)
    documents.add(session.workspace, session.project_id, [Document("a", "周敏在青岛工作。", spans)])
    return session


def push(session, token="", repository="people/first", look=lambda: None):
    return dataset_export.push(
        session, WANTED, repository, token, public=False, tick=lambda done: None, look=look
    )


def test_the_folder_is_downloaded_as_a_zip(filled):
    path = dataset_export.packed(filled, WANTED, lambda done: None)
    with zipfile.ZipFile(path) as archive:
        assert {"README.md", "data/train.jsonl"} <= {
            name.split("/", 1)[1] for name in archive.namelist() if not name.endswith("/")
        }


def test_a_typed_token_pushes_and_is_in_no_log(filled, hub, monkeypatch, caplog):
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_server")
    assert "/commit/" in push(filled, TOKEN)
    assert {authorization for _, authorization in hub.asked} == {f"Bearer {TOKEN}"}
    assert set(hub.files) == {"README.md", "data/train.jsonl"}
    pushed = [entry for entry in audit.entries(filled.workspace) if entry.kind == "dataset.pushed"]
    assert [(entry.user, dict(entry.detail)) for entry in pushed] == [
        (filled.user, {"repository": "people/first"})
    ]
    assert TOKEN not in caplog.text


def test_the_token_of_the_server_is_for_whoever_is_at_its_machine(filled, hub):
    filled.workbench.files = FilePolicy(anywhere=False)
    with pytest.raises(AppError, match="Type a token"):
        push(filled)
    assert hub.asked == []
    filled.workbench.files = FilePolicy()
    assert push(filled)


def test_a_demo_asks_nobody_for_a_token(filled, hub):
    filled.workbench.limits = Limits()
    with pytest.raises(AppError, match="Download the folder"):
        push(filled, TOKEN)
    assert hub.asked == []


def test_what_the_hub_refuses_is_told_in_words(filled, hub):
    hub.there += ["data/train.jsonl"]
    with pytest.raises(ExportError, match="holds files already"):
        push(filled, TOKEN)
    assert [entry for entry in audit.entries(filled.workspace) if entry.kind == "dataset.pushed"] == []


def test_a_cancelled_upload_ends(filled, hub):
    def stop():
        raise Stopped

    hub.open.clear()  # otherwise a quick upload is done before anybody looks
    with pytest.raises(Stopped):
        push(filled, TOKEN, look=stop)
    assert hub.files == {}
