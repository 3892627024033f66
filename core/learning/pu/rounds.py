"""Several trainings as one run: each in a folder of its own, none done twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from core.corpus.atomic import write_json
from core.lexicon import Lexicon
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.registry import UnknownTaggerError, by_name
from core.taggers.base.tagger import Resources, Tagger
from core.text import Document
from core.text.message import Message, told_by
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
        name: of its folder. title: what it is, for the log.
        tagger, config: registered name and fields that differ from the defaults.
        documents: what it learns. judge: what chooses its best epoch; None takes the last.
    """

    name: str
    title: Message
    tagger: str
    config: Mapping[str, Any]
    documents: Sequence[Document]
    judge: Callable[[Tagger], float] | None = None
    dev: Sequence[Document] = ()


class Rounds:
    """The trainings of a run, one after the other.

    Args:
        folder: of the run. labels: what all of them find. settings: of every training.
        device: where. lexicon: for taggers that read one, made when first asked for.
        report: gets steps as of one long run. should_stop: asked between steps.
        planned: how many trainings there will be at most.
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
    ) -> None:
        self._folder, self._labels, self._settings, self._device = folder, tuple(labels), settings, device
        self._lexicon, self._report, self._should_stop = lexicon, report, should_stop
        self._planned, self._done = max(planned, 1), 0
        self.records: list[dict[str, Any]] = []

    def train(self, training: Training, *, last: bool = False) -> Tagger:
        """Do a training, or take what it came to before; on the CPU or the run's device, in evaluation mode.

        Args:
            last: whether this makes the run's tagger; its epochs are the run's.

        Raises:
            Stopped: as asked; the epochs that are complete are kept. TrainingError: it cannot go on.
        """
        folder = RunFolder(self._folder.path / ROUNDS / training.name)
        finished = folder.path / DONE
        if finished.is_file():
            tagger = load_tagger(folder.model).to(self._device)
            self.records.append(folder.read_object(finished))
        else:
            number = {"round": self._done + 1, "title": training.title.to_json()}
            self._report({"event": "round", **number, "of": self._planned})
            tagger = self._train(folder, training, last)
        self._done += 1
        return tagger.eval()

    def end(self) -> None:
        """There will be no further training, though more were planned."""
        self._planned = max(self._done, 1)

    def _train(self, own: RunFolder, training: Training, last: bool) -> Tagger:
        own.path.mkdir(parents=True, exist_ok=True)
        try:
            kind = by_name(training.tagger)
            config = config_from_values(kind.Config, training.config)
            documents = training.documents
            if not kind.supports_nested:
                documents = [d.with_spans(outermost(d.spans)[0]) for d in documents]
            torch.manual_seed(self._settings.seed)
            lexicon = self._lexicon() if kind.reads_lexicon(config) else None
            tagger = kind.build(config, self._labels, Resources(documents, lexicon))
        except (UnknownTaggerError, ConfigError) as error:
            raise TrainingError(told_by(error)) from error
        initialise(tagger, self._settings.initialisation, self._settings.initialisation_scale)
        result = train(
            tagger,
            documents,
            training.dev,
            self._settings,
            folder=own,
            report=self._scaled(last),
            should_stop=self._should_stop,
            device=self._device,
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
            "losses": [one.loss for one in result.history],
            "criterion": [one.criterion for one in result.history],
            "seconds": round(result.seconds, 3),
        }
        write_json(own.path / DONE, record)
        self.records.append(record)
        return tagger

    def _scaled(self, last: bool) -> Report:
        """Passes steps on with the fraction of the whole; epochs of the last training alone."""
        begun = time.monotonic()

        def report(event: Mapping[str, Any]) -> None:
            name = event["event"]
            if "fraction" not in event or (name == "epoch" and not last):
                return
            share, left = event["fraction"], event["remaining_seconds"]
            if left is not None:  # the others take as long as this one
                one = left / (1 - share) if share < 1 else time.monotonic() - begun
                left += one * max(self._planned - self._done - 1, 0)
            fraction = min((self._done + share) / self._planned, 1.0)
            self._report({**event, "fraction": fraction, "remaining_seconds": left})

        return report
