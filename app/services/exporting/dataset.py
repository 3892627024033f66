"""A project as a data set: a ZIP to download, or a repository of a hub."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.services.errors import AppError
from app.services.exporting.documents import Choice, chosen, file_stem
from app.services.session import Session
from app.services.storage.scratch import scratch_folder
from core.export.dataset.export import write_dataset
from core.export.dataset.folder import FILES
from core.export.errors import ExportError
from core.export.hub import check_repository
from core.export.hub_process import push_apart
from core.store.db import audit
from core.store.label import labels
from core.store.project import projects
from core.text import Document

OFFLINE = "LATTICELENS_HUB_OFFLINE"  # which `app` sets from HF_HUB_OFFLINE before it changes that


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a data set is written.

    Args:
        choice: which documents. files: a name of ``FILES``. licence: its identifier; empty: other.
        named: whether it says who annotated.
    """

    choice: Choice
    files: str
    licence: str
    named: bool


def packed(session: Session, wanted: Wanted, tick: Callable[[int], None]) -> Path:
    """The folder as a ZIP.

    Raises:
        ExportError, FormatError: it cannot be written; says why.
    """
    folder = _written(session, wanted, "", tick)
    archive = shutil.make_archive(str(folder), "zip", folder.parent, folder.name)
    shutil.rmtree(folder, ignore_errors=True)
    return Path(archive)


def push(
    session: Session,
    wanted: Wanted,
    repository: str,
    token: str,
    *,
    public: bool,
    tick: Callable[[int], None],
    look: Callable[[], None],
) -> str:
    """Write the folder and upload it; returns the address of the commit. The audit log notes it.

    Args:
        token: typed by the person, for this once; empty: that of the environment, which only whoever is at
            this machine may use. look: called while the upload goes on; what it raises ends it.

    Raises:
        AppError: this is the demo, or there is no token. ExportError: the hub refuses; says why.
    """
    if session.workbench.limits.demo:
        raise AppError(
            "The demo asks for no token, as its machine is not yours. Download the folder and upload it "
            "yourself, or run LatticeLens on your own machine."
        )
    name = check_repository(repository.strip())
    given = token.strip() or (os.environ.get("HF_TOKEN", "") if session.workbench.files.anywhere else "")
    if not given.strip():
        raise AppError(
            "Type a token of the hub that may write. It is used for this upload and not kept anywhere."
        )
    folder = _written(session, wanted, name, tick)
    offline = os.environ.get(OFFLINE, "0").upper() in ("1", "ON", "YES", "TRUE")
    try:
        address = push_apart(folder, name, given, public=public, kind="dataset", offline=offline, look=look)
    finally:
        shutil.rmtree(folder.parent, ignore_errors=True)
    audit.note(session.workspace, "dataset.pushed", session.project_id, user=session.user, repository=name)
    return address


def _written(session: Session, wanted: Wanted, repository: str, tick: Callable[[int], None]) -> Path:
    files = next((known for known in FILES if known == wanted.files), None)
    if files is None:
        raise ExportError("a data set is written as {known}, not as {files}", known=FILES, files=wanted.files)
    project = projects.get(session.workspace, session.project_id)
    folder = scratch_folder("dataset") / file_stem(project.name)
    written = write_dataset(
        _ticked(session, wanted, tick), folder, labels.get(session.workspace, project.id),
        title=project.name, repository=repository, licence=wanted.licence.strip(), files=files,
        named=wanted.named,
    )  # fmt: skip
    audit.note(
        session.workspace, "documents.exported", project.id, user=session.user, format="dataset",
        documents=sum(facts.documents for facts in written.splits.values()),
    )  # fmt: skip
    return folder


def _ticked(session: Session, wanted: Wanted, tick: Callable[[int], None]) -> Iterator[Document]:
    for number, document in enumerate(chosen(session.workspace, session.project_id, wanted.choice), start=1):
        tick(number)
        yield document
