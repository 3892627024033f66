"""A project of a million documents, for ``benchmarks.store``: import, lists, counts, and what takes long.

The documents are `resume_sentences`: one in ten has its spans, all have predictions and a score. Beside the
time on the clock stands the processor's, which others on the machine do not lengthen.
"""

from __future__ import annotations

import random
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.resume_sentences import LABELS, SOURCES, resume_sentences
from core.formats import write_file
from core.learning.distant import TypedWords
from core.learning.distant import measure as dictionary_measure
from core.lexicon import Entry
from core.store import Filter, Workspace
from core.store.annotation import judged_documents, regions
from core.store.db import backup
from core.store.document import comment_meta, documents, metadata, raw_documents
from core.store.label import labels
from core.store.project import projects
from core.store.queue import queue, scores
from core.store.review import activity
from core.store.run import ledger, predictions, runs, snapshot
from core.text import LabelSet

LARGE = 1_000_000
TIMES = 7
SCORE = "mnlp"  # an acquisition function whose scores are made up
Row = dict[str, Any]


def measure(folder: Path, number: int) -> list[Row]:
    """All rows; a workspace that ``folder`` has is measured as it is."""
    is_made = (folder / "workspace.sqlite").exists()
    with Workspace.open(folder) as workspace:
        rows = [] if is_made else list(_filling(workspace, number))
        project = projects.all_projects(workspace)[0].id
        run = projects.get(workspace, project).active_run
        assert run is not None
        for what, ask in _questions(workspace, project, run, number):
            rows.append(_answer(what, ask))
        for what, work in _long_work(workspace, project, folder):
            rows += _work(what, work)
    return rows


def _filling(workspace: Workspace, number: int) -> Iterator[Row]:
    project = projects.create(workspace, "large").id
    labels.put(workspace, project, LabelSet().extended(LABELS))
    yield from _work("import", lambda: documents.add(workspace, project, resume_sentences(number)))
    run = runs.create(workspace, project, "flat").name
    answers = resume_sentences(number, labelled_every=1)
    yield from _work("store the predictions", lambda: predictions.put(workspace, run, answers))
    projects.set_active(workspace, project, run)
    dice = random.Random(2)
    made = {id_: dice.random() for id_ in queue.matching(workspace, project)}
    yield from _work("store the scores", lambda: scores.put(workspace, project, SCORE, made, run))


def _questions(
    workspace: Workspace, project: int, run: str, number: int
) -> Iterator[tuple[str, Callable[[], object]]]:
    def page(which: Filter | None = None, **more: Any) -> Callable[[], object]:
        return lambda: queue.page(workspace, project, which, acquisition=SCORE, **more)

    yield "list, first page", page()
    yield "list, in the middle", page(offset=number // 2)
    yield "list, last page", page(offset=number - 50)
    for order in ("least confident", "random", "lowest score", "highest score"):
        yield f"order: {order}", page(order=order)
        yield (
            f"next document, {order}",
            lambda order=order: queue.neighbour(
                workspace, project, number // 2, order=order, acquisition=SCORE
            ),
        )
    for name, which in {
        "unlabelled (none)": Filter(status="new"), "pre-annotated": Filter(status="preannotated"),
        "imported": Filter(status="imported"), "done (none)": Filter(status="done"),
        "split train": Filter(split="train"), "label ORG": Filter(label="ORG"),
        "label ORG in dev": Filter(label="ORG", split="dev"),
        "metadata": Filter(meta=(("source", SOURCES[0]),)),
        "two of the metadata (none)": Filter(meta=(("source", SOURCES[0]), ("year", "2001"))),
        "confidence 0.6 to 0.7": Filter(confidence_from=0.6, confidence_to=0.7),
        "confidence to 0.501": Filter(confidence_to=0.501),
    }.items():  # fmt: skip
        yield f"filter: {name}", page(which)
    for text in ("大学", "北京", "任", "王伟", "甲乙丙", "无境外永久居留权"):
        yield f"search: {text}", page(Filter(search=text))
    yield "search: 大学, in train", page(Filter(search="大学", split="train"))
    yield "search: 大学, least confident", page(Filter(search="大学"), order="least confident")
    yield "first document to annotate", lambda: queue.first_to_annotate(workspace, project)
    yield "counts by status and split", lambda: documents.count(workspace, project)
    yield "spans by label", lambda: labels.span_counts(workspace, project)
    yield "values of the metadata", lambda: metadata.offered(workspace, project)
    yield "state of scores", lambda: scores.state(workspace, project, SCORE)
    yield "state of confidences", lambda: scores.prediction_state(workspace, project, run)
    yield "documents without prediction", lambda: predictions.missing(workspace, run)
    yield "dashboard: what has changed", lambda: activity.stamp(workspace, project)
    yield "dashboard: saves", lambda: activity.saves(workspace, project)
    yield "dashboard: versions", lambda: activity.finished_versions(workspace, project)
    yield "ledger page", lambda: ledger.page(workspace, project)
    yield "raw documents, counted", lambda: raw_documents.count(workspace, project)
    yield "judged documents, counted", lambda: judged_documents.count(workspace, project)
    yield "Train page: sizes of the parts", lambda: snapshot.counts(workspace, project)


def _long_work(
    workspace: Workspace, project: int, folder: Path
) -> Iterator[tuple[str, Callable[[], object]]]:
    def export() -> None:
        source = documents.several(workspace, queue.matching(workspace, project))
        with_comments = comment_meta.with_comments(workspace, project, source)
        write_file(regions.with_updated(workspace, project, with_comments), folder / "export.jsonl", "jsonl")

    yield "export as JSON Lines", export
    yield "backup, checked", lambda: backup.backup(workspace, folder / "backup.sqlite")
    yield "snapshot of a training", lambda: snapshot.write(workspace, project, folder / "runs" / "measured")
    types = {"北京": "LOC", "会计学": "PRO", "董事长": "TITLE", "中国国籍": "CONT"}
    words = TypedWords(Entry(word, 1, kind) for word, kind in types.items())
    yield (
        "dictionary coverage",
        lambda: dictionary_measure(judged_documents.iterate(workspace, project), words),
    )
    yield "texts of all candidates, in portions", lambda: sum(1 for _ in scores.to_score(workspace, project))


def _answer(what: str, ask: Callable[[], object]) -> Row:
    """An answer, asked several times after a first one that is not counted."""
    ask()
    taken, worked = [], []
    for _ in range(TIMES):
        start, before = time.perf_counter(), time.process_time()
        ask()
        taken.append(1000 * (time.perf_counter() - start))
        worked.append(1000 * (time.process_time() - before))
    return {
        "what": what, "median_ms": statistics.median(taken), "p95_ms": max(taken),
        "processor_ms": statistics.median(worked),
    }  # fmt: skip


def _work(what: str, work: Callable[[], object]) -> list[Row]:
    """What takes long: seconds, those of the processor, and the peak of memory so far."""
    start, before = time.perf_counter(), time.process_time()
    work()
    seconds, worked = time.perf_counter() - start, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        {"what": what, "value": seconds, "unit": f"s ({worked:,.1f} of the processor; peak {peak:,.0f} MiB)"}
    ]
