"""Trains word vectors on raw text: unit by unit, epoch by epoch, resumable at any time."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.corpus.atomic import full_disk_as_error, recover_folder, replace_folder, replacing, write_json
from core.encoders.subword_vectors import subwords_file
from core.learning.vectors.config import VectorsConfig
from core.learning.vectors.loss import Draw, draw
from core.learning.vectors.model import VectorsModel
from core.learning.vectors.text import counts_of, token_sentences
from core.lexicon import Lexicon
from core.runtime.message import Message, _, pgettext
from core.text import Document
from core.training.run.checkpoint_refusals import check_plan, damage_as_error
from core.training.run.errors import TrainingError
from core.training.run.progress import Progress

Report = Callable[[Mapping[str, Any]], None]
PLACES = 2000  # positions of the text on which the loss is measured
CHECKPOINT, _PLAN, _STATE = "checkpoint", "checkpoint.json", "state.safetensors"


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The vectors of one unit.

    Args:
        unit: characters, bigrams or words. tokens: number with vectors. losses: after every epoch.
        seconds: training time in the process that finished it.
    """

    unit: str
    tokens: int
    losses: tuple[float, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class VectorsResult:
    """The result of a training; ``stopped``: whether it was stopped on request."""

    units: tuple[UnitResult, ...]
    stopped: bool


def train_vectors(
    documents: Sequence[Document],
    config: VectorsConfig,
    *,
    folder: Path,
    report: Report,
    should_stop: Callable[[], bool],
    lexicon: Lexicon | None = None,
) -> VectorsResult:
    """Write ``characters.vec``, ``bigrams.vec`` and ``words.vec``, as configured, to ``folder``.

    fastText's subword vectors are written beside each. A unit with fewer than two sufficiently frequent
    tokens is left out with a log message. Resumes from a checkpoint in ``folder``, with the same result as an
    uninterrupted training.

    Args:
        report: receives ``started``, ``log``, ``step`` and ``epoch`` events; an epoch names its ``unit``.
        should_stop: called at every sentence. lexicon: for words; None for jieba's dictionary.

    Raises:
        TrainingError: the text is too small, a checkpoint does not fit, a full disk.
    """
    work = _Training(documents, config, folder, report, should_stop, lexicon)
    results: list[UnitResult] = []
    for unit in config.units:
        result = work.learn(unit)
        if work.stopped:
            return VectorsResult(tuple(results), True)
        if result is not None:
            results.append(result)
    if not results:
        raise TrainingError(
            "the text is too small: fewer than two tokens occur at least {least_count} "
            "times; add more text, or lower least_count",
            least_count=config.least_count,
        )
    return VectorsResult(tuple(results), False)


class _Training:
    """A running training."""

    def __init__(
        self,
        documents: Sequence[Document],
        config: VectorsConfig,
        folder: Path,
        report: Report,
        should_stop: Callable[[], bool],
        lexicon: Lexicon | None,
    ) -> None:
        self.documents, self.config, self.folder = documents, config, folder
        self.report, self.should_stop, self.lexicon = report, should_stop, lexicon
        self.stopped = False
        self.plan = {"config": asdict(config), "text": _digest(documents, lexicon)}
        self.done = self._read_done()
        report({"event": "started", "resumed": bool(self.done)})

    def learn(self, unit: str) -> UnitResult | None:
        """Train the vectors of one unit; None if there are none, or it was stopped."""
        saved = self.done.get(unit)
        if saved is not None and saved["complete"]:
            return UnitResult(unit, saved["tokens"], tuple(saved["losses"]), saved["seconds"])
        config = self.config
        sentences = token_sentences(self.documents, unit, self.lexicon, config.cut)
        counts = counts_of(sentences)
        frequent = sum(count >= config.least_count for count in counts.values())
        if frequent < 2:
            self.report({"event": "log", "message": _left_out(unit, frequent, config).to_json()})
            return None
        model = VectorsModel(sentences, counts, config)
        losses = self._resume(unit, model, saved)
        probe = self._probe(sentences, model)
        clock = Progress(
            len(config.units) * config.epochs * len(sentences),
            (config.units.index(unit) * config.epochs + len(losses)) * len(sentences),
        )
        begun = time.monotonic()
        while len(losses) < config.epochs:
            start = time.monotonic()
            if model.run_epoch(len(losses), self._advance(unit, len(losses), losses, clock)):
                self.stopped = True
                return None
            losses.append(probe.loss(model.input_vectors, model.output_vectors) if probe else 0.0)
            self._save(unit, model, losses, complete=False, seconds=time.monotonic() - begun)
            self.report(
                {
                    "event": "epoch",
                    "unit": unit,
                    "epoch": len(losses),
                    "epochs": config.epochs,
                    "loss": losses[-1],
                    "seconds": time.monotonic() - start,
                }
            )
        self._write(unit, model)
        self._save(unit, model, losses, complete=True, seconds=time.monotonic() - begun)
        return UnitResult(unit, len(model.tokens), tuple(losses), time.monotonic() - begun)

    def _probe(self, sentences: Sequence[Sequence[str]], model: VectorsModel) -> Draw | None:
        config = self.config
        return draw(
            sentences,
            {token: row for row, token in enumerate(model.tokens)},
            model.counts,
            skipgram=config.architecture == "skipgram",
            window=config.window,
            negative=config.negative,
            places=PLACES,
            seed=config.seed,
        )

    def _advance(
        self, unit: str, epoch: int, losses: Sequence[float], clock: Progress
    ) -> Callable[[int], bool]:
        """A callback that reports progress and returns whether to stop. gensim calls it from a thread."""

        def advance(count: int) -> bool:
            clock.advance(count)
            if clock.due():
                self.report(
                    {
                        "event": "step",
                        "unit": unit,
                        "epoch": epoch + 1,
                        "epochs": self.config.epochs,
                        "loss": losses[-1] if losses else None,
                        "fraction": clock.fraction,
                        "remaining_seconds": clock.remaining_seconds,
                    }
                )
            return self.should_stop()

        return advance

    def _write(self, unit: str, model: VectorsModel) -> None:
        """Write the finished files; existing ones are replaced once all are written."""
        path = self.folder / f"{unit}.vec"
        self.folder.mkdir(parents=True, exist_ok=True)
        subwords = model.subword_vectors()
        subwords_path = subwords_file(path)
        written = {path: model.write, **({subwords_path: subwords.write} if subwords is not None else {})}
        with replacing(*written) as beside:
            for (target, write), new in zip(written.items(), beside, strict=True):
                with full_disk_as_error(target):
                    write(new)
            if subwords is None:
                subwords_path.unlink(missing_ok=True)

    def _save(
        self, unit: str, model: VectorsModel, losses: Sequence[float], *, complete: bool, seconds: float
    ) -> None:
        from safetensors.numpy import save_file

        self.done[unit] = {
            "complete": complete,
            "losses": list(losses),
            "tokens": len(model.tokens),
            "seconds": seconds,
        }

        def fill(beside: Path) -> None:
            if not complete:
                save_file(model.state(), beside / _STATE)
            write_json(beside / _PLAN, {"format": 1, "plan": self.plan, "unit": unit, "done": self.done})

        self.folder.mkdir(parents=True, exist_ok=True)
        replace_folder(self.folder / CHECKPOINT, fill)

    def _read_done(self) -> dict[str, dict[str, Any]]:
        recover_folder(self.folder / CHECKPOINT)
        path = self.folder / CHECKPOINT / _PLAN
        if not path.is_file():
            return {}
        with damage_as_error(path.parent):
            value = json.loads(path.read_text(encoding="utf-8"))
            plan, done = dict(value["plan"]), dict(value["done"])
        check_plan(path.parent, plan, self.plan)
        return done

    def _resume(self, unit: str, model: VectorsModel, saved: Mapping[str, Any] | None) -> list[float]:
        """Restore the model; returns the losses so far."""
        from safetensors.numpy import load_file

        if saved is None:
            return []
        folder = self.folder / CHECKPOINT
        with damage_as_error(folder):
            model.load_state(load_file(folder / _STATE))
            return list(saved["losses"])


_UNITS = {
    "characters": pgettext("vectors", "characters"),
    "bigrams": pgettext("vectors", "bigrams"),
    "words": pgettext("vectors", "words"),
}


def _left_out(unit: str, frequent: int, config: VectorsConfig) -> Message:
    return _(
        "no vectors of {unit}: {frequent} of them occur at least {least_count} times, two are needed",
        unit=_UNITS[unit],
        frequent=frequent,
        least_count=config.least_count,
    )


def _digest(documents: Sequence[Document], lexicon: Lexicon | None) -> str:
    """A hash of all texts and of the lexicon."""
    digest = hashlib.sha256((lexicon.fingerprint if lexicon is not None else "jieba").encode())
    for document in documents:
        digest.update(f"{len(document.text)}:".encode())
        digest.update(document.text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
