"""What a session may do in the project on its screen; every page is asked before it answers.

A page that an annotator may not see is closed as a whole; a callback that changes something carries `needs`
with its right. The table itself is `core.store.project.members.RIGHTS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from app.services.session import Session
from core.store.project import members

Callback = TypeVar("Callback", bound=Callable[..., Any])

# The right a page takes as a whole; the others answer everybody and ask in their callbacks.
PAGE_RIGHTS = {
    "data": "see_documents",
    "train": "see_documents",
    "tag": "try_tagger",
    "inspect": "see_documents",
    "compare": "see_documents",
    "ledger": "see_documents",
    "dictionary": "try_tagger",
    "review": "review",
    "dashboard": "see_documents",
}


def check(session: Session, right: str) -> None:
    """Refuse what the person may not do in the project on the screen.

    Raises:
        NotAllowed: their role does not cover it, or they are no member of a project that has members.
    """
    members.check(session.workspace, session.project_id, session.user, right)


def may(session: Session, right: str) -> bool:
    """Whether the person may do that in the project on the screen."""
    return members.may(session.workspace, session.project_id, session.user, right)


def check_page(session: Session, page: str | None) -> None:
    """Refuse everything of a page that the person may not see.

    Raises:
        NotAllowed: as ``check``.
    """
    right = PAGE_RIGHTS.get(page or "")
    if right is not None:
        check(session, right)


def closed_pages(session: Session) -> list[str]:
    """The pages closed to this person here, and the review page in a project without members."""
    closed = [page for page, right in PAGE_RIGHTS.items() if not may(session, right)]
    alone = not members.of(session.workspace, session.project_id)
    return [*closed, "review"] if alone else closed


def place(session: Session) -> str:
    """Project, language, user and closed pages of the session, for ``Frame.moved``.

    Ends in a number that grows with every call, so that the browser always sees a change.
    """
    session.moves += 1
    user = "" if session.logged_in else session.user.replace("|", " ")
    closed = " ".join(closed_pages(session))
    return f"{session.language}|{user}|{session.token}|{session.project_id}|{closed}|{session.moves}"


def needs(right: str) -> Callable[[Callback], Callback]:
    """A callback that asks for ``right`` before it does anything; its first argument is the session."""
    if right not in members.RIGHTS:
        raise KeyError(f"there is no right {right!r}")

    def asking(fn: Callback) -> Callback:
        if inspect.isgeneratorfunction(fn):

            @wraps(fn)
            def stream(session: Session, *values: Any, **named: Any) -> Any:
                check(session, right)
                yield from fn(session, *values, **named)

            chosen: Any = stream
        else:

            @wraps(fn)
            def call(session: Session, *values: Any, **named: Any) -> Any:
                check(session, right)
                return fn(session, *values, **named)

            chosen = call
        chosen.right = right
        return cast(Callback, chosen)

    return asking
