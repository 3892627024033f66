"""A whole training run from its folder: build, train, score, predict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from core.corpus.document_json import write_documents
from core.corpus.snapshot import TAUGHT, UNLABELLED, Snapshot, read_snapshot
from core.runtime.message import Message, _, message_of
from core.taggers.base.calibration import FEWEST, Calibration
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.registry import UnknownTaggerError, by_name
from core.taggers.base.tagger import Resources, Tagger
from core.taggers.base.tagging import tag
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document, Span
from core.training.distillation.preparation import prepare_lesson, taught_documents, taught_labels
from core.training.evaluation import evaluate
from core.training.loop import Report, TrainingResult, train
from core.training.preparation import Prepared, prepare, prepare_taught, prepare_unlabelled
from core.training.processes import join
from core.training.run.checkpoint import EpochRecord
from core.training.run.errors import TrainingError
from core.training.run.progress import Progress
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from core.training.run.run_scores import run_scores
from core.training.run.run_start import start_run
from core.training.run.snapshot_words import read_lexicon
from core.training.settings import TrainingSettings, config_from_values
from core.training.stopping import Stopped
from core.training.strategies.frozen_embeddings import idle_attacks
from core.training.strategies.initialisation import initialise

CHUNK = 256  # documents tagged between two checks of ``should_stop``


def execute_training(folder: RunFolder, report: Report, should_stop: Callable[[], bool]) -> dict[str, Any]:
    """Execute ``folder``'s request; returns the contents of ``scores.json``.

    Args:
        folder: with ``request.json`` and ``snapshot/``; a ``checkpoint/`` in it is resumed.
        report: receives events (see ``core.training.run.run_folder``).
        should_stop: called between steps.

    If a launcher started several processes, all of them call this. Each learns its share; only the main one
    predicts, reports and writes, and the others return an empty object.

    Raises:
        Stopped: on request; only the unfinished epoch is lost.
        TrainingError: the run cannot continue; says why and what to do.
    """
    processes = join()
    processes.wait()  # until the main one has written the folder
    request = folder.read_request()
    settings = TrainingSettings.from_values(request.settings)
    torch.set_num_threads(settings.threads or torch.get_num_threads())
    resumed = len(folder.history()) if folder.checkpoint.is_dir() else 0
    device = start_run(request, "train", report, resumed_from=resumed, processes=processes)
    snapshot = read_snapshot(folder.snapshot)
    tagger, prepared, unlabelled, taught = _build(folder, request, settings, snapshot, report)
    learned, lesson = taught_documents(prepared.train, taught), None
    if request.teacher:
        assert isinstance(tagger, SequenceTagger)
        lesson = prepare_lesson(
            folder, tagger, learned, taught, request.teacher, settings, device, report, should_stop, processes
        )
    result = train(
        tagger,
        learned,
        prepared.dev,
        settings,
        folder=folder,
        report=report,
        should_stop=should_stop,
        device=device,
        unlabelled=unlabelled,
        processes=processes,
        lesson=lesson,
    )
    processes.leave()
    if not processes.main:
        return {}
    _log_end(result, settings, report)
    report({"event": "log", "message": calibration_note(tagger.calibration).to_json()})
    if tagger.calibration.threshold:
        report({"event": "log", "message": _threshold_note(tagger.calibration.threshold).to_json()})
    if result.stopped:
        raise Stopped
    scores = _scores(tagger, prepared, snapshot, result, device)
    if request.predict_all:
        write_predictions(tagger, snapshot.documents(), folder.predictions_file, report, should_stop)
    if not snapshot["dev"]:
        folder.write_held_out(document.id for document in prepared.dev)
    folder.write_scores(scores)
    return scores


def write_predictions(
    tagger: Tagger, documents: Sequence[Document], path: Path, report: Report, should_stop: Callable[[], bool]
) -> None:
    """Write the tagger's spans on ``documents`` to ``path``, all of them or none.

    Raises:
        Stopped: on request; an existing file is unchanged.
    """
    progress = Progress(len(documents))
    tagged: list[Document] = []
    for start in range(0, len(documents), CHUNK):
        if should_stop():
            raise Stopped
        chunk = documents[start : start + CHUNK]
        for document in tag(tagger, [item.with_spans(()) for item in chunk]):
            tagged.append(document.with_spans(map(_rounded, document.spans)))
        progress.advance(len(chunk))
        if progress.due():
            report(
                {
                    "event": "answer",
                    "fraction": progress.fraction,
                    "remaining_seconds": progress.remaining_seconds,
                }
            )
    write_documents(path, tagged)


def _rounded(span: Span) -> Span:
    return span if span.score is None else replace(span, score=round(span.score, 6))


def _build(
    folder: RunFolder, request: RunRequest, settings: TrainingSettings, snapshot: Snapshot, report: Report
) -> tuple[Tagger, Prepared, tuple[Document, ...], tuple[Document, ...]]:
    """The freshly initialised tagger, the labelled documents it will learn, those without labels, and those
    that a teacher alone tells about."""
    try:
        kind = by_name(request.tagger)
        config = config_from_values(kind.Config, request.config)
    except (UnknownTaggerError, ConfigError) as error:
        raise TrainingError(message_of(error)) from error
    prepared = prepare(
        snapshot["train"],
        snapshot["dev"],
        labels=snapshot.labels.names,
        nested=kind.supports_nested,
        longest=settings.longest_text,
        seed=settings.seed,
    )
    unlabelled, notes = prepare_unlabelled(
        snapshot[UNLABELLED], [*prepared.dev, *snapshot["test"]], longest=settings.longest_text
    )
    taught: tuple[Document, ...] = ()
    if request.teacher.get("source"):
        seen = [document for part in ("train", "dev", "test") for document in snapshot[part]]
        taught, more = prepare_taught(snapshot[TAUGHT], seen, longest=settings.longest_text)
        notes = (*notes, *more)
    elif request.teacher:
        taught = unlabelled
    idle = idle_attacks(kind, config, settings)  # not refused: the settings may come from an earlier run
    for message in (*prepared.notes, *notes, *([idle] if idle else [])):
        report({"event": "log", "message": message.to_json()})
    labels, documents = prepared.labels, taught_documents(prepared.train, taught)
    if request.teacher:
        labels = taught_labels(folder, kind, prepared.labels, request.teacher)
    lexicon = read_lexicon(folder, request, snapshot) if kind.reads_lexicon(config) else None
    torch.manual_seed(settings.seed)
    try:
        resources = Resources(documents, lexicon, descriptions=snapshot.descriptions, unlabelled=unlabelled)
        tagger = kind.build(config, labels, resources)
    except ConfigError as error:
        raise TrainingError(message_of(error)) from error
    for message in tagger.notes(prepared.train):
        report({"event": "log", "message": message.to_json()})
    initialise(tagger, settings.initialisation, settings.initialisation_scale)
    return tagger, prepared, unlabelled, taught


def _scores(
    tagger: Tagger, prepared: Prepared, snapshot: Snapshot, result: TrainingResult, device: torch.device
) -> dict[str, Any]:
    dev = evaluate(tagger, prepared.dev) if prepared.dev else None
    test = evaluate(tagger, snapshot["test"]) if snapshot["test"] else None
    return run_scores(
        dev,
        test,
        device,
        result.seconds,
        best_epoch=result.best_epoch,
        losses=[record.loss for record in result.history],
        seconds_per_epoch=result.seconds_per_epoch,
        documents=len(prepared.train),
        spans=sum(len(document.spans) for document in prepared.train),
    )


def _log_end(result: TrainingResult, settings: TrainingSettings, report: Report) -> None:
    record: EpochRecord | None = result.history[result.best_epoch - 1] if result.best_epoch else None
    if record is None:
        return
    score = "" if record.f1 is None else _(", dev F1 {f1:.2f}", f1=100 * record.f1)
    best = _(
        "The best of {epochs} epochs is epoch {epoch}{score}.",
        epochs=len(result.history),
        epoch=record.epoch,
        score=score,
    )
    if not result.stopped and len(result.history) < settings.epochs:
        best = _(
            "No better dev F1 for {patience} epochs, so training stopped early. {best}",
            patience=settings.patience,
            best=best,
        )
    report({"event": "log", "message": best.to_json()})


def _threshold_note(threshold: float) -> Message:
    return _(
        "Spans with a confidence above {threshold:.2f} are predicted: this threshold has the best F1 on the "
        "dev documents.",
        threshold=threshold,
    )


def calibration_note(calibration: Calibration) -> Message:
    """Whether a tagger's confidence is calibrated, and on what."""
    if calibration == Calibration(spans=calibration.spans, threshold=calibration.threshold):
        return _(
            "Confidence is not calibrated: that takes at least {fewest} spans found in the dev documents, "
            "some of them wrong; there are {spans}.",
            spans=calibration.spans,
            fewest=FEWEST,
        )
    return _(
        "Confidence is calibrated on {spans} spans found in the dev documents: temperature "
        "{temperature:.2f}, shift {shift:+.2f}; labels with their own: {own}.",
        spans=calibration.spans,
        temperature=calibration.common.temperature,
        shift=calibration.common.shift,
        own=len(calibration.own),
    )
