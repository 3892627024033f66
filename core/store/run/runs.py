"""Runs: one row per trained or registered tagger, with a run folder, a title and a note."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import category

from core.store.db import audit
from core.store.db.cells import load_json
from core.store.db.clock import now
from core.store.db.errors import NameTaken, NotFound, PayloadError
from core.store.db.payload import can_be_a_folder, checked_choice
from core.store.db.workspace import Workspace
from core.store.label.ids import last_name
from core.store.project import event_log
from core.store.project.projects import row_of

RUN_STATUSES = ("queued", "running", "finished", "failed", "cancelled", "interrupted")
LONGEST_TITLE = 80
LONGEST_NOTE = 2000
_JOINERS = "\u200c\u200d"  # of Persian and of emoji
_TAGGER = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")


@dataclass(frozen=True, slots=True)
class Run:
    """One run. ``folder`` is absolute; times in UTC ms; ``scores`` as in the run's ``scores.json``.

    ``name`` identifies it and never changes; ``title`` is what people call it, its name unless they chose
    another. ``note``: free text about it. ``declined``: when a person kept the previous run active instead,
    or None.
    """

    name: str
    project_id: int
    tagger: str
    folder: Path
    status: str
    parent: str | None
    created: int
    finished: int | None
    scores: dict[str, Any]
    declined: int | None
    title: str
    note: str

    @property
    def model_folder(self) -> Path:
        """The folder of the run's best model."""
        return self.folder / "model" if (self.folder / "model").is_dir() else self.folder


def create(
    workspace: Workspace, project_id: int, tagger: str, *, parent: str | None = None, called: str = ""
) -> Run:
    """Create a queued run with the next free name (``flat-0001``) and an empty folder.

    Args:
        called: prefix of the name; default: the tagger's name.

    Raises:
        PayloadError: ``tagger`` is not a valid name. NotFound: no such project.
    """
    if not isinstance(tagger, str) or not _TAGGER.match(tagger):
        raise PayloadError(
            "a tagger's name is a lower-case word, got {tagger}", tagger=repr(str(tagger)[:40])
        )
    called = called or tagger
    if not _TAGGER.match(called):
        raise PayloadError("a run's name begins with a lower-case word, got {name}", name=repr(called[:40]))
    with workspace.writing() as db:
        row_of(db, project_id)
        number = 1 + max(
            (_number(row["name"], called) for row in db.execute("SELECT name FROM runs")), default=0
        )
        # Do not write into the folder of a purged or unrecorded run.
        while (workspace.runs_folder / f"{called}-{number:04d}").exists():
            number += 1
        name = f"{called}-{number:04d}"
        (workspace.runs_folder / name).mkdir(parents=True)
        _insert(db, project_id, name, tagger, f"runs/{name}", "queued", parent, {})
        audit.record(db, "run.started", project_id, run=name, tagger=tagger, parent=parent)
    return get(workspace, name)


def register(
    workspace: Workspace, project_id: int, name: str, tagger: str, folder: Path, scores: Mapping[str, Any]
) -> Run:
    """Register a finished run with a model elsewhere, such as the demo tagger.

    Registering a name again for the same project updates folder and scores.

    Raises:
        NameTaken: another project has a run of this name. PayloadError: invalid name.
    """
    if not can_be_a_folder(name):
        raise PayloadError(
            "a run's name has small letters, digits, '-', '_' and '.', got {name}", name=repr(name[:40])
        )
    with workspace.writing() as db:
        row_of(db, project_id)
        row = db.execute("SELECT project_id FROM runs WHERE name = ?", (name,)).fetchone()
        if row is not None and row["project_id"] != project_id:
            raise NameTaken("another project has a run {name}; choose another name", name=repr(name))
        folder = folder.resolve()
        stored = folder.relative_to(workspace.folder) if folder.is_relative_to(workspace.folder) else folder
        if row is None:
            _insert(db, project_id, name, tagger, str(stored), "finished", None, scores)
            audit.record(db, "run.registered", project_id, run=name, tagger=tagger)
        else:
            db.execute(
                "UPDATE runs SET tagger = ?, folder = ?, scores = ? WHERE name = ?",
                (tagger, str(stored), json.dumps(dict(scores)), name),
            )
    return get(workspace, name)


