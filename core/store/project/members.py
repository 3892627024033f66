"""Members of a project, their roles and rights.

In a project without members everybody may do everything. Roles protect only behind a login; without one
anybody can use any name.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Literal, get_args

from core.runtime.message import _
from core.store.db import audit
from core.store.db.clock import now
from core.store.db.errors import NotFound, PeopleError
from core.store.db.payload import checked_choice, checked_user
from core.store.db.workspace import Workspace
from core.store.project.projects import Project, project_of, row_of

Role = Literal["annotator", "reviewer", "manager"]
ROLES: tuple[Role, ...] = get_args(Role)
Workflow = Literal["together", "separate"]
WORKFLOWS: tuple[Workflow, ...] = get_args(Workflow)

_ALL = frozenset(ROLES)
_REVIEW = frozenset(("reviewer", "manager"))
_MANAGE = frozenset(("manager",))
# docs/people.md has this table; a test compares the two.
RIGHTS: dict[str, frozenset[str]] = {
    "annotate": _ALL,  # with individual versions: one's own, of assigned documents
    "try_tagger": _ALL,
    "see_documents": _ALL,  # with individual versions: not annotators, see SEPARATE_ONLY
    "review": _REVIEW,
    "export": _REVIEW,
    "change_dictionary": _REVIEW,
    "import": _MANAGE,
    "remove_documents": _MANAGE,
    "train": _MANAGE,
    "promote": _MANAGE,
    "change_labels": _MANAGE,
    "manage": _MANAGE,  # members, assignments, settings of the project
}
# For people.
ROLE_NAMES = {"annotator": _("annotator"), "reviewer": _("reviewer"), "manager": _("manager")}
RIGHT_NAMES = {
    "annotate": _("annotating"),
    "try_tagger": _("trying the tagger"),
    "see_documents": _("seeing all documents"),
    "review": _("reviewing"),
    "export": _("exporting"),
    "change_dictionary": _("changing the dictionary"),
    "import": _("importing documents and splitting them"),
    "remove_documents": _("removing documents"),
    "train": _("training"),
    "promote": _("choosing the active tagger"),
    "change_labels": _("changing labels"),
    "manage": _("managing the project"),
}
# Where individual versions, annotators do not see each other's work.
SEPARATE: dict[str, frozenset[str]] = RIGHTS | {"see_documents": _REVIEW}


@dataclass(frozen=True, slots=True)
class Member:
    """A member; ``since`` in UTC ms."""

    user: str
    role: Role
    since: int


class NotAllowed(PeopleError):
    """The user's role lacks the right; nothing was changed."""


def of(workspace: Workspace, project_id: int) -> tuple[Member, ...]:
    """The members, managers first, then by name; empty where everybody may do everything.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        return members_of(db, project_id)


def role_of(workspace: Workspace, project_id: int, user: str) -> Role | None:
    """The user's role; None for non-members."""
    with workspace.reading() as db:
        return _role(db, project_id, user)


def is_member_anywhere(workspace: Workspace, user: str) -> bool:
    """Whether the user is a member of any project, also of one in the trash."""
    with workspace.reading() as db:
        return db.execute("SELECT 1 FROM members WHERE user = ? LIMIT 1", (user,)).fetchone() is not None


def may(workspace: Workspace, project_id: int, user: str, right: str) -> bool:
    """Whether the user has this right in the project."""
    with workspace.reading() as db:
        return has_right(db, project_id, user, right)


def is_open(workspace: Workspace, project_id: int, user: str) -> bool:
    """Whether the user may see the project: they are a member, or it has no members."""
    return may(workspace, project_id, user, "annotate")


