"""What can go wrong with a workspace; every message says what, where and what to do."""

from __future__ import annotations

from typing import Literal

from core.text.message import Message, Told, pgettext

Thing = Literal[
    "change",
    "comment",
    "document",
    "member",
    "pattern",
    "project",
    "run",
]
_THINGS: dict[Thing, Message] = {
    "change": pgettext("missing", "change"),
    "comment": pgettext("missing", "comment"),
    "document": pgettext("missing", "document"),
    "member": pgettext("missing", "member"),
    "pattern": pgettext("missing", "pattern"),
    "project": pgettext("missing", "project"),
    "run": pgettext("missing", "run"),
}


class StoreError(Told):
    """Base of every error of the store; its message can be shown to a person as it is."""


class StoreFull(StoreError):
    """The disk (or the file's size limit) left no room; the edit was rolled back as a whole."""

    def __init__(self, where: object) -> None:
        super().__init__(
            "the disk is full ({where}); nothing of this edit was saved; free space and press save again",
            where=where,
        )


class StoreBusy(StoreError):
    """Another process held the file for longer than the busy timeout."""

    def __init__(self, where: object, seconds: float) -> None:
        super().__init__(
            "another program has held {where} for {seconds:.0f} s; nothing was saved; close the "
            "other program that has this workspace open and try again",
            where=where,
            seconds=seconds,
        )


class NotAWorkspace(StoreError):
    """The file is damaged, or is a file of something else."""


class UnreadableCell(StoreError):
    """A cell does not hold what this program writes there; `named_errors` says where it lies."""

    def __init__(self, cell: object) -> None:
        super().__init__(
            "the workspace holds {cell} where this program writes something else; restore a backup "
            "(Settings, or python -m core workspace restore)",
            cell=repr(str(cell)[:40]),
        )


class DamagedRow(StoreError):
    """Rows that cannot be read; all others can. ``first`` says where, as `damage.Damage` does."""

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
    """The file was written by a development version whose workspaces are not carried over."""


class StoreReadOnly(StoreError):
    """The folder or the file cannot be written."""


class NotFound(StoreError):
    """A project, document, run or change that does not exist (any more)."""

    def __init__(self, what: Thing, key: object) -> None:
        super().__init__(
            "{what} {key} is not in this workspace; reload the page to see what is",
            what=_THINGS[what],
            key=repr(str(key)[:80]),
        )
        self.what, self.key = what, key


class NameTaken(StoreError):
    """Two things of one kind cannot share a name."""


class LabelInUse(StoreError):
    """A label that spans still carry cannot be dropped."""


class PayloadError(StoreError, ValueError):
    """An edit that is not well formed; the message names the field and what it held."""


class PeopleError(StoreError):
    """Something among people: a role, handing out, a review."""
