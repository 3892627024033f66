"""Several trainings as one run, each in its own folder; finished ones are not repeated."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from core.corpus.atomic import write_json
from core.lexicon import Lexicon
from core.runtime.message import Message, message_of
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.registry import UnknownTaggerError, by_name
from core.taggers.base.tagger import Resources, Tagger
from core.text import Document
from core.text.outermost import outermost
from core.training.loop import Report, train
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings, config_from_values
from core.training.stopping import Stopped
from core.training.strategies.initialisation import initialise

ROUNDS = "rounds"
DONE = "round.json"


@dataclass(frozen=True, slots=True)
class Training:
    """One of the trainings of a run.

    Args:
        name: of its folder. title: description for the log.
        tagger, config: registered name and fields that differ from the defaults.
        documents: training documents. judge: scores its epochs; None takes the last epoch.
    """

    name: str
    title: Message
    tagger: str
    config: Mapping[str, Any]
    documents: Sequence[Document]
    judge: Callable[[Tagger], float] | None = None
    dev: Sequence[Document] = ()


def epochs_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """What ``run_scores`` says of the epochs of a training in ``Rounds.records``."""
    losses = record["losses"]
    per_epoch = record["seconds"] / max(len(losses), 1)
    return {"best_epoch": record["best_epoch"], "losses": losses, "seconds_per_epoch": per_epoch}


class Rounds:
    """The trainings of a run, one after the other.

    Args:
        folder: of the run. labels: of all trainings. settings: of every training.
        device: of every training. lexicon: called once a tagger needs one.
        report: receives steps as if of one long run. should_stop: called between steps.
        planned: maximum number of trainings. descriptions: of the labels.
        unlabelled: raw texts, for taggers and strategies that read them.
    """

    def __init__(
        self,
        folder: RunFolder,
        labels: Sequence[str],
        settings: TrainingSettings,
        device: torch.device,
        lexicon: Callable[[], Lexicon],
        report: Report,
        should_stop: Callable[[], bool],
        planned: int,
        descriptions: Mapping[str, str] | None = None,
        unlabelled: Sequence[Document] = (),
    ) -> None:
        self._folder, self._labels, self._settings, self._device = folder, tuple(labels), settings, device
        self._lexicon, self._report, self._should_stop = lexicon, report, should_stop
        self._planned, self._done = max(planned, 1), 0
        self._descriptions, self._unlabelled = descriptions or {}, tuple(unlabelled)
        self.records: list[dict[str, Any]] = []

    def train(self, training: Training, *, shown: bool = False) -> Tagger:
        """Run a training, or load its earlier result; the tagger is in evaluation mode.

        Args:
            shown: whether its epochs are reported as the run's, because it trains what becomes its tagger.

        Raises:
            Stopped: on request; complete epochs are kept. TrainingError: it cannot continue.
        """
        folder = RunFolder(self._folder.path / ROUNDS / training.name)
        finished = folder.path / DONE
        if finished.is_file():
            tagger = load_tagger(folder.model).to(self._device)
            self.records.append(folder.read_object(finished))
        else:
            number = {"round": self._done + 1, "title": training.title.to_json()}
            self._report({"event": "round", **number, "of": self._planned})
            tagger = self._train(folder, training, shown)
        self._done += 1
        return tagger.eval()

    def end(self) -> None:
        """Declare that no further training follows, though more were planned."""
        self._planned = max(self._done, 1)

    def _train(self, folder: RunFolder, training: Training, shown: bool) -> Tagger:
        folder.path.mkdir(parents=True, exist_ok=True)
        try:
            kind = by_name(training.tagger)
            config = config_from_values(kind.Config, training.config)
            documents = training.documents
            if not kind.supports_nested:
                documents = [d.with_spans(outermost(d.spans)[0]) for d in documents]
            torch.manual_seed(self._settings.seed)
            lexicon = self._lexicon() if kind.reads_lexicon(config) else None
            tagger = kind.build(config, self._labels, self._resources(documents, lexicon))
        except (UnknownTaggerError, ConfigError) as error:
            raise TrainingError(message_of(error)) from error
        initialise(tagger, self._settings.initialisation, self._settings.initialisation_scale)
        result = train(
            tagger,
            documents,
            training.dev,
            self._settings,
            folder=folder,
            report=self._scaled(shown),
            should_stop=self._should_stop,
            device=self._device,
            unlabelled=self._unlabelled,
            judge=training.judge,
        )
        if result.stopped:
            raise Stopped
        record = {
            "name": training.name,
            "title": training.title.to_json(),
            "tagger": training.tagger,
            "documents": len(documents),
            "spans": sum(len(document.spans) for document in documents),
            "best_epoch": result.best_epoch,
            "epochs": len(result.history),
            "losses": [epoch.loss for epoch in result.history],
            "criterion": [epoch.criterion for epoch in result.history],
            "seconds": round(result.seconds, 3),
        }
        write_json(folder.path / DONE, record)
        self.records.append(record)
        return tagger

    def _resources(self, documents: Sequence[Document], lexicon: Lexicon | None) -> Resources:
        return Resources(documents, lexicon, descriptions=self._descriptions, unlabelled=self._unlabelled)

    def _scaled(self, shown: bool) -> Report:
        """Forward steps, and epochs if they are ``shown``, with the number of the training.

        ``fraction`` becomes that of the run, ``share`` is that of the training.
        """
        begun = time.monotonic()

        def report(event: Mapping[str, Any]) -> None:
            name = event["event"]
            if "fraction" not in event or (name == "epoch" and not shown):
                return
            share, left = event["fraction"], event["remaining_seconds"]
            if left is not None:  # assume that all trainings take equally long
                whole = left / (1 - share) if share < 1 else time.monotonic() - begun
                left += whole * max(self._planned - self._done - 1, 0)
            run = {"fraction": min((self._done + share) / self._planned, 1.0), "remaining_seconds": left}
            self._report({**event, **run, "share": share, "round": self._done + 1})

        return report
