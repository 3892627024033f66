"""Sessions by random token: the user and their current project."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from app.i18n import Language, Message, _, ngettext, pgettext, text
from app.services.background.latest import Latest
from app.services.background.tasks import Work
from app.services.errors import AppError
from app.services.identity.logins import Login
from app.services.limits.asker import Asker
from app.services.limits.refusals import OverLimit
from app.services.workbench import Workbench
from core.store.db.workspace import Workspace
from core.store.project.members import Role

LIFETIME_SECONDS = 12 * 3600.0
# Sessions without an open page that keep their memory: a page that only slept goes on where it was.
MOST_LEFT = 8
CLOSED_SECONDS = 5.0  # until the server has seen that a page was closed


@dataclass
class Session:
    """An open page. A call gets a copy of it, see `of_call`. Args:
    token: random and unguessable; the page sends it with every call.
    user: from the login, or chosen in Settings.
    workbench: the open workspace.
    project_id: the current project. language: of the interface.
    page: name of the visible tab; others are refreshed when shown.
    opened, seen: ``time.monotonic()`` of the first and of the last call.
    memory: state of pages between calls, such as a preview to confirm, by page name; in memory only.
    logged_in: whether ``user`` comes from a login and cannot be chosen.
    login: id of that login, with which the session ends; empty without one.
    moves: numbers of the changes of project, language or session. turns: how often the project was changed.
    filled: the value of ``turns`` when each page was last filled.
    fillings: by Gradio's name of the open page, the tab that is filled, and ``turns``.
    works: long work of this session, by number; see `services.background.work`. work_numbers: the next ones.
    job: the run whose job was running when the status bar looked last.
    pages: Gradio's names of the open pages of the session; two after its tab was duplicated.
    asker: for whom it counts among the open sessions, by name; empty where nothing is counted.
    role: at most the rights of this role, of which ``user`` may have more: of an access token of the API.
    lock: shared by the copies. open_page: what this was copied from for a call.
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
    login: str = ""
    moves: Iterator[int] = field(default_factory=lambda: count(1))
    turns: int = 0
    filled: dict[str, int] = field(default_factory=dict)
    fillings: dict[tuple[str, str, int], Latest] = field(default_factory=dict)
    works: dict[int, Work] = field(default_factory=dict)
    work_numbers: Iterator[int] = field(default_factory=lambda: count(1))
    job: str | None = None
    pages: set[str] = field(default_factory=set)
    asker: str = ""
    role: Role | None = None
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)
    open_page: Session | None = None

    @property
    def workspace(self) -> Workspace:
        return self.workbench.workspace

    def of_call(self) -> Session:
        """The session as one call sees it: the project and its memory stay the same for the call and for the
        work that it begins, whatever the person turns to meanwhile."""
        with self.lock:
            return replace(self, open_page=self.live)

    @property
    def live(self) -> Session:
        """The open page itself: what it is by now."""
        return self.open_page or self

    @property
    def is_left(self) -> bool:
        """Whether the person has turned to another project since the call began."""
        return self.live.turns != self.turns

    def turn_to(self, project_id: int) -> None:
        """Switch to another project and clear the pages' memory."""
        with self.lock:
            self.fillings.clear()
            self.change(project_id=project_id, memory={}, turns=self.live.turns + 1)

    def change(self, **values: Any) -> None:
        """Set these fields of the open page, and in this call."""
        with self.lock:
            for session in (self, self.live):
                for name, value in values.items():
                    setattr(session, name, value)

    def forget(self) -> bool:
        """Drop what pages and ended work have left in memory; nothing, and False, while work goes on that
        fills it."""
        if any(work.task.running for work in self.works.values()):
            return False
        self.memory.clear()
        self.works.clear()
        return True

    def _(self, message: str | Message, /, **values: object) -> str:
        """``message`` in the language of the page by now: long work goes on through a change of it."""
        return text(message, self.live.language, **values)

    def ngettext(self, singular: str, plural: str, /, *, count: float, **values: object) -> str:
        """The plural form for ``count``, in this session's language."""
        return text(ngettext(singular, plural), self.live.language, count=count, **values)

    def paragraph(self, *sentences: str) -> str:
        """The sentences one after the other, without the empty ones; Chinese has no blank between two."""
        written = ""
        for sentence in filter(None, sentences):
            one_more = pgettext("two sentences", "{before} {after}", before=written, after=sentence)
            written = self._(one_more) if written else sentence
        return written