def open_projects(workspace: Workspace, user: str) -> list[Project]:
    """The projects open to this user, oldest first, without the trash."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT p.* FROM projects p WHERE p.trashed IS NULL AND ("
            "NOT EXISTS (SELECT 1 FROM members WHERE project_id = p.id) "
            "OR EXISTS (SELECT 1 FROM members WHERE project_id = p.id AND user = ?)) ORDER BY p.id",
            (user,),
        )
        return [project_of(row) for row in rows]


def check(workspace: Workspace, project_id: int, user: str, right: str) -> None:
    """Require a right.

    Raises:
        NotAllowed: says why, and who can help.
    """
    with workspace.reading() as db:
        check_in(db, project_id, user, right)


def check_in(db: sqlite3.Connection, project_id: int, user: str, right: str) -> None:
    """``check`` through an open connection, in the transaction of the write.

    Raises:
        NotAllowed: as ``check``.
    """
    refusal = _refusal(db, project_id, user, right)
    if refusal is not None:
        raise refusal


def role_may(workspace: Workspace, project_id: int, role: Role, right: str) -> bool:
    """Whether a role has this right in the project, whoever has the role."""
    with workspace.reading() as db:
        return role in (SEPARATE if is_separate(db, project_id) else RIGHTS)[right]


def check_everywhere(workspace: Workspace, user: str, right: str) -> None:
    """Require a right in every project with members, for operations on the whole workspace.

    Raises:
        NotAllowed: as ``check``.
    """
    with workspace.reading() as db:
        for row in db.execute("SELECT DISTINCT project_id FROM members").fetchall():
            check_in(db, row["project_id"], user, right)


def put(workspace: Workspace, project_id: int, user: str, role: str, *, by: str) -> tuple[Member, ...]:
    """Add a member or change their role; whoever adds the first becomes manager.

    Args:
        by: who asks.

    Raises:
        NotAllowed: ``by`` is no manager. PeopleError: the last manager would lose that role.
        PayloadError: no name, or no role.
    """
    user, by = _name(user), _name(by)
    checked_choice(role, ROLES, "role")
    with workspace.writing() as db:
        row_of(db, project_id)
        check_in(db, project_id, by, "manage")
        if not members_of(db, project_id) and user != by:
            _put(db, project_id, by, "manager")
            audit.record(db, "member.role", project_id, user=by, member=by, role="manager")
        if role != "manager":
            _keep_a_manager(db, project_id, user, is_first=not members_of(db, project_id))
        before = _role(db, project_id, user)
        _put(db, project_id, user, role)
        audit.record(db, "member.role", project_id, user=by, member=user, role=role, before=before)
        return members_of(db, project_id)


def remove(workspace: Workspace, project_id: int, user: str, *, by: str) -> tuple[Member, ...]:
    """Remove a member; their annotations stay.

    Raises:
        NotAllowed: ``by`` is no manager. NotFound: no such member. PeopleError: it is the last manager.
    """
    with workspace.writing() as db:
        row_of(db, project_id)
        check_in(db, project_id, by, "manage")
        if _role(db, project_id, user) is None:
            raise NotFound("member", user)
        _keep_a_manager(db, project_id, user)
        db.execute("DELETE FROM members WHERE project_id = ? AND user = ?", (project_id, user))
        audit.record(db, "member.removed", project_id, user=by, member=user)
        return members_of(db, project_id)


def members_of(db: sqlite3.Connection, project_id: int) -> tuple[Member, ...]:
    """``of`` through an open connection."""
    rows = db.execute(
        "SELECT user, role, since FROM members WHERE project_id = ? "
        "ORDER BY role = 'manager' DESC, role = 'reviewer' DESC, user",
        (project_id,),
    )
    return tuple(Member(*row) for row in rows)


def is_separate(db: sqlite3.Connection, project_id: int) -> bool:
    """Whether each annotator of the project has their own version."""
    row = db.execute("SELECT workflow FROM projects WHERE id = ?", (project_id,)).fetchone()
    return row is not None and row["workflow"] == "separate"


def has_right(db: sqlite3.Connection, project_id: int, user: str, right: str) -> bool:
    """``may`` through an open connection."""
    return _refusal(db, project_id, user, right) is None


def not_assigned(db: sqlite3.Connection, document: sqlite3.Row, user: str) -> NotAllowed:
    """The error for a user to whom the document is not assigned."""
    return NotAllowed(
        "Document {document} is not assigned to {user}. Open one from the queue, or ask {managers}.",
        document=document["id"],
        user=user,
        managers=_managers(db, document["project_id"]),
    )


def _refusal(db: sqlite3.Connection, project_id: int, user: str, right: str) -> NotAllowed | None:
    role = _role(db, project_id, user)
    if role is None:
        managers = _managers(db, project_id)
        if not managers:  # a project with members always has a manager
            return None
        return NotAllowed(
            "This project has members and “{user}” is not one of them. Ask {managers} to add you, or "
            "choose your name in Settings.",
            user=user,
            managers=managers,
        )
    rights = SEPARATE if is_separate(db, project_id) else RIGHTS
    if role in rights[right]:
        return None
    return NotAllowed(
        "Your role in this project is {role}, which does not allow {right}. Ask {managers}.",
        role=ROLE_NAMES[role],
        right=RIGHT_NAMES[right],
        managers=_managers(db, project_id),
    )


def _role(db: sqlite3.Connection, project_id: int, user: str) -> Role | None:
    row = db.execute(
        "SELECT role FROM members WHERE project_id = ? AND user = ?", (project_id, user)
    ).fetchone()
    return None if row is None else row["role"]


def _managers(db: sqlite3.Connection, project_id: int) -> list[str]:
    return [member.user for member in members_of(db, project_id) if member.role == "manager"]


def _keep_a_manager(db: sqlite3.Connection, project_id: int, user: str, *, is_first: bool = False) -> None:
    if is_first or _managers(db, project_id) == [user]:
        raise PeopleError("{user} is the last manager: make somebody else a manager first.", user=user)


def _put(db: sqlite3.Connection, project_id: int, user: str, role: str) -> None:
    db.execute(
        "INSERT INTO members (project_id, user, role, since) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (project_id, user) DO UPDATE SET role = excluded.role",
        (project_id, user, role, now()),
    )


def _name(user: object) -> str:
    return " ".join(checked_user(user).split())
