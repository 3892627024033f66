"""Access tokens of the HTTP API: each opens one project, to one role at most.

Only a hash is stored. A token is 256 random bits, so a fast hash is enough: there is nothing to guess (NIST
SP 800-63B, section 5.1.2.2, look-up secrets of at least 112 bits). A token acts for the person who made it,
and ends where their own rights end.
"""

from __future__ import annotations

import hmac
import re
import secrets
import sqlite3
from dataclasses import dataclass
from hashlib import sha256

from core.store.db import audit
from core.store.db.clock import now
from core.store.db.errors import NotFound, PayloadError
from core.store.db.payload import checked_choice, checked_user
from core.store.db.workspace import Workspace
from core.store.project import members
from core.store.project.members import ROLES, Role
from core.store.project.projects import checked_id, row_of

LONGEST_NAME = 80
MOST = 100  # of a project, revoked ones included
USED_EVERY = 60_000  # ms; a token in use is noted once a minute, as every note is a write
_TOKEN = re.compile(r"ll_([0-9]{1,18})_([A-Za-z0-9_-]{43})\Z")
_NO_HASH = sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret; times in UTC ms.

    Args:
        user: who made it, and for whom it acts. used: when it was last used, to the minute; None before.
        revoked: when it was revoked, or None.
    """

    id: int
    project_id: int
    name: str
    role: Role
    user: str
    created: int
    used: int | None
    revoked: int | None


def make(workspace: Workspace, project_id: int, name: str, role: str, *, user: str) -> tuple[Token, str]:
    """Make a token; the second value is its text, which nobody can read again.

    Raises:
        NotAllowed: the user does not manage the project. NotFound: no such project.
        PayloadError: no name, no such role, or too many tokens.
    """
    name, user = _cleaned(name), checked_user(user)
    checked_choice(role, ROLES, "role")
    secret = secrets.token_urlsafe(32)
    with workspace.writing() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, user, "manage")
        held = db.execute("SELECT count(*) FROM api_tokens WHERE project_id = ?", (project_id,)).fetchone()[0]
        if held >= MOST:
            raise PayloadError(
                "a project has at most {most} tokens, revoked ones included; delete one first", most=MOST
            )
        made = db.execute(
            "INSERT INTO api_tokens (project_id, name, role, user, hash, created) VALUES (?, ?, ?, ?, ?, ?)",
            (project_id, name, role, user, _hash(secret), now()),
        )
        token = _get(db, project_id, int(made.lastrowid or 0))
        audit.record(db, "token.made", project_id, user=user, token=token.id, name=name, role=role)
    return token, f"ll_{token.id}_{secret}"


def of(workspace: Workspace, project_id: int) -> list[Token]:
    """The project's tokens, newest first, revoked ones included.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        rows = db.execute(
            "SELECT id, project_id, name, role, user, created, used, revoked FROM api_tokens "
            "WHERE project_id = ? ORDER BY id DESC",
            (project_id,),
        ).fetchall()
    return [Token(*row) for row in rows]


def revoke(workspace: Workspace, project_id: int, token_id: int, *, user: str) -> Token:
    """Revoke a token for good; one that is revoked stays so.

    Raises:
        NotAllowed: the user does not manage the project. NotFound: the project has no such token.
    """
    with workspace.writing() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, user, "manage")
        _get(db, project_id, checked_id(token_id))
        db.execute("UPDATE api_tokens SET revoked = coalesce(revoked, ?) WHERE id = ?", (now(), token_id))
        audit.record(db, "token.revoked", project_id, user=user, token=token_id)
        return _get(db, project_id, token_id)


def delete(workspace: Workspace, project_id: int, token_id: int, *, user: str) -> None:
    """Delete a token with its row in the list.

    Raises:
        NotAllowed, NotFound: as ``revoke``.
    """
    with workspace.writing() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, user, "manage")
        _get(db, project_id, checked_id(token_id))
        db.execute("DELETE FROM api_tokens WHERE id = ?", (token_id,))
        audit.record(db, "token.deleted", project_id, user=user, token=token_id)


def find(workspace: Workspace, text: object) -> Token | None:
    """The token with this text; None for any other, for a revoked one, and where the project is gone.

    The hashes are compared in constant time, also where there is no token to compare with.
    """
    parts = _TOKEN.match(text) if isinstance(text, str) else None
    with workspace.reading() as db:
        row = db.execute(
            "SELECT t.id, t.project_id, t.name, t.role, t.user, t.created, t.used, t.revoked, t.hash "
            "FROM api_tokens t JOIN projects p ON p.id = t.project_id "
            "WHERE t.id = ? AND t.revoked IS NULL AND p.trashed IS NULL",
            (int(parts[1]) if parts else 0,),
        ).fetchone()
    stored = row["hash"] if row is not None else _NO_HASH
    matches = hmac.compare_digest(str(stored), _hash(parts[2] if parts else "-"))
    if not matches or row is None or row["role"] not in ROLES:
        return None
    return Token(*tuple(row)[:8])


def note_use(workspace: Workspace, token: Token) -> None:
    """Record that the token was used, in the background and at most once a minute."""
    at = now()
    if token.used is None or at - token.used >= USED_EVERY:
        workspace.background.ask(("token used", token.id), lambda: _write_use(workspace, token.id, at))


def _write_use(workspace: Workspace, token_id: int, at: int) -> None:
    with workspace.writing() as db:
        db.execute("UPDATE api_tokens SET used = max(coalesce(used, 0), ?) WHERE id = ?", (at, token_id))


def _get(db: sqlite3.Connection, project_id: int, token_id: int) -> Token:
    row = db.execute(
        "SELECT id, project_id, name, role, user, created, used, revoked FROM api_tokens "
        "WHERE id = ? AND project_id = ?",
        (token_id, project_id),
    ).fetchone()
    if row is None:
        raise NotFound("token", token_id)
    return Token(*row)


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _cleaned(name: object) -> str:
    cleaned = " ".join(name.split()) if isinstance(name, str) else ""
    if not cleaned or len(cleaned) > LONGEST_NAME or not cleaned.isprintable():
        raise PayloadError(
            "a token's name has 1 to {longest} printable characters; enter another", longest=LONGEST_NAME
        )
    return cleaned
