"""A run that pretrains on the texts of its snapshot: vectors, a masked language model, or a biLM."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.corpus.snapshot import UNLABELLED, read_snapshot
from core.runtime.message import Message, _, message_of
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.snapshot_words import read_lexicon, typed_entries
from core.training.stopping import Stopped

if TYPE_CHECKING:
    import torch

    from core.lexicon import Lexicon
    from core.text import Document

Report = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True)
class _Work:
    """The input of every method.

    Args:
        folder: the run folder; the result is its ``model``. values: of the method's configs.
        typed: words of known type.
    """

    folder: RunFolder
    values: Mapping[str, Any]
    texts: list[Document]
    lexicon: Lexicon
    typed: Lexicon
    device: torch.device
    report: Report
    should_stop: Callable[[], bool]


def execute_pretraining(folder: RunFolder, report: Report, should_stop: Callable[[], bool]) -> dict[str, Any]:
    """Pretrain, write the result to ``model``; returns the contents of ``scores.json``.

    Resumes from a checkpoint with identical weights. The texts of a finished run are deleted.

    Raises:
        Stopped: on request. TrainingError: too little text, or an unusable setting; says what to do.
    """
    from core.learning.pretraining.pretraining import REFUSALS
    from core.lexicon import Lexicon
    from core.training.run.run_scores import environment
    from core.training.run.run_start import start_run

    request = folder.read_request()
    resumed = int(any(event.get("event") == "epoch" for event in folder.events()))
    device = start_run(request, "pretrain", report, resumed_from=resumed)
    snapshot = read_snapshot(folder.snapshot)
    texts = [*snapshot["train"], *snapshot[UNLABELLED]]
    characters = sum(len(document.text.strip()) for document in texts)
    if not characters:
        raise TrainingError(
            "there is no text to learn from: add documents that are in neither the dev nor the test split"
        )
    lexicon = read_lexicon(folder, request, snapshot)
    begun = time.monotonic()
    method = {"vectors": _vectors, "mlm": _mlm, "bilm": _bilm}[request.method]
    typed = Lexicon().with_words(entry for entry in typed_entries(snapshot) if entry.type)
    work = _Work(folder, request.config, texts, lexicon, typed, device, _without_started(report), should_stop)
    try:
        results = method(work)
    except REFUSALS as error:
        raise TrainingError(message_of(error)) from error
    size = {"documents": len(texts), "characters": characters}
    summary = {"name": request.name, "method": request.method, **size, **results}
    scores = {**summary, "seconds": round(time.monotonic() - begun, 3), "environment": environment(device)}
    folder.write_scores(scores)
    for used in (folder.checkpoint, folder.model / "checkpoint", folder.snapshot):
        shutil.rmtree(used, ignore_errors=True)
    return scores


def _vectors(work: _Work) -> dict[str, Any]:
    from core.learning.pretraining.pretraining import config_of
    from core.learning.vectors.config import VectorsConfig
    from core.learning.vectors.neighbours import first_neighbours
    from core.learning.vectors.training import train_vectors

    result = train_vectors(
        work.texts,
        config_of(VectorsConfig, work.values),
        folder=work.folder.model,
        report=work.report,
        should_stop=work.should_stop,
        lexicon=work.lexicon,
    )
    if result.stopped:
        raise Stopped
    units = [asdict(unit) for unit in result.units]
    return {"units": units, "neighbours": first_neighbours(work.folder.model), "perplexity": None}


def _mlm(work: _Work) -> dict[str, Any]:
    import torch

    from core.learning.bilm.preparation import hold_out
    from core.learning.mlm.config import MlmConfig, TinyBertConfig
    from core.learning.mlm.preparation import prepare_mlm
    from core.learning.mlm.training import train_mlm
    from core.learning.pretraining.pretraining import config_of

    config = config_of(MlmConfig, work.values)
    torch.set_num_threads(config.threads or torch.get_num_threads())
    learned, dev = hold_out(work.texts, config.seed)
    tiny = config_of(TinyBertConfig, work.values)
    model, corpus, note = prepare_mlm(learned, dev, config, tiny, work.lexicon, work.typed)
    for message in (_held_out(len(dev), len(work.texts)), note):
        if message is not None:
            work.report({"event": "log", "message": message.to_json()})
    result = train_mlm(
        model,
        corpus,
        config,
        folder=work.folder.path,
        report=_with_perplexity(work.report),
        should_stop=work.should_stop,
        device=work.device,
    )
    if result.stopped:
        raise Stopped
    best = result.history[result.best_epoch - 1].dev if result.best_epoch else None
    return {"before": result.before, "perplexity": best, "best_epoch": result.best_epoch}


def _bilm(work: _Work) -> dict[str, Any]:
    import torch

    from core.learning.bilm.config import BilmConfig, BilmSettings, SoftmaxConfig
    from core.learning.bilm.preparation import hold_out, prepare_bilm
    from core.learning.bilm.training import train_bilm
    from core.learning.pretraining.pretraining import StartConfig, config_of

    settings = config_of(BilmSettings, work.values)
    torch.set_num_threads(settings.threads or torch.get_num_threads())
    start = config_of(StartConfig, work.values).start
    learned, dev = hold_out(work.texts, settings.seed)
    work.report({"event": "log", "message": _held_out(len(dev), len(work.texts)).to_json()})
    prepared = prepare_bilm(
        learned,
        dev,
        config_of(BilmConfig, work.values),
        config_of(SoftmaxConfig, work.values),
        settings,
        Path(start) if start else None,
    )
    result = train_bilm(
        *prepared,
        settings,
        folder=work.folder.model,
        report=_with_perplexity(work.report),
        should_stop=work.should_stop,
        device=work.device,
    )
    if result.stopped:
        raise Stopped
    best = result.history[result.best_epoch - 1].dev if result.best_epoch else None
    both = {} if best is None else {"forward": best.forward, "backward": best.backward}
    return {"perplexity": _mean(both or None), "directions": both, "best_epoch": result.best_epoch}


def _held_out(held: int, documents: int) -> Message:
    if not held:
        return _("there is one document only, so none is held out and there is no perplexity")
    return _(
        "{held} of the {documents} documents are held out to measure perplexity on",
        held=held,
        documents=documents,
    )


def _without_started(report: Report) -> Report:
    """Drop the ``started`` event, which the run has already written."""

    def passed(event: Mapping[str, Any]) -> None:
        if event["event"] != "started":
            report(event)

    return passed


def _with_perplexity(report: Report) -> Report:
    """Report the dev perplexity as one number: for a biLM, the geometric mean of both directions."""

    def passed(event: Mapping[str, Any]) -> None:
        report({**event, "perplexity": _mean(event["dev"])} if "dev" in event else event)
        if event["event"] == "head":
            report({"event": "log", "message": _head_learned(event).to_json()})

    return passed


def _head_learned(event: Mapping[str, Any]) -> Message:
    steps, dev = event["steps"], event["dev"]
    if dev is None:
        return _(
            "the new head was trained alone for {steps} steps; from here on the encoder is trained too",
            steps=steps,
        )
    return _(
        "the new head was trained alone for {steps} steps; perplexity is {perplexity:.1f} now; "
        "from here on the encoder is trained too",
        steps=steps,
        perplexity=dev,
    )


def _mean(dev: Mapping[str, float] | float | None) -> float | None:
    if isinstance(dev, Mapping):
        return math.sqrt(dev["forward"]) * math.sqrt(dev["backward"])
    return dev
