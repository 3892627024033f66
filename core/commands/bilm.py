"""``python -m core bilm``: train a bidirectional language model on raw text, and measure one."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.commands.corpus_files import Corpus, read_corpus, say
from core.commands.errors import CommandError, Interrupted
from core.commands.progress_line import ProgressLine
from core.commands.set_argument import assignments
from core.commands.stop_signals import stop_on_signals
from core.training.message import TrainingError
from core.training.run_request import DEVICES

if TYPE_CHECKING:
    from core.learning.bilm_config import BilmConfig, BilmSettings, SoftmaxConfig
    from core.learning.bilm_preparation import PreparedBilm

MEASURED = 100  # tokens of a text read between two looks at the softmax


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
    train.add_argument("--text", required=True, metavar="FILE", help="text to learn from; spans are not read")
    train.add_argument(
        "--dev", metavar="FILE", help="text to measure on; else a twentieth of the documents is held out"
    )
    train.add_argument("--out", required=True, metavar="DIR", help="folder to write the biLM to")
    train.add_argument(
        "--start", metavar="DIR", help="biLM to fine-tune: trained here, or published weights with options"
    )
    train.add_argument(
        "--resume", action="store_true", help="go on with the training in --out, all else the same"
    )
    train.add_argument("--epochs", metavar="N", help="same as --set epochs=N")
    train.add_argument("--seed", metavar="N", help="same as --set seed=N")
    train.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="a field of the biLM, of its softmax or of the training; may be repeated",
    )
    measure = actions.add_parser("perplexity", help="how well a biLM trained here predicts a text")
    measure.add_argument("--bilm", required=True, metavar="DIR", help="folder of the biLM")
    measure.add_argument("--text", required=True, metavar="FILE", help="the text; spans are not read")
    for action in (train, measure):
        action.add_argument("--device", choices=DEVICES, default="auto", help="auto when left out")
        action.add_argument(
            "--from", dest="format", metavar="NAME", help="format of the files; otherwise found out"
        )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Train or measure.

    Raises:
        CommandError: bad input, or the training cannot go on. Interrupted: stopped by the person.
    """
    from core.encoders.elmo_options import ElmoError

    try:
        return _train(args) if args.action == "train" else _measure(args)
    except (ElmoError, TrainingError) as error:
        raise CommandError(str(error)) from error


def _train(args: argparse.Namespace) -> dict[str, Any]:
    import torch

    from core.learning.bilm_preparation import prepare_bilm
    from core.learning.bilm_training import train_bilm
    from core.training.device import choose_device

    encoder, softmax, settings = _configs(args)
    folder = Path(args.out)
    _check_out(folder, args.resume)
    device, why = choose_device(args.device)
    learned, dev, notes = _texts(args, settings.seed)
    torch.set_num_threads(settings.threads or torch.get_num_threads())
    start = Path(args.start) if args.start else None
    prepared = prepare_bilm(learned.documents, dev.documents, encoder, softmax, settings, start)
    notes += [*learned.notes, *dev.notes, f"Device: {why}"]
    notes.append(f"{prepared.corpus.tokens} tokens, {len(prepared.corpus.vocabulary)} words predicted")
    line = ProgressLine()
    with stop_on_signals() as stopped:
        result = train_bilm(
            *prepared,
            settings,
            folder=folder,
            report=lambda event: say(notes) if event["event"] == "started" else _show(line, event),
            should_stop=stopped,
            device=device,
        )
    line.clear()
    if result.stopped:
        raise Interrupted("stopped; to go on, give the same command with --resume")
    return {**_summary(prepared), **asdict(result), "stopped": False, "bilm": str(folder)}


