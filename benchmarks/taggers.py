"""Every tagger on Resume NER, as one table in docs/results.md.

    python -m benchmarks.taggers FOLDER --runs DIR [--encoder DIR] [--only NAME ...] [--table]

Each row is one training in a process of its own, ``python -m core train`` with what the table says, its run
folder kept below ``--runs``. A row whose folder is complete is not trained again, so that the table can grow
over several sittings. Speed and memory are taken apart from quality (``--steps measure``), by one further
epoch when nothing else runs; ``--steps table`` only writes what there is. FOLDER holds ``train.char.bmes``,
``dev.char.bmes`` and ``test.char.bmes``; ``--encoder`` is the folder of a small pretrained encoder, without
which the rows that need one are left out.

Columns: F1 in percent; seconds of an epoch with its dev evaluation; characters of the test set tagged in a
second by the loaded model; numbers in the saved model; the training process's largest resident memory.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.resume import FILES, PAGE, ROOT, machine, write_between_markers

BEGIN, END = "<!-- taggers: written by benchmarks/taggers.py -->", "<!-- taggers: end -->"
STEPS = ("train", "measure", "table")
MEASURED, PEAK = "measured.json", "peak_mib.json"
ENCODER = "ENCODER"  # stands for the folder in what the table shows


@dataclass(frozen=True)
class Row:
    """One line of the table: a folder's name, what a reader calls it, the options of the training."""

    name: str
    title: str
    options: tuple[str, ...]

    @property
    def needs_encoder(self) -> bool:
        return any(ENCODER in option for option in self.options)


def _row(name: str, title: str, tagger: str, *settings: str) -> Row:
    assignments = [part for setting in settings for part in ("--set", setting)]
    return Row(name, title, ("--tagger", tagger, *assignments))


FRESH = "char_vectors="  # no first values, whatever the text
EPOCHS = "epochs=10"
# All by the same settings, not by those that each learns best with: the rows compare architectures.
PLAIN = ("learning_rate=0.001", "batch_size=16", "ema=0", "fgm=0", EPOCHS)
ON_TOP = ("encoder=" + ENCODER, "learning_rate=5e-4", "encoder_rate=0.2", "epochs=8")
ROWS = (
    _row("dictionary", "Dictionary (maximum matching)", "dictionary"),
    _row("bilstm_crf", "BiLSTM-CRF", "bilstm_crf", FRESH, *PLAIN),
    _row("softword", "Softword", "soft_lexicon", "lexicon_features=softword", FRESH, *PLAIN),
    _row("exsoftword", "ExSoftword", "soft_lexicon", "lexicon_features=exsoftword", FRESH, *PLAIN),
    _row("soft_lexicon", "SoftLexicon (BiLSTM)", "soft_lexicon", FRESH, *PLAIN),
    _row("lattice_lstm", "Lattice LSTM", "lattice_lstm", "learning_rate=0.004", EPOCHS, FRESH),
    _row("lr_cnn", "LR-CNN", "lr_cnn", "learning_rate=0.004", EPOCHS, FRESH),
    _row("flat", "FLAT", "flat", FRESH, *PLAIN),
    _row("soft_lexicon_jieba", "SoftLexicon with jieba's character vectors", "soft_lexicon", *PLAIN),
    _row("flat_jieba", "FLAT with jieba's character vectors", "flat", *PLAIN),
    _row("elmo_crf", "ELMo (from scratch) + CRF", "elmo_crf", EPOCHS),
    _row("bert", "Small BERT + softmax", "bert", *ON_TOP),
    _row(
        "bert_mix",
        "Small BERT, scalar mix, BiLSTM + softmax",
        "bert",
        *ON_TOP,
        "layer_mix=scalar_mix",
        "top=bilstm",
    ),
    _row(
        "mrc",
        "BERT-MRC on the small BERT",
        "mrc",
        "encoder=" + ENCODER,
        "encoder_rate=0.3",
        "batch_size=8",
        "epochs=1",
    ),
    _row("soft_lexicon_bert", "SoftLexicon + small BERT", "soft_lexicon", *ON_TOP, FRESH),
    _row("flat_bert", "FLAT + small BERT", "flat", *ON_TOP, FRESH),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is missing, then write the table of what there is."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of train, dev and test .char.bmes")
    parser.add_argument("--runs", type=Path, required=True, help="where the run folders are kept")
    parser.add_argument("--encoder", type=Path, help="folder of a small pretrained encoder")
    parser.add_argument("--only", nargs="+", choices=[row.name for row in ROWS], help="train these rows only")
    parser.add_argument("--threads", type=int, default=0, help="processor threads; 0 takes all cores")
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda or mps")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS, help="what to do (default: all)")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to write the table into")
    args = parser.parse_args(arguments)
    chosen = [row for row in ROWS if args.only is None or row.name in args.only]
    for row in chosen:
        if "train" in args.steps and not (row.needs_encoder and args.encoder is None):
            learn(row, args)
    for row in chosen:
        if "measure" in args.steps and (args.runs / row.name / "scores.json").is_file():
            measure(row, args)
    if "table" in args.steps:
        done = [(row, args.runs / row.name) for row in ROWS if (args.runs / row.name / MEASURED).is_file()]
        table = render(done)
        print(table)
        write_between_markers(args.page, table, BEGIN, END)
    return 0


