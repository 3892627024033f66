"""A run that makes an ensemble of trained taggers: load, calibrate on dev, score, save."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from core.corpus.atomic import replace_folder
from core.corpus.snapshot import read_snapshot
from core.runtime.message import message_of
from core.taggers.base.tagger import Batch, Tagger
from core.taggers.ensemble.agreement import EnsembleError
from core.taggers.ensemble.tagger import Ensemble
from core.text import Document
from core.training.batches import split_batch
from core.training.evaluation import evaluate
from core.training.loop import Report
from core.training.preparation import pieces
from core.training.run.errors import TrainingError
from core.training.run.run import calibration_note, write_predictions
from core.training.run.run_folder import RunFolder
from core.training.run.run_scores import run_scores
from core.training.run.run_start import start_run
from core.training.settings import TrainingSettings
from core.training.stopping import Stopped


def execute_ensemble(folder: RunFolder, report: Report, should_stop: Callable[[], bool]) -> dict[str, Any]:
    """Make the ensemble that ``folder``'s request names; returns the contents of ``scores.json``.

    The members' weights stay as they are. The ensemble's confidence is calibrated on the dev documents of the
    snapshot; without any, it is the mean of the members' calibrated confidences.

    Raises:
        Stopped: on request. TrainingError: the members do not fit, or the device is unavailable.
        ModelFolderError: a member cannot be read.
    """
    begun = time.monotonic()
    request = folder.read_request()
    device = start_run(request, "ensemble", report)
    snapshot = read_snapshot(folder.snapshot)
    try:
        tagger = averaged([Path(each) for each in request.models], snapshot["dev"], device, should_stop)
    except EnsembleError as error:
        raise TrainingError(message_of(error)) from error
    if snapshot["dev"]:
        report({"event": "log", "message": calibration_note(tagger.calibration).to_json()})
    scores = []
    for documents in (snapshot["dev"], snapshot["test"]):
        if should_stop():
            raise Stopped
        scores.append(evaluate(tagger, documents) if documents else None)
    replace_folder(folder.model, tagger.save)
    if request.predict_all:
        write_predictions(tagger, snapshot.documents(), folder.predictions_file, report, should_stop)
    dev, test = scores
    result = run_scores(dev, test, device, time.monotonic() - begun) | {"members": list(request.models)}
    folder.write_scores(result)
    return result


def averaged(
    models: Sequence[Path], dev: Sequence[Document], device: torch.device, should_stop: Callable[[], bool]
) -> Ensemble:
    """The ensemble of the taggers in these model folders, calibrated on dev documents if there are any.

    Raises:
        Stopped: on request. EnsembleError: they cannot be averaged. ModelFolderError: one cannot be read.
    """
    tagger = Ensemble.of_folders(models).to(device)
    if dev:
        tagger.calibrate(_batches(tagger, dev, TrainingSettings(), should_stop))
    return tagger


def _batches(
    tagger: Tagger, documents: Sequence[Document], settings: TrainingSettings, should_stop: Callable[[], bool]
) -> Iterator[Batch]:
    """Labelled documents, long ones in parts, as batches on the tagger's device, as a training makes them.

    Raises:
        Stopped: on request.
    """
    parts = [piece for each in documents for piece in pieces(each, settings.longest_text)]
    costs = [tagger.cost(part) for part in parts]
    for batch in split_batch(range(len(parts)), costs, size=settings.batch_size, area=settings.batch_area):
        if should_stop():
            raise Stopped
        yield tagger.collate([parts[index] for index in batch]).to(tagger.device)