def get(workspace: Workspace, name: str) -> Run:
    """The run with this name.

    Raises:
        NotFound: there is none.
    """
    with workspace.reading() as db:
        row = db.execute("SELECT * FROM runs WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise NotFound("run", name)
        return _run(workspace, row)


def project_of(db: sqlite3.Connection, run: str) -> int:
    """The project that a run belongs to.

    Raises:
        NotFound: no such run.
    """
    row = db.execute("SELECT project_id FROM runs WHERE name = ?", (run,)).fetchone()
    if row is None:
        raise NotFound("run", run)
    return int(row["project_id"])


def all_runs(workspace: Workspace, project_id: int, status: str | None = None) -> list[Run]:
    """The project's runs, oldest first."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT * FROM runs WHERE project_id = ? AND (? IS NULL OR status = ?) ORDER BY created, name",
            (project_id, status, status),
        ).fetchall()
        return [_run(workspace, row) for row in rows]


def set_status(workspace: Workspace, name: str, status: str, scores: Mapping[str, Any] | None = None) -> Run:
    """Record the status of a run, and its scores once it has them; idempotent.

    Raises:
        NotFound, PayloadError: no such run, no such status.
    """
    status = checked_choice(status, RUN_STATUSES, "status")
    with workspace.writing() as db:
        before = db.execute("SELECT project_id, status FROM runs WHERE name = ?", (name,)).fetchone()
        if before is None:
            raise NotFound("run", name)
        db.execute(
            "UPDATE runs SET status = ?, scores = coalesce(?, scores), "
            "finished = CASE WHEN ? = 'finished' THEN coalesce(finished, ?) ELSE NULL END WHERE name = ?",
            (status, None if scores is None else json.dumps(dict(scores)), status, now(), name),
        )
        if status == "finished" and before["status"] != "finished":
            event_log.record(db, before["project_id"], "run.finished", run=name)
    return get(workspace, name)


def decline(workspace: Workspace, name: str) -> Run:
    """Record that a person kept the previous run active; `projects.set_active` clears it.

    Raises:
        NotFound: no such run.
    """
    with workspace.writing() as db:
        if not db.execute("UPDATE runs SET declined = ? WHERE name = ?", (now(), name)).rowcount:
            raise NotFound("run", name)
    return get(workspace, name)


def describe(workspace: Workspace, name: str, *, title: str, note: str) -> Run:
    """Give a run a title and a note; an empty title is its name again.

    Args:
        title: one line of at most ``LONGEST_TITLE`` characters. note: at most ``LONGEST_NOTE``.

    Raises:
        NameTaken: another run of the project is called so. PayloadError: too long, or a character that cannot
            be shown. NotFound: no such run.
    """
    title, note = _cleaned(title, LONGEST_TITLE, lines=False), _cleaned(note, LONGEST_NOTE, lines=True)
    with workspace.writing() as db:
        row = db.execute("SELECT project_id FROM runs WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise NotFound("run", name)
        title = "" if title == name else title
        taken = db.execute(
            "SELECT 1 FROM runs WHERE project_id = ? AND name <> ? AND ? IN (name, title) AND ? <> ''",
            (row["project_id"], name, title, title),
        ).fetchone()
        if taken:
            raise NameTaken("another run of this project is called {name}; choose another name", name=title)
        db.execute("UPDATE runs SET title = ?, note = ? WHERE name = ?", (title, note, name))
    return get(workspace, name)


def titles(workspace: Workspace, project_id: int) -> dict[str, str]:
    """What the project's runs are called, by name, oldest first."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT name, title FROM runs WHERE project_id = ? ORDER BY created, name", (project_id,)
        ).fetchall()
    return {row["name"]: row["title"] or row["name"] for row in rows}


def _cleaned(text: object, longest: int, *, lines: bool) -> str:
    """Text without blanks around it; one line, unless it may have several."""
    if not isinstance(text, str):
        raise PayloadError("the name and the note of a run are text, got {kind}", kind=type(text).__name__)
    text = "\n".join(line.rstrip() for line in text.splitlines()).strip() if lines else " ".join(text.split())
    if len(text) > longest:
        raise PayloadError(
            "the name of a run has at most {title} characters and its note {note}, got {given}",
            title=LONGEST_TITLE,
            note=LONGEST_NOTE,
            given=len(text),
        )
    # Marks that turn the reading direction would make a name look like another.
    allowed = {"\n", *_JOINERS}
    wrong = next(
        (sign for sign in text if sign not in allowed and category(sign) in ("Cc", "Cs", "Cf")), None
    )
    if wrong is not None:
        raise PayloadError(
            "a run's name and note have letters, digits and signs; character U+{code} cannot be shown",
            code=f"{ord(wrong):04X}",
        )
    return text


def _insert(
    db: sqlite3.Connection, project_id: int, name: str, tagger: str, folder: str, status: str,
    parent: str | None, scores: Mapping[str, Any],
) -> None:  # fmt: skip
    at = now()
    db.execute(
        "INSERT INTO runs (name, project_id, labels_at, tagger, folder, status, parent, created, finished, "
        "scores) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (name, project_id, last_name(db), tagger, folder, status, parent, at,
         at if status == "finished" else None, json.dumps(dict(scores))),
    )  # fmt: skip


def _run(workspace: Workspace, row: sqlite3.Row) -> Run:
    return Run(
        row["name"], row["project_id"], row["tagger"], workspace.folder / row["folder"], row["status"],
        row["parent"], row["created"], row["finished"], load_json(row["scores"]),
        row["declined"], row["title"] or row["name"], row["note"],
    )  # fmt: skip


def _number(name: str, called: str) -> int:
    prefix, _, digits = name.rpartition("-")
    return int(digits) if prefix == called and digits.isdecimal() else 0
