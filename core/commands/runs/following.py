"""Executes what is asked in a run folder, with progress."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from core.commands.terminal.errors import CommandError, Interrupted
from core.commands.terminal.progress_line import ProgressLine
from core.commands.terminal.stop_signals import stop_on_signals
from core.runtime.message import Message
from core.training.run.run_folder import RunFolder


def follow(folder: RunFolder, command: str) -> dict[str, Any]:
    """Execute the run's request; returns its scores and the model folder.

    Args:
        command: the command that resumes it.

    Raises:
        CommandError: the run failed. Interrupted: the person stopped it.
    """
    execute_here(folder, command, _show)
    return {**(folder.scores() or {}), "model": str(folder.model)}


def execute_here(
    folder: RunFolder, command: str, show: Callable[[ProgressLine, Mapping[str, Any]], None]
) -> None:
    """Execute the folder's request in this process; the device and notes are said, Ctrl-C stops it.

    Args:
        command: the command that resumes it.
        show: says all other events.

    Raises:
        CommandError: it failed. Interrupted: the person stopped it.
    """
    from core.jobs.execution import execute

    line = ProgressLine()

    def report(event: Mapping[str, Any]) -> None:
        if event["event"] == "started":
            line.say(f"Device: {Message.from_json(event['why'])}")
        elif event["event"] == "log":
            line.say(str(Message.from_json(event["message"])))
        else:
            show(line, event)

    with stop_on_signals() as stopped:
        state = execute(folder, stopped, report)
    line.clear()
    if state.status == "failed":
        raise CommandError(str(state.error), status=1)
    if state.status != "finished":
        out = shlex.quote(str(folder.path))
        raise Interrupted(f"stopped; to go on: python -m core {command} --out {out} --resume")


def _show(line: ProgressLine, event: Mapping[str, Any]) -> None:
    name = event["event"]
    if name == "round":
        title = Message.from_json(event["title"])
        line.say(f"Training {event['round']} of at most {event['of']}: {title}")
    elif name == "step":
        text = f"Epoch {event['epoch']} of {event['epochs']}, loss {event['loss']:.3f}"
        line.show(text, event["fraction"], event["remaining_seconds"])
    elif name == "epoch":
        dev = event["dev"]
        score = f", dev F1 {100 * dev['f1']:.2f}" if dev else ""
        best = " (best so far)" if event["best"] else ""
        line.say(
            f"Epoch {event['epoch']} of {event['epochs']}: loss {event['loss']:.3f}{score}{best}, "
            f"{event['seconds']:.1f} s"
        )
