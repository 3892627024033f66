"""What can go wrong with a workspace; every message says what, where and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.store.annotations import Annotation


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


class WorkspaceTooNew(StoreError):
    """The file was written by a later version of this program."""


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


class StaleRevision(StoreError):
    """Somebody else saved first; ``current`` is what they saved and nothing was overwritten."""

    def __init__(self, document_id: int, base_revision: int, current: Annotation) -> None:
        super().__init__(
            f"document {document_id} is at revision {current.revision}, this edit was made on revision "
            f"{base_revision}; nothing was overwritten: compare the two and choose"
        )
        self.current = current
