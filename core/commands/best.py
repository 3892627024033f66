"""``python -m core best``: the best tagger and settings for a corpus, found in a given time."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.commands.arguments.corpus_files import add_format, say
from core.commands.arguments.set_argument import add_set, assignments
from core.commands.runs.arguments import add_folder, add_lexicon
from core.commands.runs.beginning import (
    WordList,
    check_device,
    check_new,
    find_run,
    go_on,
    read_parts,
    write_run,
)
from core.commands.runs.engine import add_engine, device_of, engine, group_of, in_request
from core.commands.runs.following import execute_here
from core.commands.terminal.errors import CommandError
from core.commands.terminal.progress_line import ProgressLine
from core.learning.search.clock import read_spent
from core.learning.search.trials import TAGGERS, Trial, ranked, read_trials
from core.runtime.message import Message
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest

if TYPE_CHECKING:
    from core.cluster.options import WorkerGroup


def add_parser(subparsers: Any) -> None:
    """Add ``best``."""
    parser = subparsers.add_parser(
        "best",
        help="find the best tagger and settings in a given time",
        description="Try taggers and settings on labelled documents until the time is over, and print the "
        "leaderboard, one JSON object a line, best first. --out then holds the best one's model: give it to "
        "tag and evaluate as --model. No test documents are read.",
    )
    parser.add_argument("train", nargs="?", metavar="TRAIN", help="labelled documents to learn from")
    parser.add_argument(
        "--dev",
        metavar="FILE",
        help="score the trials on these; without them, or if they have fewer than 200 spans, every trial is "
        "a cross-validation",
    )
    add_folder(
        parser, "folder of the search to write", "go on with the search in --out; --minutes may be raised"
    )
    parser.add_argument("--minutes", type=float, metavar="N", help="time of the whole search; 20")
    parser.add_argument("--trials", type=int, metavar="N", help="most trials; as many as there is time for")
    parser.add_argument(
        "--taggers", metavar="A,B,…", help=f"of {', '.join(TAGGERS)}; those that suit the texts"
    )
    parser.add_argument(
        "--encoder", metavar="NAME", help="a pretrained transformer for bert: a folder, or a name on the hub"
    )
    parser.add_argument(
        "--curve", metavar="DIR", help="learning curve of these documents, to compare with more labels"
    )
    add_lexicon(parser)
    add_format(parser)
    add_set(parser, "a training setting that every trial has; the seed is that of the search too")
    add_engine(parser, "--trials-at-once")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Iterator[Mapping[str, Any]]:
    """The leaderboard, best first, after the search."""
    folder = RunFolder(args.out)
    group = _workers(folder, args)
    with engine(group, args.out):
        check_device(args.device)
        if args.resume:
            _resume(folder, args, group)
        else:
            _begin(folder, args, group)
        execute_here(folder, "best", _show)
    return _leaderboard(folder, args.curve)


def _workers(folder: RunFolder, args: argparse.Namespace) -> WorkerGroup | None:
    """The workers that were asked for."""
    settings = find_run(folder, args.out, "search", "search").settings if args.resume else assignments(args)
    threads = str(settings.get("threads", 0))
    return group_of(args, int(threads) if threads.isdecimal() else 0)


def _begin(folder: RunFolder, args: argparse.Namespace, group: WorkerGroup | None) -> None:
    """Write the search's folder: request and snapshot."""
    from core.corpus.snapshot import Snapshot
    from core.learning.search.folds import search_corpus
    from core.learning.search.settings import SearchSettings
    from core.learning.search.space import check_encoder
    from core.training.settings import TrainingSettings, typed_values

    if not args.train:
        raise CommandError("TRAIN is needed: labelled documents (or --resume to go on with --out)")
    check_new(folder, args.out)
    settings = typed_values(TrainingSettings, assignments(args))
    seed = TrainingSettings.from_values(settings).seed
    search = {**_search(args), "seed": seed}
    check_encoder(SearchSettings.from_values(search))
    lexicon = WordList(args.lexicon)
    parts, notes = read_parts(args, ("train", "dev"))
    snapshot = Snapshot(parts)
    search_corpus(snapshot, seed)  # refused before anything is written
    say(notes)
    request = RunRequest(
        kind="search",
        settings=settings,
        search=search,
        device=device_of(args, group) or "auto",
        lexicon=lexicon.name,
        cluster=in_request(group),
    )
    write_run(folder, args.out, snapshot, request, lexicon.write)


