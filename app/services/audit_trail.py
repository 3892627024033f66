"""What the server adds to the audit log, and a copy of the log for whoever collects the app's own log."""

from __future__ import annotations

import json
import logging

from core.store.db import audit
from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.project import members

log = logging.getLogger("latticelens.audit")


class SignIns:
    """Records who signed in, and who could not.

    Args:
        workspace: whose log it is.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def tell(self, name: str, right: bool) -> None:
        """Record one attempt; a log that cannot be written keeps nobody out.

        A wrong name is recorded only if it is somebody's: people type passwords into the wrong field.
        """
        known = name if right or self._is_known(name) else ""
        try:
            with audit.acting(known, "page"):
                audit.note(self._workspace, "signed_in" if right else "sign_in.failed")
        except StoreError as error:
            log.error("a sign-in could not be recorded: %s", type(error).__name__)

    def _is_known(self, name: str) -> bool:
        return name in audit.people(self._workspace) or members.is_member_anywhere(self._workspace, name)


class AuditLines:
    """Writes each new entry to the app's log, too: a collector elsewhere then holds a copy that nobody with
    access to this machine can change.

    Args:
        workspace: whose log it is; only what happens from now on is written.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._position = audit.last(workspace)

    def look(self) -> None:
        """Write what is new."""
        for entry in audit.since(self._workspace, self._position):
            log.info("audit %s", json.dumps(audit.as_json(entry), ensure_ascii=False))
            self._position = entry.id
