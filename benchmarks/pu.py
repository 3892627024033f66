"""From a word list and raw text to a tagger: every method on two corpora, precision, recall and F1.

    python -m benchmarks.results pu -- --data DIR [--runs DIR] [--seeds N …] [--rows R …] [--done]

DIR holds ``dsner_ec`` (Yang et al., COLING 2018: e-commerce sentences, dictionaries in ``EC.dict``) and
``resume_ner``. On the first the words are its dictionaries and the raw texts a sample of ``train`` and
``ds_fa``, labels taken away; on the second the words are a random twentieth of the different entities of the
training set, with the label each has most often, and the raw texts its first sentences. Every method sees
the same words and texts. As in the paper and its published code, the prior is the true share of each type and
the epoch is chosen on the labelled dev set; the rows "without any label" know neither. Full supervision makes
as many steps as the others. The test set is read once, at the end of each row.

A row whose run folder is complete is not run again. Of several seeds the means are shown, and each seed's F1;
on Resume another seed draws other words too.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from core.corpus.snapshot import UNLABELLED, Snapshot, write_snapshot
from core.jobs.execution import execute
from core.learning.distant import TypedWords, distant_labels
from core.learning.pu.corpus import write_typed_words
from core.lexicon import Entry
from core.lexicon.entry import can_be_a_word
from core.text import Document, LabelSet, Span
from core.text.scoring import score_documents
from core.training.evaluation import scores_to_json
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest

TYPES = {"Brand": "pp", "Material": "yl", "Model": "xh", "Product": "cp", "Specification": "gg"}
SHARE = 0.05  # of the different entities of Resume's training set
CORRECTED = 100  # sentences a person has put right


@dataclass(frozen=True)
class Corpus:
    """Words, raw texts and the labels that only the rows below may see.

    Args:
        raw: texts whose labels are known but kept away. train: those of them that are labelled by hand.
    """

    name: str
    words: list[Entry]
    raw: list[Document]
    train: list[Document]
    dev: list[Document]
    test: list[Document]

    @property
    def priors(self) -> str:
        """The true share of each type among the characters labelled by hand."""
        total = sum(len(document.text) for document in self.train)
        counts = Counter(s.label for d in self.train for s in d.spans for _ in range(len(s)))
        return ", ".join(f"{label}={count / total:.6f}" for label, count in sorted(counts.items()))


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Args:
        distant: settings of the method; None trains with the labels of the training set.
        corrected: whether the first sentences come with their labels.
        blind: whether the epoch is chosen by words held out and the prior by recall, not by labels.
    """

    name: str
    title: str
    distant: dict[str, Any] | None
    config: dict[str, Any] = field(default_factory=dict)
    tagger: str = "pu"
    corrected: bool = False
    blind: bool = False


BERT = {"encoder": "", "encoder_rate": 0.03}  # the folder is an argument
NOISY = {"noise": 0.15}  # what it was before 0.05 was measured
FLAT = {"over": "flat", "hidden": 160}  # FLAT's own width, a multiple of its heads

