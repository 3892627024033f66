"""``python -m core vectors``: train word vectors on raw text, and list nearest neighbours."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.commands.arguments.corpus_files import check_file
from core.commands.arguments.set_argument import assignments
from core.commands.runs import raw_text
from core.commands.terminal.errors import CommandError
from core.commands.terminal.progress_line import ProgressLine


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
    raw_text.add_arguments(train, out="folder to write the vectors to", option="an option", lexicon=True)
    near = actions.add_parser("nearest", help="the tokens nearest to one")
    near.add_argument("--vectors", required=True, metavar="FILE", help="a .vec file")
    near.add_argument("--token", required=True, metavar="TOKEN", help="list the neighbours of this token")
    near.add_argument("--count", type=int, default=10, metavar="N", help="how many (10)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Train, or list nearest neighbours."""

    return _train(args) if args.action == "train" else _nearest(args)


def _train(args: argparse.Namespace) -> dict[str, Any]:
    from core.learning.vectors.config import VectorsConfig
    from core.learning.vectors.training import CHECKPOINT, train_vectors

    folder = Path(args.out)
    raw_text.check_out(folder, args.resume, CHECKPOINT, "*.vec")
    (config,) = raw_text.configs_of((VectorsConfig,), assignments(args))
    lexicon = raw_text.read_lexicon(args.lexicon)
    documents, _, notes = raw_text.read_texts(args)

    def learn(report: Callable[[raw_text.Event], None], should_stop: Callable[[], bool]) -> Any:
        for note in notes:
            report({"event": "note", "text": note})
        result = train_vectors(
            documents, config, folder=folder, report=report, should_stop=should_stop, lexicon=lexicon
        )
        return None if result.stopped else result

    result = raw_text.train_with_progress(learn, _show)
    characters = sum(len(document.text) for document in documents)
    units = [asdict(unit) for unit in result.units]
    return {"documents": len(documents), "characters": characters, "units": units, "vectors": str(folder)}


def _nearest(args: argparse.Namespace) -> dict[str, Any]:
    from core.encoders.nearest_vectors import nearest

    check_file(args.vectors)
    if args.count < 1:
        raise CommandError(f"--count {args.count}: at least 1 is needed")
    neighbours = nearest(Path(args.vectors), args.token, args.count)
    if not neighbours:
        raise CommandError(f"{args.vectors} has no vector of {args.token!r}; ask for a token of the text")
    return {"token": args.token, "nearest": [{"token": n.token, "cosine": n.cosine} for n in neighbours]}


def _show(line: ProgressLine, event: Mapping[str, Any]) -> None:
    if event["event"] not in ("step", "epoch"):
        return
    where = f"{event['unit']}, epoch {event['epoch']} of {event['epochs']}"
    if event["event"] == "step":
        line.show(where, event["fraction"], event["remaining_seconds"])
    else:
        line.say(f"{where}: loss {event['loss']:.3f}, {event['seconds']:.1f} s")