def _search(args: argparse.Namespace) -> dict[str, Any]:
    """The options of the search that were given, checked."""
    from core.learning.search.settings import SearchSettings

    names = ("minutes", "trials", "taggers", "encoder")
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    SearchSettings.from_values(given)
    return given


def _resume(folder: RunFolder, args: argparse.Namespace, group: WorkerGroup | None) -> None:
    """Check that there is a search; only its time, its trials, the device and the workers may change."""
    request = find_run(folder, args.out, "search", "search")
    fixed = ("train", "dev", "taggers", "encoder", "lexicon", "set", "epochs", "seed")
    changed = next((name for name in fixed if getattr(args, name)), None)
    if changed is not None:
        flag = "TRAIN" if changed == "train" else f"--{changed}"
        raise CommandError(
            f"{flag} cannot change while a search goes on; leave it out, or begin one in another folder"
        )
    request = replace(request, search={**request.search, **_search(args)}, cluster=in_request(group))
    go_on(folder, request, device_of(args, group))


def _leaderboard(folder: RunFolder, curve: str | None) -> Iterator[dict[str, Any]]:
    trials = read_trials(folder)
    say(summary(folder, trials, curve))
    for rank, trial in enumerate(ranked(trials), start=1):
        yield {"rank": rank, **row(trial)}
    for trial in trials:
        if trial.state != "finished":
            yield {"rank": None, **row(trial)}


def row(trial: Trial) -> dict[str, Any]:
    """What the leaderboard says of a trial."""
    return {
        "trial": trial.number + 1,
        "tagger": trial.tagger,
        "start": trial.start,
        "members": [number + 1 for number in trial.members],
        "state": trial.state,
        "f1": trial.f1,
        "interval": None if trial.low is None else [trial.low, trial.high],
        "seconds": trial.seconds,
        "characters_per_second": trial.characters_per_second and round(trial.characters_per_second),
        "megabytes": trial.size and round(trial.size / 1e6, 2),
        "epochs": trial.epochs,
        "config": dict(trial.config),
        "settings": dict(trial.settings),
        "error": trial.error and str(trial.error),
    }


def summary(folder: RunFolder, trials: list[Trial], curve: str | None) -> Iterator[str]:
    """Sentences on the outcome of a finished search."""
    from core.jobs.curve_points import curve_points
    from core.jobs.search_advice import advice

    scores = folder.scores() or {}
    best = ranked(trials)[0]
    yield (
        f"Best of {len(trials)} trials: number {best.number + 1}, {best.tagger}, dev F1 "
        f"{100 * (best.f1 or 0):.2f} [{100 * (best.low or 0):.1f}, {100 * (best.high or 0):.1f}]"
    )
    gain = scores.get("gain")
    if gain is not None and scores["default"] != best.number:
        low, high = (100 * end for end in gain["interval"])
        yield f"Above the best default by {100 * gain['f1']:.2f} points [{low:.1f}, {high:.1f}]"
    told = advice(trials, read_spent(folder), curve_points(RunFolder(curve)) if curve else [])
    if told is not None:
        yield str(told)
    out = shlex.quote(str(folder.path))
    yield f"Score it once on documents it has not seen: python -m core evaluate --model {out} --data FILE"


def _show(line: ProgressLine, event: Mapping[str, Any]) -> None:
    name = event["event"]
    if name == "step":
        text = str(Message.from_json(event["message"])) if "message" in event else "Training the best one"
        line.show(text, event["fraction"], event["remaining_seconds"])
    elif name == "trial":
        score = "no score" if event["f1"] is None else f"dev F1 {100 * event['f1']:.2f}"
        why = f": {Message.from_json(event['error'])}" if event["error"] else ""
        line.say(f"Trial {event['number'] + 1}, {event['tagger']}: {event['state']}, {score}{why}")