ROWS = (
    Row("bnpu", "bnPU, m = 0.3", {"method": "pu"}),
    Row("full", "full supervision, the same network", None),
    Row("full_crf", "full supervision, BiLSTM-CRF", None, tagger="bilstm_crf"),
    Row("partial_crf", "partial CRF, spies", {"method": "partial_crf"}),
    Row("partial_crf_noise15", "partial CRF, noise 15 %", {"method": "partial_crf"} | NOISY),
    Row("direct", "direct: unlabelled as negative", {"method": "direct"}),
    Row("bnpu_characters", "bnPU, a character a unit", {"method": "pu"}, {"unit": "characters"}),
    Row("bnpu_fresh", "bnPU, fresh character vectors", {"method": "pu"}, {"char_vectors": ""}),
    Row("nnpu", "nnPU", {"method": "pu"}, {"risk": "nnpu"}),
    Row("upu", "uPU", {"method": "pu"}, {"risk": "upu"}),
    Row("two_step", "two-step, spies", {"method": "two_step"}),
    Row("two_step_noise15", "two-step, noise 15 %", {"method": "two_step"} | NOISY),
    Row("bnpu_over_soft_lexicon", "bnPU over SoftLexicon", {"method": "pu"}, {"over": "soft_lexicon"}),
    Row("bnpu_over_flat", "bnPU over FLAT", {"method": "pu"}, FLAT),
    Row("bnpu_bert", "bnPU over a small BERT", {"method": "pu"}, BERT),
    Row(
        "partial_crf_words",
        "partial CRF, spies, SoftLexicon",
        {"method": "partial_crf"},
        tagger="soft_lexicon",
    ),
    Row(
        "partial_crf_corrected",
        f"partial CRF, spies, {CORRECTED} sentences corrected",
        {"method": "partial_crf"},
        corrected=True,
    ),
    Row("bagging", "PU bagging, 4 bags", {"method": "bagging", "bags": 4}),
    Row("adapu", "AdaPU on bnPU, 2 rounds at most", {"method": "adapu", "rounds": 2}),
    Row("bnpu_blind", "bnPU without any label: recall 0.5, words", {"method": "pu"}, blind=True),
    Row("crf_blind", "partial CRF without any label: words", {"method": "partial_crf"}, blind=True),
    Row("crf_blind_noise15", "the same, noise 15 %", {"method": "partial_crf"} | NOISY, blind=True),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every row that is missing and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of dsner_ec and resume_ner")
    parser.add_argument("--runs", type=Path, default=Path("/tmp/pu-benchmark"), help="where run folders lie")
    parser.add_argument(
        "--bert", default="", metavar="DIR", help="a BERT for the rows that have one under them"
    )
    parser.add_argument("--epochs", type=int, default=6, help="of every training on the first (default 6)")
    parser.add_argument("--resume-epochs", type=int, default=8, help="of every one on Resume (default 8)")
    parser.add_argument("--sentences", type=int, default=0, help="raw sentences of the first (default all)")
    parser.add_argument("--resume-sentences", type=int, default=1500, help="of Resume (default 1500)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="of everything (default 1)")
    parser.add_argument("--only", nargs="+", choices=("ec", "resume"), default=("ec", "resume"))
    names = [row.name for row in ROWS]
    parser.add_argument("--rows", nargs="+", choices=names, default=names, help="rows to run (default all)")
    parser.add_argument("--done", action="store_true", help="print the rows there are and run nothing")
    args = parser.parse_args(arguments)
    for name in args.only:
        table(name, args)
    return 0


def table(name: str, args: argparse.Namespace) -> None:
    """Run what is missing of one corpus and print its rows as they come."""
    settings: dict[str, Any] = {"learning_rate": 0.003, "threads": 1}
    if name == "ec":
        settings |= {"epochs": args.epochs, "batch_size": 64}  # a sentence has nine characters
        corpora = {seed: read_ec(args.data, args.sentences, seed) for seed in args.seeds}
    else:
        settings |= {"epochs": args.resume_epochs, "batch_size": 16}
        corpora = {seed: read_resume(args.data, args.resume_sentences, seed) for seed in args.seeds}
    for seed, corpus in corpora.items():
        print(f"{corpus.name}, seed {seed}: {described(corpus)}")
    print(f"every training: {', '.join(f'{key} {value}' for key, value in settings.items())}")
    print()
    heads = ("F1 by seed", "dev F1", "negatives by spies")
    print(line("method", "P", "R", "F1", "seconds", *heads), flush=True)
    alone = [scores_of_matching(corpus) for corpus in corpora.values()]
    print(summed_up("dictionary matching", alone), flush=True)
    for row in ROWS:
        found: list[dict[str, Any] | None] = []
        for seed, corpus in corpora.items():
            path = args.runs / f"{name}-{seed}" / row.name
            left_out = args.done or row.name not in args.rows or (row.config is BERT and not args.bert)
            if (path / "scores.json").is_file() or not left_out:
                found.append(run(row, corpus, settings | {"seed": seed}, path, args.bert))
            else:
                found.append(None)
        print(summed_up(row.title, found), flush=True)
    print()


def run(row: Row, corpus: Corpus, settings: dict[str, Any], path: Path, bert: str) -> dict[str, Any]:
    """The scores of a row, from its run folder if that is complete."""
    folder = RunFolder(path)
    known = folder.scores() if path.is_dir() else None
    if known is not None:
        return known
    start = time.monotonic()
    path.mkdir(parents=True, exist_ok=True)
    labels = tuple(sorted({entry.type for entry in corpus.words}))
    by_hand: Sequence[Document] = corpus.train if row.distant is None else ()
    if row.corrected:
        by_hand = corpus.train[:CORRECTED]
    dev = () if row.blind else corpus.dev
    raw = () if row.distant is None else tuple(document.with_spans(()) for document in corpus.raw)
    parts = {"train": tuple(by_hand), "dev": tuple(dev), "test": tuple(corpus.test), UNLABELLED: raw}
    write_snapshot(folder.snapshot, Snapshot(parts, LabelSet().extended(labels)))
    distant = dict(row.distant or {})
    if row.distant is not None:
        write_typed_words(folder.snapshot, corpus.words)
        distant |= {} if row.blind else {"stop": "dev", "prior": corpus.priors}
    if row.distant is None:  # as many steps as the others make over all raw texts
        passes = settings["epochs"] * len(corpus.raw) / max(len(corpus.train), 1)
        settings = settings | {"epochs": max(1, round(passes))}
    own = {"hidden": 100, "char_vectors": "jieba"} | row.config
    if row.config is BERT:
        own["encoder"] = bert
    folder.write_request(
        RunRequest(
            kind="train" if row.distant is None else "distant",
            tagger=row.tagger,
            config=own,
            settings=settings,
            device="cpu",
            predict_all=False,
            distant=distant,
        )
    )
    state = execute(folder, lambda: False)
    if state.status != "finished":
        raise SystemExit(f"{row.name}: {state.error}")
    print(f"{row.name}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    return folder.scores() or {}


def scores_of_matching(corpus: Corpus) -> dict[str, Any]:
    """The list alone, by bidirectional maximum matching."""
    words = TypedWords(corpus.words)
    answers = [distant_labels(document, words) for document in corpus.test]
    return {"test": scores_to_json(score_documents(corpus.test, answers))}


def read_ec(data: Path, sentences: int, seed: int) -> Corpus:
    """DSNER's e-commerce corpus with its dictionaries."""
    folder = data / "dsner_ec"
    words = [
        Entry(word.strip(), 1, label)
        for name, label in TYPES.items()
        for word in (folder / "EC.dict" / name).read_text(encoding="utf-8").splitlines()
        if word.strip()
    ]
    train, dev, test = (read_columns(folder / "EC" / part) for part in ("train", "dev", "test"))
    more = read_columns(folder / "EC" / "ds_fa")
    hidden = {document.text for document in (*dev, *test)}
    raw = list({d.text: d for d in (*train, *more) if d.text not in hidden}.values())
    random.Random(seed).shuffle(raw)
    return Corpus("DSNER e-commerce", words, raw[: sentences or None], train, dev, test)


def read_resume(data: Path, sentences: int, seed: int) -> Corpus:
    """Resume NER with a twentieth of its entities as the word list."""
    folder = data / "resume_ner"
    train, dev, test = (read_columns(folder / f"{part}.char.bmes") for part in ("train", "dev", "test"))
    labels: dict[str, Counter[str]] = {}
    for document in train:
        for span in document.spans:
            labels.setdefault(document.text[span.start : span.end], Counter())[span.label] += 1
    surfaces = sorted(filter(can_be_a_word, labels))
    chosen = random.Random(seed).sample(surfaces, round(SHARE * len(surfaces)))
    words = [Entry(surface, 1, labels[surface].most_common(1)[0][0]) for surface in chosen]
    return Corpus("Resume NER", words, train[:sentences], train[:sentences], dev, test)


def read_columns(path: Path) -> list[Document]:
    """``character TAB or blank tag`` lines, sentences parted by empty lines; a span ends before B, S or O."""
    documents: list[Document] = []
    tags: list[str] = []
    text = ""
    for row in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        if row.strip():
            character, tag = row.rsplit("\t" if "\t" in row else " ", 1)
            text, tags = text + character[:1], [*tags, tag]
        elif text:
            documents.append(Document(f"{path.name}-{len(documents)}", text, tuple(_spans(tags))))
            text, tags = "", []
    return documents


def _spans(tags: Sequence[str]) -> list[Span]:
    found: list[Span] = []
    start, label = 0, ""
    for at, tag in enumerate([*tags, "O"]):
        inside = tag[:2] in ("I-", "M-", "E-") and tag[2:] == label
        if label and not inside:
            found.append(Span(start, at, label))
            label = ""
        if not inside and tag != "O":
            start, label = at, tag[2:]
    return found


def described(corpus: Corpus) -> str:
    """The sizes, in a line."""
    sizes = Counter(entry.type for entry in corpus.words)
    told = ", ".join(f"{kind} {count}" for kind, count in sorted(sizes.items()))
    return (
        f"{len(corpus.words)} words ({told}); {len(corpus.raw)} raw sentences, {len(corpus.train)} labelled "
        f"for full supervision; {len(corpus.dev)} dev and {len(corpus.test)} test sentences"
    )


def summed_up(title: str, scores: Sequence[dict[str, Any] | None]) -> str:
    """A row: means over the seeds that ran; then by seed F1 on test and dev, and the spies' negatives."""
    ran = [one for one in scores if one is not None]
    if not ran:
        return line(title, "not run")
    means = [f"{100 * fmean(one['test'][name] for one in ran):.2f}" for name in ("precision", "recall", "f1")]
    timed = [one["seconds"] for one in ran if "seconds" in one]
    each = by_seed(scores, lambda one: f"{100 * one['test']['f1']:.2f}")
    dev = by_seed(scores, lambda one: f"{100 * one['dev']['f1']:.2f}" if one.get("dev") else "-")
    negatives = by_seed(scores, lambda one: str(one.get("distant", {}).get("reliable_negatives", "-")))
    return line(title, *means, f"{fmean(timed):.0f}" if timed else "-", each, dev, negatives)


def by_seed(scores: Sequence[dict[str, Any] | None], told: Callable[[dict[str, Any]], str]) -> str:
    """What is told of each seed, a dash where it did not run."""
    return " ".join("-" if one is None else told(one) for one in scores)


def line(title: str, *cells: str) -> str:
    """A row of the table: numbers to the right, what is told by seed to the left."""
    numbers = "".join(f"{cell:>9}" for cell in cells[:4])
    return (f"{title:<45}{numbers}" + "".join(f"  {cell:<11}" for cell in cells[4:])).rstrip()


if __name__ == "__main__":
    sys.exit(main())
