"""``python -m core vectors``: learn word vectors from raw text, and look at what is near in them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.commands.corpus_files import check_file, read_corpus, say
from core.commands.errors import CommandError, Interrupted
from core.commands.progress_line import ProgressLine
from core.commands.set_argument import assignments
from core.commands.stop_signals import stop_on_signals
from core.training.message import TrainingError


def add_parser(subparsers: Any) -> None:
    """Add ``vectors`` with its actions ``train`` and ``nearest``."""
    parser = subparsers.add_parser(
        "vectors",
        help="word2vec and fastText vectors of raw text",
        description="Learn vectors of characters, bigrams and words from raw text. The files it writes are "
        "what char_vectors, bigram_vectors and word_vectors of a tagger take.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    train = actions.add_parser("train", help="learn vectors", description="Print one JSON object.")
    train.add_argument("--text", required=True, metavar="FILE", action="append", help="text; may be repeated")
    train.add_argument("--out", required=True, metavar="DIR", help="folder to write the vectors to")
    train.add_argument("--lexicon", default="jieba", metavar="FILE", help="word list that cuts words; jieba")
    train.add_argument("--resume", action="store_true", help="go on with the training in --out")
    train.add_argument("--epochs", metavar="N", help="same as --set epochs=N")
    train.add_argument("--seed", metavar="N", help="same as --set seed=N")
    train.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="an option; repeated"
    )
    train.add_argument("--from", dest="format", metavar="NAME", help="format of the files; else found out")
    near = actions.add_parser("nearest", help="the tokens nearest to one")
    near.add_argument("--vectors", required=True, metavar="FILE", help="a .vec file")
    near.add_argument("--token", required=True, metavar="TOKEN", help="whose neighbours to tell")
    near.add_argument("--count", type=int, default=10, metavar="N", help="how many (10)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Train, or look.

    Raises:
        CommandError: bad input, or the training cannot go on. Interrupted: stopped by the person.
    """
    from core.encoders.word_vectors import VectorsError

    try:
        return _train(args) if args.action == "train" else _nearest(args)
    except (TrainingError, VectorsError) as error:
        raise CommandError(str(error)) from error


def _train(args: argparse.Namespace) -> dict[str, Any]:
    from core.learning.vectors_config import VectorsConfig
    from core.learning.vectors_training import CHECKPOINT, train_vectors
    from core.lexicon import Lexicon, LexiconError
    from core.taggers.config_fields import ConfigError, config_from_settings

    folder = Path(args.out)
    check_out(folder, args.resume, CHECKPOINT, "*.vec")
    try:
        config = config_from_settings(VectorsConfig, assignments(args))
        lexicon = Lexicon.jieba() if args.lexicon == "jieba" else Lexicon.from_file(Path(args.lexicon))
    except (ConfigError, LexiconError, OSError) as error:
        raise CommandError(str(error)) from error
    read = [read_corpus(path, args.format) for path in args.text]
    documents = [document for corpus in read for document in corpus.documents]
    line = ProgressLine()
    say(note for corpus in read for note in corpus.notes)
    with stop_on_signals() as stopped:
        result = train_vectors(
            documents,
            config,
            folder=folder,
            report=lambda event: _show(line, event),
            should_stop=stopped,
            lexicon=lexicon,
        )
    line.clear()
    if result.stopped:
        raise Interrupted("stopped; to go on, give the same command with --resume")
    characters = sum(len(document.text) for document in documents)
    units = [asdict(unit) for unit in result.units]
    return {"documents": len(documents), "characters": characters, "units": units, "vectors": str(folder)}


def _nearest(args: argparse.Namespace) -> dict[str, Any]:
    from core.encoders.nearest_vectors import nearest

    check_file(args.vectors)
    if args.count < 1:
        raise CommandError(f"--count {args.count}: at least 1 is needed")
    found = nearest(Path(args.vectors), args.token, args.count)
    if not found:
        raise CommandError(f"{args.vectors} has no vector of {args.token!r}; ask for a token of the text")
    return {"token": args.token, "nearest": [{"token": n.token, "cosine": n.cosine} for n in found]}


def check_out(folder: Path, resume: bool, checkpoint: str, results: str) -> None:
    """Refuse a folder that is a file, that holds something already, or nothing to resume.

    Raises:
        CommandError: says which, and what to do.
    """
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"{folder} is a file; name a folder to write to")
    begun = (folder / checkpoint).is_dir()
    if resume and not begun:
        raise CommandError(f"{folder} holds no training to resume; leave out --resume to begin one")
    if not resume and (begun or any(folder.glob(results))):
        raise CommandError(f"{folder} holds a result already; add --resume to go on, or name another folder")


def _show(line: ProgressLine, event: Mapping[str, Any]) -> None:
    if event["event"] == "log":
        line.say(event["message"]["en"])
    if event["event"] not in ("step", "epoch"):
        return
    where = f"{event['unit']}, epoch {event['epoch']} of {event['epochs']}"
    if event["event"] == "step":
        line.show(where, event["fraction"], event["remaining_seconds"])
    else:
        line.say(f"{where}: loss {event['loss']:.3f}, {event['seconds']:.1f} s")
