"""The demo project: the hand-labelled corpus shipped with the program."""

from __future__ import annotations

import json
from pathlib import Path

from core.corpus.document_json import read_documents
from core.runtime.message import _
from core.store.annotation.finished import finish_empty
from core.store.db.errors import NotFound, StoreError
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import nesting, projects
from core.store.project.projects import Project
from core.text import Document, LabelSet

DEMO_NAME = "Demo"


def load_demo(workspace: Workspace, assets_folder: Path) -> Project:
    """Create or complete the demo project from ``assets_folder/demo``; idempotent.

    The unlabelled sentences of ``raw.txt`` come first, so that they head the queue.

    Raises:
        StoreError: a file of the corpus is missing or damaged; says which file and line.
    """
    folder = assets_folder / "demo"
    try:
        label_set = LabelSet.from_json(_both_languages(folder / "labels.json"))
        raw = _raw(folder / "raw.txt")
        corpus = list(read_documents(folder / "corpus.jsonl"))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise StoreError(
            "the demo corpus in {folder} cannot be read ({reason}); reinstall the program or "
            "build it again with python assets/demo/build.py",
            folder=folder,
            reason=_("{name}: {reason}", name=error.filename, reason=error)
            if isinstance(error, OSError)
            else error,
        ) from error
    try:
        project = projects.by_name(workspace, DEMO_NAME)
    except NotFound:
        project = projects.create(workspace, DEMO_NAME)
        labels.put(workspace, project.id, label_set)
    documents.add(workspace, project.id, raw)
    added = documents.add(workspace, project.id, corpus)
    with workspace.writing():  # one transaction, not hundreds
        finish_empty(workspace, corpus, added.ids, user="import")
    nesting.guess_from(workspace, project.id, corpus)
    return project


def _both_languages(path: Path) -> list[dict[str, str]]:
    """The labels with guidelines in Chinese and English, as a label has one description for all readers."""
    listed: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    keys = ("description_zh", "description")
    return [{**item, "description": " ".join(item[key] for key in keys if key in item)} for item in listed]


def _raw(path: Path) -> list[Document]:
    """One unlabelled document for each line that is not blank: raw-01, raw-02, …"""
    lines = path.read_text(encoding="utf-8").split("\n")
    texts = [line for line in lines if line.strip()]
    return [Document(f"raw-{number:02d}", text) for number, text in enumerate(texts, start=1)]
