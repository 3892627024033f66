"""What the demo project has been through: two runs, corrections, words, comments, and versions to review.

``assets/demo/build_history.py`` makes the files. The predictions are those of the two models; the verdicts of
the ledger are computed from them like any other. The people and their times are made up.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from operator import contains
from pathlib import Path
from typing import Any

from core.corpus.document_json import read_documents
from core.store.annotation import annotations as store_annotations
from core.store.annotation import comments
from core.store.db.clock import DAY, fixed, now
from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.document import documents, texts
from core.store.lexicon import word_import, words
from core.store.lexicon.entries import WordEntry
from core.store.project import assignments, projects
from core.store.project.projects import Project
from core.store.run import predictions, runs
from core.text import Document, Span

BASELINE, ACTIVE = "baseline", "demo"  # names of the runs, the older one first
FOLDERS = {BASELINE: "demo_baseline", ACTIVE: "demo_tagger"}  # of the runs, in the folder of assets
DAYS = 14  # from the start of the demo project to the first visit
ARTICLES = ("article-zh", "article-en")
_MINUTE = 60_000
_VERSION = ("document", "user", "spans")
_COMMENT = ("document", "user", "start", "end", "label", "text")


@dataclass(frozen=True, slots=True)
class _History:
    """The files, read.

    Args:
        articles: long documents. predicted: the documents with the spans of each run.
        corrected: documents checked against the baseline's prediction, with who did. words: rows of a word,
            its type, the list it came with and who brought that. versions, comments: as in ``history.json``.
    """

    articles: list[Document]
    predicted: Mapping[str, list[Document]]
    corrected: list[tuple[str, str]]
    words: list[tuple[str, str, str, str]]
    versions: list[Mapping[str, Any]]
    comments: list[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class TaggerError:
    """An error of the active run in a document: its span, None for no span, and the right one."""

    document_id: int
    before: Span | None
    after: Span


def active_errors(workspace: Workspace, project_id: int, assets_folder: Path) -> list[TaggerError]:
    """Errors of the active run in raw documents, for a tour in which a person corrects them.

    Those of documents that the project does not have are left out, and so are all of a project without the
    runs of the demo.

    Raises:
        StoreError: the file is missing or damaged.
    """
    if not {run.name for run in runs.all_runs(workspace, project_id)} >= FOLDERS.keys():
        return []
    try:
        listed = [
            (item["document"], item["before"] and Span(*item["before"]), Span(*item["after"]))
            for item in _told(assets_folder)["errors"]
        ]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise _unreadable(assets_folder, error) from error
    with workspace.reading() as db:
        ids = _ids(db, project_id)
    return [TaggerError(ids[name], before, after) for name, before, after in listed if name in ids]


@contextmanager
def before_first_visit() -> Iterator[None]:
    """Let the demo project begin some days ago."""
    with fixed(now() - DAYS * DAY):
        yield


def register_run(workspace: Workspace, project_id: int, name: str, assets_folder: Path) -> bool:
    """Register a run of the demo, or where its folder is now; False if it is missing."""
    folder = assets_folder / FOLDERS[name]
    if not (folder / "config.json").is_file():
        return False
    scores_file = folder / "scores.json"
    scores = json.loads(scores_file.read_text(encoding="utf-8")) if scores_file.is_file() else {}
    tagger = json.loads((folder / "config.json").read_text(encoding="utf-8"))["tagger"]
    runs.register(workspace, project_id, name, tagger, folder, scores)
    return True


def load_runs(workspace: Workspace, project: Project, assets_folder: Path) -> bool:
    """Register both runs, each active in its time; whether both are there."""
    both = True
    for day, name in enumerate(FOLDERS):
        with fixed(project.created + (1 + 6 * day) * DAY):
            if register_run(workspace, project.id, name, assets_folder):
                projects.set_active(workspace, project.id, name)
            else:
                both = False
    return both


def load_history(workspace: Workspace, project: Project, assets_folder: Path) -> None:
    """Add what happened in the demo project since its import, all of it or nothing; needs both runs.

    Idempotent: a project that has the articles is left alone.

    Raises:
        StoreError: a file is missing or damaged; says which file and line.
    """
    history = _read(assets_folder)
    with workspace.writing() as db:
        with _time(project, 0):
            added = documents.add(workspace, project.id, history.articles)
        if not added.added:
            return
        ids = _ids(db, project.id)
        _check(history, ids, assets_folder)
        for run, day in ((BASELINE, 1), (ACTIVE, 7)):
            with _time(project, day):
                predictions.put(workspace, run, history.predicted[run])
        _correct(workspace, project, history, ids)
        _list_words(workspace, project, history)
        _annotate_twice(workspace, project, history, ids)
        for at, item in enumerate(history.comments):
            with _time(project, 11, 7 * at):
                comments.add(
                    workspace, ids[item["document"]], item["text"],
                    user=item["user"], start=item["start"], end=item["end"], label=item["label"],
                )  # fmt: skip
    _count_words(workspace, project, history)


def _read(assets_folder: Path) -> _History:
    folder = assets_folder / "demo" / "history"
    try:
        told = _told(assets_folder)
        return _History(
            [_article(folder / f"{name}.txt") for name in ARTICLES],
            {
                run: list(read_documents(assets_folder / FOLDERS[run] / "predictions.jsonl"))
                for run in FOLDERS
            },
            [(document, user) for document, user in told["corrected"]],
            [(word, type_, source, user) for word, type_, source, user in told["words"]],
            [{name: item[name] for name in _VERSION} for item in told["versions"]],
            [{name: item[name] for name in _COMMENT} for item in told["comments"]],
        )
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise _unreadable(assets_folder, error) from error


def _told(assets_folder: Path) -> Any:
    return json.loads((assets_folder / "demo" / "history" / "history.json").read_text(encoding="utf-8"))


def _unreadable(assets_folder: Path, reason: object) -> StoreError:
    return StoreError(
        "the history of the demo in {folder} cannot be read ({reason}); reinstall the program or "
        "build it again with python assets/demo/build_history.py",
        folder=assets_folder / "demo" / "history",
        reason=reason,
    )


def _article(path: Path) -> Document:
    text = path.read_text(encoding="utf-8").strip()
    return Document(path.stem, text, (), {"language": path.stem[-2:], "style": "article"})


def _check(history: _History, ids: Mapping[str, int], assets_folder: Path) -> None:
    """Refuse a history that names a document the project lacks."""
    named = [name for name, _ in history.corrected]
    named += [item["document"] for item in (*history.versions, *history.comments)]
    missing = next((name for name in named if name not in ids), None)
    if missing is not None:
        raise _unreadable(assets_folder, f"no document {missing!r}")


def _ids(db: sqlite3.Connection, project_id: int) -> dict[str, int]:
    """The ids of the project's documents by name."""
    rows = db.execute(
        "SELECT name, id FROM documents WHERE project_id = ? AND trashed IS NULL", (project_id,)
    )
    return {row["name"]: row["id"] for row in rows}


