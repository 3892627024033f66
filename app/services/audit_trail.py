"""What the server adds to the audit log, and a copy of the log for whoever collects the app's own log."""

from __future__ import annotations

import json
import logging

from app.services.identity.sign_in_events import Kind, SignInEvent
from core.store.db import audit
from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.project import members

KINDS: dict[Kind, audit.Kind] = {
    "signed_in": "signed_in",
    "sign_in_failed": "sign_in.failed",
    "signed_out": "signed_out",
    "session_ended": "session.ended",
    "password_changed": "password.changed",
    "password_reset": "password.reset",
}

log = logging.getLogger("latticelens.audit")


class SignIns:
    """Records who signed in, who could not, and whose password or session was changed or ended by whom.

    Args:
        workspace: whose log it is.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def tell(self, event: SignInEvent) -> None:
        """Record an event; a log that cannot be written keeps nobody out.

        A wrong name is recorded only if it is somebody's: people type passwords into the wrong field. What
        was not checked, as it came during a wait, is not recorded: guessing must not fill the disk.
        """
        if event.reason == "wait":
            return
        failed = event.kind == "sign_in_failed"
        user = "" if failed and not self._is_known(event.user) else event.user
        by = user if failed else event.by
        try:
            with audit.acting(by, "page"):
                audit.note(
                    self._workspace,
                    KINDS[event.kind],
                    method=None if event.method == "password" else event.method,
                    about=user if user != by else None,
                    reason=event.reason or None,
                )
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
