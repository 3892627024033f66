"""What is killed, filled up or refused in the middle: every change that must happen wholly or not at all.

A change is a pair: ``work`` does it over and over and tells each one that was acknowledged, ``check`` reads
afterwards that each of those stands, that nothing is half done, and that at most one more happened.
"""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from core.corpus.snapshot import read_snapshot
from core.store import Workspace
from core.store.annotation import annotations
from core.store.annotation.events import at_revision
from core.store.db import backup as backups
from core.store.db.damage import damaged_rows
from core.store.document import documents
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.project import journal, projects
from core.store.run import runs, snapshot
from core.text import Document, LabelSet, Span

TEXT = "青禾市气象局发布大风预报"
PEOPLE = 8
OWN = 3  # documents of a person
BATCH = 30  # documents of an import
IMPORTED = Document("", "林知远在青禾大学任教", (Span(0, 3, "PER"), Span(4, 8, "ORG")))

Tell = Callable[[Any], None]


@dataclass(frozen=True)
class Change:
    """``work(workspace, project, tell)`` and ``check(workspace, project, told)``.

    Args:
        seconds: within which it is killed; a few of it fit in.
    """

    work: Callable[[Workspace, int, Tell], None]
    check: Callable[[Workspace, int, Sequence[Any]], None]
    seconds: float = 0.25


def fill(folder: Path) -> int:
    """A workspace with a project, labelled documents and two runs; returns the project."""
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, "faults").id
        labels.put(workspace, project, LabelSet().extended(["ORG", "LOC", "PER"]))
        own = [Document(f"own-{n}", TEXT, (Span(0, 3, "LOC"),)) for n in range(PEOPLE * OWN)]
        documents.add(workspace, project, own)
        for _ in range(2):
            runs.create(workspace, project, "flat")
    return project


