"""Who is looking at which project: sessions by random token."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.i18n import Language, Message, ngettext, text
from app.services.errors import AppError
from app.services.workbench import Workbench
from core.store.db.workspace import Workspace

LIFETIME_SECONDS = 12 * 3600.0


@dataclass
class Session:
    """One open page.

    Args:
        token: random and unguessable; the page sends it with every call.
        user: the name given at login, or the one chosen in Settings.
        workbench: the workspace with its jobs and its tagger.
        project_id: the project on the screen.
        language: of everything on the screen.
        page: name of the tab in front; the others need no refresh until they are shown.
        opened, seen: ``time.monotonic()`` of the first and of the last call.
        memory: what a page keeps between two calls of this session (a preview that waits for its
            confirmation), by page name; never written to disk.
        logged_in: whether ``user`` comes from a login and cannot be chosen.
        moves: how often project, language or session changed.
    """

    token: str
    user: str
    workbench: Workbench
    project_id: int
    language: Language = "en"
    page: str = "annotate"
    opened: float = field(default_factory=time.monotonic)
    seen: float = field(default_factory=time.monotonic)
    memory: dict[str, object] = field(default_factory=dict)
    logged_in: bool = False
    moves: int = 0

    @property
    def workspace(self) -> Workspace:
        return self.workbench.workspace

    def turn_to(self, project_id: int) -> None:
        """Put another project on the screen; what pages kept of the last one is forgotten."""
        self.project_id = project_id
        self.memory.clear()

    def _(self, message: str | Message, /, **values: object) -> str:
        """``message`` in this session's language."""
        return text(message, self.language, **values)

    def ngettext(self, singular: str, plural: str, /, *, count: float, **values: object) -> str:
        """The one of two messages that goes with ``count``, in this session's language."""
        return text(ngettext(singular, plural), self.language, count=count, **values)


class SessionExpired(AppError):
    """The page's token is unknown: the app was restarted or the page lay idle for too long."""

    def __init__(self) -> None:
        super().__init__(
            "This page was opened before the app was restarted, or lay idle too long. "
            "Reload the page; everything you saved is there."
        )


class Sessions:
    """All open pages; every method may be called from any thread.

    Args:
        open_workbench: the workbench for a new session's token (in demo mode each gets its own).
        close: called with a session that was closed or expired.
        lifetime: seconds without a call after which a session is dropped.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        open_workbench: Callable[[str], Workbench],
        *,
        close: Callable[[Session], None] = lambda session: None,
        lifetime: float = LIFETIME_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_workbench = open_workbench
        self._close = close
        self._lifetime = lifetime
        self._clock = clock
        self._sessions: dict[str, Session] = {}
        self._lock = threading.RLock()

    def open(
        self,
        user: str,
        language: Language,
        token: str = "",
        *,
        logged_in: bool = False,
        project: int | None = None,
    ) -> Session:
        """The session of ``token`` if it is alive and belongs to ``user`` (a reload), else a new one.

        Args:
            logged_in: ``user`` comes from a login. project: the one this browser had open last, for a new
                session; it may be gone, or closed to the person.
        """
        self.expire()
        with self._lock:
            known = self._sessions.get(token)
            # A login is proof of who asks; without one the token itself is.
            if known is not None and known.logged_in == logged_in and (known.user == user or not logged_in):
                known.seen = self._clock()
                known.language = language
                known.page = "annotate"
                return known
        fresh = secrets.token_urlsafe(24)
        workbench = self._open_workbench(fresh)
        session = Session(
            fresh,
            user,
            workbench,
            workbench.first_project(user, project),
            language,
            seen=self._clock(),
            logged_in=logged_in,
        )
        with self._lock:
            self._sessions[fresh] = session
        return session

    def find(self, token: object) -> Session:
        """The session of ``token``, marked as seen now.

        Raises:
            SessionExpired: nobody holds this token.
        """
        with self._lock:
            session = self._sessions.get(token) if isinstance(token, str) else None
            if session is None:
                raise SessionExpired
            session.seen = self._clock()
            return session

    def expire(self) -> list[Session]:
        """Drop and close the sessions that were silent for longer than the lifetime."""
        limit = self._clock() - self._lifetime
        with self._lock:
            stale = [session for session in self._sessions.values() if session.seen < limit]
            for session in stale:
                del self._sessions[session.token]
        for session in stale:
            self._close(session)
        return stale

    def close_all(self) -> None:
        """Drop and close every session."""
        with self._lock:
            closing = list(self._sessions.values())
            self._sessions.clear()
        for session in closing:
            self._close(session)

    def workbenches(self) -> list[Workbench]:
        """The workbenches in use."""
        with self._lock:
            return [session.workbench for session in self._sessions.values()]

    def __len__(self) -> int:
        return len(self._sessions)
