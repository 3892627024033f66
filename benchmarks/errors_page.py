"""How long the Errors tab takes over a corpus of its own making: the first time, and once it is kept.

    python -m benchmarks.errors_page [--documents 5000] [--repetitions 5]

The predictions lie in the store, as they do once a run has answered. Every time is that of the whole tab: the
analysis, all figures as the JSON a browser gets, and the first page of sentences.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import plotly.graph_objects as go

from app.inspect.corpus import errors
from app.services.loaded_taggers import LoadedTaggers
from app.services.session import Session
from core.store import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import predictions, runs
from core.text import Document, LabelSet, Span

LABELS = ("PER", "ORG", "LOC", "TITLE")
SURNAMES, GIVEN = "陈林周吴郑王冯褚卫蒋沈韩", "禾远敏宁安乔山川清平"
PLACES, BODIES = "岭青云松海石柳江", ("大学", "医院", "气象局", "研究院", "出版社")
TITLES = ("院长", "主任医师", "教授级高工", "编辑", "局长", "研究员")
LINKS = ("昨日到", "出任", "，曾在", "访问了", "与同事谈到", "，现为")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the corpus, measure, print one line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--repetitions", type=int, default=5)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, Workspace.open(Path(folder)) as workspace:
        session, run, spans = fill(workspace, args.documents)
        print(f"{args.documents} documents, {spans} labelled spans, all answered by {run}")
        _import_torch_and_jieba()
        before = memory("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
        _seconds(session, run, session.memory.clear)
        added, stays = memory("VmHWM") - before, memory("VmRSS") - before
        print(f"memory{added:>30.0f} MiB at most{stays:>6.0f} MiB stay")
        for what, prepare in (
            ("first time in a session", session.memory.clear),
            ("again, nothing changed", lambda: None),
        ):
            taken = [_seconds(session, run, prepare) for _ in range(args.repetitions)]
            print(f"{what:<28}{statistics.median(taken):>8.2f} s median{max(taken):>8.2f} s worst")
    return 0


def memory(what: str) -> float:
    """MiB of this process, by the name that Linux has for it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what + ":")) / 1024


def _import_torch_and_jieba() -> None:
    """What an open app has loaded long before somebody turns to this tab."""
    import core.taggers.base.model_folder  # noqa: F401
    from core.lexicon import Lexicon

    Lexicon.jieba()


def fill(workspace: Workspace, count: int, model: Path | None = None) -> tuple[Session, str, int]:
    """A session over so many documents, a run with made-up predictions on all of them, and the gold spans.

    Args:
        model: folder of the run's tagger; None: the run has none.
    """
    project = projects.create(workspace, "measured")
    labels.put(workspace, project.id, LabelSet().extended(LABELS))
    dice = random.Random(1)
    corpus = [_document(dice, at) for at in range(count)]
    documents.add(workspace, project.id, corpus)
    if model is None:
        run = runs.create(workspace, project.id, "flat").name
        runs.set_status(workspace, run, "finished")
    else:
        run = runs.register(workspace, project.id, "measured", "flat", model, {}).name
    predictions.put(workspace, run, [document.with_spans(_answer(dice, document)) for document in corpus])
    return session_over(workspace, project.id), run, sum(len(d.spans) for d in corpus)


def session_over(workspace: Workspace, project_id: int) -> Session:
    """A session of the project, as a browser's."""
    taggers = LoadedTaggers(workspace, cast(Any, SimpleNamespace(wait=lambda: None)))
    workbench = cast(Any, SimpleNamespace(workspace=workspace, taggers=taggers))
    return Session("token", "me", workbench, project_id)


def _document(dice: random.Random, at: int) -> Document:
    text, spans = "", []
    for _ in range(dice.randint(2, 6)):
        label, surface = _entity(dice)
        text += dice.choice(LINKS)
        if dice.random() < 0.95:  # people leave one in twenty out
            spans.append(Span(len(text), len(text) + len(surface), label))
        text += surface
    return Document(str(at), text + "。", tuple(spans), {"split": ("train", "dev", "test")[at % 3]})


def _entity(dice: random.Random) -> tuple[str, str]:
    label = dice.choice(LABELS)
    if label == "PER":
        return label, dice.choice(SURNAMES) + "".join(dice.choices(GIVEN, k=dice.randint(1, 2)))
    if label == "TITLE":
        return label, dice.choice(TITLES)
    place = "".join(dice.choices(PLACES, k=2))
    return label, place + ("市" if label == "LOC" else dice.choice(BODIES))


def _answer(dice: random.Random, document: Document) -> list[Span]:
    found = []
    for span in document.spans:
        luck = dice.random()
        if luck < 0.08:
            continue
        start = span.start + (luck < 0.12 and len(span) > 1)
        end = min(len(document.text), span.end + (luck > 0.95))
        label = dice.choice(LABELS) if luck < 0.2 else span.label
        found.append(Span(start, end, label, round(dice.uniform(0.4, 1.0), 4)))
    return found


def _seconds(session: Session, run: str, prepare: Any) -> float:
    prepare()
    start = time.perf_counter()
    answers = errors.show(session, run, ["train", "dev", "test"], True, 4, 0.9)
    for answer in answers:
        if isinstance(answer, go.Figure):
            answer.to_json()
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
