"""Writes what the loop reports into the run folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.runtime.message import Message, _
from core.training.run.run_folder import RunFolder

Report = Callable[[Mapping[str, Any]], None]
LEARNING = 0.95  # share of the progress bar; scoring and predicting take the rest


def run_report(folder: RunFolder, also: Report | None = None) -> Report:
    """A report function that writes events and progress into ``folder`` and passes them on to ``also``."""

    def report(event: Mapping[str, Any]) -> None:
        name = event["event"]
        if name != "answer":
            folder.append_event(name, **{key: value for key, value in event.items() if key != "event"})
        if "fraction" in event:
            fraction = event["fraction"]
            done = LEARNING + (1 - LEARNING) * fraction if name == "answer" else LEARNING * fraction
            folder.set_state(
                durable=False,
                fraction=done,
                remaining_seconds=event["remaining_seconds"],
                message=_status_message(event),
            )
        if also is not None:
            also(event)

    return report


def _status_message(event: Mapping[str, Any]) -> Message:
    if event["event"] == "answer":
        return _("Tagging the documents")
    if "message" in event:
        return Message.from_json(event["message"])
    epoch, epochs = event["epoch"], event["epochs"]
    return _("Epoch {epoch} of {epochs}", epoch=epoch, epochs=epochs)
