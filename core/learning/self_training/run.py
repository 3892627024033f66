"""A whole run with self-training: a training on labels, then further ones that also learn predictions."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

from core.corpus.atomic import replace_folder
from core.corpus.corrected_case import CorrectedCase, cases_of
from core.corpus.snapshot import UNLABELLED, Snapshot, read_snapshot
from core.learning.rounds import ROUNDS, Rounds, Training, epochs_of
from core.learning.self_training.selection import confident, raw_texts
from core.learning.self_training.settings import SelfTrainingSettings
from core.runtime.message import Message, _, message_of
from core.taggers.base.registry import UnknownTaggerError, by_name
from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import tag
from core.text import Document
from core.training.evaluation import evaluate
from core.training.loop import Report
from core.training.preparation import Prepared, prepare, prepare_unlabelled
from core.training.run.errors import TrainingError
from core.training.run.run import calibration_note, write_predictions
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from core.training.run.run_scores import run_scores
from core.training.run.run_start import start_run
from core.training.run.snapshot_words import read_lexicon
from core.training.settings import TrainingSettings
from core.training.stopping import Stopped

Case = tuple[str, CorrectedCase]  # with the id of its document
NAMED = 3  # broken cases whose documents a refusal names


def execute_self_training(
    folder: RunFolder, report: Report, should_stop: Callable[[], bool]
) -> dict[str, Any]:
    """Execute ``folder``'s request, which has ``self_training``; returns the contents of ``scores.json``.

    The first training is that of any run. In every round the best tagger so far predicts the raw texts, and
    one is trained from the start on the labelled documents and what it is sure of. A round is taken if dev F1
    rises and every corrected case that was right stays right; the first that is not taken is the last. Test
    documents, and corrections in them, choose nothing. Finished trainings are not repeated when resumed.

    Raises:
        Stopped: on request. TrainingError: the run cannot start or continue; says why and what to do.
    """
    request = folder.read_request()
    how = SelfTrainingSettings.from_values(request.self_training)
    settings = TrainingSettings.from_values(request.settings)
    torch.set_num_threads(settings.threads or torch.get_num_threads())
    device = start_run(request, "train", report)
    snapshot = read_snapshot(folder.snapshot)
    begun = time.monotonic()
    work = _prepared(folder, request, how, settings, snapshot, device, report, should_stop)
    best = work.learn()
    work.say(calibration_note(best.calibration))
    replace_folder(folder.model, best.save)
    scores = _scores(best, work, snapshot, device, time.monotonic() - begun)
    if request.predict_all:
        write_predictions(best, snapshot.documents(), folder.predictions_file, report, should_stop)
    if not snapshot["dev"]:
        folder.write_held_out(document.id for document in work.prepared.dev)
    folder.write_scores(scores)
    shutil.rmtree(folder.path / ROUNDS, ignore_errors=True)  # large, and no longer needed
    return scores


@dataclass
class SelfTraining:
    """The trainings of a run that learns from its own predictions.

    Args:
        prepared: what people labelled. raw: texts to predict. cases: corrected cases that judge.
        taken: number of the round whose tagger is the result, 0 for the training on labels.
        records: one for each round, JSON values.
    """

    request: RunRequest
    how: SelfTrainingSettings
    prepared: Prepared
    raw: Sequence[Document]
    cases: Sequence[Case]
    judged: Sequence[Document]
    rounds: Rounds
    report: Report
    should_stop: Callable[[], bool]
    taken: int = 0
    records: list[dict[str, Any]] = field(default_factory=list)

    def learn(self) -> Tagger:
        """Train until a round is not taken; the tagger of the last that was."""
        best = self._train(0, _("the labelled documents"), ())
        best_f1, right = self._f1(best), self.right(best)
        for number in range(1, self.how.self_training_rounds + 1 if self.raw else 1):
            chosen = confident(self._predict(best), self.how.self_training_confidence)
            if not chosen:
                self.say(
                    _(
                        "The tagger is sure of no span in the raw texts, so there is nothing more to learn; "
                        "a lower confidence than {confidence:g} takes more.",
                        confidence=self.how.self_training_confidence,
                    )
                )
                break
            spans = sum(len(document.spans) for document in chosen)
            title = _(
                "round {number}, the labelled documents and {spans} spans in {texts} of {raw} raw texts",
                number=number,
                spans=spans,
                texts=len(chosen),
                raw=len(self.raw),
            )
            tagger = self._train(number, title, chosen)
            f1, now_right = self._f1(tagger), self.right(tagger)
            broken = [case for case in self.cases if case in right and case not in now_right]
            is_taken = f1 > best_f1 and not broken
            self.records.append(
                {
                    "round": number,
                    "texts": len(chosen),
                    "spans": spans,
                    "dev_f1": f1,
                    "broken": len(broken),
                    "taken": is_taken,
                }
            )
            self.say(_told(number, best_f1, f1, broken))
            if not is_taken:
                break
            best, best_f1, right, self.taken = tagger, f1, now_right, number
        self.rounds.end()
        return best

    def right(self, tagger: Tagger) -> set[Case]:
        """The corrected cases that the tagger gets right."""
        predicted = {
            document.id: {span.key for span in document.spans}
            for document in tag(tagger, [each.with_spans(()) for each in self.judged])
        }
        return {(name, case) for name, case in self.cases if case.is_right(predicted[name])}

    def say(self, message: Message) -> None:
        """Write a message into the log of the run."""
        self.report({"event": "log", "message": message.to_json()})

    def _train(self, number: int, title: Message, chosen: Sequence[Document]) -> Tagger:
        training = Training(
            str(number),
            title,
            self.request.tagger,
            self.request.config,
            [*self.prepared.train, *chosen],
            dev=self.prepared.dev,
        )
        return self.rounds.train(training, shown=True)

    def _predict(self, tagger: Tagger) -> list[Document]:
        def check(done: int, total: int) -> None:
            if self.should_stop():
                raise Stopped

        return tag(tagger, self.raw, progress=check)

    def _f1(self, tagger: Tagger) -> float:
        return evaluate(tagger, self.prepared.dev).micro.f1


def _told(number: int, before: float, f1: float, broken: Sequence[Case]) -> Message:
    """What became of a round."""
    if f1 <= before:
        return _(
            "Round {number} is not kept: dev F1 is {f1:.2f}, and was {before:.2f}.",
            number=number,
            f1=100 * f1,
            before=100 * before,
        )
    if broken:
        names = list(dict.fromkeys(name for name, _case in broken))
        return _(
            "Round {number} is not kept: dev F1 rises from {before:.2f} to {f1:.2f}, but corrected cases "
            "that were right are wrong again: {count}, in {names}.",
            number=number,
            before=100 * before,
            f1=100 * f1,
            count=len(broken),
            names=", ".join(names[:NAMED]) + ("…" if len(names) > NAMED else ""),
        )
    return _(
        "Round {number} is kept: dev F1 rises from {before:.2f} to {f1:.2f}, and no corrected case breaks.",
        number=number,
        before=100 * before,
        f1=100 * f1,
    )


def _prepared(
    folder: RunFolder,
    request: RunRequest,
    how: SelfTrainingSettings,
    settings: TrainingSettings,
    snapshot: Snapshot,
    device: torch.device,
    report: Report,
    should_stop: Callable[[], bool],
) -> SelfTraining:
    """The checked input of the trainings."""
    try:
        kind = by_name(request.tagger)
    except UnknownTaggerError as error:
        raise TrainingError(message_of(error)) from error
    if not kind.needs_training:
        raise TrainingError(
            "{title} learns nothing, so it cannot learn from its predictions; choose another tagger",
            title=kind.title,
        )
    if request.teacher or request.cluster:
        raise TrainingError(
            "self-training has no teacher and no further workers; leave one of the two out of the request"
        )
    prepared = prepare(
        snapshot["train"],
        snapshot["dev"],
        labels=snapshot.labels.names,
        nested=kind.supports_nested,
        longest=settings.longest_text,
        seed=settings.seed,
    )
    if not prepared.dev:
        raise TrainingError(
            "self-training needs dev documents to judge its rounds, and there is only one labelled document; "
            "label more, or train without it"
        )
    texts = raw_texts(snapshot[UNLABELLED], snapshot.documents())
    raw, _notes = prepare_unlabelled(texts, (), longest=settings.longest_text)
    notes = list(prepared.notes)
    if not raw:  # not refused: a retraining has the settings of a run that had some
        notes.append(
            _(
                "There is no raw text to predict: every text is annotated, or is in dev or test. Only the "
                "labelled documents are learned; import texts without labels for self-training."
            )
        )
    for message in notes:
        report({"event": "log", "message": message.to_json()})
    test = {document.id for document in snapshot["test"]}
    judged = [document for document in snapshot["corrections"] if document.id not in test]
    cases = [(document.id, case) for document in judged for case in cases_of(document)]

    rounds = Rounds(
        folder,
        prepared.labels,
        settings,
        device,
        partial(read_lexicon, folder, request, snapshot),
        report,
        should_stop,
        how.self_training_rounds + 1,
        snapshot.descriptions,
        raw,
    )
    return SelfTraining(request, how, prepared, raw, cases, judged, rounds, report, should_stop)


def _scores(
    tagger: Tagger, work: SelfTraining, snapshot: Snapshot, device: torch.device, seconds: float
) -> dict[str, Any]:
    dev = evaluate(tagger, work.prepared.dev)
    test = evaluate(tagger, snapshot["test"]) if snapshot["test"] else None
    record = work.rounds.records[work.taken]
    learned = {"documents": record["documents"], "spans": record["spans"]}
    told = {
        **work.how.to_json(),
        "raw_texts": len(work.raw),
        "cases": len(work.cases),
        "taken": work.taken,
        "rounds": work.records,
    }
    return run_scores(dev, test, device, seconds, **epochs_of(record), **learned) | {"self_training": told}
