"""Who is logged in: a login for each browser, known by a cookie; in memory, so that all end with the app."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from core.store.db.clock import now

Method = Literal["password", "provider", "proxy"]
IDLE_SECONDS = 12 * 3600.0
LONGEST_SECONDS = 30 * 24 * 3600.0
MOST_OF_A_PERSON = 50  # logins; the one that was seen longest ago goes first
LONGEST_AGENT = 300


@dataclass(slots=True)
class Login:
    """A browser in which somebody is logged in.

    Args:
        id: names it on pages; it opens nothing.
        since, seen: UTC ms of the login and of the last request.
        agent: what the browser calls itself. operator: by the provider's groups.
        stamp: of the password that was given; the login ends when the person has another.
    """

    id: str
    user: str
    method: Method
    since: int
    seen: int
    agent: str = ""
    operator: bool = False
    stamp: str = ""


class Logins:
    """All logins; thread-safe. Of a cookie only a hash is kept.

    Args:
        clock: monotonic seconds. ended: called with every login that ends.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, ended: Callable[[Login], None] = lambda login: None
    ) -> None:
        self._clock = clock
        self._ended = ended
        self._by_cookie: dict[bytes, Login] = {}
        self._times: dict[str, tuple[float, float]] = {}  # by id: begun, seen
        self._lock = threading.RLock()

    def open(
        self, user: str, method: Method, *, agent: str = "", operator: bool = False, stamp: str = ""
    ) -> tuple[Login, str]:
        """Log somebody in; the second value is the cookie's, which nobody can read again."""
        cookie, at = secrets.token_urlsafe(32), now()
        login = Login(secrets.token_hex(8), user, method, at, at, agent[:LONGEST_AGENT], operator, stamp)
        with self._lock:
            self._expire()
            mine = sorted(self.of(user), key=lambda one: one.seen)
            for oldest in mine[: len(mine) + 1 - MOST_OF_A_PERSON]:
                self.end(oldest.id)
            self._by_cookie[_key(cookie)] = login
            self._times[login.id] = (self._clock(), self._clock())
        return login, cookie

    def find(self, cookie: str) -> Login | None:
        """The login of a cookie, which is seen with it; None once it has ended."""
        with self._lock:
            login = self._by_cookie.get(_key(cookie))
            if login is None:
                return None
            begun, seen = self._times[login.id]
            if self._is_over(begun, seen):
                self.end(login.id)
                return None
            self._times[login.id] = (begun, self._clock())
            login.seen = now()
            return login

    def get(self, id_: str) -> Login | None:
        """The login with this id, or None."""
        with self._lock:
            return next((login for login in self._by_cookie.values() if login.id == id_), None)

    def of(self, user: str | None = None) -> list[Login]:
        """The logins of a person, or of everybody, the last seen first."""
        with self._lock:
            self._expire()
            mine = [login for login in self._by_cookie.values() if user in (None, login.user)]
        return sorted(mine, key=lambda login: login.seen, reverse=True)

    def end(self, id_: str) -> Login | None:
        """End a login; its cookie opens nothing from now on. None if it has ended before."""
        with self._lock:
            cookie = next((key for key, login in self._by_cookie.items() if login.id == id_), None)
            if cookie is None:
                return None
            login = self._by_cookie.pop(cookie)
            del self._times[id_]
        self._ended(login)
        return login

    def restamp(self, user: str, old: str, new: str) -> None:
        """The same password has another hash now."""
        with self._lock:
            for login in self._by_cookie.values():
                if login.user == user and login.stamp == old:
                    login.stamp = new

    def _expire(self) -> None:
        for login in [one for one in self._by_cookie.values() if self._is_over(*self._times[one.id])]:
            self.end(login.id)

    def _is_over(self, begun: float, seen: float) -> bool:
        at = self._clock()
        return at - seen > IDLE_SECONDS or at - begun > LONGEST_SECONDS


def _key(cookie: str) -> bytes:
    return sha256(cookie.encode("utf-8", "surrogatepass")).digest()


def login_of(request: Any) -> Login | None:
    """The login that the door found for a request, of Gradio or of Starlette; None where there is no door."""
    inner = getattr(request, "request", request)
    login = getattr(inner, "scope", {}).get("state", {}).get("login")
    return login if isinstance(login, Login) else None
