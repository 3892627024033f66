"""What can go wrong with a workspace; every message says what, where and what to do."""

from __future__ import annotations


class StoreError(Exception):
    """Base of every error of the store; its message can be shown to a person as it is."""


class StoreFull(StoreError):
    """The disk (or the file's size limit) left no room; the edit was rolled back as a whole."""

    def __init__(self, where: object) -> None:
        super().__init__(
            f"the disk is full ({where}); nothing of this edit was saved; free space and press save again"
        )


class StoreBusy(StoreError):
    """Another process held the file for longer than the busy timeout."""

    def __init__(self, where: object, seconds: float) -> None:
        super().__init__(
            f"another program has held {where} for {seconds:.0f} s; nothing was saved; "
            "close the other program that has this workspace open and try again"
        )


class NotAWorkspace(StoreError):
    """The file is damaged, or is a file of something else."""


class UnreadableCell(StoreError):
    """A cell does not hold what this program writes there; `named_errors` says where it lies."""

    def __init__(self, cell: object) -> None:
        super().__init__(
            f"the workspace holds {str(cell)[:40]!r} where this program writes something else; "
            "restore a backup (Settings, or python -m core workspace restore)"
        )


class DamagedRow(StoreError):
    """Rows that cannot be read; all others can. ``first`` says where, as `damage.Damage` does."""

    def __init__(self, file: object, count: int, first: object) -> None:
        super().__init__(
            f"{file} has damaged rows ({count}); the first: {first}; all else can be used; "
            "a backup brings them back (Settings, or python -m core workspace restore)"
        )


class WorkspaceTooNew(StoreError):
    """The file was written by a later version of this program."""


class WorkspaceTooOld(StoreError):
    """The file was written by a development version whose workspaces are not carried over."""


class StoreReadOnly(StoreError):
    """The folder or the file cannot be written."""


class NotFound(StoreError):
    """A project, document, run or change that does not exist (any more)."""

    def __init__(self, what: str, key: object) -> None:
        super().__init__(f"{what} {str(key)[:80]!r} is not in this workspace; reload the page to see what is")
        self.what, self.key = what, key


class NameTaken(StoreError):
    """Two things of one kind cannot share a name."""


class LabelInUse(StoreError):
    """A label that spans still carry cannot be dropped."""


class PayloadError(StoreError, ValueError):
    """An edit that is not well formed; the message names the field and what it held."""


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
    """Something among people: a role, handing out, a review. ``key`` and ``values`` let a page word it."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(_PEOPLE[key].format(**values))
        self.key, self.values = key, values
