"""Trains the demo tagger from the demo corpus: ``python assets/demo/build_tagger.py ENCODER``.

``ENCODER`` is the folder of the transformer under it, simbert-tiny-zh (see ``../demo_tagger/NOTICE``). The
settings stand here, the corpus and its split beside it, the seed is fixed: the same machine gives the same
weights, another one nearly the same scores. ``--check`` scores the committed model instead and fails when
its scores differ from ``assets/demo_tagger/scores.json``; ``--pasted`` tells what it gets wrong in
``pasted.txt``, whose texts are of no split.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

from build import label_names, parse_markup  # type: ignore[import-not-found]  # noqa: E402

from core.corpus.snapshot import AddedWord, Snapshot, write_snapshot  # noqa: E402
from core.encoders.static_embeddings import StaticEmbedding  # noqa: E402
from core.encoders.vocabulary import RESERVED, Vocabulary  # noqa: E402
from core.formats import read_file  # noqa: E402
from core.lexicon import Lexicon  # noqa: E402
from core.taggers.base.model_folder import load_tagger  # noqa: E402
from core.taggers.base.tagging import tag  # noqa: E402
from core.taggers.flat.tagger import Flat  # noqa: E402
from core.taggers.sequence.tagger import SequenceTagger  # noqa: E402
from core.taggers.span.tagger import SpanTagger  # noqa: E402
from core.text import Document, Span  # noqa: E402
from core.training.evaluation import evaluate, scores_to_json  # noqa: E402
from core.training.run.run import execute_training  # noqa: E402
from core.training.run.run_folder import RunFolder  # noqa: E402
from core.training.run.run_request import RunRequest  # noqa: E402

DEMO = ROOT / "assets" / "demo"
CORPUS = DEMO / "corpus.jsonl"
TAGGER = ROOT / "assets" / "demo_tagger"
LICENCES = ("NOTICE", "LICENSE-APACHE")  # of the transformer inside the tagger; they stay beside its weights
MOST_BYTES = 20_000_000
# The model carries vectors for the characters a reader is likeliest to paste, by frequency in jieba's words.
MOST_CHARACTERS = 3000
ENCODER = "simbert-tiny-zh"
CONFIG = {
    "over": "flat",
    "over_options": "hidden=128, ffn=384, word_dim=32, bigram_dim=40",
    "encoder_rate": 0.2,
    "layer_mix": "scalar_mix",
    "decoding": "learned",
}
SETTINGS = {"epochs": 14, "batch_size": 8, "ema": 0.998, "seed": 7, "threads": 1}
_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z'-]+")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("encoder", nargs="?", type=Path, metavar="ENCODER", help=f"folder of {ENCODER}")
    choice.add_argument(
        "--check", action="store_true", help="score the committed model; 1 when scores differ"
    )
    choice.add_argument(
        "--pasted", action="store_true", help="print what the committed model gets wrong in pasted.txt"
    )
    arguments = parser.parse_args()
    if arguments.pasted:
        return _pasted()
    parts = _parts()
    if arguments.check:
        return _check(parts)
    kept = {name: (TAGGER / name).read_bytes() for name in LICENCES}
    with tempfile.TemporaryDirectory() as folder:
        tagger, trained = _train(Path(folder) / "run", parts, arguments.encoder)
        _keep_frequent_characters(tagger.encoder, parts["train"])
        tagger.config = replace(tagger.config, encoder=ENCODER)  # not where it lay on this machine
        shutil.rmtree(TAGGER, ignore_errors=True)
        tagger.save(TAGGER)
    for name, text in kept.items():
        (TAGGER / name).write_bytes(text)
    _halve(TAGGER / "model.safetensors")
    scores = {**trained, **_scores(parts)}
    (TAGGER / "scores.json").write_text(
        json.dumps(scores, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    size = sum(file.stat().st_size for file in TAGGER.rglob("*") if file.is_file())
    print(json.dumps({"bytes": size, **{part: scores[part]["micro"]["f1"] for part in ("dev", "test")}}))
    if size > MOST_BYTES:
        print(f"{TAGGER} has {size} bytes, more than {MOST_BYTES}", file=sys.stderr)
        return 1
    return 0


def _parts() -> dict[str, tuple[Document, ...]]:
    documents = read_file(CORPUS).documents
    return {
        part: tuple(item for item in documents if item.meta["split"] == part)
        for part in ("train", "dev", "test")
    }


def _train(
    path: Path, parts: dict[str, tuple[Document, ...]], encoder: Path
) -> tuple[SpanTagger, dict[str, Any]]:
    """Span scores over a FLAT over the transformer, with jieba's dictionary and the English words it saw."""
    folder = RunFolder(path)
    words = {word for item in parts["train"] for word in _ENGLISH_WORD.findall(item.text)}
    write_snapshot(
        folder.snapshot, Snapshot(dict(parts), added=tuple(AddedWord(word) for word in sorted(words)))
    )
    config = {**CONFIG, "encoder": str(encoder)}
    folder.write_request(
        RunRequest(tagger="span", config=config, settings=SETTINGS, device="cpu", predict_all=False)
    )
    scores = execute_training(folder, _report, lambda: False)
    tagger = load_tagger(folder.model)
    assert isinstance(tagger, SpanTagger)
    return tagger, {name: scores[name] for name in ("best_epoch", "epochs", "train")}