def sound(workspace: Workspace) -> None:
    """The file is whole, every reference in it leads somewhere, and every document is what its events say."""
    with workspace.reading() as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        numbers = [row["id"] for row in db.execute("SELECT id FROM documents")]
    with sqlite3.connect(f"{workspace.file.as_uri()}?mode=ro", uri=True) as alone:
        alone.row_factory = sqlite3.Row
        assert damaged_rows(alone) == []
    for number in numbers[:: max(1, len(numbers) // 50)]:
        current = annotations.current(workspace, number)
        events = annotations.history(workspace, number)
        assert current.revision == len(events)
        if events:
            assert set(at_revision(events, len(events))[0]) == set(current.document.spans)


def numbers_of(workspace: Workspace, begin: str) -> list[int]:
    """Documents whose name begins so, in the order they came."""
    with workspace.reading() as db:
        rows = db.execute("SELECT id FROM documents WHERE name GLOB ? ORDER BY id", (f"{begin}*",))
        return [row["id"] for row in rows]


def save_of(workspace: Workspace, number: int, at: int, who: object) -> int:
    """One edit more of a document after ``at`` of them; the revision."""
    spans = [Span(at % 7, at % 7 + 1 + at % 3, "ORG")]
    return annotations.save(
        workspace, number, at, spans, user=f"person {who}", client_edit=f"document-{number}-edit-{at:05d}"
    ).revision


def _save(workspace: Workspace, project: int, tell: Tell) -> None:
    """Eight people save at once, as the threads of one server."""
    numbers = numbers_of(workspace, "own-")

    def person(own: list[int]) -> None:
        revisions = {number: annotations.current(workspace, number).revision for number in own}
        for at in count():
            number = own[at % len(own)]
            revisions[number] = save_of(workspace, number, revisions[number], own[0])
            tell((number, revisions[number]))

    with ThreadPoolExecutor(PEOPLE) as people:
        saving = [people.submit(person, numbers[at * OWN : (at + 1) * OWN]) for at in range(PEOPLE)]
    for each in saving:
        each.result()


def _saves_stand(workspace: Workspace, project: int, told: Sequence[Any]) -> None:
    latest: dict[int, int] = {}
    for number, revision in told:
        assert revision > latest.get(number, 0), "acknowledged in order"
        latest[number] = revision
    for number in numbers_of(workspace, "own-"):
        revision = annotations.current(workspace, number).revision
        assert revision - latest.get(number, revision) in (0, 1)
        with workspace.reading() as db:
            rows = db.execute(
                "SELECT client_edit FROM events WHERE document_id = ? ORDER BY revision", (number,)
            )
            edits = [row["client_edit"] for row in rows][1:]  # the first is the import
        assert edits == [f"document-{number}-edit-{at:05d}" for at in range(1, revision)]


def _import(workspace: Workspace, project: int, tell: Tell) -> None:
    begun = len(numbers_of(workspace, "new-"))
    for at in count(begun // BATCH):
        batch = [
            Document(f"new-{at:05d}-{n:02d}", f"{IMPORTED.text}{at}-{n}", IMPORTED.spans)
            for n in range(BATCH)
        ]
        documents.add(workspace, project, batch)
        tell((at + 1) * BATCH)


def _imports_are_whole(workspace: Workspace, project: int, told: Sequence[Any]) -> None:
    came = len(numbers_of(workspace, "new-"))
    assert came % BATCH == 0
    assert came - (told[-1] if told else came) in (0, BATCH)
    with workspace.reading() as db:
        spans = "SELECT count(*) FROM spans JOIN documents d ON d.id = document_id WHERE d.name GLOB 'new-*'"
        assert db.execute(spans).fetchone()[0] == 2 * came


def _merge(workspace: Workspace, project: int, tell: Tell) -> None:
    while True:
        merged = "LOC" not in labels.get(workspace, project).names
        if merged:
            (change,) = label_changes.history(workspace, project, 1)
            journal.undo(workspace, project, change.id, user="mia")
        else:
            label_changes.merge(workspace, project, "LOC", "ORG", user="mia")
        tell(merged)


def _merges_are_whole(workspace: Workspace, project: int, told: Sequence[Any]) -> None:
    listed = "LOC" in labels.get(workspace, project).names
    number = numbers_of(workspace, "own-")[0]
    assert {span.label for span in annotations.current(workspace, number).document.spans} == {
        "LOC" if listed else "ORG"
    }
    changes = label_changes.history(workspace, project, 1)
    assert listed == (not changes or changes[0].undone is not None)


def _promote(workspace: Workspace, project: int, tell: Tell) -> None:
    names = [run.name for run in runs.all_runs(workspace, project)]
    while True:
        active = projects.get(workspace, project).active_run
        wanted = names[names.index(active) - 1] if active else names[0]
        projects.set_active(workspace, project, wanted)
        tell((active, wanted))


def _promotions_are_whole(workspace: Workspace, project: int, told: Sequence[Any]) -> None:
    standing = projects.get(workspace, project)
    with workspace.reading() as db:
        found = db.execute("SELECT replaced FROM runs WHERE name = ?", (standing.active_run,)).fetchone()
        previous = db.execute("SELECT previous_run FROM projects WHERE id = ?", (project,)).fetchone()[0]
    assert found is None or found["replaced"] == previous
    if told:
        before, after = told[-1]
        assert (previous, standing.active_run) == (before, after) or previous == after


def _back_up(workspace: Workspace, project: int, tell: Tell) -> None:
    for at in count():
        number = numbers_of(workspace, "own-")[0]
        save_of(workspace, number, annotations.current(workspace, number).revision, "backing up")
        revision = annotations.current(workspace, number).revision
        backups.backup(workspace, workspace.folder / "backup.sqlite")
        tell((at, revision))


def _backup_is_whole(workspace: Workspace, project: int, told: Sequence[Any]) -> None:
    target = workspace.folder / "backup.sqlite"
    if not target.exists():
        assert not told
        return
    number = numbers_of(workspace, "own-")[0]
    revision = annotations.current(workspace, number).revision
    backups.restore(workspace, target)
    backed = annotations.current(workspace, number).revision
    assert backed <= revision
    assert backed >= (told[-1][1] if told else 0)


def _restore(workspace: Workspace, project: int, tell: Tell) -> None:
    target = workspace.folder / "kept.sqlite"
    if not target.exists():
        backups.backup(workspace, target)
    number = numbers_of(workspace, "own-")[0]
    while True:
        kept = backups.restore(workspace, target)
        kept.unlink()
        tell(save_of(workspace, number, 1, "restoring"))


def _restored_is_whole(workspace: Workspace, project: int, told: Sequence[Any]) -> None:
    number = numbers_of(workspace, "own-")[0]
    assert annotations.current(workspace, number).revision in (1, 2)


def _snapshot(workspace: Workspace, project: int, tell: Tell) -> None:
    """What a retraining begins with: a run of the store, and its snapshot."""
    while True:
        run = runs.create(workspace, project, "flat", called="again")
        snapshot.write(workspace, project, run.folder)
        tell(run.name)


def _snapshots_are_whole(workspace: Workspace, project: int, told: Sequence[Any]) -> None:
    for run in runs.all_runs(workspace, project):
        manifest = run.folder / "snapshot" / "manifest.json"
        assert manifest.exists() or run.name not in told
        if manifest.exists():  # it is written last, and says what the files must be
            read_snapshot(run.folder / "snapshot")


CHANGES = {
    "saves of eight people": Change(_save, _saves_stand),
    "import": Change(_import, _imports_are_whole),
    "label merge": Change(_merge, _merges_are_whole),
    "promotion": Change(_promote, _promotions_are_whole),
    "backup": Change(_back_up, _backup_is_whole),
    "restore": Change(_restore, _restored_is_whole, 1.0),
    "retraining": Change(_snapshot, _snapshots_are_whole, 0.5),
}
