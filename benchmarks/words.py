"""BiLSTM-CRF over words, over characters, and spaCy's blank ``ner``: a table in docs/results.md.

Run ``python -m benchmarks.words DATA`` with a folder that holds ``wnut17`` and ``crossner`` as published.
spaCy is among the development requirements (``pip install -r requirements-dev.txt``). All are trained on the
same sentences and choose their best epoch on dev; test is scored once.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.resume import ROOT, machine, write_between_markers
from core.corpus.document_json import write_documents
from core.formats import read_file
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagging import tag
from core.text import Document, Span
from core.text.scoring import score_documents
from core.text.units import words_of

PAGE = ROOT / "docs" / "results.md"
BEGIN, END = "<!-- words: written by benchmarks/words.py -->", "<!-- words: end -->"
SENTENCES = 500
SPACY = "spacy"
# What is trained here, with its options; settings were chosen on dev.
OURS = {
    "words": ["--tagger", "bilstm_crf"],
    "characters": ["--tagger", "bilstm_crf", "--set", "unit=character"],
}
NAMES = {
    "words": "`bilstm_crf`, words",
    "characters": "`bilstm_crf`, characters",
    SPACY: "spaCy `ner`, blank",
}


@dataclass(frozen=True)
class Corpus:
    """A corpus in CoNLL columns: its name and the files of its parts, in ``train``, ``dev``, ``test``."""

    name: str
    files: dict[str, str]


CORPORA = (
    Corpus(
        "WNUT17",
        {
            "train": "wnut17/wnut17train.conll",
            "dev": "wnut17/emerging.dev.conll",
            "test": "wnut17/emerging.test.annotated",
        },
    ),
    *(
        Corpus(
            f"CrossNER {domain}", {part: f"crossner/{domain}/{part}.txt" for part in ("train", "dev", "test")}
        )
        for domain in ("politics", "ai")
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train everything on every corpus, print the table, and write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, help="folder of wnut17 and crossner")
    parser.add_argument("--seeds", default="1,2,3", help="comma between them (default 1,2,3)")
    parser.add_argument("--corpora", help="names with commas between (default all)")
    parser.add_argument(
        "--taggers", default="words,characters,spacy", help="comma between them (default all)"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="given to words and characters"
    )
    parser.add_argument(
        "--keep", type=Path, help="file of results: what it has is not trained again, what is new is added"
    )
    parser.add_argument("--note", default="", help="added below the table, e.g. what else the machine did")
    parser.add_argument(
        "--page", type=Path, help="page to write the table into; otherwise it is printed only"
    )
    args = parser.parse_args(arguments)
    wanted = args.corpora.split(",") if args.corpora else [corpus.name for corpus in CORPORA]
    options = [word for given in args.set for word in ("--set", given)]
    kept = Results(args.keep)
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for corpus in (corpus for corpus in CORPORA if corpus.name in wanted):
        for seed in map(int, args.seeds.split(",")):
            parts = sample(args.data, corpus, seed)
            for tagger in args.taggers.split(","):
                given = [] if tagger == SPACY else [*OURS[tagger], *options]
                result = kept.of(corpus.name, tagger, seed, given)
                if result is None:
                    result = train_spacy(parts, seed) if tagger == SPACY else train_ours(parts, seed, given)
                    kept.add(corpus.name, tagger, seed, given, result)
                rows.setdefault((corpus.name, tagger), []).append(result)
                print(
                    f"{corpus.name} {tagger} seed {seed}: dev {result['dev']:.2f} test {result['test']:.2f} "
                    f"cut {result['cut']} {result['seconds']:.0f} s",
                    file=sys.stderr,
                    flush=True,
                )
    table = render(rows, options, args.note)
    print(table)
    if args.page is not None:
        write_between_markers(args.page, table, BEGIN, END)
    return 0


class Results:
    """Results of earlier calls, one JSON object a line; without a file none are kept."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file is not None and file.exists() else []
        self.entries = [json.loads(line) for line in lines]

    def of(self, corpus: str, tagger: str, seed: int, options: Sequence[str]) -> dict[str, Any] | None:
        """The result of this training; None if it is not there."""
        key = [corpus, tagger, seed, list(options)]
        return next((result for asked, result in self.entries if asked == key), None)

    def add(
        self, corpus: str, tagger: str, seed: int, options: Sequence[str], result: dict[str, Any]
    ) -> None:
        """Keep a result."""
        if self.file is not None:
            with self.file.open("a", encoding="utf-8") as file:
                file.write(json.dumps([[corpus, tagger, seed, list(options)], result]) + "\n")


