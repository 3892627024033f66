"""``python -m core bilm``: train a bidirectional language model on raw text, and measure one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.commands.arguments.corpus_files import add_format, read_corpus, say
from core.commands.arguments.set_argument import assignments
from core.commands.runs import raw_text
from core.commands.terminal.errors import CommandError

if TYPE_CHECKING:
    from core.learning.bilm.config import BilmConfig, BilmSettings, SoftmaxConfig
    from core.learning.bilm.preparation import PreparedBilm

MEASURED = 100  # tokens of a text per batch


def add_parser(subparsers: Any) -> None:
    """Add ``bilm`` with its actions ``train`` and ``perplexity``."""
    parser = subparsers.add_parser(
        "bilm",
        help="train the language model that ELMo is taken from",
        description="Train a bidirectional language model on raw text, or measure one. The folder it "
        "writes is what the tagger elmo_crf takes as its encoder.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    train = actions.add_parser(
        "train",
        help="learn from raw text, from the beginning or from a biLM there is",
        description="Print one JSON object with the perplexity of both directions on text held out.",
    )
    raw_text.add_arguments(
        train,
        out="folder to write the biLM to",
        option="a field of the biLM, of its softmax or of the training",
        measured=True,
    )
    train.add_argument(
        "--start", metavar="DIR", help="biLM to fine-tune: trained here, or published weights with options"
    )
    measure = actions.add_parser("perplexity", help="how well a biLM trained here predicts a text")
    measure.add_argument("--bilm", required=True, metavar="DIR", help="folder of the biLM")
    measure.add_argument("--text", required=True, metavar="FILE", help="the text; spans are not read")
    raw_text.add_device(measure)
    add_format(measure)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Train or measure."""

    return _train(args) if args.action == "train" else _measure(args)


def _train(args: argparse.Namespace) -> Any:
    from core.encoders.elmo.folder import WEIGHTS
    from core.learning.pretraining.checkpoint import CHECKPOINT

    _encoder, _softmax, settings = _configs(args)
    raw_text.check_out(Path(args.out), args.resume, CHECKPOINT, WEIGHTS)
    show = raw_text.show_epochs(
        lambda dev: f"dev perplexity {dev['forward']:.1f} forward, {dev['backward']:.1f} backward"
    )
    return raw_text.train_here_or_in_workers(_learn, args, settings.threads, show)


def _learn(
    args: argparse.Namespace, report: Callable[[raw_text.Event], None], should_stop: Callable[[], bool]
) -> dict[str, Any] | None:
    """The training in this process, alone or one of several; None if it was stopped."""
    import torch

    from core.learning.bilm.preparation import prepare_bilm
    from core.learning.bilm.training import train_bilm
    from core.training.device import choose_device
    from core.training.processes import join

    encoder, softmax, settings = _configs(args)
    folder = Path(args.out)
    processes = join()
    device, why = choose_device(args.device, processes)
    learned, dev, notes = raw_text.read_texts(args, settings.seed)
    torch.set_num_threads(settings.threads or torch.get_num_threads())
    start = Path(args.start) if args.start else None
    prepared = prepare_bilm(learned, dev, encoder, softmax, settings, start)
    predicted = f"{prepared.corpus.tokens} tokens, {len(prepared.corpus.vocabulary)} words predicted"
    for said in (*notes, f"Device: {why}", predicted):
        report({"event": "note", "text": said})
    result = train_bilm(
        *prepared,
        settings,
        folder=folder,
        report=report,
        should_stop=should_stop,
        device=device,
        processes=processes,
    )
    processes.leave()
    if result.stopped:
        return None
    return {**_summary(prepared), **asdict(result), "bilm": str(folder)}


def _configs(args: argparse.Namespace) -> tuple[BilmConfig, SoftmaxConfig, BilmSettings]:
    """The configs with the given values, each value in the config that has its field."""
    from core.learning.bilm.config import BilmConfig, BilmSettings, SoftmaxConfig
    from core.learning.bilm.folder import SOFTMAX

    values = assignments(args)
    stored = [field.name for field in fields(BilmConfig)] if args.start else []
    if args.start and (Path(args.start) / SOFTMAX).is_file():
        stored += [field.name for field in fields(SoftmaxConfig)]
    for name in values:
        if name in stored:
            raise CommandError(f"--set {name}: the biLM in {args.start} has its own; leave it out")
    encoder, softmax, settings = raw_text.configs_of((BilmConfig, SoftmaxConfig, BilmSettings), values)
    return encoder, softmax, settings


def _summary(prepared: PreparedBilm) -> dict[str, Any]:
    corpus = prepared.corpus
    return {
        "tokens": corpus.tokens,
        "words": len(corpus.vocabulary),
        "unknown_rate": corpus.unknown_rate,
        "parameters": sum(parameter.numel() for parameter in prepared.bilm.parameters()),
    }


def _measure(args: argparse.Namespace) -> dict[str, Any]:
    from core.learning.bilm.bilm import perplexity
    from core.learning.bilm.corpus import BilmCorpus
    from core.learning.bilm.folder import read_bilm
    from core.learning.bilm.stream import BilmStream
    from core.training.device import choose_device

    device, _ = choose_device(args.device)
    corpus = read_corpus(args.text, args.format)
    bilm, _, vocabulary = read_bilm(Path(args.bilm))
    numbered = BilmCorpus.of(corpus.documents, (), bilm.elmo.options, vocabulary)
    if not numbered.tokens:
        raise CommandError(f"{args.text}: there is no text in it to measure on")
    say(corpus.notes)
    # One row: every token is predicted from all tokens before it.
    stream = BilmStream.of(numbered.documents, rows=1, unroll=1)
    result = perplexity(bilm.to(device), stream.batches(MEASURED), numbered.characters.to(device))
    return {**asdict(result), "tokens": numbered.tokens, "unknown_rate": numbered.unknown_rate}
