"""A run that tags the documents of its snapshot with a trained model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.corpus.snapshot import read_snapshot
from core.taggers.base.model_folder import load_tagger
from core.training.loop import Report
from core.training.run.errors import TrainingError
from core.training.run.run import write_predictions
from core.training.run.run_folder import RunFolder
from core.training.run.run_scores import environment
from core.training.run.run_start import start_run
from core.training.run.snapshot_words import with_changes


def execute_tagging(folder: RunFolder, report: Report, should_stop: Callable[[], bool]) -> dict[str, Any]:
    """Write ``predictions.jsonl`` for every document of the snapshot; returns the contents of
    ``scores.json``.

    Raises:
        Stopped: on request. TrainingError, ModelFolderError: something cannot be read; says what to do.
    """
    request = folder.read_request()
    device = start_run(request, "tag", report)
    if not request.model:
        raise TrainingError("request.json: a tag run needs the folder of a trained model under 'model'")
    snapshot = read_snapshot(folder.snapshot)
    tagger = load_tagger(Path(request.model))
    if (snapshot.added or snapshot.removed) and getattr(tagger, "lexicon", None) is not None:
        tagger.lexicon = with_changes(tagger.lexicon, snapshot)  # type: ignore[assignment,arg-type,unused-ignore]
    documents = snapshot.documents()
    write_predictions(tagger.to(device), documents, folder.predictions_file, report, should_stop)
    summary = {"documents": len(documents), "environment": environment(device)}
    folder.write_scores(summary)
    return summary