@contextmanager
def _time(project: Project, day: int, minute: int = 0) -> Iterator[None]:
    with fixed(project.created + day * DAY + minute * _MINUTE):
        yield


def _correct(workspace: Workspace, project: Project, history: _History, ids: Mapping[str, int]) -> None:
    """Mark documents as checked against the baseline's prediction, which makes the ledger."""
    for at, (name, user) in enumerate(history.corrected):
        with _time(project, 2 + at % 3, 2 * at):
            store_annotations.set_status(workspace, ids[name], "done", user=user, run=BASELINE)


def _list_words(workspace: Workspace, project: Project, history: _History) -> None:
    """Import list by list, keeping both types where two lists disagree."""
    lists: dict[tuple[str, str], dict[str, list[WordEntry]]] = {}
    for word, type_, source, user in history.words:
        lists.setdefault((source, user), {}).setdefault(word, []).append(WordEntry(type_))
    for at, ((source, user), listed) in enumerate(lists.items()):
        with _time(project, 5, 30 * at):
            word_import.import_list(workspace, project.id, listed, user=user, source=source, choice="both")


def _count_words(workspace: Workspace, project: Project, history: _History) -> None:
    """How many documents have each word; reads what was committed."""
    listed = [text for _, text in texts.texts(workspace, project.id)]
    distinct = {word for word, *_ in history.words}
    found = {word: sum(map(contains, listed, repeat(word))) for word in distinct}  # 1.6 million looks
    words.set_documents(workspace, project.id, found)


def _annotate_twice(
    workspace: Workspace, project: Project, history: _History, ids: Mapping[str, int]
) -> None:
    """Finished versions of the documents of the review."""
    people = sorted({item["user"] for item in history.versions})
    among = sorted({ids[item["document"]] for item in history.versions})
    with _time(project, 7):
        assignments.set_plan(workspace, project.id, "together", len(people), by=people[0])
        assignments.hand_out(workspace, project.id, people, by=people[0], among=among)
    for at, item in enumerate(history.versions):
        with _time(project, 8 + at // 4, 3 * at):
            store_annotations.save(
                workspace, ids[item["document"]], 0, item["spans"],
                user=item["user"], annotator=item["user"], status="done",
            )  # fmt: skip
