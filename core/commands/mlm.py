"""``python -m core mlm``: let an encoder learn from raw text by predicting what is masked in it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from core.commands.corpus_files import read_corpus, say
from core.commands.errors import CommandError, Interrupted
from core.commands.progress_line import ProgressLine
from core.commands.set_argument import assignments
from core.commands.stop_signals import stop_on_signals
from core.commands.vectors import check_out
from core.training.message import TrainingError
from core.training.run_request import DEVICES


def add_parser(subparsers: Any) -> None:
    """Add ``mlm``."""
    parser = subparsers.add_parser(
        "mlm",
        help="go on with an encoder's masked-language-model training on raw text",
        description="Let an encoder, or a tiny new BERT, learn from raw text, and print one JSON object with "
        "the perplexity of text held out. DIR/model is what a tagger takes as its encoder.",
    )
    parser.add_argument(
        "--text", required=True, metavar="FILE", action="append", help="text; may be repeated"
    )
    parser.add_argument("--dev", metavar="FILE", help="text to measure on; else a twentieth is held out")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder to write to")
    parser.add_argument("--lexicon", default="jieba", metavar="FILE", help="word list that cuts words; jieba")
    parser.add_argument("--resume", action="store_true", help="go on with the training in --out")
    parser.add_argument("--epochs", metavar="N", help="same as --set epochs=N")
    parser.add_argument("--seed", metavar="N", help="same as --set seed=N")
    parser.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="an option (encoder=DIR); repeated"
    )
    parser.add_argument("--device", choices=DEVICES, default="auto", help="auto when left out")
    parser.add_argument("--from", dest="format", metavar="NAME", help="format of the files; else found out")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Train.

    Raises:
        CommandError: bad input, or the training cannot go on. Interrupted: stopped by the person.
    """
    from core.encoders.transformer_files import EncoderError
    from core.lexicon import LexiconError
    from core.taggers.config_fields import ConfigError

    try:
        return _train(args)
    except (TrainingError, EncoderError, ConfigError, LexiconError) as error:
        raise CommandError(str(error)) from error


def _train(args: argparse.Namespace) -> dict[str, Any]:
    import torch

    from core.learning.bilm_preparation import hold_out
    from core.learning.mlm_config import MlmConfig, TinyBertConfig
    from core.learning.mlm_training import CHECKPOINT, MODEL, prepare_mlm, train_mlm
    from core.lexicon import Lexicon
    from core.taggers.config_fields import ConfigError, config_from_settings
    from core.training.device import choose_device

    folder = Path(args.out)
    check_out(folder, args.resume, CHECKPOINT, MODEL)
    values = assignments(args)
    names = {kind: {field.name for field in fields(kind)} for kind in (MlmConfig, TinyBertConfig)}
    for name in values:
        if not any(name in own for own in names.values()):
            raise ConfigError(
                f"--set {name}: no such field; there are {', '.join(sorted(set().union(*names.values())))}"
            )
    config = config_from_settings(MlmConfig, {k: v for k, v in values.items() if k in names[MlmConfig]})
    tiny = config_from_settings(
        TinyBertConfig, {k: v for k, v in values.items() if k in names[TinyBertConfig]}
    )
    device, why = choose_device(args.device)
    read = [read_corpus(path, args.format) for path in args.text]
    documents = [document for corpus in read for document in corpus.documents]
    dev = read_corpus(args.dev, args.format).documents if args.dev else None
    learned, held = (documents, dev) if dev is not None else hold_out(documents, config.seed)
    torch.set_num_threads(config.threads or torch.get_num_threads())
    lexicon = Lexicon.jieba() if args.lexicon == "jieba" else Lexicon.from_file(Path(args.lexicon))
    model, corpus, note = prepare_mlm(learned, held, config, tiny, lexicon)
    say([*(told for one in read for told in one.notes), f"Device: {why}"])
    say([str(note)] if note is not None else [])
    line = ProgressLine()
    with stop_on_signals() as stopped:
        result = train_mlm(
            model,
            corpus,
            config,
            folder=folder,
            report=lambda event: _show(line, event),
            should_stop=stopped,
            device=device,
        )
    line.clear()
    if result.stopped:
        raise Interrupted("stopped; to go on, give the same command with --resume")
    size = {"documents": len(learned), "held_out": len(held), "pieces": corpus.pieces}
    return {**size, **asdict(result), "stopped": False, "encoder": str(folder / MODEL)}


def _show(line: ProgressLine, event: Mapping[str, Any]) -> None:
    if event["event"] == "before" and event["perplexity"] is not None:
        line.say(f"perplexity before the first step: {event['perplexity']:.1f}")
    if event["event"] not in ("step", "epoch"):
        return
    where = f"Epoch {event['epoch']} of {event['epochs']}"
    if event["event"] == "step":
        line.show(f"{where}, loss {event['loss']:.3f}", event["fraction"], event["remaining_seconds"])
        return
    dev = event["perplexity"]
    told = f", perplexity {dev:.1f}" if dev is not None else ""
    best = " (best so far)" if event["best"] else ""
    line.say(f"{where}: loss {event['loss']:.3f}{told}{best}, {event['seconds']:.1f} s")
