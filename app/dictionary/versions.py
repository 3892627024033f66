"""The Versions tab: the batches of changes, the difference between two versions, and going back to one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import gradio as gr
from pydantic import Field

from app.dictionary import word_list_import
from app.dictionary.panel import list_work, start_list_work, stop_list_work
from app.dictionary.widgets.word_bench import version_list
from app.dictionary.word_table import export_line
from app.i18n import _
from app.services.background.tasks import Task
from app.services.rights import check, may, needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.payload import Count, CountOrNone, Payload
from app.ui.server_function import Reply
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import diff as lexicon_diff
from core.store.lexicon import returning as lexicon_returning
from core.store.lexicon.diff import DiffRow
from core.store.lexicon.entries import WordEntry

NAME = "versions"
PAGE = 20
DIFF_PAGE = 100
DOWNLOADED = 20_000
KINDS = ("added", "removed", "changed")


@dataclass
class VersionsComponents:
    """A widget with its own server functions."""

    versions: gr.HTML


def layout(frame: Frame) -> VersionsComponents:
    """Build the tab."""
    frame.texts.hint(
        _(
            "Every change of the word list is a version; compare any two and go back to "
            "any. Nothing is lost: going back is a version too."
        )
    )
    functions = [
        frame.server(fn)
        for fn in (
            version_page,
            version_diff,
            version_words,
            version_undo,
            version_back,
            version_work,
            version_stop,
        )
    ]
    return VersionsComponents(version_list(functions, elem_id="dictionary-versions"))


def wire(components: VersionsComponents, frame: Frame) -> None:
    """Nothing to connect: the widget refreshes itself when it becomes visible or the session changes.

    Its tab is not drawn before it is opened, and gradio would forget what a value that comes earlier does
    not name.
    """


class VersionPage(Payload):
    """The versions from row ``offset`` on, newest first."""

    offset: CountOrNone = 0


class DiffPage(Payload):
    """The words that differ between two versions, from row ``offset`` on; of one kind, or all ("")."""

    before: Annotated[Count, Field(alias="from")]
    after: Annotated[Count, Field(alias="to")]
    kind: Literal["", "added", "removed", "changed"] = ""
    offset: CountOrNone = 0


class OneVersion(Payload):
    """The number of a version."""

    version: Count


def version_page(session: Session, asked: VersionPage) -> Reply:
    """A page of versions, newest first."""
    batches, total = lexicon_batches.versions(
        session.workspace, session.project_id, offset=asked.offset, limit=PAGE + 1
    )
    newest, _ = lexicon_batches.versions(session.workspace, session.project_id, limit=1)
    latest = newest[0].id if newest else 0
    undoable = lexicon_batches.last_undoable(session.workspace, session.project_id)
    rows = [
        {
            "id": batch.id, "kind": batch.kind, "source": batch.source, "user": batch.user, "at": batch.at,
            "added": batch.added, "removed": batch.removed, "changed": batch.changed, "target": batch.target,
            "undone": batch.undone, "latest": batch.id == latest, "undoable": batch == undoable,
            "before": following.id if following else 0,
        }
        for batch, following in zip(batches[:PAGE], [*batches[1:], None], strict=False)
    ]  # fmt: skip
    page = {"language": session.language, "project": session.project_id}
    return {
        "rows": rows, "total": total, "page": PAGE, "latest": latest,
        "on": page | {"may_change": may(session, "change_dictionary")},
    }  # fmt: skip


def version_diff(session: Session, asked: DiffPage) -> Reply:
    """A page of the words that differ between two versions."""
    rows, kind = _differences(session, asked), asked.kind
    counts = dict.fromkeys(KINDS, 0)
    for row in rows:
        counts[row.change] += 1
    changes = [row for row in rows if not kind or row.change == kind]
    return {
        "rows": [
            {"word": row.word, "change": row.change, "gone": _entries(row.gone), "came": _entries(row.came)}
            for row in changes[asked.offset : asked.offset + DIFF_PAGE]
        ],
        "counts": counts,
        "all": len(rows),
        "total": len(changes),
        "page": DIFF_PAGE,
    }


def version_words(session: Session, asked: DiffPage) -> Reply:
    """A part of the differing words as a word list: as added, or as they were before removal."""
    rows, kind = _differences(session, asked), asked.kind
    words = [row for row in rows if not kind or row.change == kind]
    part = words[asked.offset : asked.offset + DOWNLOADED]
    lines = [
        export_line(row.word, entry)
        for row in part
        for entry in ([e for e in row.came if not e.masked] or [e for e in row.gone if not e.masked])
    ]
    end = asked.offset + len(part)
    return {"text": "".join(lines), "next": end if end < len(words) else None}


@needs("change_dictionary")
def version_undo(session: Session) -> Reply:
    """Undo the last change that has not been undone, as a new version."""

    def make(task: Task[Any]) -> dict[str, Any]:
        _, made = lexicon_returning.undo(
            session.workspace, session.project_id, user=session.user, progress=_writing(task)
        )
        return word_list_import.after(session, made)

    return start_list_work(session, "undo", make)


@needs("change_dictionary")
def version_back(session: Session, asked: OneVersion) -> Reply:
    """Restore the list of a version, as a new version."""
    version = asked.version
    with session.workspace.reading() as db:
        lexicon_batches.check_version(db, session.project_id, version)

    def make(task: Task[Any]) -> dict[str, Any]:
        batch = lexicon_returning.revert(
            session.workspace, session.project_id, version, user=session.user, progress=_writing(task)
        )
        return word_list_import.after(session, batch)

    return start_list_work(session, "revert", make)


def version_work(session: Session) -> Reply:
    """The state of the current or last background work on the list."""
    return list_work(session)


def version_stop(session: Session) -> Reply:
    """Stop it; nothing is written."""
    check(session, "change_dictionary")
    return stop_list_work(session)


def _differences(session: Session, asked: DiffPage) -> tuple[DiffRow, ...]:
    return lexicon_diff.differences(session.workspace, session.project_id, asked.before, asked.after)


def _entries(entries: tuple[WordEntry, ...]) -> list[list[object]]:
    return [[entry.type, entry.frequency, entry.masked] for entry in entries]


def _writing(task: Task[Any]) -> Callable[[int], None]:
    # The number of words is unknown before they are sorted, so the bar only approaches its end.
    return lambda done: task.progress("write", done / (done + 200_000))
