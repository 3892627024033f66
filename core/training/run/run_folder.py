"""A run's folder: the only thing a worker and the app share.

Events (one JSON object per line of ``events.jsonl``; each has ``time``, seconds since 1970):

- ``started``: ``kind``, ``device``, ``why`` (message), ``resumed_from`` (complete epochs).
- ``step``: ``epoch``, ``epochs``, ``fraction``, ``remaining_seconds``, ``loss``, ``step`` (optimiser steps
  so far), ``mixes``; about two per second.
- ``epoch``: ``epoch``, ``epochs``, ``loss``, ``dev`` (``precision``, ``recall``, ``f1``; None without dev
  documents), ``best`` (whether it is the best so far), ``learning_rate``, ``seconds``, ``step``, ``mixes``;
  ``criterion`` if that instead of dev F1 decides which is the best.
  ``mixes`` is present if the tagger mixes layers: for each mix ``name``, ``layers``, ``weights`` (s_j),
  ``gamma`` and ``penalty`` (its term in the loss, or None). See ``core.training.run.mix_path``.
- ``round``: ``round``, ``of`` (at most), ``title`` (message): a training of a ``distant`` run begins.
- ``log``: ``message``.
- ``finished``: ``scores``; ``failed``: ``message``; ``cancelled``: ``message``.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.corpus.atomic import full_disk_as_error, write_json
from core.runtime.message import Message, _
from core.training.run.errors import TrainingError
from core.training.run.run_request import RunRequest
from core.training.run.run_state import RunState


class RunFolder:
    """Paths, request, events and state of one run.

    Args:
        path: the folder, ``runs/<run>``; created when first written to.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._tail = (0, 0)  # number of events read so far, and the offset after them

    @property
    def name(self) -> str:
        return self.path.resolve().name

    @property
    def request_file(self) -> Path:
        return self.path / "request.json"

    @property
    def snapshot(self) -> Path:
        return self.path / "snapshot"

    @property
    def events_file(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def state_file(self) -> Path:
        return self.path / "state.json"

    @property
    def checkpoint(self) -> Path:
        return self.path / "checkpoint"

    @property
    def model(self) -> Path:
        return self.path / "model"

    @property
    def teacher_file(self) -> Path:
        """What a teacher says of the training documents, if there is one."""
        return self.path / "teacher.safetensors"

    @property
    def scores_file(self) -> Path:
        return self.path / "scores.json"

    @property
    def predictions_file(self) -> Path:
        return self.path / "predictions.jsonl"

    @property
    def held_out_file(self) -> Path:
        return self.path / "held_out.json"

    @property
    def cancel_file(self) -> Path:
        return self.path / "cancel"

    @property
    def log_file(self) -> Path:
        return self.path / "worker.log"

    def sweep(self) -> None:
        """Delete unfinished files of a killed process; call it only if no process works on the run."""
        for folder in (self.path, self.checkpoint):
            for path in folder.glob("*.new"):  # those that begin with a dot, too
                with suppress(OSError):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def write_request(self, request: RunRequest | Mapping[str, Any]) -> None:
        """Create the folder and write the request.

        Raises:
            TrainingError: the request is invalid. DiskFullError: nothing was changed.
        """
        if not isinstance(request, RunRequest):
            request = RunRequest.from_json(request)
        self.path.mkdir(parents=True, exist_ok=True)
        write_json(self.request_file, request.to_json())

    def read_request(self) -> RunRequest:
        """The request.

        Raises:
            TrainingError: it is missing, damaged or invalid.
        """
        return RunRequest.from_json(self.read_object(self.request_file))

    def append_event(self, event: str, **fields: Any) -> dict[str, Any]:
        """Add one event and return it as written.

        Raises:
            DiskFullError: earlier events are unchanged.
        """
        record = {"time": time.time(), "event": event, **fields}
        line = json.dumps(record, ensure_ascii=False).encode()
        with full_disk_as_error(self.events_file), self.events_file.open("a+b") as file:
            # A killed worker may have left half a line, which the new one must not continue.
            if file.tell() and _last_byte(file) != b"\n":
                line = b"\n" + line
            file.write(line + b"\n")
        return record

    def events(self, after: int = 0) -> list[dict[str, Any]]:
        """Events in order, without the first ``after``; repeated calls read only what is new."""
        count, offset = self._tail if self._tail[0] <= after else (0, 0)
        new: list[dict[str, Any]] = []
        try:
            with self.events_file.open("rb") as file:
                file.seek(offset)
                for line in file:
                    if not line.endswith(b"\n"):
                        break  # being written right now
                    offset += len(line)
                    record = _parse(line)
                    if record is not None:
                        count += 1
                        if count > after:
                            new.append(record)
        except FileNotFoundError:
            return []
        self._tail = (count, offset)
        return new

    def history(self) -> list[dict[str, Any]]:
        """The ``epoch`` events, one per epoch: the last one of an epoch that a resumed run repeated."""
        latest = {event["epoch"]: event for event in self.events() if event.get("event") == "epoch"}
        return [latest[epoch] for epoch in sorted(latest)]

    def state(self) -> RunState:
        """The state of the run; ``queued`` before any was written.

        A damaged file reads as ``failed`` with a sentence saying so: one bad file must not hide other runs,
        and resuming rewrites it.
        """
        if not self.state_file.exists():
            return RunState(self.name)
        try:
            return RunState.from_json(self.name, self.read_object(self.state_file))
        except (ValueError, TypeError, TrainingError) as error:
            return RunState(
                self.name,
                "failed",
                error=_(
                    "{path} is damaged ({reason}); resume the run to go on from its last epoch",
                    path=self.state_file,
                    reason=error,
                ),
            )

    def set_state(self, *, durable: bool = True, **changes: Any) -> RunState:
        """Change some fields of the state; returns the new state.

        Args:
            durable: False for progress, which may be lost in a power cut.
            changes: fields of ``RunState``.

        Raises:
            DiskFullError: the state is unchanged.
        """
        state = replace(self.state(), **changes, updated_at=time.time())
        write_json(self.state_file, state.to_json(), durable=durable)
        return state

    def write_scores(self, scores: Mapping[str, Any]) -> None:
        """Replace ``scores.json``."""
        write_json(self.scores_file, dict(scores))

    def scores(self) -> dict[str, Any] | None:
        """The contents of ``scores.json``, or None before it is written."""
        return self.read_object(self.scores_file) if self.scores_file.exists() else None

    def write_held_out(self, names: Iterable[str]) -> None:
        """Say which documents of ``snapshot/train.jsonl`` the run did not learn from."""
        write_json(self.held_out_file, {"dev": list(names)})

    def held_out(self) -> frozenset[str] | None:
        """What ``write_held_out`` wrote; None of a run that was given dev documents."""
        return frozenset(self.read_object(self.held_out_file)["dev"]) if self.held_out_file.exists() else None

    def log(self, message: Message) -> None:
        """Append a ``log`` event."""
        self.append_event("log", message=message.to_json())

    def read_object(self, path: Path) -> dict[str, Any]:
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise TrainingError(
                "{path} does not exist: this is not a run folder, or it was not written to the end", path=path
            ) from None
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise TrainingError(
                "{path} is damaged ({reason}); start a new run", path=path, reason=error
            ) from error
        if not isinstance(value, dict):
            raise TrainingError("{path} should hold one JSON object; start a new run", path=path)
        return value


def _last_byte(file: Any) -> bytes:
    file.seek(-1, 2)
    return bytes(file.read(1))


def _parse(line: bytes) -> dict[str, Any] | None:
    """The event on a line, or None if a killed worker left only a part of one."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
