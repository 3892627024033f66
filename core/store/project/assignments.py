"""Assignments of documents to annotators, in projects with individual versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from core.store.db.clock import now
from core.store.db.errors import NotFound, PayloadError, PeopleError
from core.store.db.payload import checked_choice
from core.store.db.workspace import Workspace
from core.store.project import members
from core.store.project.dealing import Hands, deal
from core.store.project.members import WORKFLOWS, Workflow
from core.store.project.projects import row_of

MOST_OVERLAP = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """The workflow of a project: one shared annotation or individual versions, and the annotators per
    document."""

    workflow: Workflow
    overlap: int


@dataclass(frozen=True, slots=True)
class Load:
    """One annotator's document counts: assigned, begun, done."""

    user: str
    handed: int
    begun: int
    done: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """Result of an assignment: documents assigned, assignments added and removed, documents per annotator."""

    documents: int
    added: int
    removed: int
    loads: dict[str, int]


def plan(workspace: Workspace, project_id: int) -> Plan:
    """The workflow of the project.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        return _plan(db, project_id)


def set_plan(workspace: Workspace, project_id: int, workflow: str, overlap: int, *, by: str) -> Plan:
    """Set the workflow of the project. Annotations do not change.

    Raises:
        NotAllowed: ``by`` is no manager. PeopleError: individual versions need members.
        PayloadError: no such workflow, or an overlap outside 1 to 20.
    """
    checked_choice(workflow, WORKFLOWS, "workflow")
    if isinstance(overlap, bool) or not isinstance(overlap, int) or not 1 <= overlap <= MOST_OVERLAP:
        raise PayloadError(
            "a document can be assigned to 1 to {most} people, got {overlap}",
            most=MOST_OVERLAP,
            overlap=repr(overlap),
        )
    with workspace.writing() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, by, "manage")
        if workflow == "separate" and not members.members_of(db, project_id):
            raise PeopleError("Nobody is a member of this project yet. Add the people who annotate first.")
        db.execute(
            "UPDATE projects SET workflow = ?, overlap = ? WHERE id = ?", (workflow, overlap, project_id)
        )
        return _plan(db, project_id)


def hand_out(
    workspace: Workspace,
    project_id: int,
    people: Collection[str],
    *,
    by: str,
    again: bool = False,
    seed: int = 0,
    only_preview: bool = False,
    among: Collection[int] | None = None,
) -> Dealt:
    """Assign the project's documents to ``people``, each to as many as the plan's overlap.

    Documents that were done before they were assigned, or are adjudicated, are skipped. Later calls only fill
    gaps: new documents are assigned, and people who left lose what they have not finished.

    Args:
        again: reassign documents nobody has begun, so that new members get their share.
        only_preview: count only; change nothing.
        among: only these documents, such as a work set; the assignments of others stay. None: all.

    Raises:
        NotAllowed: ``by`` is no manager. PeopleError: too few people. NotFound: one of them is no member of a
            project with members.
    """
    # A preview of a large project takes a while and must not block saves.
    with workspace.reading() if only_preview else workspace.writing() as db:
        members.check_in(db, project_id, by, "manage")
        member_names = {member.user for member in members.members_of(db, project_id)}
        for who in people:
            if member_names and who not in member_names:  # without members everybody takes part
                raise NotFound("member", who)
        # Of people who left, only finished documents count.
        begun = [
            (row["document_id"], row["user"])
            for row in _begun(db, project_id)
            if row["status"] == "done" or row["user"] in people
        ]
        overlap = _plan(db, project_id).overlap
        documents = _to_deal(db, project_id)
        if among is not None:
            chosen = frozenset(among)
            documents = {document_id: None for document_id in documents if document_id in chosen}
        before = {
            document_id: hands
            for document_id, hands in _hands(db, project_id).items()
            if document_id in documents
        }
        after = deal(list(documents), people, overlap, held=before, begun=begun, again=again, seed=seed)
        return _write(db, before, after, only_preview=only_preview)


def loads(workspace: Workspace, project_id: int) -> tuple[Load, ...]:
    """The load of everybody with documents, by name. Ignored documents are no load."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT a.user, count(*), count(v.annotator), coalesce(sum(v.status = 'done'), 0) "
            "FROM assignments a JOIN documents d ON d.id = a.document_id AND d.trashed IS NULL "
            "LEFT JOIN versions v ON v.document_id = a.document_id AND v.annotator = a.user "
            "WHERE d.project_id = ? AND d.status <> 'ignored' AND coalesce(v.status, '') <> 'ignored' "
            "GROUP BY a.user ORDER BY a.user",
            (project_id,),
        )
        return tuple(Load(*row) for row in rows)


