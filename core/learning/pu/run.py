"""A whole run from a word list and raw text: labels, trainings, predictions."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from core.corpus.atomic import replace_folder
from core.corpus.snapshot import UNLABELLED, Snapshot, read_snapshot
from core.learning.pu.corpus import check_coverage, matches_by_type, read_typed_words, texts_of, with_labels
from core.learning.pu.methods import Work, learn, planned
from core.learning.pu.settings import DistantSettings
from core.learning.rounds import ROUNDS, Rounds, epochs_of
from core.runtime.message import Message, _
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.registry import UnknownTaggerError, by_name
from core.taggers.base.tagger import Tagger
from core.taggers.pu.priors import check_types, read_priors
from core.text import Document, OffsetError
from core.training.evaluation import evaluate
from core.training.loop import Report
from core.training.run.errors import TrainingError
from core.training.run.run import write_predictions
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from core.training.run.run_scores import run_scores
from core.training.run.run_start import start_run
from core.training.run.snapshot_words import read_lexicon
from core.training.settings import TrainingSettings


def execute_distant(folder: RunFolder, report: Report, should_stop: Callable[[], bool]) -> dict[str, Any]:
    """Execute ``folder``'s request of kind ``distant``; returns the contents of ``scores.json``.

    The result is that of any training: a model, scores on dev and test if there are any, and predictions,
    also on the raw texts. Finished trainings are skipped, and an interrupted one is resumed after its last
    epoch.

    Raises:
        Stopped: on request. TrainingError: the run cannot start or continue; says why and what to do.
    """
    request = folder.read_request()
    how = DistantSettings.from_values(request.distant)
    settings = TrainingSettings.from_values(request.settings)
    torch.set_num_threads(settings.threads or torch.get_num_threads())
    device = start_run(request, "distant", report)
    snapshot = read_snapshot(folder.snapshot)
    work = _work(folder, request, how, settings, snapshot, device, report, should_stop)
    start = time.monotonic()
    tagger = learn(work)
    replace_folder(folder.model, tagger.save)
    scores = _scores(tagger, work, snapshot, device, time.monotonic() - start)
    answered = snapshot.documents()
    ids = {document.id for document in answered}
    answered += [document for document in snapshot[UNLABELLED] if document.id not in ids]
    write_predictions(tagger, answered, folder.predictions_file, report, should_stop)
    folder.write_scores(scores)
    shutil.rmtree(folder.path / ROUNDS, ignore_errors=True)  # large, and no longer needed
    return scores


def _work(
    folder: RunFolder,
    request: RunRequest,
    how: DistantSettings,
    settings: TrainingSettings,
    snapshot: Snapshot,
    device: torch.device,
    report: Report,
    should_stop: Callable[[], bool],
) -> Work:
    """The checked input of the trainings."""
    try:
        by_name(request.tagger)
    except UnknownTaggerError as error:
        raise TrainingError(error.message) from error
    if request.tagger != "pu" and how.method in ("pu", "adapu"):
        raise TrainingError(
            "the method {method} trains the tagger pu, not {tagger}; choose pu, or one of the other methods",
            method=how.method,
            tagger=request.tagger,
        )
    words = read_typed_words(folder.snapshot, snapshot)
    texts = texts_of(snapshot, settings.longest_text)
    try:
        labelled = [with_labels(document, words, how) for document in texts]
    except OffsetError as error:
        raise TrainingError("{reason}; correct or remove it", reason=error) from error
    check_coverage(labelled)
    present = {span.label for document in labelled for span in document.spans}
    labels = tuple(name for name in snapshot.labels.names if name in present)
    labels += tuple(sorted(present - set(labels)))
    types = sorted({*labels, *words.labels, *snapshot.labels.names})
    try:
        check_types(read_priors(how.prior), types)
    except ConfigError as error:
        raise TrainingError(error.message) from error
    for message in _notes(labelled, labels, words.labels):
        report({"event": "log", "message": message.to_json()})
    by_risk = how.stop == "pu risk"
    rounds = Rounds(
        folder,
        labels,
        settings,
        device,
        partial(read_lexicon, folder, request, snapshot),
        report,
        should_stop,
        planned(how, by_risk),
    )
    return Work(
        texts, words, labels, how, settings.seed, request.tagger, request.config, snapshot["dev"], rounds,
        report, should_stop,
    )  # fmt: skip


def _notes(documents: Sequence[Document], labels: Sequence[str], types: Sequence[str]) -> list[Message]:
    matched = matches_by_type(documents, labels)
    told = ", ".join(f"{label} {matches.places} ({matches.words})" for label, matches in matched.items())
    notes = [
        _(
            "{documents} texts; occurrences labelled by type (different words): {told}.",
            documents=len(documents),
            told=told,
        )
    ]
    missing = [name for name in types if name not in labels]
    if missing:
        names = ", ".join(missing)
        notes.append(
            _("No word of these types occurs in the texts, so they cannot be learned: {names}.", names=names)
        )
    if len(documents) == 1:
        notes.append(_("There is only one text: what is learned from it will hardly carry over to others."))
    return notes


def _scores(
    tagger: Tagger, work: Work, snapshot: Snapshot, device: torch.device, seconds: float
) -> dict[str, Any]:
    dev, test = (evaluate(tagger, snapshot[part]) if snapshot[part] else None for part in ("dev", "test"))
    labelled = work.labelled()
    matched = matches_by_type(labelled, work.labels)
    told = {
        **work.settings.to_json(),
        **work.notes,
        "matches": {
            label: {"places": matches.places, "words": matches.words, "characters": matches.characters}
            for label, matches in matched.items()
        },
        "rounds": work.rounds.records,
    }
    spans = sum(matches.places for matches in matched.values())
    last = epochs_of(work.rounds.records[-1])
    scores = run_scores(dev, test, device, seconds, **last, documents=len(labelled), spans=spans)
    return {**scores, "distant": told}