def _configs(args: argparse.Namespace) -> tuple[BilmConfig, SoftmaxConfig, BilmSettings]:
    """The values given, each in the config that has its field."""
    from core.learning.bilm_config import BilmConfig, BilmSettings, SoftmaxConfig
    from core.learning.bilm_folder import SOFTMAX
    from core.taggers.config_fields import ConfigError, config_from_settings

    values = assignments(args)
    names = {
        kind: [field.name for field in fields(kind)] for kind in (BilmConfig, SoftmaxConfig, BilmSettings)
    }
    brought = list(names[BilmConfig]) if args.start else []
    if args.start and (Path(args.start) / SOFTMAX).is_file():
        brought += names[SoftmaxConfig]
    for name in values:
        if name in brought:
            raise CommandError(f"--set {name}: the biLM in {args.start} has its own; leave it out")
        if not any(name in known for known in names.values()):
            every = ", ".join(field for known in names.values() for field in known)
            raise CommandError(f"--set {name}: no such field; there are {every}")
    try:
        encoder, softmax, settings = (
            config_from_settings(kind, {name: values[name] for name in known if name in values})
            for kind, known in names.items()
        )
    except ConfigError as error:
        raise CommandError(str(error)) from error
    assert isinstance(encoder, BilmConfig)
    assert isinstance(softmax, SoftmaxConfig)
    assert isinstance(settings, BilmSettings)
    return encoder, softmax, settings


def _check_out(folder: Path, resume: bool) -> None:
    from core.encoders.elmo_folder import WEIGHTS
    from core.learning.bilm_training import CHECKPOINT

    if folder.exists() and not folder.is_dir():
        raise CommandError(f"{folder} is a file; name a folder to write the biLM to")
    begun = (folder / CHECKPOINT).is_dir()
    if resume and not begun:
        raise CommandError(f"{folder} holds no training to resume; leave out --resume to begin one")
    if not resume and (begun or (folder / WEIGHTS).exists()):
        raise CommandError(
            f"{folder} holds a biLM already; add --resume to go on with it, or name another folder"
        )


def _texts(args: argparse.Namespace, seed: int) -> tuple[Corpus, Corpus, list[str]]:
    """Text to learn from, text to measure on, and what was decided about them."""
    from core.learning.bilm_preparation import hold_out

    learned = read_corpus(args.text, args.format)
    if args.dev:
        return learned, read_corpus(args.dev, args.format), []
    kept, dev = hold_out(learned.documents, seed)
    told = [f"{len(dev)} of the {len(learned.documents)} documents are held out to measure on"] if dev else []
    return Corpus(kept, learned.notes), Corpus(dev, []), told


def _summary(prepared: PreparedBilm) -> dict[str, Any]:
    corpus = prepared.corpus
    return {
        "tokens": corpus.tokens,
        "words": len(corpus.vocabulary),
        "unknown_rate": corpus.unknown_rate,
        "parameters": sum(parameter.numel() for parameter in prepared.bilm.parameters()),
    }


def _measure(args: argparse.Namespace) -> dict[str, Any]:
    from core.learning.bilm import perplexity
    from core.learning.bilm_corpus import BilmCorpus
    from core.learning.bilm_folder import read_bilm
    from core.learning.bilm_stream import BilmStream
    from core.training.device import choose_device

    device, _ = choose_device(args.device)
    corpus = read_corpus(args.text, args.format)
    bilm, _, vocabulary = read_bilm(Path(args.bilm))
    numbered = BilmCorpus.of(corpus.documents, (), bilm.elmo.options, vocabulary)
    if not numbered.tokens:
        raise CommandError(f"{args.text}: there is no text in it to measure on")
    say(corpus.notes)
    # One row: every token is predicted from all that stands before it.
    stream = BilmStream.of(numbered.documents, rows=1, unroll=1)
    found = perplexity(bilm.to(device), stream.batches(MEASURED), numbered.characters.to(device))
    return {**asdict(found), "tokens": numbered.tokens, "unknown_rate": numbered.unknown_rate}


def _show(line: ProgressLine, event: Mapping[str, Any]) -> None:
    where = f"Epoch {event['epoch']} of {event['epochs']}"
    if event["event"] == "step":
        line.show(f"{where}, loss {event['loss']:.3f}", event["fraction"], event["remaining_seconds"])
        return
    dev = event["dev"]
    told = f", dev perplexity {dev['forward']:.1f} forward, {dev['backward']:.1f} backward" if dev else ""
    best = " (best so far)" if event["best"] else ""
    line.say(f"{where}: loss {event['loss']:.3f}{told}{best}, {event['seconds']:.1f} s")
