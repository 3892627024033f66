"""``python -m core probe``: linear probes of every layer of a trained tagger."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from core.commands.arguments.corpus_files import add_format, check_corpus, read_corpus, say
from core.commands.arguments.model_argument import load_model
from core.commands.terminal.errors import CommandError
from core.commands.terminal.progress_line import ProgressLine

MOST_CHARACTERS = 1_000_000


def add_parser(subparsers: Any) -> None:
    """Add ``probe``."""
    parser = subparsers.add_parser(
        "probe",
        help="ask every layer of a trained model what it knows",
        description="Train linear probes for part of speech and entity label on the states of every layer, "
        "look for word senses by nearest mean, and print one JSON object a line: layer, task, accuracy, "
        "macro_f1, baseline, control, selectivity.",
    )
    parser.add_argument("--model", required=True, metavar="DIR", help="run folder or model folder")
    parser.add_argument("--train", required=True, metavar="FILE", help="labelled documents to learn from")
    parser.add_argument("--test", metavar="FILE", help="documents to score on; else a fifth of --train")
    parser.add_argument(
        "--characters", type=int, default=6000, metavar="N", help="most characters to learn from; 6000"
    )
    parser.add_argument(
        "--held-out", type=int, default=3000, metavar="N", help="most characters to score on; 3000"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of samples and probes; 0")
    add_format(parser)
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row for every layer and task, as they come."""
    for flag, value in (("--characters", args.characters), ("--held-out", args.held_out)):
        if not 1 <= value <= MOST_CHARACTERS:
            raise CommandError(f"{flag} {value}: expected 1 to {MOST_CHARACTERS}")
    for path in filter(None, (args.train, args.test)):
        check_corpus(path)
    tagger = load_model(args.model, args.device)
    from core.inspection.representations.states import layer_names

    if not layer_names(tagger):
        raise CommandError(f"{args.model}: a {tagger.title} tagger has no hidden states to probe")
    corpora = [read_corpus(path, args.format) for path in (args.train, args.test) if path]
    for corpus in corpora:
        say(corpus.notes)
    return _rows(tagger, [corpus.documents for corpus in corpora], args)


def _rows(tagger: Any, sides: list[Any], args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    from core.inspection.representations.layer_probes import LayerProbes, sample_of
    from core.inspection.representations.states import character_states

    line = ProgressLine()
    sample = sample_of(
        sides[0],
        sides[1] if len(sides) > 1 else (),
        train_characters=args.characters,
        held_out_characters=args.held_out,
        seed=args.seed,
    )
    if not sample.train or not sample.held_out:
        raise CommandError(
            "there is nothing to probe: give documents with text to learn from and to score on"
        )
    probes = LayerProbes.of(
        sample,
        lambda documents, progress: character_states(tagger, documents, progress=progress),
        seed=args.seed,
        progress=lambda done, count: line.show("Reading states", done / count, None),
    )
    for number, row in enumerate(probes.rows(), start=1):
        line.clear()
        yield row.to_json()
        line.show(f"{row.layer}, {row.task}", number / probes.count, None)
    line.clear()
