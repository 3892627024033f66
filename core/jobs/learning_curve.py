"""A learning curve: taggers trained on growing parts of the same documents, scored on the same test set."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.corpus.snapshot import UNLABELLED, Snapshot, read_snapshot, write_snapshot
from core.jobs.curve_points import CurvePoint, point_folder, read_point, write_point
from core.text import Document
from core.training.loop import Report
from core.training.preparation import split_off_dev
from core.training.run.run import execute_training
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from core.training.run.run_scores import environment
from core.training.run.run_start import start_run
from core.training.settings import TrainingSettings

SEED = 1  # of the order of the documents, and of the dev split if there is none
# A tenth of the documents gives a tenth of the steps per epoch: too few with the same number of epochs.
MOST_EPOCHS = 4  # multiple of the settings' value


@dataclass(frozen=True, slots=True)
class _Training:
    """A training to run: its subject, documents and folder."""

    subject: Mapping[str, Any]
    share: float
    documents: tuple[Document, ...]
    folder: RunFolder

    @property
    def settings(self) -> dict[str, Any]:
        """The subject's, with more epochs for a small share."""
        given = dict(self.subject.get("settings") or {})
        return {**given, "epochs": epochs_for(self.share, TrainingSettings.from_values(given).epochs)}


def execute_curve(folder: RunFolder, report: Report, should_stop: Callable[[], bool]) -> dict[str, Any]:
    """Train every subject on every share, small ones first; returns the contents of ``scores.json``.

    Each training is a run folder below ``points``, of which only the score is kept. Finished ones are
    skipped, and an interrupted one is resumed after its last epoch.

    Raises:
        Stopped: on request. TrainingError: a training failed; says why and what to do.
    """
    request = folder.read_request()
    device = start_run(request, "curve", report)
    snapshot = read_snapshot(folder.snapshot)
    train, dev = snapshot["train"], snapshot["dev"]
    if not dev:  # once, so that all parts hold out the same documents
        train, dev, note = split_off_dev(train, SEED)
        report({"event": "log", "message": note.to_json()})
    trainings = _trainings(folder, request, train)
    bar = _Bar(trainings, report)
    points: list[CurvePoint] = []
    for training in trainings:
        finished = read_point(training.folder.path)
        point = finished or _train(folder, request, training, snapshot, dev, bar.report, should_stop)
        if finished is None:
            report({"event": "point", **point.to_json()})
        points.append(point)
        bar.advance(trained_now=finished is None)
    scores = {"points": [point.to_json() for point in points], "environment": environment(device)}
    folder.write_scores(scores)
    shutil.rmtree(folder.snapshot, ignore_errors=True)  # no longer needed
    return scores


def nested_parts(documents: Sequence[Document], shares: Sequence[float]) -> list[tuple[Document, ...]]:
    """The documents of each share: prefixes of a seeded order, so that larger shares contain smaller ones.

    Every share has at least one document with a span, if there is any.
    """
    # Seeding by text is defined by hashing, so the order is the same on every platform and version.
    order = random.Random(f"curve {SEED}").sample(documents, len(documents))  # noqa: S311
    first = next((at for at, document in enumerate(order) if document.spans), 0)
    return [tuple(order[: max(round(share * len(order)), first + 1)]) for share in shares]


def epochs_for(share: float, epochs: int) -> int:
    """Epochs that give a part as many steps as the whole, at most ``MOST_EPOCHS`` times ``epochs``."""
    return min(round(epochs / share), MOST_EPOCHS * epochs, 1000)


def _trainings(folder: RunFolder, request: RunRequest, train: Sequence[Document]) -> list[_Training]:
    shares = sorted(set(request.shares))
    return [
        _Training(subject, share, documents, RunFolder(point_folder(folder, number, share)))
        for share, documents in zip(shares, nested_parts(train, shares), strict=True)
        for number, subject in enumerate(request.subjects)
    ]


def _train(
    folder: RunFolder,
    request: RunRequest,
    training: _Training,
    snapshot: Snapshot,
    dev: Sequence[Document],
    report: Report,
    should_stop: Callable[[], bool],
) -> CurvePoint:
    training_folder, subject = training.folder, training.subject
    if not (training_folder.snapshot / "manifest.json").is_file():
        training_folder.write_request(
            RunRequest(
                tagger=str(subject.get("tagger")),
                config=subject.get("config") or {},
                settings=training.settings,
                device=request.device,
                lexicon=request.lexicon,
                predict_all=False,
            )
        )
        _write_part(folder, request, training, snapshot, dev)
    scores = execute_training(training_folder, report, should_stop)
    part = "test" if scores["test"] else "dev"
    point = CurvePoint(
        subject=str(subject["name"]),
        share=training.share,
        documents=len(training.documents),
        spans=sum(len(document.spans) for document in training.documents),
        f1=float(scores[part]["f1"]),
        part=part,
        seconds=float(scores["seconds"]),
    )
    write_point(training_folder.path, point)
    for heavy in (training_folder.model, training_folder.checkpoint, training_folder.snapshot):
        shutil.rmtree(heavy, ignore_errors=True)
    return point


def _write_part(
    folder: RunFolder, request: RunRequest, training: _Training, snapshot: Snapshot, dev: Sequence[Document]
) -> None:
    """The snapshot of one training; texts without labels are the same in all."""
    parts = {
        "train": training.documents,
        "dev": tuple(dev),
        "test": snapshot["test"],
        UNLABELLED: snapshot[UNLABELLED],
    }
    target = training.folder.snapshot
    if request.lexicon != "jieba":
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder.snapshot / request.lexicon, target / request.lexicon)
    write_snapshot(target, replace(snapshot, parts=parts))


class _Bar:
    """The overall progress; a training counts in proportion to its documents and epochs.

    Args:
        trainings: all of them. report: receives steps as if of one long run.
    """

    def __init__(self, trainings: Sequence[_Training], report: Report) -> None:
        self._report = report
        self._left = [_work(training) for training in trainings]
        self._total = sum(self._left)
        self._done = 0.0
        self._fresh = 0.0  # work done by this process
        self._begun = time.monotonic()

    def report(self, event: Mapping[str, Any]) -> None:
        """Forward ``step`` events with the overall fraction and time left; drop others."""
        if event["event"] == "step":
            part = self._left[0] * event["fraction"]
            done, fresh = self._done + part, self._fresh + part
            pace = (time.monotonic() - self._begun) / max(fresh, 1e-9)
            place = {"fraction": done / self._total, "remaining_seconds": pace * (self._total - done)}
            self._report({**event, **place})

    def advance(self, *, trained_now: bool) -> None:
        """Mark the next training as done."""
        work = self._left.pop(0)
        self._done += work
        self._fresh += work * trained_now


def _work(training: _Training) -> float:
    return float(training.settings["epochs"] * len(training.documents))