class SessionExpired(AppError):
    """The page's token is unknown: the app was restarted, or the session expired."""

    def __init__(self) -> None:
        super().__init__(
            "This page was opened before the app was restarted, or lay idle too long. "
            "Reload the page; everything you saved is there."
        )


class OtherLogin(AppError):
    """The page's token came with another login than the page was opened with, or with none."""

    def __init__(self) -> None:
        super().__init__(
            "This page was opened by somebody who logged in elsewhere. Reload the page to go on as yourself."
        )


class OtherProject(AppError):
    """What a page asked while it showed another project than the session has by now."""

    def __init__(self) -> None:
        super().__init__(
            "The project was changed in the meantime, so nothing was done. Reload the page, then try again."
        )


def check_login(session: Session, login: Login | None) -> None:
    """Refuse a page's token from anybody but the login that opened the page: a token alone opens nothing.

    Args:
        login: of the request. A session without a login, as of a demo's visitor, has its token alone.

    Raises:
        OtherLogin: it is another's, or there is none.
    """
    if not session.logged_in:
        return
    if login is None or (login.user, login.id) != (session.user, session.login):
        raise OtherLogin


class Sessions:
    """All open sessions; thread-safe.

    Args:
        open_workbench: makes the workbench of a new session (in demo mode each has its own).
        close: called with closed and expired sessions. left: with those whose pages are closed, the last few
            excepted.
        lifetime: seconds without a call until a session expires.
        most: sessions of one person; beyond them the one goes that was left longest ago. None: any number.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        open_workbench: Callable[[str], Workbench],
        *,
        close: Callable[[Session], None] = lambda session: None,
        left: Callable[[Session], None] = lambda session: None,
        lifetime: float = LIFETIME_SECONDS,
        most: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_workbench = open_workbench
        self._close = close
        self._tell_left = left
        self._lifetime = lifetime
        self._most = most
        self._clock = clock
        self._sessions: dict[str, Session] = {}
        self._of_page: dict[str, Session] = {}
        self._left: OrderedDict[str, Session] = OrderedDict()  # by token, the last one left at the end
        self._lock = threading.RLock()

    def open(
        self,
        user: str,
        language: Language,
        token: str = "",
        *,
        logged_in: bool = False,
        login: str = "",
        project: int | None = None,
        page: str | None = None,
        asker: Asker | None = None,
    ) -> Session:
        """The session of ``token`` if it exists and belongs to ``user`` (a reload), else a new one.

        Args:
            logged_in: ``user`` comes from a login. login: its id.
            project: of the address, or for a new session the last one of this browser; it may be deleted or
                closed to the user.
            page: Gradio's name of the page that opens it. asker: for whom a new one counts.

        Raises:
            OverLimit: the person has as many pages open as they may.
        """
        session = self._opened(user, language, token, logged_in, login, project, asker)
        if page is not None:
            with self._lock:
                self._of_page[page] = session
                self.page_opened(page)
        return session

    def _opened(
        self,
        user: str,
        language: Language,
        token: str,
        logged_in: bool,
        login: str,
        project: int | None,
        asker: Asker | None,
    ) -> Session:
        self.expire()
        with self._lock:
            existing = self._sessions.get(token)
            # With a login the user must match; without one the token is enough. A visitor of a demo who
            # logs in goes on where they were.
            if existing is not None and (
                not existing.logged_in or (logged_in and (existing.user, existing.login) == (user, login))
            ):
                if logged_in:
                    existing.user, existing.logged_in, existing.login = user, True, login
                existing.seen = self._clock()
                existing.language = language
                if project not in (None, existing.project_id) and project == existing.workbench.first_project(
                    user, project
                ):
                    existing.turn_to(project)
                existing.page = "annotate"
                return existing
        if asker is not None and self._most is not None:
            self._make_room(asker.name, self._most * asker.people)
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
            login=login,
            asker=asker.name if asker else "",
        )
        with self._lock:
            self._sessions[fresh] = session
        return session

    def _make_room(self, asker: str, most: int) -> None:
        """If the person has ``most`` sessions, close the longest idle one that has no open page.

        Raises:
            OverLimit: all have one.
        """
        with self._lock:
            mine = [session for session in self._sessions.values() if session.asker == asker]
            if len(mine) < most:
                return
            left = min(
                (session for session in mine if not session.pages), key=lambda one: one.seen, default=None
            )
            if left is None:
                raise OverLimit(
                    "sessions",
                    _(
                        "You have as many pages open as one person may have here. Close one of them, then "
                        "reload this page."
                    ),
                    seconds=CLOSED_SECONDS,
                )
            del self._sessions[left.token]
            self._left.pop(left.token, None)
            self._forget(left)
        self._close(left)

    def find(self, token: object) -> Session:
        """The session of ``token``; renews its lifetime.

        Raises:
            SessionExpired: unknown token.
        """
        with self._lock:
            session = self._sessions.get(token) if isinstance(token, str) else None
            if session is None:
                raise SessionExpired
            session.seen = self._clock()
            return session

    def page_opened(self, page: str) -> None:
        """Note that a page is open, or open again."""
        with self._lock:
            session = self._of_page.get(page)
            if session is not None:
                session.pages.add(page)
                self._left.pop(session.token, None)

    def page_closed(self, page: str) -> None:
        """Note that a page was closed; with too many idle sessions, clear the memory of the longest idle one.

        The session itself stays for its lifetime: a page that comes back is answered.
        """
        with self._lock:
            session = self._of_page.get(page)
            if session is None:
                return
            session.pages.discard(page)
            for key in [key for key in session.fillings if key[0] == page]:
                del session.fillings[key]
            if not session.pages:
                self._left[session.token] = session
                self._left.move_to_end(session.token)
            while len(self._left) > MOST_LEFT:
                longest = self._left.popitem(last=False)[1]
                if self._forget(longest):
                    self._tell_left(longest)

    def _forget(self, session: Session) -> bool:
        forgotten = session.forget()
        for page in [page for page, its in self._of_page.items() if its is session]:
            del self._of_page[page]
        return forgotten

    def expire(self) -> list[Session]:
        """Close the sessions that were idle for longer than the lifetime."""
        limit = self._clock() - self._lifetime
        with self._lock:
            stale = [session for session in self._sessions.values() if session.seen < limit]
            for session in stale:
                del self._sessions[session.token]
                self._left.pop(session.token, None)
                self._forget(session)
        for session in stale:
            self._close(session)
        return stale

    def end(self, login: str) -> None:
        """Close the sessions of a login that has ended."""
        with self._lock:
            ending = [session for session in self._sessions.values() if login and session.login == login]
            for session in ending:
                del self._sessions[session.token]
                self._left.pop(session.token, None)
                self._forget(session)
        for session in ending:
            self._close(session)

    def close_all(self) -> None:
        """Close every session."""
        with self._lock:
            closing = list(self._sessions.values())
            self._sessions.clear()
            self._left.clear()
            self._of_page.clear()
        for session in closing:
            self._close(session)

    def workbenches(self) -> list[Workbench]:
        """The workbenches in use."""
        with self._lock:
            return [session.workbench for session in self._sessions.values()]

    def __len__(self) -> int:
        return len(self._sessions)
