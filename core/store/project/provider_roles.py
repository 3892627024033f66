"""Roles that a sign-in service gives by its groups.

In a project that a group is mapped to, the service decides: at every sign-in the person gets the highest role
of their groups there, and leaves the project when they are in none of them. The last manager stays one.
"""

from __future__ import annotations

from collections.abc import Collection

from core.store.db.clock import now
from core.store.db.payload import checked_choice, checked_user
from core.store.db.workspace import Workspace
from core.store.project.members import ROLES, Role, members_of
from core.store.project.projects import row_of


def take(workspace: Workspace, project_id: int, user: str, roles: Collection[str]) -> Role | None:
    """Give a person the highest of the roles in the project, or none; returns the one they have then.

    A project without members gets its first one as a manager only, as it would have nobody to manage it.

    Raises:
        NotFound: no such project. PayloadError: no such name or role.
    """
    user = checked_user(user)
    for role in roles:
        checked_choice(role, ROLES, "role")
    wanted = next((role for role in reversed(ROLES) if role in roles), None)
    with workspace.writing() as db:
        row_of(db, project_id)
        present = {member.user: member.role for member in members_of(db, project_id)}
        held = present.get(user)
        managers = [name for name, role in present.items() if role == "manager"]
        if wanted == held or (wanted != "manager" and (not managers or managers == [user])):
            return held
        if wanted is None:
            db.execute("DELETE FROM members WHERE project_id = ? AND user = ?", (project_id, user))
        else:
            db.execute(
                "INSERT INTO members (project_id, user, role, since) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (project_id, user) DO UPDATE SET role = excluded.role",
                (project_id, user, wanted, now()),
            )
    return wanted
