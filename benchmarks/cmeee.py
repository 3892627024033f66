"""Taggers of nested spans beside a BERT tagger on medical entities (CMeEE), on part of the corpus.

    python -m benchmarks.cmeee FOLDER --encoder DIR [--documents 1000] [--dev 300] [--epochs 2] [--only …]

All are trained by ``python -m core train`` on the first documents of ``train_data.txt`` and scored twice: on
the first of ``val_data.txt``, by which the epoch, the calibration and the threshold of a span tagger are
chosen, and on those that follow, which nothing was chosen by. Recall is also counted apart for the gold spans
that lie inside another one: a tag for every character cannot give those, a pair of start and end can. The
calibration error is the expected one of the confidence of predicted spans, in ten bins.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.resume import ROOT
from core.formats import read_file
from core.formats.framework.writing import write_file
from core.inspection.corpus.calibration import calibration
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import tag
from core.text import Document, Span
from core.text.scoring import score_documents

TAGGERS = {
    "GlobalPointer": ("span", "encoder_rate=0.3", "batch_size=4", "scorer=global_pointer"),
    "GlobalPointer, no BiLSTM": ("span", "encoder_rate=0.3", "batch_size=4", "over=bert"),
    "GlobalPointer, SoftLexicon": ("span", "encoder_rate=0.3", "batch_size=4", "over=soft_lexicon"),
    "Biaffine": ("span", "encoder_rate=0.3", "batch_size=4", "scorer=biaffine"),
    "BERT-MRC": ("mrc", "encoder_rate=0.3", "batch_size=4"),
    "BERT + CRF": ("bert", "encoder_rate=0.3", "batch_size=4", "head=crf"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train them, print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of train_data.txt and val_data.txt")
    parser.add_argument("--encoder", type=Path, required=True, help="folder of a small pretrained encoder")
    parser.add_argument("--documents", type=int, default=1000, help="training documents")
    parser.add_argument("--dev", type=int, default=300, help="documents to score")
    parser.add_argument("--test", type=int, default=600, help="documents after those, to score")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--threads", type=int, default=0, help="processor threads; 0 takes all cores")
    parser.add_argument("--only", nargs="+", choices=TAGGERS, default=list(TAGGERS), help="rows to make")
    args = parser.parse_args(arguments)
    print(f"{args.documents} training documents, {args.dev} dev, {args.test} test, {args.epochs} epochs")
    heads = f"{'precision':>10}{'recall':>8}{'F1':>8}{'inner recall':>14}{'calibration':>13}{'s / epoch':>11}"
    print(f"{'tagger':<27}{'':<5}{heads}")
    with tempfile.TemporaryDirectory() as scratch:
        files = [Path(scratch) / "train.jsonl", Path(scratch) / "val.jsonl"]
        training, validation = (
            read_file(args.folder / f"{part}_data.txt").documents for part in ("train", "val")
        )
        dev, test = validation[: args.dev], validation[args.dev : args.dev + args.test]
        write_file(training[: args.documents], files[0], "jsonl")
        write_file(dev, files[1], "jsonl")
        for name in args.only:
            tagger, *settings = TAGGERS[name]
            out = Path(scratch) / name.replace(" ", "-").replace(",", "")
            seconds = _train(tagger, settings, files, out, args)
            trained = load_tagger(out / "model")
            print(f"{name:<27}{'dev':<5}{_figures(trained, dev)}{seconds:>11.1f}", flush=True)
            print(f"{'':<27}{'test':<5}{_figures(trained, test)}", flush=True)
    return 0


def _figures(tagger: Tagger, gold: Sequence[Document]) -> str:
    answers = tag(tagger, [document.with_spans(()) for document in gold])
    micro = score_documents(gold, answers).micro
    figures = [100 * value for value in (micro.precision, micro.recall, micro.f1)]
    inner = 100 * inner_recall(gold, answers)
    error = calibration_error(gold, answers)
    written = "–" if error is None else f"{error:.3f}"
    return f"{figures[0]:>10.2f}{figures[1]:>8.2f}{figures[2]:>8.2f}{inner:>14.2f}{written:>13}"


def inner_recall(gold: Sequence[Document], answers: Sequence[Document]) -> float:
    """Share of the gold spans inside another gold span that were found."""
    wanted = [{span.key for span in document.spans if _is_inside(span, document)} for document in gold]
    found = [{span.key for span in document.spans} for document in answers]
    hits = sum(len(inner & own) for inner, own in zip(wanted, found, strict=True))
    return hits / max(sum(map(len, wanted)), 1)


def calibration_error(gold: Sequence[Document], answers: Sequence[Document]) -> float | None:
    """The expected calibration error of the predicted spans' confidence; None without any."""
    spans = [(span, document) for document, own in zip(gold, answers, strict=True) for span in own.spans]
    confidences = [span.score or 0.0 for span, _ in spans]
    keys = {id(document): {span.key for span in document.spans} for document in gold}
    return calibration(confidences, [span.key in keys[id(document)] for span, document in spans]).ece


def _is_inside(span: Span, document: Document) -> bool:
    return any(
        other.start <= span.start and span.end <= other.end and len(other) > len(span)
        for other in document.spans
    )


def _train(
    tagger: str, settings: Sequence[str], files: Sequence[Path], out: Path, args: argparse.Namespace
) -> float:
    command = [
        sys.executable,
        "-m",
        "core",
        "train",
        "--tagger",
        tagger,
        "--device",
        "cpu",
        "--out",
        str(out),
    ]
    command += ["--train", str(files[0]), "--dev", str(files[1]), "--epochs", str(args.epochs)]
    for setting in (f"encoder={args.encoder.resolve()}", f"threads={args.threads}", *settings):
        command += ["--set", setting]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return float(json.loads(done.stdout)["seconds_per_epoch"])


if __name__ == "__main__":
    raise SystemExit(main())