def sample(data: Path, corpus: Corpus, seed: int) -> dict[str, list[Document]]:
    """The parts of a corpus; of train at most ``SENTENCES`` sentences, drawn by the seed."""
    parts = {part: list(read_file(data / file).documents) for part, file in corpus.files.items()}
    if len(parts["train"]) > SENTENCES:
        parts["train"] = random.Random(seed).sample(parts["train"], SENTENCES)
    return parts


def train_ours(parts: dict[str, list[Document]], seed: int, options: Sequence[str]) -> dict[str, Any]:
    """One training by ``python -m core train`` in a process of its own: F1 on dev and test, and the time."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "core", "train", *options, "--seed", str(seed), "--device", "cpu"]
        for part, documents in parts.items():
            file = Path(folder, f"{part}.jsonl")
            write_documents(file, documents)
            command += [f"--{part}", str(file)]
        begun = time.monotonic()
        run = Path(folder, "run")
        done = subprocess.run([*command, "--out", str(run)], cwd=ROOT, capture_output=True)
        if done.returncode:
            raise SystemExit(done.stderr.decode())
        result = json.loads(done.stdout)
        found = tag(load_tagger(run / "model"), parts["test"])
    return {
        "dev": 100 * result["dev"]["f1"],
        "test": 100 * result["test"]["f1"],
        "seconds": time.monotonic() - begun,
        "cut": sum(map(cut_words, found)),
        "environment": result["environment"],
    }


def train_spacy(parts: dict[str, list[Document]], seed: int, epochs: int = 40) -> dict[str, Any]:
    """spaCy's blank English pipeline with ``ner``; the epoch with the best dev F1 is scored on test."""
    import spacy
    from spacy.training import Example
    from spacy.util import compounding, fix_random_seed, minibatch

    begun = time.monotonic()
    fix_random_seed(seed)
    pipeline = spacy.blank("en")
    pipeline.add_pipe("ner")
    examples = []
    for document in parts["train"]:
        text = pipeline.make_doc(document.text)
        # A span that cuts one of spaCy's tokens is widened to it, as ours are to words.
        aligned = (text.char_span(s.start, s.end, s.label, alignment_mode="expand") for s in document.spans)
        text.ents = spacy.util.filter_spans([span for span in aligned if span is not None])
        examples.append(Example(pipeline.make_doc(document.text), text))
    optimiser = pipeline.initialize(lambda: examples)
    best, weights = -1.0, b""
    for _ in range(epochs):
        random.shuffle(examples)
        for batch in minibatch(examples, size=compounding(4.0, 32.0, 1.001)):
            pipeline.update(batch, sgd=optimiser, drop=0.2)
        f1 = _spacy_f1(pipeline, parts["dev"])
        if f1 > best:
            best, weights = f1, pipeline.to_bytes()
    pipeline.from_bytes(weights)
    return {
        "dev": 100 * best,
        "test": 100 * _spacy_f1(pipeline, parts["test"]),
        "seconds": time.monotonic() - begun,
        "cut": 0,
    }


def cut_words(document: Document) -> int:
    """How many spans begin or end inside a word."""
    units = words_of(document)
    return sum(units.exactly(span) is None for span in document.spans)


def _spacy_f1(pipeline: Any, documents: Sequence[Document]) -> float:
    found = pipeline.pipe([document.text for document in documents])
    predicted = [
        document.with_spans(Span(e.start_char, e.end_char, e.label_) for e in text.ents)
        for document, text in zip(documents, found, strict=True)
    ]
    return score_documents(documents, predicted).micro.f1


def render(rows: dict[tuple[str, str], list[dict[str, Any]]], options: Sequence[str], note: str) -> str:
    """The commands, the machine and one row per corpus and tagger: means, and every seed's test F1."""
    environments = [row["environment"] for some in rows.values() for row in some if "environment" in row]
    lines = [
        "| corpus | tagger | dev F1 | test F1 | of each seed | seconds |",
        "|---|---|---|---|---|---|",
    ]
    for (corpus, tagger), some in rows.items():
        dev, test, seconds = (
            statistics.fmean(row[key] for row in some) for key in ("dev", "test", "seconds")
        )
        seeds = ", ".join(f"{row['test']:.1f}" for row in some)
        lines.append(f"| {corpus} | {NAMES[tagger]} | {dev:.1f} | {test:.1f} | {seeds} | {seconds:.0f} |")
    cut = sum(row["cut"] for (_, tagger), some in rows.items() if tagger == "words" for row in some)
    given = shlex.join(["python", "-m", "core", "train", *OURS["words"], *options])
    return "\n".join(
        [
            *(f"`{given}`, {date.today().isoformat()}, {machine(found)}.\n" for found in environments[:1]),
            *lines,
            "",
            f"Predictions of the words' tagger that cut a word: {cut}. {note}".rstrip(),
        ]
    )


if __name__ == "__main__":
    raise SystemExit(main())