def learn(row: Row, args: argparse.Namespace) -> None:
    """The whole training of a row, or what is missing of it."""
    folder = args.runs / row.name
    if not (folder / "scores.json").is_file():
        peak = _train(row, args, folder, *(["--resume"] if (folder / "request.json").is_file() else []))
        (folder / PEAK).write_text(json.dumps(peak), encoding="utf-8")


def measure(row: Row, args: argparse.Namespace) -> None:
    """One epoch for its seconds and its memory, and how fast the trained model tags.

    A row that is trained for one epoch only was measured while it was trained.
    """
    folder = args.runs / row.name
    scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    peak = json.loads((folder / PEAK).read_text(encoding="utf-8")) if (folder / PEAK).is_file() else None
    if scores["epochs"] != 1:
        with tempfile.TemporaryDirectory() as scratch:
            peak = _train(row, args, Path(scratch) / "run", "--set", "epochs=1")
            scores = json.loads((Path(scratch) / "run" / "scores.json").read_text(encoding="utf-8"))
    measured = {
        "peak_mib": None if peak is None else round(peak),
        "parameters": parameters(folder / "model"),
        "seconds_per_epoch": scores["seconds_per_epoch"],
        "characters_per_second": round(tagging_speed(folder / "model", args.folder / FILES["test"], args)),
        "environment": scores["environment"],
    }
    (folder / MEASURED).write_text(json.dumps(measured, indent=1), encoding="utf-8")


def _train(row: Row, args: argparse.Namespace, folder: Path, *more: str) -> float:
    """Train into ``folder`` in a process of its own; its largest resident memory in MiB."""
    files = [part for name, file in FILES.items() for part in (f"--{name}", str(args.folder / file))]
    options = [option.replace(ENCODER, str(args.encoder)) for option in row.options]
    command = [sys.executable, "-m", "core", "train", *options, *files, "--out", str(folder)]
    command += ["--device", args.device, "--set", f"threads={args.threads}", *more]
    print(f"{row.name}: {shlex.join(command[1:])}", file=sys.stderr, flush=True)
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{row.name} ended with status {os.waitstatus_to_exitcode(status)}")
    # ru_maxrss is in KiB on Linux and in bytes on macOS.
    return usage.ru_maxrss / (1024 if sys.platform != "darwin" else 2**20)


def parameters(model: Path) -> int:
    """How many numbers a saved model holds; a dictionary has none."""
    from safetensors import safe_open

    weights = model / "model.safetensors"
    if not weights.is_file():
        return 0
    with safe_open(weights, framework="pt") as file:
        return sum(math.prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118


def tagging_speed(model: Path, test: Path, args: argparse.Namespace) -> float:
    """Characters of ``test`` tagged in a second, the faster of two passes."""
    import torch

    from core.formats import read_file
    from core.taggers.base.model_folder import load_tagger
    from core.taggers.base.tagging import tag

    if args.threads:
        torch.set_num_threads(args.threads)
    tagger = load_tagger(model).to(args.device)
    documents = [document.with_spans(()) for document in read_file(test).documents]
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        tag(tagger, documents)
        seconds.append(time.perf_counter() - start)
    return sum(len(document.text) for document in documents) / min(seconds)


def render(rows: Sequence[tuple[Row, Path]]) -> str:
    """The table, one line a run folder, then the machines and the command behind each line."""
    names = ("tagger", "dev F1", "test F1", "epochs", "s / epoch", "characters / s", "parameters", "peak MiB")
    table, commands = [_line((*names, "machine")), _line(["---"] * (len(names) + 1))], []
    machines: dict[str, str] = {}
    for row, folder in rows:
        scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
        measured = json.loads((folder / MEASURED).read_text(encoding="utf-8"))
        key = machines.setdefault(machine(measured["environment"]), chr(ord("A") + len(machines)))
        table.append(_line((row.title, *_figures(scores, measured), key)))
        commands.append(f"- {row.title}: `python -m core train {shlex.join(row.options)}`")
    where = [f"{key}: {name}, {date.today().isoformat()}." for name, key in machines.items()]
    files = " ".join(f"--{part} {name}" for part, name in FILES.items())
    return "\n".join([*table, "", *where, "", f"All with `{files} --out DIR --device cpu`:", "", *commands])


def _figures(scores: dict[str, Any], measured: dict[str, Any]) -> list[str]:
    return [
        *(f"{100 * scores[part]['f1']:.2f}" for part in ("dev", "test")),
        str(scores["epochs"] or "–"),
        f"{measured['seconds_per_epoch']:.1f}" if scores["epochs"] else "–",
        *(f"{measured[key]:,}" for key in ("characters_per_second", "parameters")),
        "–" if measured["peak_mib"] is None else f"{measured['peak_mib']:,}",
    ]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    raise SystemExit(main())
