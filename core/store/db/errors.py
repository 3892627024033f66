"""Errors of the store. Every message says what is wrong, where, and what to do."""

from __future__ import annotations


class StoreError(Exception):
    """Base of all store errors; the message can be shown to users as it is."""


class StoreFull(StoreError):
    """No space left on the disk, or the file's size limit was reached; the edit was rolled back."""

    def __init__(self, where: object) -> None:
        super().__init__(
            f"the disk is full ({where}); nothing of this edit was saved; free space and press save again"
        )


class StoreBusy(StoreError):
    """Another process locked the file for longer than the busy timeout."""

    def __init__(self, where: object, seconds: float) -> None:
        super().__init__(
            f"another program has held {where} for {seconds:.0f} s; nothing was saved; "
            "close the other program that has this workspace open and try again"
        )


class NotAWorkspace(StoreError):
    """The file is damaged or is not a workspace."""


class UnreadableCell(StoreError):
    """A cell holds an invalid value; `named_errors` adds where."""

    def __init__(self, cell: object) -> None:
        super().__init__(
            f"the workspace holds {str(cell)[:40]!r} where this program writes something else; "
            "restore a backup (Settings, or python -m core workspace restore)"
        )


class DamagedRow(StoreError):
    """Some rows cannot be read; the others can. ``first`` is the first one's `damage.Damage`."""

    def __init__(self, file: object, count: int, first: object) -> None:
        super().__init__(
            f"{file} has damaged rows ({count}); the first: {first}; all else can be used; "
            "a backup brings them back (Settings, or python -m core workspace restore)"
        )


class WorkspaceTooNew(StoreError):
    """The file was written by a later version of this program."""


class WorkspaceTooOld(StoreError):
    """The file was written by a development version whose workspaces are not supported."""


class StoreReadOnly(StoreError):
    """The folder or the file cannot be written."""


class NotFound(StoreError):
    """A project, document, run or change that does not exist, or no longer does."""

    def __init__(self, what: str, key: object) -> None:
        super().__init__(f"{what} {str(key)[:80]!r} is not in this workspace; reload the page to see what is")
        self.what, self.key = what, key


class NameTaken(StoreError):
    """The name is already in use."""


class LabelInUse(StoreError):
    """A label cannot be removed while spans have it."""


class PayloadError(StoreError, ValueError):
    """A malformed edit; the message names the field and its value."""


# What went wrong among people, in English; app/i18n/people.py has the same in both languages.
_PEOPLE = {
    "not_a_member": "this project has members and {user!r} is none of them; "
    "ask {managers} to add you, or choose your name in Settings",
    "not_allowed": "a person with the role {role} may not do this ({right}); ask {managers}",
    "not_handed": "document {document} is not handed to {user}; open one from the queue, or ask {managers}",
    "last_manager": "{user} is the last manager; make somebody else a manager first",
    "no_members": "nobody is a member of this project yet; add the people who annotate first",
    "too_few_people": "{overlap} people cannot label each document: only {people} take part; "
    "add people or choose a smaller number",
    "no_people": "nobody was chosen to hand documents to; choose at least one person",
    "stale_review": "{users} changed their annotation while you were reviewing; nothing was written: "
    "look at the new differences",
    "no_versions": "nobody has finished document {document}; there is nothing to review yet",
    "nothing_to_undo": "there is nothing left to take back",
}


class PeopleError(StoreError):
    """An error about roles, assignments or adjudication; ``key`` and ``values`` make the message."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(_PEOPLE[key].format(**values))
        self.key, self.values = key, values