def _report(event: Mapping[str, Any]) -> None:
    if event["event"] == "epoch":
        print(json.dumps({key: event[key] for key in ("epoch", "loss", "dev")}), file=sys.stderr)


def _keep_frequent_characters(tagger: SequenceTagger, documents: tuple[Document, ...]) -> None:
    """Leave out the vectors of rare characters, so that the model stays small; those read as unknown."""
    assert isinstance(tagger, Flat)
    seen = {character for item in documents for character in item.text}
    counts: Counter[str] = Counter()
    for entry in Lexicon.jieba():
        for character in entry.word:
            counts[character] += entry.frequency or 1
    wanted = seen | {character for character, _ in counts.most_common(MOST_CHARACTERS)}
    old = tagger.characters
    kept = [token for token in old.vocabulary.tokens if token in wanted]
    table = StaticEmbedding(Vocabulary(kept), old.dimension, old.unknown_rate)
    with torch.no_grad():
        table.table.weight[:RESERVED] = old.table.weight[:RESERVED]
        table.table.weight[RESERVED:] = old.table.weight[old.vocabulary.rows(kept)]
    tagger.characters = table


def _halve(file: Path) -> None:
    """Store the weights in half precision; they are read back as single."""
    save_file({name: tensor.half() for name, tensor in load_file(file).items()}, file)


def _scores(parts: dict[str, tuple[Document, ...]]) -> dict[str, Any]:
    """Scores of the saved model, read back as a person's app will read it."""
    tagger = load_tagger(TAGGER)
    return {part: scores_to_json(evaluate(tagger, parts[part])) for part in ("dev", "test")}


def _check(parts: dict[str, tuple[Document, ...]]) -> int:
    committed = json.loads((TAGGER / "scores.json").read_text(encoding="utf-8"))
    found = _scores(parts)
    for part, scores in found.items():
        if scores["micro"] != committed[part]["micro"]:
            print(f"{part}: scores.json says {committed[part]['micro']}, the model gives {scores['micro']}")
            return 1
    print(json.dumps({part: scores["micro"]["f1"] for part, scores in found.items()}))
    return 0


def _pasted() -> int:
    """Print what the committed model misses (-) and finds without reason (+) in each text of pasted.txt."""
    labels = label_names(DEMO)
    lines = (DEMO / "pasted.txt").read_text(encoding="utf-8").splitlines()
    gold = []
    for number, line in enumerate((line for line in lines if not line.startswith("#")), start=1):
        text, spans = parse_markup(line, labels)
        marked = tuple(Span(s.start, s.end, s.label) for s in spans)
        gold.append(Document(f"pasted-{number:02d}", text, marked))
    right = 0
    for wanted, found in zip(gold, tag(load_tagger(TAGGER), gold), strict=True):
        keys = [{span.key for span in item.spans} for item in (wanted, found)]
        right += keys[0] == keys[1]
        for sign, wrong in (("-", keys[0] - keys[1]), ("+", keys[1] - keys[0])):
            for start, end, label in sorted(wrong):
                print(f"{wanted.id} {sign} {wanted.text[start:end]} {label}")
    print(f"{right} of {len(gold)} without an error")
    return 0


if __name__ == "__main__":
    sys.exit(main())
