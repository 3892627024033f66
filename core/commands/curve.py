"""``python -m core curve``: F1 against the number of training documents, for one run or several."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.commands.runs.arguments import add_folder
from core.commands.runs.beginning import check_new, find_run, go_on
from core.commands.runs.following import execute_here
from core.commands.terminal.errors import CommandError
from core.commands.terminal.progress_line import ProgressLine
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest

SHARES = "0.1,0.25,0.5,1"


def add_parser(subparsers: Any) -> None:
    """Add ``curve``."""
    parser = subparsers.add_parser(
        "curve",
        help="train on growing parts of the documents and score each",
        description="Train the taggers of finished runs anew on growing, nested parts of the first run's "
        "training documents, score each on its test (else dev) documents, and print one JSON object a line: "
        "subject, share, documents, spans, f1, part, seconds.",
    )
    parser.add_argument(
        "--run",
        dest="runs",
        action="append",
        default=[],
        metavar="DIR",
        help="run folder whose tagger and settings to use; may be repeated; documents are the first one's",
    )
    add_folder(parser, "folder of the curve to write", "go on with the curve in --out")
    parser.add_argument(
        "--shares", default=SHARES, metavar="A,B,…", help=f"parts, each above 0 and at most 1; {SHARES}"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Iterator[Mapping[str, Any]]:
    """Every point, those of earlier starts first."""
    folder = RunFolder(args.out)
    if args.resume:
        go_on(folder, find_run(folder, args.out, "curve", "curve"), args.device)
    else:
        _begin(folder, args)
    return _points(folder)


def _begin(folder: RunFolder, args: argparse.Namespace) -> None:
    if not args.runs:
        raise CommandError("--run DIR is needed (or --resume to go on with the curve in --out)")
    check_new(folder, args.out)
    sources = [RunFolder(path) for path in args.runs]
    requests = [source.read_request() for source in sources]
    lexicon = requests[0].lexicon
    for source, request in zip(sources, requests, strict=True):
        if request.kind != "train":
            raise CommandError(f"{source.path} is no training; give run folders that train wrote")
        if request.lexicon != lexicon:
            raise CommandError(f"{source.path} reads another word list than {sources[0].path}")
    request = RunRequest(
        kind="curve",
        device=args.device or "auto",
        lexicon=lexicon,
        subjects=tuple(_subjects(sources, requests)),
        shares=_shares(args.shares),
    )
    try:
        shutil.copytree(sources[0].snapshot, folder.snapshot)
    except OSError as error:
        raise CommandError(
            f"the documents of {sources[0].path} cannot be copied to {args.out} ({error.strerror or error})"
        ) from error
    folder.write_request(request)


def _subjects(sources: Sequence[RunFolder], requests: Sequence[RunRequest]) -> Iterator[dict[str, Any]]:
    for source, request in zip(sources, requests, strict=True):
        yield {
            "name": source.name,
            "tagger": request.tagger,
            "config": dict(request.config),
            "settings": dict(request.settings),
        }


def _shares(given: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in given.split(","))
    except ValueError:
        raise CommandError(f"--shares {given}: expected numbers such as {SHARES}") from None


def _points(folder: RunFolder) -> Iterator[dict[str, Any]]:
    from core.jobs.curve_points import curve_points

    for point in curve_points(folder):
        yield point.to_json()
    new_points: list[dict[str, Any]] = []

    def show(line: ProgressLine, event: Mapping[str, Any]) -> None:
        if event["event"] == "step":
            line.show(
                f"Epoch {event['epoch']} of {event['epochs']}", event["fraction"], event["remaining_seconds"]
            )
        elif event["event"] == "point":
            line.say(f"{event['subject']}, {event['documents']} documents: F1 {100 * event['f1']:.2f}")
            new_points.append({name: value for name, value in event.items() if name not in ("event", "time")})

    try:
        execute_here(folder, "curve", show)
    finally:  # those before a failure are finished
        yield from new_points
