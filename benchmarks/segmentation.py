"""Do the boundaries of an HM-LSTM fall between words? Against jieba and chance, on sentences cut by hand.

``python -m benchmarks.segmentation`` trains `bilstm_crf` with HM-LSTM cells on the demo's Chinese training
sentences, and an HM-LSTM that predicts their next character, and scores both on ``demo_words.tsv``: 200
sentences of the demo's dev and test documents, which neither has read.

``demo_words.tsv`` has the id of a sentence, a tab, and its words with a blank between them, by two rules of
the Chinese treebanks. Names of people, places, brands and products stay whole, and what is put before or
after them stands apart, as do the words that make up an organisation's name (浙江 大学 教授 程砚之). Numbers,
measure words, particles and punctuation stand alone (三 个 路口), results and directions of a verb stay with
it where the two are said as one (拧紧, but 搬 到).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from benchmarks.resume import ROOT
from core.corpus.document_json import read_documents, write_documents
from core.layers.recurrent.hm_lstm import HmLstm, slope_of
from core.lexicon.segmentation import word_lengths
from core.taggers.base.model_folder import load_tagger
from core.taggers.sequence.segments import capture_segments
from core.text import Document

CORPUS, WORDS = ROOT / "assets" / "demo" / "corpus.jsonl", ROOT / "benchmarks" / "demo_words.tsv"
DRAWS = 200  # of random boundaries, whose mean is shown
SIZE, BATCH, RATE = 128, 32, 2e-3  # of the language model
LAYERS = 3  # of both networks, as in the paper: two have boundaries


@dataclass(frozen=True)
class Cut:
    """A sentence and the offsets at which one of its words ends and another begins."""

    text: str
    ends: frozenset[int]

    @property
    def places(self) -> list[int]:
        """The offsets between two letters or digits: beside punctuation nobody needs to be told."""
        return [at for at in range(1, len(self.text)) if (self.text[at - 1] + self.text[at]).isalnum()]


Score = tuple[float, float, float]  # precision, recall and F1, in percent


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, score, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=5, help="of the tagger and of the language model (5)")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (1)")
    args = parser.parse_args(arguments)
    documents = [each for each in read_documents(CORPUS) if each.meta["language"] == "zh"]
    gold = read_words(WORDS, {each.id: each.text for each in documents})
    texts = [sentence.text for sentence in gold]
    parts = {part: [each for each in documents if each.meta["split"] == part] for part in ("train", "dev")}
    rows: dict[str, Score] = {
        "jieba": score(gold, [boundaries(word_lengths(text)) for text in texts]),
        "a word for every character": score(gold, [set(range(len(text))) for text in texts]),
        "random, as many as by hand": chance(gold, args.seed),
    }
    begun = time.monotonic()
    f1, found = by_tagger(parts, texts, args.epochs, args.seed)
    print(f"tagger trained: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    for name, cuts in found.items():
        rows[f"HM-LSTM of the tagger, {name}"] = score(gold, cuts)
    begun = time.monotonic()
    bits, found = by_language_model([each.text for each in parts["train"]], texts, args.epochs, args.seed)
    print(f"language model trained: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    for name, cuts in found.items():
        rows[f"HM-LSTM of the language model, {name}"] = score(gold, cuts)
    print(render(rows, len(gold), sum(len(each.places) for each in gold)))
    print(
        f"\n{args.epochs} epochs each, seed {args.seed}: the tagger's dev F1 is {100 * f1:.1f}, the language "
        f"model needs {bits:.2f} bits a character of the {len(gold)} sentences."
    )
    return 0


def read_words(path: Path, texts: Mapping[str, str]) -> list[Cut]:
    """The sentences cut by hand.

    Args:
        texts: of the corpus, by id.

    Raises:
        ValueError: a line's words are not the text of its sentence; names it.
    """
    cuts = []
    for line in path.read_text(encoding="utf-8").splitlines():
        name, _, told = line.partition("\t")
        words = told.split(" ")
        if "".join(words) != texts.get(name):
            raise ValueError(
                f"{path}: {name} is {''.join(words)!r} there, and {texts.get(name)!r} in the corpus"
            )
        cuts.append(Cut(texts[name], frozenset(boundaries([len(word) for word in words]))))
    return cuts


def boundaries(lengths: Sequence[int]) -> set[int]:
    """The offsets at which words of these lengths end."""
    ends, at = set(), 0
    for length in lengths:
        at += length
        ends.add(at)
    return ends


def score(gold: Sequence[Cut], found: Sequence[set[int]]) -> Score:
    """Micro precision, recall and F1 of boundaries, in percent, over the places that count."""
    right = told = wanted = 0
    for sentence, ends in zip(gold, found, strict=True):
        places = set(sentence.places)
        right += len(places & ends & sentence.ends)
        told += len(places & ends)
        wanted += len(places & sentence.ends)
    precision, recall = right / max(told, 1), right / max(wanted, 1)
    return 100 * precision, 100 * recall, 200 * right / max(told + wanted, 1)


def chance(gold: Sequence[Cut], seed: int) -> Score:
    """The mean over ``DRAWS`` of boundaries drawn at random, as many as there are in the gold sentences."""
    draw = random.Random(seed)
    places = [(number, at) for number, sentence in enumerate(gold) for at in sentence.places]
    wanted = sum(len(set(sentence.places) & sentence.ends) for sentence in gold)
    scores = []
    for _ in range(DRAWS):
        found: list[set[int]] = [set() for _ in gold]
        for number, at in draw.sample(places, wanted):
            found[number].add(at)
        scores.append(score(gold, found))
    precision, recall, f1 = (sum(column) / DRAWS for column in zip(*scores, strict=True))
    return precision, recall, f1


def by_tagger(
    parts: Mapping[str, Sequence[Document]], texts: Sequence[str], epochs: int, seed: int
) -> tuple[float, dict[str, list[set[int]]]]:
    """Train the tagger; its dev F1, and the boundaries of each of its layers in each direction."""
    options = {"cell": "hm_lstm", "layers": LAYERS, "hidden": 100, "epochs": epochs, "seed": seed}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "core", "train", "--tagger", "bilstm_crf", "--device", "cpu"]
        for part, documents in parts.items():
            file = Path(folder, f"{part}.jsonl")
            write_documents(file, documents)
            command += [f"--{part}", str(file)]
        for name, value in options.items():
            command += ["--set", f"{name}={value}"]
        run = subprocess.run([*command, "--out", f"{folder}/run"], cwd=ROOT, capture_output=True)
        if run.returncode:
            raise SystemExit(run.stderr.decode())
        f1 = json.loads(run.stdout)["dev"]["f1"]
        tagger = load_tagger(Path(folder, "run", "model")).eval()
    names = [f"{way}, layer {layer + 1}" for way in ("forwards", "backwards") for layer in range(LAYERS - 1)]
    found: dict[str, list[set[int]]] = {name: [] for name in names}
    for text in texts:
        with capture_segments(tagger) as captured:
            tagger.decode(tagger.collate([Document("", text)]))
        for name, ends in zip(names, captured[0][0].T, strict=True):
            found[name].append(set((ends.nonzero()[:, 0] + 1).tolist()))
    return f1, found


class LanguageModel(nn.Module):
    """Predicts the next character from an HM-LSTM over those before it."""

    def __init__(self, characters: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(characters, SIZE, padding_idx=0)
        self.network = HmLstm(SIZE, SIZE, LAYERS)
        self.output = nn.Linear(SIZE, characters)

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """``[B, T]`` to scores of the next character ``[B, T, C]`` and boundaries ``[B, T, L - 1]``."""
        states, ends = self.network.read(self.embedding(rows))
        return self.output(states), ends


def by_language_model(
    training: Sequence[str], texts: Sequence[str], epochs: int, seed: int
) -> tuple[float, dict[str, list[set[int]]]]:
    """Train the language model; bits per character of ``texts``, and each layer's boundaries in them."""
    torch.manual_seed(seed)
    number = {character: row for row, character in enumerate(sorted(set("".join(training))), start=3)}

    def batches(given: Sequence[str], order: Sequence[int]) -> Iterator[Tensor]:
        for at in range(0, len(order), BATCH):
            rows = [
                [1, *(number.get(c, 2) for c in given[i]), 1] for i in order[at : at + BATCH]
            ]  # 1: an edge
            yield nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)

    model = LanguageModel(len(number) + 3)
    loss_of = nn.CrossEntropyLoss(ignore_index=0, reduction="sum")

    def read(batch: Tensor) -> tuple[Tensor, Tensor]:
        scores, ends = model(batch[:, :-1])
        return loss_of(scores.flatten(0, 1), batch[:, 1:].flatten()), ends

    optimiser = torch.optim.Adam(model.parameters(), RATE)
    by_length = sorted(range(len(training)), key=lambda i: len(training[i]))
    for epoch in range(epochs):
        model.network.slope = slope_of(epoch)
        every = list(batches(training, by_length))
        random.Random(seed + epoch).shuffle(every)
        for batch in every:
            loss, _ = read(batch)
            optimiser.zero_grad()
            (loss / (batch[:, 1:] > 0).sum()).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
    model.eval()
    found: dict[str, list[set[int]]] = {f"layer {layer + 1}": [] for layer in range(LAYERS - 1)}
    total, characters = 0.0, 0
    with torch.no_grad():
        for index, text in enumerate(texts):
            loss, ends = read(next(batches(texts, [index])))
            total, characters = total + loss.item(), characters + len(text) + 1
            for cuts, row in zip(found.values(), ends[0].T, strict=True):
                cuts.append(set(row.nonzero()[:, 0].tolist()))  # step 0 read the edge before the text
    return total / characters / torch.log(torch.tensor(2.0)).item(), found


def render(rows: Mapping[str, Score], sentences: int, places: int) -> str:
    """The table."""
    lines = [
        f"{sentences} sentences with {places:,} places between two characters; those beside punctuation do "
        "not count.",
        "",
        "| boundaries by | precision | recall | F1 |",
        "|---|---|---|---|",
    ]
    lines += [f"| {name} | {p:.1f} | {r:.1f} | {f1:.1f} |" for name, (p, r, f1) in rows.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
