"""Who may come in and who is in: what the login page, the door and Settings ask."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from hashlib import sha256

from app.i18n import ngettext
from app.services.errors import AppError
from app.services.identity.login_limit import LoginLimit
from app.services.identity.logins import Login, Logins
from app.services.identity.sign_in_events import Kind, SignInEvent, SignInEvents
from core.accounts.password_file import Account, PasswordFile
from core.accounts.passwords import checked_password
from core.store.project.members import NotAllowed

HASHING_AT_ONCE = 2  # a hash takes 64 MiB while it is made


class WrongPassword(AppError):
    """Name and password do not match; which of them is wrong is not said."""

    def __init__(self) -> None:
        super().__init__("The name or the password is wrong.")


class TooManyAttempts(AppError):
    """Another attempt has to wait. Args: seconds: how long."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(
            ngettext(
                "Too many wrong passwords. Try again in {count} second; earlier attempts are ignored.",
                "Too many wrong passwords. Try again in {count} seconds; earlier attempts are ignored.",
                count=seconds,
            )
        )


class NewPasswordNeeded(AppError):
    """The password is a one-time password."""

    def __init__(self) -> None:
        super().__init__("This password was for one time. Choose your own.")


@dataclass
class Identity:
    """What is known about people of an app with logins.

    Args:
        accounts: of those who have a password; None where nobody has one.
        optional: whether the app also opens for those who are not logged in (a demo).
        provider: what the button of the other way in says, or empty.
        proxy: whether a proxy may say who somebody is.
        limit: of the attempts.
        ended: called with every login that has ended.
    """

    accounts: PasswordFile | None = None
    optional: bool = False
    provider: str = ""
    proxy: bool = False
    limit: LoginLimit = field(default_factory=LoginLimit)
    ended: Callable[[Login], None] = lambda login: None
    events: SignInEvents = field(default_factory=SignInEvents)

    def __post_init__(self) -> None:
        self.logins = Logins(ended=lambda login: self.ended(login))
        self._hashing = threading.Semaphore(HASHING_AT_ONCE)
        self._changing = threading.RLock()  # a password and the logins that have it

    def log_in(
        self, name: str, password: str, *, new: str | None = None, device: str = "", agent: str = ""
    ) -> tuple[Login, str]:
        """Log in with a password; the second value is that of the cookie.

        Args:
            new: the password to have from now on, needed with a one-time one.
            device: of a browser that has logged in with this name before.

        Raises:
            WrongPassword, TooManyAttempts, NewPasswordNeeded: as they say.
            PasswordError: the new password cannot be one.
        """
        account = self._checked(name, password, device)
        if account.one_time:
            if new is None:
                raise NewPasswordNeeded
            account = self._set_password(account, password, new)
            self.tell("password_changed", account.name)
        self.limit.succeeded(account.name, device)
        login, cookie = self.logins.open(account.name, "password", agent=agent, stamp=_stamp(account))
        self.tell("signed_in", account.name)
        return login, cookie

    def find(self, cookie: str) -> Login | None:
        """The login of a cookie; None if it has ended, also by another password or with the account."""
        login = self.logins.find(cookie) if cookie else None
        if login is None or login.method != "password":
            return login
        if self._is_stale(login):
            with self._changing:
                if self._is_stale(login):
                    self.logins.end(login.id)
                    return None
        return login

    def log_out(self, login: Login) -> None:
        """End one's own login."""
        if self.logins.end(login.id):
            self.tell("signed_out", login.user, login.method)

    def end(self, id_: str, by: Login) -> Login:
        """End a login: one's own, or as an operator anybody's.

        Raises:
            AppError: it has ended already. NotAllowed: it is another's.
        """
        login = self.logins.get(id_)
        if login is not None and login.user != by.user:
            self.check_operator(by)
        if login is None or self.logins.end(id_) is None:
            raise AppError("That session has ended already.")
        self.tell("session_ended", login.user, login.method, by=by.user)
        return login

    def change_password(self, login: Login, old: str, new: str) -> None:
        """Give oneself another password; all other logins of the person end.

        Raises:
            AppError: the person has no password here. WrongPassword, TooManyAttempts: of the old one.
            PasswordError: the new one cannot be one. OSError: the file cannot be written.
        """
        if self.accounts is None or login.method != "password":
            raise AppError("You log in without a password of this app.")
        with self._changing:
            account = self._checked(login.user, old, login.id)
            self.limit.succeeded(login.user, login.id)
            login.stamp = _stamp(self._set_password(account, old, new))
        self.end_others(login)
        self.tell("password_changed", login.user)

    def end_others(self, login: Login) -> int:
        """End all logins of the person but this one; how many there were."""
        ended = [one for one in self.logins.of(login.user) if one.id != login.id and self.logins.end(one.id)]
        for one in ended:
            self.tell("session_ended", one.user, one.method, by=login.user)
        return len(ended)

    def reset_password(self, by: Login, name: str) -> str:
        """A one-time password for somebody, whose logins end.

        Raises:
            NotAllowed: ``by`` is no operator. AccountError: there is nobody of this name.
            OSError: the file cannot be written.
        """
        self.check_operator(by)
        if self.accounts is None:
            raise AppError("Nobody has a password in this app.")
        password = self.accounts.reset(name)
        for login in self.logins.of(name):
            if login.method == "password":
                self.logins.end(login.id)
        self.tell("password_reset", name, by=by.user)
        return password

    def is_gone(self, name: str) -> bool:
        """Whether nobody of this name can come in any more: the account was removed.

        Whom a sign-in service or a proxy knows, only they can say; there the project's members decide.
        """
        if self.accounts is None or self.provider or self.proxy:
            return False
        return self.accounts.get(name) is None

    def is_operator(self, login: Login | None) -> bool:
        """Whether somebody looks after the accounts and sessions of others."""
        if login is None:
            return False
        if login.method != "password":
            return login.operator
        account = self.accounts.get(login.user) if self.accounts else None
        return account is not None and account.operator

    def check_operator(self, login: Login | None) -> None:
        """Require an operator.

        Raises:
            NotAllowed: it is none.
        """
        if not self.is_operator(login):
            raise NotAllowed("Only an operator may do that. Operators are named in the accounts file.")

    def tell(
        self, kind: Kind, user: str, method: str = "password", *, by: str = "", reason: str = ""
    ) -> None:
        """Tell those who keep a record of what happens at the door."""
        self.events.tell(SignInEvent(kind, user, method, by or user, reason))

    def _checked(self, name: str, password: str, device: str) -> Account:
        if self.accounts is None:
            raise WrongPassword
        seconds = math.ceil(self.limit.wait(name, device))
        if seconds:
            self.tell("sign_in_failed", name, reason="wait")
            raise TooManyAttempts(seconds)
        before = self.accounts.get(name)
        with self._hashing, self._changing if before and self.accounts.is_outdated(before) else nullcontext():
            account = self.accounts.check(name, password)
            if before and account and before.hash != account.hash:
                self.logins.restamp(name, _stamp(before), _stamp(account))
        if account is None:
            self.limit.failed(name, device)
            self.tell("sign_in_failed", name, reason="password")
            raise WrongPassword
        return account

    def _is_stale(self, login: Login) -> bool:
        """Whether the password with which somebody logged in is another now, or the account is gone."""
        account = self.accounts.get(login.user) if self.accounts else None
        return account is None or _stamp(account) != login.stamp

    def _set_password(self, account: Account, old: str, new: str) -> Account:
        checked_password(new, account.name)
        if new == old:
            raise AppError("That is the password you had. Choose another one.")
        assert self.accounts is not None  # as the account comes from there
        with self._hashing:
            return self.accounts.put(account.name, new)


def _stamp(account: Account) -> str:
    return sha256(account.hash.encode()).hexdigest()