def is_assigned(db: sqlite3.Connection, document_id: int, user: str) -> bool:
    """Whether the document is assigned to the person."""
    row = db.execute("SELECT 1 FROM assignments WHERE document_id = ? AND user = ?", (document_id, user))
    return row.fetchone() is not None


def has_any(workspace: Workspace, project_id: int, user: str) -> bool:
    """Whether the person has documents of this project."""
    with workspace.reading() as db:
        row = db.execute(
            "SELECT 1 FROM assignments a JOIN documents d ON d.id = a.document_id "
            "WHERE a.user = ? AND d.project_id = ? AND d.trashed IS NULL LIMIT 1",
            (user, project_id),
        )
        return row.fetchone() is not None


def _plan(db: sqlite3.Connection, project_id: int) -> Plan:
    row_of(db, project_id)
    return Plan(*db.execute("SELECT workflow, overlap FROM projects WHERE id = ?", (project_id,)).fetchone())


def _hands(db: sqlite3.Connection, project_id: int) -> Hands:
    held: dict[int, set[str]] = {}
    for document_id, user in db.execute(
        "SELECT a.document_id, a.user FROM assignments a JOIN documents d ON d.id = a.document_id "
        "WHERE d.project_id = ? AND d.trashed IS NULL",
        (project_id,),
    ):
        held.setdefault(document_id, set()).add(user)
    return {document_id: frozenset(users) for document_id, users in held.items()}


def _begun(db: sqlite3.Connection, project_id: int) -> list[sqlite3.Row]:
    """Versions that were begun: saved, or with a marked region."""
    return db.execute(
        "SELECT v.document_id, v.annotator AS user, v.status FROM ("
        "SELECT document_id, annotator, status FROM versions UNION ALL "
        "SELECT DISTINCT document_id, annotator, 'in_progress' FROM annotated_regions "
        "WHERE annotator <> '') v "
        "JOIN documents d ON d.id = v.document_id WHERE d.project_id = ? AND d.trashed IS NULL",
        (project_id,),
    ).fetchall()


def _to_deal(db: sqlite3.Connection, project_id: int) -> dict[int, None]:
    rows = db.execute(
        "SELECT d.id FROM documents d "
        "WHERE d.project_id = ? AND d.trashed IS NULL AND d.status <> 'ignored' "
        "AND (d.status <> 'done' OR EXISTS (SELECT 1 FROM assignments a WHERE a.document_id = d.id)) "
        "AND NOT EXISTS (SELECT 1 FROM adjudications r WHERE r.document_id = d.id AND r.undone IS NULL) "
        "ORDER BY d.id",
        (project_id,),
    )
    return dict.fromkeys(row["id"] for row in rows)  # in order, and quick to look into


def _write(db: sqlite3.Connection, before: Hands, after: Hands, *, only_preview: bool) -> Dealt:
    old = {(document_id, user) for document_id, users in before.items() for user in users}
    new = {(document_id, user) for document_id, users in after.items() for user in users}
    if not only_preview:
        at = now()
        db.executemany("DELETE FROM assignments WHERE document_id = ? AND user = ?", sorted(old - new))
        db.executemany(
            "INSERT INTO assignments (document_id, user, at) VALUES (?, ?, ?)",
            [(document_id, user, at) for document_id, user in sorted(new - old)],
        )
    loads: dict[str, int] = {}
    for _, user in sorted(new):
        loads[user] = loads.get(user, 0) + 1
    return Dealt(len(after), len(new - old), len(old - new), loads)
