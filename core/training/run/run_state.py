"""The state of a run, stored in ``state.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.runtime.message import Message

Status = Literal["queued", "running", "finished", "failed", "cancelled", "interrupted"]
STATUSES: tuple[str, ...] = get_args(Status)
RESUMABLE: tuple[str, ...] = ("failed", "cancelled", "interrupted")


@dataclass(frozen=True, slots=True)
class RunState:
    """One run at one moment.

    Args:
        run: name of the run (its folder's name).
        status: see ``Status``; ``interrupted``: the process ended although nobody cancelled the run.
        pid: process that works on it, None before it has started.
        process: distinguishes this process from a later one with the same pid; see ``core.jobs.process``.
        fraction: work done, 0 to 1. remaining_seconds: estimate, or None.
        message: what is happening, one sentence. error: why it failed and what to do, one sentence.
        queued_at, started_at, updated_at: seconds since 1970.
        by: who queued it; empty for the app itself.
    """

    run: str
    status: Status = "queued"
    pid: int | None = None
    process: str | None = None
    fraction: float = 0.0
    remaining_seconds: float | None = None
    message: Message | None = None
    error: Message | None = None
    queued_at: float | None = None
    started_at: float | None = None
    updated_at: float | None = None
    by: str = ""

    @property
    def active(self) -> bool:
        """Whether the run is waiting or running."""
        return self.status in ("queued", "running")

    @property
    def resumable(self) -> bool:
        """Whether it can be resumed."""
        return self.status in RESUMABLE

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values under the field names."""
        return {
            "run": self.run,
            "status": self.status,
            "pid": self.pid,
            "process": self.process,
            "fraction": self.fraction,
            "remaining_seconds": self.remaining_seconds,
            "message": self.message.to_json() if self.message else None,
            "error": self.error.to_json() if self.error else None,
            "queued_at": self.queued_at,
            "started_at": self.started_at,
            "updated_at": self.updated_at,
            "by": self.by,
        }

    @classmethod
    def from_json(cls, run: str, value: Mapping[str, Any]) -> RunState:
        """Parse the output of ``to_json``; unknown fields, which a newer version may write, are ignored.

        Raises:
            ValueError: an unknown status, or an invalid message.
        """
        status = value.get("status")
        if status not in STATUSES:
            raise ValueError(f"status {status!r} is none of {', '.join(STATUSES)}")
        return cls(
            run=run,
            status=status,
            pid=value.get("pid"),
            process=value.get("process"),
            fraction=float(value.get("fraction") or 0.0),
            remaining_seconds=value.get("remaining_seconds"),
            message=_message(value.get("message")),
            error=_message(value.get("error")),
            queued_at=value.get("queued_at"),
            started_at=value.get("started_at"),
            updated_at=value.get("updated_at"),
            by=str(value.get("by") or ""),
        )


def _message(value: Any) -> Message | None:
    return None if value is None else Message.from_json(value)
