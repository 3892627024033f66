"""Errors of the store. Every message says what is wrong, where, and what to do."""

from __future__ import annotations

from typing import Literal

from core.runtime.message import Message, Told, pgettext

Thing = Literal[
    "change",
    "comment",
    "document",
    "knowledge base",
    "member",
    "pattern",
    "project",
    "run",
    "source",
    "token",
    "webhook",
    "work set",
]
_THINGS: dict[Thing, Message] = {
    "change": pgettext("missing", "change"),
    "comment": pgettext("missing", "comment"),
    "document": pgettext("missing", "document"),
    "knowledge base": pgettext("missing", "knowledge base"),
    "member": pgettext("missing", "member"),
    "pattern": pgettext("missing", "pattern"),
    "project": pgettext("missing", "project"),
    "run": pgettext("missing", "run"),
    "source": pgettext("missing", "source"),
    "token": pgettext("missing", "token"),
    "webhook": pgettext("missing", "webhook"),
    "work set": pgettext("missing", "work set"),
}


class StoreError(Told):
    """Base of all store errors; the message can be shown to users as it is."""


class StoreFull(StoreError):
    """No space left on the disk, or the file's size limit was reached; the edit was rolled back."""

    def __init__(self, where: object) -> None:
        super().__init__(
            "the disk is full ({where}); nothing of this edit was saved; free space and press save again",
            where=where,
        )


class StoreBusy(StoreError):
    """Another process locked the file for longer than the busy timeout."""

    def __init__(self, where: object, seconds: float) -> None:
        super().__init__(
            "another program has held {where} for {seconds:.0f} s; nothing was saved; close the "
            "other program that has this workspace open and try again",
            where=where,
            seconds=seconds,
        )


class NotAWorkspace(StoreError):
    """The file is damaged or is not a workspace."""


class UnreadableCell(StoreError):
    """A cell holds an invalid value; `named_errors` adds where."""

    def __init__(self, cell: object) -> None:
        super().__init__(
            "the workspace holds {cell} where this program writes something else; restore a backup "
            "(Settings, or python -m core workspace restore)",
            cell=repr(str(cell)[:40]),
        )


class DamagedRow(StoreError):
    """Some rows cannot be read; the others can. ``first`` is the first one's `damage.Damage`."""

    def __init__(self, file: object, count: int, first: Message) -> None:
        super().__init__(
            "{file} has damaged rows ({count}); the first: {first}; all else can be used; a backup "
            "brings them back (Settings, or python -m core workspace restore)",
            file=file,
            count=count,
            first=first,
        )


class WorkspaceTooNew(StoreError):
    """The file was written by a later version of this program."""


class WorkspaceTooOld(StoreError):
    """The file was written by a development version whose workspaces are not supported."""


class StoreReadOnly(StoreError):
    """The folder or the file cannot be written."""


class NotFound(StoreError):
    """A project, document, run or change that does not exist, or no longer does."""

    def __init__(self, what: Thing, key: object) -> None:
        super().__init__(
            "{what} {key} is not in this workspace; reload the page to see its current content",
            what=_THINGS[what],
            key=repr(str(key)[:80]),
        )
        self.what, self.key = what, key


class NameTaken(StoreError):
    """The name is already in use."""


class LabelInUse(StoreError):
    """A label cannot be removed while spans have it."""


class PayloadError(StoreError, ValueError):
    """A malformed edit; the message names the field and its value."""


class PeopleError(StoreError):
    """An error about roles, assignments or review."""
