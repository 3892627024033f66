"""How far confidence can be trusted, before and after calibration: a BiLSTM-CRF on Resume NER and WNUT17.

    python -m benchmarks.calibration DATA [--epochs N] [--seeds 1,2] [--keep DIR]

DATA holds ``resume_ner`` and ``wnut17`` as published. Each training is ``python -m core train`` in a process
of its own, on all of train, with defaults. Calibration is fitted on dev; errors are measured on the spans
predicted in test: *ECE* is the expected calibration error over 15 bins of equal width (Guo et al. 2017),
*adaptive* over 15 bins of equal count, *log loss* that of the verdicts in nats. *By chance* is the ECE that
confidences which are right on average would have with so few spans. *On test* is the ECE if calibration is
fitted on every second test sentence and measured on the others, and the other way round: what it would be if
dev were like test.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.resume import ROOT
from core.formats import read_file
from core.inspection.corpus.calibration import Calibration as Reliability
from core.inspection.corpus.calibration import calibration
from core.taggers.base.calibration import Calibration
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import Batch, Tagger
from core.taggers.base.tagging import tag
from core.text import Document

BINS = 15
DRAWS = 500
CORPORA = {
    "Resume NER": ("resume_ner", "train.char.bmes", "dev.char.bmes", "test.char.bmes"),
    "WNUT17": ("wnut17", "wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, and print a line for each training before and after calibration, then the bins of the last."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, help="folder of resume_ner and wnut17")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seeds", default="1", help="comma between them (default 1)")
    parser.add_argument("--threads", type=int, default=0, help="processor threads; 0 takes all cores")
    parser.add_argument("--keep", type=Path, help="folder of run folders, trained where there is none")
    args = parser.parse_args(arguments)
    print(f"bilstm_crf, {args.epochs} epochs, seeds {args.seeds}")
    with tempfile.TemporaryDirectory() as scratch:
        for name, (folder, *files) in CORPORA.items():
            train, dev, test = (args.data / folder / file for file in files)
            rows, bins = [], ""
            for seed in args.seeds.split(","):
                out = (args.keep or Path(scratch)) / f"{folder}-{seed}"
                if not (out / "scores.json").is_file():
                    learn((train, dev, test), out, seed, args)
                tagger = load_tagger(out / "model")
                row, bins = measured(tagger, read_file(test).documents)
                rows.append(row)
            print(f"\n{name}: spans, precision, and errors without and with calibration, mean of the seeds")
            heads = ("ECE", "adaptive", "log loss", "by chance", "on test")
            print(f"{'':<12}{'spans':>7}{'precision':>11}" + "".join(f"{head:>11}" for head in heads))
            for at, title in enumerate(("raw", "calibrated")):
                spans, precision, *errors = (
                    statistics.mean(column) for column in zip(*(row[at] for row in rows), strict=True)
                )
                line = "".join(f"{error:>11.4f}" for error in errors)
                print(f"{title:<12}{spans:>7.0f}{100 * precision:>11.2f}{line}", flush=True)
            print(f"\n{bins}")
    return 0


def learn(files: Sequence[Path], out: Path, seed: str, args: argparse.Namespace) -> None:
    """One training, with its calibration."""
    command = [sys.executable, "-m", "core", "train", "--tagger", "bilstm_crf", "--device", "cpu"]
    for part, file in zip(("train", "dev", "test"), files, strict=True):
        command += [f"--{part}", str(file.resolve())]
    command += ["--seed", seed, "--epochs", str(args.epochs), "--set", f"threads={args.threads}"]
    command += ["--out", str(out)]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)


def measured(tagger: Tagger, documents: Sequence[Document]) -> tuple[list[list[float]], str]:
    """The numbers of both lines of a training, and its reliability bins as text."""
    fitted = tagger.calibration
    lines, tables = [], []
    for used in (Calibration(), fitted):
        tagger.calibration = used
        said, right = judged(tagger, documents)
        lines.append([float(len(said)), float(right.mean()), *errors(said, right)])
        tables.append(calibration(said.tolist(), right.tolist(), BINS))
    across = across_halves(tagger, documents)
    tagger.calibration = fitted
    for line in lines:
        line.append(across)
    return lines, bin_table(*tables)


def judged(tagger: Tagger, documents: Sequence[Document]) -> tuple[np.ndarray, np.ndarray]:
    """The confidence of every predicted span, ``[N]``, and whether it is right, ``[N]``."""
    answers = tag(tagger, [document.with_spans(()) for document in documents])
    pairs = [
        (span.score or 0.0, span.key in gold)
        for document, answer in zip(documents, answers, strict=True)
        for gold in [{span.key for span in document.spans}]
        for span in answer.spans
    ]
    said, right = zip(*pairs, strict=True)
    return np.array(said), np.array(right)


def errors(said: np.ndarray, right: np.ndarray) -> list[float]:
    """ECE, its adaptive form, the log loss, and the ECE by chance alone."""
    bounded = np.clip(said, 1e-6, 1 - 1e-6)
    loss = -np.log(np.where(right, bounded, 1 - bounded)).mean()
    dice = np.random.default_rng(1)
    chance = np.mean([ece(said, dice.random(len(said)) < said) for _ in range(DRAWS)])
    return [ece(said, right), adaptive_ece(said, right), float(loss), float(chance)]


def ece(said: np.ndarray, right: np.ndarray) -> float:
    """The expected calibration error over bins of equal width."""
    return calibration(said.tolist(), right.tolist(), BINS).ece or 0.0


def adaptive_ece(said: np.ndarray, right: np.ndarray) -> float:
    """The same over bins with as many spans each (Nguyen and O'Connor, EMNLP 2015)."""
    order = np.argsort(said, kind="stable")
    gaps = [abs(said[part].mean() - right[part].mean()) * len(part) for part in np.array_split(order, BINS)]
    return float(sum(gaps) / len(said))


def across_halves(tagger: Tagger, documents: Sequence[Document]) -> float:
    """The ECE of test confidences, each calibrated on the other half of the test sentences."""
    parts = []
    for own, other in ((0, 1), (1, 0)):
        tagger.calibrate(_batches(tagger, documents[other::2]))
        parts.append(judged(tagger, documents[own::2]))
    return ece(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _batches(tagger: Tagger, documents: Sequence[Document]) -> Iterator[Batch]:
    for start in range(0, len(documents), 32):
        yield tagger.collate(documents[start : start + 32])


def bin_table(raw: Reliability, calibrated: Reliability) -> str:
    """Both reliability diagrams as a table."""
    lines = [f"{'confidence':<14}{'raw spans':>10}{'right':>8}{'calibrated spans':>18}{'right':>8}"]
    for at in range(BINS):
        low, high = raw.edges[at : at + 2]
        cells = [
            (int(each.counts[at]), "–" if not each.counts[at] else f"{each.accuracy[at]:.2f}")
            for each in (raw, calibrated)
        ]
        if any(count for count, _ in cells):
            (first, one), (second, other) = cells
            lines.append(f"{low:.2f} to {high:.2f}  {first:>10}{one:>8}{second:>18}{other:>8}")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
