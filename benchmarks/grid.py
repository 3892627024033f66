"""What changing one setting brings a tagger, on several corpora and sizes, as one table in docs/results.md.

    python -m benchmarks.grid --taggers flat,soft_lexicon --corpus resume=FOLDER [--corpus demo]
        [--sizes 500,0] [--seeds 1,2,3] [--settings "rate x 3,EMA"] [--table-only]

Of every corpus so many training documents are drawn (0 takes all) and each tagger is trained on them by
``python -m core train`` with the plain defaults and with one setting changed, for the epochs that the app
proposes. Plain means without the ``learns_best_with`` of a tagger, which is what this grid has chosen.
Every training is a line of ``benchmarks/grid.jsonl`` and is not repeated, so the data can grow over many
sittings and on several machines. The table compares each setting with the plain defaults on the same
documents and seed: what counts is dev F1, by which defaults are chosen; test F1 stands beside it.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.best import demo_parts, parts_of
from benchmarks.resume import PAGE, ROOT, write_between_markers
from core.corpus.document_json import write_documents
from core.formats import read_file
from core.taggers.base.config_fields import config_fields
from core.taggers.base.registry import by_name
from core.training.fitting import fitting_epochs
from core.training.settings import TrainingSettings

BEGIN, END = "<!-- grid: written by benchmarks/grid.py -->", "<!-- grid: end -->"
DATA = ROOT / "benchmarks" / "grid.jsonl"
PLAIN = "plain"  # the defaults of the training alone, without what a tagger learns best with
PASSES = "passes"  # the epochs, as a multiple of those that the app proposes
# What each setting changes. A tagger that has no such option is not trained with it.
SETTINGS: dict[str, dict[str, str]] = {
    PLAIN: {},
    "rate / 2": {"learning_rate": "0.0005"},
    "rate x 2": {"learning_rate": "0.002"},
    "rate x 3": {"learning_rate": "0.003"},
    "cosine": {"decay": "cosine"},
    "constant rate": {"decay": "constant"},
    "no warm-up": {"warm_up": "0"},
    "warm-up of 2 epochs": {"warm_up": "2"},
    "batches of 8": {"batch_size": "8"},
    "batches of 32": {"batch_size": "32"},
    "half the epochs": {PASSES: "0.5"},
    "twice the epochs": {PASSES: "2"},
    "EMA": {"ema": "0.99"},
    "FGM": {"fgm": "1"},
    "less dropout on embeddings": {"embedding_dropout": "0.3"},
    "less dropout on outputs": {"output_dropout": "0.1"},
    "more dropout on outputs": {"output_dropout": "0.5"},
    "rate x 3, EMA, batches of 8, FGM": {
        "learning_rate": "0.003",
        "ema": "0.99",
        "batch_size": "8",
        "fgm": "1",
    },
    "no outside vectors": {"char_vectors": ""},
    "rate x 3, EMA": {"learning_rate": "0.003", "ema": "0.99"},
    "rate x 3, EMA, batches of 8": {"learning_rate": "0.003", "ema": "0.99", "batch_size": "8"},
    "EMA, batches of 8": {"ema": "0.99", "batch_size": "8"},
    "rate x 2, EMA, batches of 8": {"learning_rate": "0.002", "ema": "0.99", "batch_size": "8"},
    "FGM, cosine": {"fgm": "1", "decay": "cosine"},
    "FGM, batches of 8": {"fgm": "1", "batch_size": "8"},
    "FGM, one segmentation": {"fgm": "1", "lexicon_features": "softword"},
    "rate x 2, EMA, FGM": {"learning_rate": "0.002", "ema": "0.99", "fgm": "1"},
}


@dataclass(frozen=True)
class Cell:
    """What the trainings that are compared have in common; ``documents`` of 0 are all."""

    corpus: str
    documents: int
    tagger: str
    seed: int


@dataclass(frozen=True)
class Row:
    """A training: its cell, its setting, F1 on dev and test from 0 to 1, and its seconds."""

    cell: Cell
    setting: str
    dev: float
    test: float
    epochs: int
    seconds: float

    def to_json(self) -> str:
        """One line of the data file."""
        return json.dumps({**asdict(self.cell), **{k: v for k, v in asdict(self).items() if k != "cell"}})

    @classmethod
    def from_json(cls, line: str) -> Row:
        """What ``to_json`` wrote."""
        values = json.loads(line)
        cell = Cell(*(values.pop(name) for name in ("corpus", "documents", "tagger", "seed")))
        return cls(cell, **values)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is missing, and write the table of all that is there into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--taggers", default="flat,soft_lexicon,bilstm_crf", help="comma between them")
    parser.add_argument(
        "--corpus",
        action="append",
        default=[],
        metavar="NAME=FOLDER",
        help="folder of train, dev and test; demo is here",
    )
    parser.add_argument("--sizes", default="0", help="training documents, comma between (default 0, all)")
    parser.add_argument("--seeds", default="1", help="comma between them (default 1)")
    parser.add_argument("--settings", default="", help="names with commas between (default all)")
    parser.add_argument("--threads", type=int, default=1, help="processor threads of a training (default 1)")
    parser.add_argument("--data", type=Path, default=DATA, help="the file of all trainings")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to write the table into")
    parser.add_argument("--table-only", action="store_true", help="train nothing: the table of what is there")
    args = parser.parse_args(arguments)
    settings = named(args.settings) if args.settings else list(SETTINGS)
    if not args.table_only:
        for corpus in args.corpus or ["demo"]:
            for size in map(int, args.sizes.split(",")):
                for seed in map(int, args.seeds.split(",")):
                    cells = [
                        Cell(corpus.partition("=")[0], size, tagger, seed)
                        for tagger in args.taggers.split(",")
                    ]
                    train_all(corpus.partition("=")[2], cells, settings, args.threads, args.data)
    table = render(read_rows(args.data))
    print(table)
    write_between_markers(args.page, table, BEGIN, END)
    return 0


def named(text: str) -> list[str]:
    """The settings of ``SETTINGS`` that a text lists; a name may hold commas itself.

    Raises:
        SystemExit: it names none there is.
    """
    found, rest = [], text.strip()
    while rest:
        name = max((one for one in SETTINGS if rest.startswith(one)), key=len, default="")
        if not name or rest[len(name) :].strip()[:1] not in ("", ","):
            raise SystemExit(f"no setting is called {rest!r}; there are: {'; '.join(SETTINGS)}")
        found.append(name)
        rest = rest[len(name) :].strip().removeprefix(",").strip()
    return found


def train_all(folder: str, cells: Sequence[Cell], settings: Sequence[str], threads: int, data: Path) -> None:
    """Train the cells of one draw of a corpus with these settings, and add each to the data file."""
    with tempfile.TemporaryDirectory() as scratch:
        files = parts_of(Path(folder)) if folder else demo_parts(Path(scratch) / "demo")
        documents = list(read_file(files["train"]).documents)
        if cells[0].documents:
            random.Random(cells[0].seed).shuffle(documents)
            documents = documents[: cells[0].documents]
        train = Path(scratch) / "train.jsonl"
        write_documents(train, documents)
        files = {**files, "train": train}
        for cell in cells:
            for setting in settings:
                done = {(row.cell, row.setting) for row in read_rows(data)}
                if (cell, setting) in done or not has_options(cell.tagger, setting):
                    continue
                row = train_one(cell, setting, files, len(documents), threads, Path(scratch) / "run")
                with data.open("a", encoding="utf-8") as file:  # a line at once: two may write
                    file.write(f"{row.to_json()}\n")


def train_one(
    cell: Cell, setting: str, files: Mapping[str, Path], documents: int, threads: int, out: Path
) -> Row:
    """Train a tagger with one setting, in a run folder that is removed again."""
    changed = dict(SETTINGS[setting])
    batch = int(changed.get("batch_size", TrainingSettings().batch_size))
    epochs = round(float(changed.pop(PASSES, "1")) * fitting_epochs(documents, batch))
    plain = TrainingSettings()
    undone = {name: str(getattr(plain, name)) for name in by_name(cell.tagger).learns_best_with}
    sets = {"epochs": str(epochs), "threads": str(threads), **undone, **changed}
    command = ["--tagger", cell.tagger, "--seed", str(cell.seed), "--device", "cpu", "--out", str(out)]
    command += [word for part, path in files.items() for word in (f"--{part}", str(path))]
    command += [word for name, value in sets.items() for word in ("--set", f"{name}={value}")]
    print(f"{cell}: {setting}", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "core", "train", *command],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    finally:
        shutil.rmtree(out, ignore_errors=True)
    scores = json.loads(done.stdout)
    seconds = round(float(scores["seconds"]), 1)
    return Row(cell, setting, scores["dev"]["f1"], scores["test"]["f1"], epochs, seconds)


def has_options(tagger: str, setting: str) -> bool:
    """Whether the training or the tagger has every option that a setting changes."""
    known = {
        field.name for kind in (TrainingSettings, by_name(tagger).Config) for field in config_fields(kind)
    }
    return set(SETTINGS[setting]) <= known | {PASSES}


def read_rows(data: Path) -> list[Row]:
    """All trainings of a data file; none if there is no file."""
    if not data.exists():
        return []
    return [Row.from_json(line) for line in data.read_text(encoding="utf-8").splitlines()]


def render(rows: Iterable[Row]) -> str:
    """Per tagger a row for each setting, best dev gain first: points above the plain defaults.

    A gain is the mean over the cells in which both the setting and the plain defaults were trained; behind ±
    stands its standard error.
    """
    scores = {(row.cell, row.setting): row for row in rows}
    gains: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for (cell, setting), row in scores.items():
        base = scores.get((cell, PLAIN))
        if base is not None and setting != PLAIN:
            gains[cell.tagger, setting].append((row.dev - base.dev, row.test - base.test))
    lines = [
        f"{len(scores)} trainings. F1 in points above the plain defaults.",
        "",
        "| tagger | setting | compared | dev | test |",
        "|---|---|--:|--:|--:|",
    ]
    ordered = sorted(gains, key=lambda key: (key[0], -statistics.mean(dev for dev, _ in gains[key])))
    for tagger, setting in ordered:
        dev, test = zip(*gains[tagger, setting], strict=True)
        lines.append(f"| `{tagger}` | {setting} | {len(dev)} | {_points(dev)} | {_points(test)} |")
    return "\n".join(lines)


def _points(gains: Sequence[float]) -> str:
    mean = 100 * statistics.mean(gains)
    if len(gains) < 2:
        return f"{mean:+.2f}"
    return f"{mean:+.2f} ± {100 * statistics.stdev(gains) / len(gains) ** 0.5:.2f}"


if __name__ == "__main__":
    raise SystemExit(main())
