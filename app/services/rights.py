"""Rights of a session in its project, checked for every page and callback.

Pages are closed as a whole; callbacks that change something are decorated with `needs`. The table is
`core.store.project.members.RIGHTS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from app.services.session import OtherProject, Session
from core.store.project import assignments, members
from core.store.project.members import NotAllowed

Callback = TypeVar("Callback", bound=Callable[..., Any])

# Rights of whole pages; other pages are open and check in their callbacks.
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
    """Require a right in the session's project.

    Raises:
        NotAllowed: the user's role lacks it, that of their access token does, or they are no member.
    """
    if session.role is not None and not _role_may(session, right):
        raise NotAllowed(
            "This access token has the role {role}, which does not allow {right}. Make one with another role "
            "in Settings.",
            role=members.ROLE_NAMES[session.role],
            right=members.RIGHT_NAMES[right],
        )
    members.check(session.workspace, session.project_id, session.user, right)


def may(session: Session, right: str) -> bool:
    """Whether the user, and the role of their access token, have the right in the session's project."""
    return _role_may(session, right) and members.may(
        session.workspace, session.project_id, session.user, right
    )


def manages_everything(session: Session) -> bool:
    """Whether the user manages every project with members, as what concerns the whole workspace requires."""
    try:
        members.check_everywhere(session.workspace, session.user, "manage")
    except NotAllowed:
        return False
    return True


def _role_may(session: Session, right: str) -> bool:
    return session.role is None or members.role_may(
        session.workspace, session.project_id, session.role, right
    )


def check_page(session: Session, page: str | None) -> None:
    """Require the right to see a page.

    Raises:
        NotAllowed: as ``check``.
    """
    right = PAGE_RIGHTS.get(page or "")
    if right is not None:
        check(session, right)


def closed_pages(session: Session) -> list[str]:
    """The pages closed to the user, and the review page where nobody annotates beside others."""
    closed = [page for page, right in PAGE_RIGHTS.items() if not may(session, right)]
    workspace, project = session.workspace, session.project_id
    alone = not members.of(workspace, project) and not assignments.loads(workspace, project)
    return [*closed, "review"] if alone else closed


def place(session: Session) -> str:
    """Project, language, user, closed pages and lacking rights of the session, for ``Frame.moved``.

    Ends in a number that grows with every call, so that the browser always sees a change.
    """
    session = session.live  # a call that took long may end after another has turned the page
    user = "" if session.logged_in else session.user.replace("|", " ")
    closed = " ".join(closed_pages(session))
    lacking = " ".join(right for right in members.RIGHTS if not may(session, right))
    told = (session.language, user, session.token, session.project_id, closed, lacking, next(session.moves))
    return "|".join(str(each) for each in told)


def check_shown(session: Session, page: str | None, project: int | None) -> None:
    """Refuse what is asked on a page that shows another project: it would be done in the session's.

    Args:
        page: None for what belongs to the window, whatever the project. project: None if it was not said.

    Raises:
        OtherProject: the session has turned to another one, perhaps in another tab.
    """
    if page is not None and project is not None and project != session.project_id:
        raise OtherProject


def project_of(moved: str) -> int | None:
    """The project in the value of ``Frame.moved``; None before a page has one."""
    return int(moved.split("|")[3]) if moved else None


def worker_of(session: Session) -> str | None:
    """The person whose documents are listed; None for all, where documents are not assigned.

    Raises:
        NotAllowed: the person is no member of a project that has members.
    """
    workspace, project_id, user = session.workspace, session.project_id, session.user
    check(session, "annotate")
    if assignments.plan(workspace, project_id).workflow == "together":
        return None
    sees_all = may(session, "see_documents")
    return user if not sees_all or assignments.has_any(workspace, project_id, user) else None


def needs(right: str) -> Callable[[Callback], Callback]:
    """Decorator: require ``right`` before the callback, whose first argument is the session."""
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
