"""The file of who may log in: a line for each person, ``NAME:HASH`` or ``NAME:HASH:operator,one-time``.

An *operator* looks after the accounts of others. A *one-time* password must be changed at the next login.
Blank lines and lines that start with ``#`` are kept. The file is replaced as a whole, and only its
owner may read it. It is read again when it has changed, so that commands work beside a running app.
"""

from __future__ import annotations

import logging
import os
import stat
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from core.accounts.passwords import Passwords, checked_password, is_hash, one_time_password
from core.corpus.atomic import replacing
from core.runtime.message import Message, ToldValueError, _, message_of

LONGEST_NAME = 100
OPERATOR, ONE_TIME = "operator", "one-time"

log = logging.getLogger("latticelens")


@dataclass(frozen=True, slots=True)
class Account:
    """A person of the file.

    Args:
        hash: of the password. operator: looks after the accounts of others.
        one_time: whether the password must be changed at the next login.
    """

    name: str
    hash: str
    operator: bool = False
    one_time: bool = False

    @property
    def line(self) -> str:
        marks = [mark for mark, has in ((OPERATOR, self.operator), (ONE_TIME, self.one_time)) if has]
        return ":".join((self.name, self.hash, *([",".join(marks)] if marks else [])))


class AccountError(ToldValueError):
    """The file, or what is to be written into it, is invalid; the message names the line."""


class PasswordFile:
    """The accounts of a file; thread-safe.

    Args:
        path: of the file. passwords: hashes them.
        create: begin a new file if there is none.

    Raises:
        AccountError: the file cannot be read, or a line is wrong.
    """

    def __init__(self, path: Path, passwords: Passwords | None = None, *, create: bool = False) -> None:
        self.path = path.resolve()  # a link stays one when the file is replaced
        self._passwords = passwords or Passwords()
        self._lock = threading.RLock()
        self._seen: tuple[int, ...] | None = None
        self._accounts: dict[str, Account] = {}
        if not (create and not self.path.exists()):
            self._read()

    def all(self) -> list[Account]:
        """Everybody of the file, in its order."""
        return list(self._current().values())

    def get(self, name: str) -> Account | None:
        """The account of a name, or None."""
        return self._current().get(name)

    def check(self, name: str, password: str) -> Account | None:
        """The account, if name and password match; a hash with outdated parameters is made anew."""
        account = self.get(name)
        if not self._passwords.matches(account.hash if account else None, password) or account is None:
            return None
        if self.is_outdated(account):
            renewed = replace(account, hash=self._passwords.hash(password))
            try:
                self._write({name: renewed})
                return renewed
            except (OSError, AccountError) as error:
                log.warning("the hash of a password was not renewed: %s", message_of(error))
        return account

    def is_outdated(self, account: Account) -> bool:
        """Whether ``check`` would make the hash anew."""
        return self._passwords.is_outdated(account.hash)

    def put(
        self, name: str, password: str, *, operator: bool | None = None, one_time: bool = False
    ) -> Account:
        """Add a person or change their password.

        Args:
            operator: None leaves it as it is, for a new person no.

        Raises:
            AccountError: no such name can be. PasswordError: no such password can be.
            OSError: the file cannot be written.
        """
        name = checked_name(name)
        hashed = self._passwords.hash(checked_password(password, name))
        with self._lock:
            before = self.get(name)
            is_operator = before.operator if operator is None and before else bool(operator)
            account = Account(name, hashed, is_operator, one_time)
            self._write({name: account})
        return account

    def reset(self, name: str) -> str:
        """Give a person a one-time password, which is returned.

        Raises:
            AccountError: there is nobody of this name. OSError: the file cannot be written.
        """
        if self.get(name) is None:
            raise AccountError("There is no account {name} in the file of accounts.", name=name)
        return self.put_one_time(name)

    def put_one_time(self, name: str, *, operator: bool | None = None) -> str:
        """Add a person, or change their password, to a one-time password, which is returned.

        Raises:
            AccountError, OSError: as ``put``.
        """
        password = one_time_password()
        self.put(name, password, operator=operator, one_time=True)
        return password

    def set_operator(self, name: str, operator: bool) -> Account:
        """Make a person an operator, or no longer.

        Raises:
            AccountError: there is nobody of this name. OSError: the file cannot be written.
        """
        with self._lock:
            account = self.get(name)
            if account is None:
                raise AccountError("There is no account {name} in the file of accounts.", name=name)
            changed = replace(account, operator=operator)
            self._write({name: changed})
        return changed

    def remove(self, name: str) -> None:
        """Remove a person from the file.

        Raises:
            AccountError: there is nobody of this name. OSError: the file cannot be written.
        """
        with self._lock:
            if self.get(name) is None:
                raise AccountError("There is no account {name} in the file of accounts.", name=name)
            self._write({name: None})

    def _current(self) -> dict[str, Account]:
        """The accounts, read again if the file has changed; one that became unreadable changes nothing."""
        with self._lock:
            if self._seen is not None and _stamp(self.path) != self._seen:
                try:
                    self._read()
                except AccountError as error:
                    self._seen = _stamp(self.path) or self._seen  # said once
                    log.error("the accounts are kept as they were: %s", error)
            return self._accounts

    def _read(self) -> None:
        with self._lock:
            seen = _stamp(self.path)
            self._accounts = _parse(self.path, _lines(self.path))
            self._seen = seen

    def _write(self, changed: dict[str, Account | None]) -> None:
        with self._lock:
            left = dict(changed)
            lines = []
            for line in _lines(self.path) if self.path.exists() else []:
                name = "" if _is_comment(line) else line.partition(":")[0].strip()
                if name not in changed:
                    lines.append(line)
                elif (account := left.pop(name)) is not None:
                    lines.append(account.line)
            lines += [account.line for account in left.values() if account is not None]
            _parse(self.path, lines)  # before the file is changed: it must not end up without anybody
            _replace(self.path, lines)
            self._read()


