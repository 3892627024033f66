"""Builds the history of the demo: ``python assets/demo/build_history.py``, after ``build_tagger.py``.

It trains the older run in ``assets/demo_baseline`` (a BiLSTM-CRF on a part of the training sentences), writes
the predictions of both runs beside their models, the long Chinese article, and ``history/history.json``: the
typed words, the documents whose corrections make the ledger, and the versions and comments that stand in
``history/review.txt`` and ``history/comments.txt``. The seed is fixed: the same machine gives the same
weights and predictions. ``--keep-model`` does all but the training.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

from build import label_names, parse_markup  # type: ignore[import-not-found]  # noqa: E402

from core.corpus.document_json import read_documents, write_documents  # noqa: E402
from core.corpus.snapshot import Snapshot, write_snapshot  # noqa: E402
from core.lexicon import Entry  # noqa: E402
from core.store import Workspace, documents, ledger, predictions  # noqa: E402
from core.store import annotations as store_annotations  # noqa: E402
from core.store.annotation.corrections import compare  # noqa: E402
from core.store.demo import load_demo  # noqa: E402
from core.store.demo_history import ACTIVE, ARTICLES, BASELINE, FOLDERS, load_runs  # noqa: E402
from core.store.run.ledger import FIXED, HOLDS, NEWLY_BROKEN, STILL_WRONG  # noqa: E402
from core.taggers.base.model_folder import load_tagger  # noqa: E402
from core.taggers.base.tagger import Tagger  # noqa: E402
from core.taggers.base.tagging import tag  # noqa: E402
from core.text import Document, Span  # noqa: E402
from core.training.evaluation import evaluate, scores_to_json  # noqa: E402
from core.training.run.run import execute_training  # noqa: E402
from core.training.run.run_folder import RunFolder  # noqa: E402
from core.training.run.run_request import RunRequest  # noqa: E402

ASSETS = ROOT / "assets"
DEMO = ASSETS / "demo"
HISTORY = DEMO / "history"
MODEL = ASSETS / FOLDERS[BASELINE]
MOST_BYTES = 2_500_000
CONFIG = {"hidden": 64, "char_dim": 40, "bigram_dim": 24, "embedding_dropout": 0.3}
SETTINGS = {"epochs": 8, "batch_size": 8, "learning_rate": 0.005, "seed": 7}
EVERY = 3  # each third training sentence was labelled after the baseline had been trained
PEOPLE = ("林晓", "Daniel Brandt")
CORRECTIONS = 30  # about so many; a document's corrections stay together
# How many documents of the ledger show each verdict, by the worst state their corrections have.
SHOWN = {NEWLY_BROKEN: 2, STILL_WRONG: 4, FIXED: 30}
LEAST_SEEN = 3  # times a surface has its label before it is a word of the list
# Names of companies and brands; some of them are listed under another type already.
COMPANIES = {
    "禾沐": "ORG", "岩雀": "ORG", "Korvane": "ORG", "Velmo": "ORG",
    "云岭科技": "ORG", "海岬食品": "ORG", "甬腾精密": "ORG", "Tidewater Robotics": "ORG",
}  # fmt: skip
SECTIONS = {
    "news": "一、街谈巷议",
    "medical": "二、门诊札记",
    "ecommerce": "三、买家留言",
    "company": "四、公司纪事",
}
SENTENCES = 40  # of each section
PARAGRAPH = 8  # sentences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--keep-model", action="store_true", help="keep the trained baseline")
    arguments = parser.parse_args()
    corpus = list(read_documents(DEMO / "corpus.jsonl"))
    if not arguments.keep_model:
        _train(corpus)
    (HISTORY / "article-zh.txt").write_text(_article(corpus), encoding="utf-8")
    words = [*_corpus_words(corpus), *_company_words()]
    with tempfile.TemporaryDirectory() as folder, Workspace.open(Path(folder)) as workspace:
        project = load_demo(workspace, ASSETS)
        documents.add(workspace, project.id, map(_long, ARTICLES))
        every = [item.with_spans(()) for item in documents.iterate(workspace, project.id)]
        for run in FOLDERS:
            _predict(ASSETS / FOLDERS[run], every, [word for word, *_ in words])
        load_runs(workspace, project, ASSETS)
        for run in FOLDERS:
            predictions.put(workspace, run, read_documents(ASSETS / FOLDERS[run] / "predictions.jsonl"))
        corrected = _corrected(workspace, project.id, corpus)
    texts = {item.id: item.text for item in every}
    told: dict[str, list[Any]] = {
        "corrected": [[name, PEOPLE[at % 2]] for at, name in enumerate(corrected)],
        "words": words,
        "versions": list(_versions(texts)),
        "comments": list(_comments(texts, {item.id: item.spans for item in corpus})),
        "errors": list(_errors(texts)),
    }
    lines = (f"{json.dumps(name)}: {_listed(items)}" for name, items in told.items())
    (HISTORY / "history.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    size = sum(file.stat().st_size for file in MODEL.rglob("*") if file.is_file())
    print(json.dumps({"baseline_bytes": size, "words": len(words), "corrected": len(corrected)}))
    return 0


def _listed(items: list[Any]) -> str:
    """A JSON list with one item a line."""
    return "[\n" + ",\n".join(f" {json.dumps(item, ensure_ascii=False)}" for item in items) + "\n]"


def _train(corpus: list[Document]) -> None:
    """A BiLSTM-CRF without the sentences that were labelled later, kept as ``assets/demo_tagger`` is."""
    parts = {
        part: [item for item in corpus if item.meta["split"] == part] for part in ("train", "dev", "test")
    }
    parts["train"] = [item for item in parts["train"] if not _is_later(item)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = RunFolder(Path(temporary) / "run")
        write_snapshot(folder.snapshot, Snapshot({part: tuple(items) for part, items in parts.items()}))
        folder.write_request(
            RunRequest(tagger="bilstm_crf", config=CONFIG, settings=SETTINGS, device="cpu", predict_all=False)
        )
        scores = execute_training(folder, _epochs_into(folder), lambda: False)
        tagger = load_tagger(folder.model)
        shutil.rmtree(MODEL, ignore_errors=True)
        tagger.save(MODEL)
        shutil.copy(folder.events_file, MODEL)
    kept = {name: scores[name] for name in ("best_epoch", "epochs", "train")}
    tagger = load_tagger(MODEL)
    kept |= {part: scores_to_json(evaluate(tagger, parts[part])) for part in ("dev", "test")}
    (MODEL / "scores.json").write_text(
        json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    weights = (MODEL / "model.safetensors").stat().st_size
    print(json.dumps({"weights": weights, **{part: kept[part]["micro"]["f1"] for part in ("dev", "test")}}))
    if weights > MOST_BYTES:
        raise SystemExit(f"{MODEL} has weights of {weights} bytes, more than {MOST_BYTES}")


def _is_later(document: Document) -> bool:
    return int(document.id.rpartition("-")[2]) % EVERY == 0


def _epochs_into(folder: RunFolder) -> Callable[[Mapping[str, Any]], None]:
    """Keeps the events the learning curves are drawn from."""

    def report(event: Mapping[str, Any]) -> None:
        if event["event"] in ("started", "epoch"):
            fields = dict(event)
            folder.append_event(fields.pop("event"), **fields)

    return report


def _article(corpus: Iterable[Document]) -> str:
    """A chronicle of training sentences, in sections and paragraphs."""
    lines = ["一座城市的一年"]
    for style, heading in SECTIONS.items():
        texts = [
            item.text
            for item in corpus
            if (item.meta["language"], item.meta["style"], item.meta["split"]) == ("zh", style, "train")
        ][:SENTENCES]
        lines += ["", heading]
        lines += ["".join(texts[at : at + PARAGRAPH]) for at in range(0, len(texts), PARAGRAPH)]
    return "\n".join(lines) + "\n"


def _long(name: str) -> Document:
    return Document(name, (HISTORY / f"{name}.txt").read_text(encoding="utf-8").strip())


def _corpus_words(corpus: Iterable[Document]) -> Iterator[list[str]]:
    """Surfaces that training sentences label often, with their label: word, type, list, person."""
    seen = Counter(
        (item.text[span.start : span.end], span.label)
        for item in corpus
        if item.meta["split"] == "train"
        for span in item.spans
        if span.label != "TIME" and span.end - span.start > 1
    )
    for (word, label), count in sorted(seen.items(), key=lambda pair: pair[0]):
        if count >= LEAST_SEEN:
            yield [word, label, "demo corpus", PEOPLE[0]]


def _company_words() -> Iterator[list[str]]:
    for word, label in COMPANIES.items():
        yield [word, label, "companies.txt", PEOPLE[1]]


def _predict(folder: Path, texts: list[Document], words: Iterable[str]) -> None:
    """Predict as the app does: with the project's words in the tagger's lexicon."""
    tagger: Tagger = load_tagger(folder)
    lexicon = getattr(tagger, "lexicon", None)
    if lexicon is not None:
        tagger.lexicon = lexicon.with_words([Entry(word) for word in words])
    told = [
        replace(
            item,
            spans=tuple(replace(span, score=round(span.score or 0.0, 6)) for span in item.spans),
            meta={},
        )
        for item in tag(tagger, texts)
    ]
    write_documents(folder / "predictions.jsonl", told)


def _corrected(workspace: Workspace, project_id: int, corpus: Iterable[Document]) -> list[str]:
    """Documents the baseline did not learn from and got wrong, so that the ledger shows every verdict."""
    with workspace.reading() as db:
        ids = dict(
            db.execute("SELECT name, id FROM documents WHERE project_id = ?", (project_id,)).fetchall()
        )
    unseen = [item.id for item in corpus if item.meta["split"] != "train" or _is_later(item)]
    for name in unseen:
        store_annotations.set_status(workspace, ids[name], "done", user=PEOPLE[0], run=BASELINE)
    states: dict[str, list[str]] = {}
    for row in ledger.page(workspace, project_id, runs=[ACTIVE], limit=100_000).rows:
        states.setdefault(row.document.id, []).append(row.correction.states[ACTIVE])
    chosen: list[str] = []
    total, left = 0, dict(SHOWN)
    for name in sorted(unseen, key=lambda one: one[::-1]):  # mixed, and the same every time
        told = states.get(name, [])
        verdict = next((state for state in SHOWN if state in told), HOLDS)
        if left.get(verdict, 0) and len(told) <= 4 and total < CORRECTIONS:
            chosen.append(name)
            total += len(told)
            left[verdict] -= 1
    counts = Counter(state for name in chosen for state in states[name])
    print(json.dumps({"corrections": total, "under_active": counts}, ensure_ascii=False))
    return chosen


def _rows(path: Path) -> Iterator[list[str]]:
    """The cells of each row; the first line names the columns."""
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    columns = head.count("<TAB>") + 1
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != columns:
            raise SystemExit(f"{path.name}:{number}: {len(cells)} columns instead of {columns}")
        yield cells


def _versions(texts: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    users = [user for _, user, _ in _rows(HISTORY / "review.txt")]
    for user, (name, spans) in zip(users, _marked(HISTORY / "review.txt", texts), strict=True):
        listed = [{"start": span.start, "end": span.end, "label": span.label} for span in spans]
        yield {"document": name, "user": user, "spans": listed}


def _marked(path: Path, texts: Mapping[str, str]) -> Iterator[tuple[str, list[Span]]]:
    """The document of each row, and the spans marked in its last column."""
    labels = label_names(DEMO)
    for name, *_, markup in _rows(path):
        text, spans = parse_markup(markup, labels)
        if text != texts[name]:
            raise SystemExit(f"{path.name}: {name} reads {texts[name]!r}, not {text!r}")
        yield name, [Span(span.start, span.end, span.label) for span in spans]


def _errors(texts: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The first error of the active run in each document of the tour, which it has to get wrong."""
    predicted = {item.id: item for item in read_documents(ASSETS / FOLDERS[ACTIVE] / "predictions.jsonl")}
    for name, gold in _marked(HISTORY / "tour.txt", texts):
        claims = compare(predicted[name].spans, gold, (), decided=(), done=True)
        after = next((claim.after for claim in claims if claim.kind != "confirmed" and claim.after), None)
        if after is None:
            raise SystemExit(f"tour.txt: the active run gets {name} right; choose another document")
        over = next((span for span in predicted[name].spans if span.overlaps(after)), None)
        yield {"document": name, "before": over and list(over.key), "after": list(after.key)}


def _comments(texts: Mapping[str, str], spans: Mapping[str, tuple[Span, ...]]) -> Iterator[dict[str, Any]]:
    for name, user, surface, text in _rows(HISTORY / "comments.txt"):
        start = texts[name].index(surface) if surface else None
        end = None if start is None else start + len(surface)
        label = next(
            (span.label for span in spans.get(name, ()) if (span.start, span.end) == (start, end)), None
        )
        yield {"document": name, "user": user, "start": start, "end": end, "label": label, "text": text}


if __name__ == "__main__":
    sys.exit(main())
