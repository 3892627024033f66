"""``python -m core simulate``: simulate annotation with several acquisition functions, against random."""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_data_dir

from core.commands.arguments.corpus_files import add_format, read_corpus, say
from core.commands.arguments.project_corpus import PARTS, project_corpora, save_corpora
from core.commands.arguments.set_argument import add_set, assignments
from core.commands.terminal.errors import CommandError, Interrupted
from core.commands.terminal.progress_line import ProgressLine
from core.commands.terminal.stop_signals import stop_on_signals
from core.training.run.errors import TrainingError
from core.training.stopping import Stopped

if TYPE_CHECKING:
    from core.learning.active_learning.simulation import Plan, Point, Simulation
    from core.text import Document

SHARES = (0.9, 0.95)  # of the full F1
REQUEST, POINTS, RESULT = "request.json", "points.jsonl", "result.json"
# Orders that can be simulated with one labelled file: no second run, no dictionary.
SIMULATED = (
    "random", "in_order", "least_confident", "mnlp", "viterbi_gap", "boundary", "rare_label", "textrank",
    "k_centre", "uncertainty_diversity",
)  # fmt: skip
STRATEGIES = ("random", "least_confident", "mnlp", "viterbi_gap", "boundary", "textrank", "k_centre")


def add_parser(subparsers: Any) -> None:
    """Add ``simulate``."""
    parser = subparsers.add_parser(
        "simulate",
        help="replay annotation under several orders of the queue, against random",
        description="Label --train again, in the order each strategy asks for, train on what is labelled so "
        "far, and score on --test. Prints one JSON object a training and writes result.json, curves.html and "
        "curves.svg into --out. After a stop, the same command goes on.",
    )
    parser.add_argument("--train", metavar="FILE", help="labelled documents: the pool")
    parser.add_argument("--test", metavar="FILE", help="labelled documents to score on")
    parser.add_argument(
        "--project", metavar="NAME", help="instead of files: a project's documents that were annotated whole"
    )
    parser.add_argument(
        "--workspace",
        metavar="DIR",
        default=user_data_dir("latticelens", appauthor=False),
        help="of the project (default: the app's own)",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the results")
    parser.add_argument(
        "--strategies",
        default=",".join(STRATEGIES),
        metavar="A,B,…",
        help=f"of {', '.join(SIMULATED)}; random always runs too",
    )
    parser.add_argument("--seeds", default="1,2", metavar="A,B,…", help="repetitions (default 1,2)")
    parser.add_argument("--seed-size", type=int, default=25, metavar="N", help="documents to begin with (25)")
    parser.add_argument(
        "--step", default="25", metavar="N,…", help="documents a batch; the last one is repeated (25)"
    )
    parser.add_argument("--most", type=int, default=1000, metavar="N", help="documents to end with (1000)")
    parser.add_argument(
        "--until", type=float, default=0.95, metavar="SHARE", help="of the full F1, where to stop (0.95)"
    )
    parser.add_argument("--tagger", default="bilstm_crf", metavar="NAME", help="bilstm_crf when left out")
    parser.add_argument(
        "--least-steps", type=int, default=300, metavar="N", help="steps a training makes at least (300)"
    )
    add_set(parser, "as in train", short=("epochs",))
    add_format(parser)
    parser.set_defaults(run=run, seed=None)


def run(args: argparse.Namespace) -> Iterator[Mapping[str, Any]]:
    """Every point, those of earlier starts first; the results are written at the end."""
    names, seeds = _strategies(args.strategies), _numbers("--seeds", args.seeds, least=0)
    plan = _plan(args)
    out = Path(args.out)
    documents = _documents(args, out)
    for part, texts in documents.items():
        if not any(document.spans for document in texts):
            raise CommandError(f"{_source_of(args, part)}: no document has a labelled span")
    if plan.sizes[0] > len(documents["train"]):
        raise CommandError(
            f"--seed-size {plan.sizes[0]}: {_source_of(args, 'train')} has only "
            f"{len(documents['train'])} documents"
        )
    points = _begin(out, {**plan.to_json(), **_fingerprints(documents)})
    if args.project is not None:
        save_corpora(out, documents)
    return _simulate(out, plan, documents, names, seeds, points)


def _documents(args: argparse.Namespace, out: Path) -> dict[str, list[Document]]:
    """The pool and the test documents, from files or a project."""
    files = [args.train, args.test]
    if (args.project is None) == (files == [None, None]) or (args.project is None and None in files):
        raise CommandError("give either --train FILE and --test FILE, or --project NAME")
    if args.project is not None:
        return project_corpora(args.workspace, args.project, out)
    corpora = {part: read_corpus(getattr(args, part), args.format) for part in PARTS}
    for corpus in corpora.values():
        say(corpus.notes)
    return {part: [text for text in corpus.documents if text.text] for part, corpus in corpora.items()}


def _source_of(args: argparse.Namespace, part: str) -> str:
    if args.project is None:
        return f"--{part} {getattr(args, part)}"
    return f"project {args.project}, {'the pool' if part == 'train' else 'the documents to score on'}"


def _strategies(given: str) -> list[str]:
    names = [name.strip() for name in given.split(",") if name.strip()]
    for name in names:
        if name not in SIMULATED:
            raise CommandError(f"--strategies {name}: choose from {', '.join(SIMULATED)}")
    return list(dict.fromkeys(["random", *names]))


def _numbers(flag: str, given: str, *, least: int) -> list[int]:
    try:
        numbers = [int(part) for part in given.split(",")]
    except ValueError:
        raise CommandError(f"{flag} {given}: expected whole numbers, commas between") from None
    if any(number < least for number in numbers):
        raise CommandError(f"{flag} {given}: every number must be at least {least}")
    return list(dict.fromkeys(numbers)) if flag == "--seeds" else numbers


def _plan(args: argparse.Namespace) -> Plan:
    from core.commands.runs.beginning import check_training, split_settings
    from core.learning.active_learning.simulation import Plan
    from core.taggers.base.registry import by_name

    if not 0 < args.until <= 1:
        raise CommandError(f"--until {args.until}: a share above 0 and at most 1")
    for flag, value in (("--seed-size", args.seed_size), ("--least-steps", args.least_steps)):
        if value < 1:
            raise CommandError(f"{flag} {value}: at least 1")
    if args.most < args.seed_size:
        raise CommandError(f"--most {args.most}: at least --seed-size {args.seed_size}")
    config, settings = split_settings(args.tagger, assignments(args))
    if not by_name(args.tagger).needs_training:
        raise CommandError(f"--tagger {args.tagger} does not learn from documents; choose another")
    steps = _numbers("--step", args.step, least=1)
    sizes = [args.seed_size]
    for step in chain(steps, repeat(steps[-1])):
        if sizes[-1] >= args.most:
            break
        sizes.append(min(sizes[-1] + step, args.most))
    plan = Plan(args.tagger, tuple(sizes), config, settings, args.least_steps, args.until)
    # The smallest training has the most epochs.
    check_training(plan.tagger, plan.config, plan.training(sizes[0], 1).to_json())
    return plan


def _fingerprints(documents: Mapping[str, Sequence[Document]]) -> dict[str, Any]:
    """Counts and a hash of each corpus, so that points of other texts are not mixed in."""
    fingerprints: dict[str, Any] = {}
    for part, texts in documents.items():
        rows = [[d.text, [[s.start, s.end, s.label] for s in d.spans]] for d in texts]
        hashed = hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        fingerprints[part] = {
            "documents": len(texts),
            "characters": sum(len(document.text) for document in texts),
            "spans": sum(len(document.spans) for document in texts),
            "sha256": hashed.hexdigest(),
        }
    return fingerprints


def _begin(out: Path, request: Mapping[str, Any]) -> list[Point]:
    """Write the request or check that it is the same, and read the existing points."""
    from core.corpus.atomic import write_json

    path = out / REQUEST
    try:
        if path.exists():
            before = json.loads(path.read_text(encoding="utf-8"))
            current = json.loads(json.dumps(request))
            different = [name for name in current if before.get(name) != current[name]]
            if different:
                raise CommandError(
                    f"{out} holds a simulation with other {', '.join(different)}; give the same again to go "
                    "on, or name another folder"
                )
        elif out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(f"{out} holds something else; name an empty or a new folder")
        else:
            out.mkdir(parents=True, exist_ok=True)
            write_json(path, request)
        return _read_points(out / POINTS)
    except (OSError, ValueError) as error:
        raise CommandError(f"{out} cannot be used ({error}); name another folder") from error


def _read_points(path: Path) -> list[Point]:
    """The points written so far; an incomplete last line is dropped."""
    from core.learning.active_learning.simulation import Point

    if not path.exists():
        return []
    text = path.read_bytes().decode("utf-8", "replace")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    points = []
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            points.append(Point.from_json(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise CommandError(
                f"{path}, line {number} is damaged ({error}); delete the line and all below it"
            ) from None
    return points


def _simulate(
    out: Path,
    plan: Plan,
    documents: Mapping[str, Sequence[Document]],
    names: Sequence[str],
    seeds: Sequence[int],
    points: list[Point],
) -> Iterator[dict[str, Any]]:
    from core.learning.active_learning.simulation import Simulation

    yield from (_shown(point) for point in points)
    line = ProgressLine()
    doing = ["", 0.0]

    def report(event: Mapping[str, Any]) -> None:
        if event["event"] == "step":
            line.show(str(doing[0]), event["fraction"], event["remaining_seconds"])

    with stop_on_signals() as stopped:
        simulation = Simulation(plan, documents["train"], documents["test"], report, stopped)
        try:
            for point in _remaining_points(simulation, plan, names, seeds, points, doing):
                with (out / POINTS).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(point.to_json()) + "\n")
                line.say(
                    f"{point.strategy}, seed {point.seed}, {point.documents} documents: "
                    f"F1 {100 * point.f1:.2f} ({point.seconds:.0f} s)"
                )
                points.append(point)
                yield _shown(point)
        except Stopped:
            line.clear()
            raise Interrupted(
                f"stopped; the points so far are in {shlex.quote(str(out))}: start again with the same "
                "words to go on"
            ) from None
        except TrainingError as error:
            raise CommandError(str(error), status=1) from error
        finally:
            line.clear()
            if points:
                _write(out, points)


def _remaining_points(
    simulation: Simulation,
    plan: Plan,
    names: Sequence[str],
    seeds: Sequence[int],
    finished: Sequence[Point],
    doing: list[Any],
) -> Iterator[Point]:
    """The points still to compute: for each seed the full training, then every strategy."""
    from core.learning.active_learning.simulation import FULL

    for seed in seeds:
        full = next((p for p in finished if p.strategy == FULL and p.seed == seed), None)
        doing[0] = f"seed {seed}, all documents"
        if full is None:
            full = simulation.full(seed)
            yield full
        if not full.f1:
            raise TrainingError(
                "the tagger learned nothing from all documents (F1 0), so no order can be compared; give it "
                "more --epochs or a higher --set learning_rate"
            )
        target = math.inf if plan.until == 1 else plan.until * full.f1
        for name in names:
            doing[0] = f"seed {seed}, {name}"
            points = [point for point in finished if point.strategy == name and point.seed == seed]
            yield from simulation.points(name, seed, target, points)


def _write(out: Path, points: Sequence[Point]) -> None:
    """Write ``result.json`` and the pictures of the points so far."""
    import torch

    from core.commands.simulate_pictures import write_html, write_svg
    from core.corpus.atomic import write_json
    from core.learning.active_learning.savings import savings
    from core.training.run.run_scores import environment

    request = json.loads((out / REQUEST).read_text(encoding="utf-8"))
    result = {
        "request": request,
        "points": [_shown(point) for point in points],
        "savings": [saving.to_json() for saving in savings(points, SHARES, last_size(request))],
        "environment": environment(torch.device("cpu")),
    }
    write_json(out / RESULT, result)
    write_html(out / "curves.html", points, SHARES)
    (out / "curves.svg").write_text(write_svg(points, SHARES[-1]), encoding="utf-8")


def last_size(request: Mapping[str, Any]) -> int:
    """The number of documents at which a simulation of this request ends."""
    pool = int(request["train"]["documents"])
    return max(size for size in request["sizes"] if size <= pool)


def _shown(point: Point) -> dict[str, Any]:
    """A point without the chosen documents."""
    return {name: value for name, value in point.to_json().items() if name != "chosen"}