def hash_plain_lines(path: Path, passwords: Passwords | None = None) -> list[str]:
    """Replace the passwords of ``NAME:PASSWORD`` lines by their hashes; returns the names.

    Raises:
        AccountError: a line is wrong. OSError: the file cannot be written.
    """
    path, passwords = path.resolve(), passwords or Passwords()
    lines = _lines(path)
    hashed = []
    for number, line in enumerate(lines):
        name, _colon, password = line.partition(":")
        if _is_comment(line) or is_hash(password):
            continue
        if not name.strip() or not password:
            raise _wrong(path, number + 1, _("write NAME:PASSWORD, both non-empty"))
        hashed.append(checked_name(name))
        lines[number] = Account(hashed[-1], passwords.hash(password)).line
    _parse(path, lines)
    if hashed:
        _replace(path, lines)
    return hashed


def checked_name(name: object) -> str:
    """A name that can stand in the file.

    Raises:
        AccountError: it cannot.
    """
    cleaned = " ".join(name.split()) if isinstance(name, str) else ""
    if (
        not cleaned
        or len(cleaned) > LONGEST_NAME
        or not cleaned.isprintable()
        or ":" in cleaned
        or cleaned.startswith("#")
    ):
        raise AccountError(
            "A name has 1 to {longest} printable characters, no “:” among them and no “#” at the start.",
            longest=LONGEST_NAME,
        )
    return cleaned


def _parse(path: Path, lines: list[str]) -> dict[str, Account]:
    accounts: dict[str, Account] = {}
    for number, line in enumerate(lines, start=1):
        if _is_comment(line):
            continue
        name, _colon, rest = line.partition(":")
        hashed, _colon, marked = rest.strip().partition(":")
        marks = [mark.strip() for mark in marked.split(",") if mark.strip()]
        if rest and not is_hash(rest):
            raise _wrong(
                path,
                number,
                _("the password stands there in plain text; “python -m core user FILE hash” hashes it"),
            )
        if not name.strip() or not hashed or set(marks) - {OPERATOR, ONE_TIME}:
            raise _wrong(path, number, _("write NAME:HASH, and after it :operator or :one-time if wanted"))
        account = Account(checked_name(name), hashed, OPERATOR in marks, ONE_TIME in marks)
        if account.name in accounts:
            raise _wrong(path, number, _("this name is listed twice"))
        accounts[account.name] = account
    if not accounts:
        raise AccountError(
            "{path} lists nobody. “python -m core user FILE put NAME” adds a person.", path=str(path)
        )
    return accounts


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AccountError(
            "{path} cannot be read: {reason}.", path=str(path), reason=message_of(error)
        ) from error


def _wrong(path: Path, number: int, why: Message) -> AccountError:
    return AccountError("{path}, line {number}: {why}.", path=str(path), number=number, why=why)


def _is_comment(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def _replace(path: Path, lines: list[str]) -> None:
    with replacing(path) as (new,):
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IRUSR | stat.S_IWUSR)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write("".join(f"{line}\n" for line in lines))


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
