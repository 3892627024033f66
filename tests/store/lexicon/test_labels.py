"""The types of words go along with a label in short steps: never lost, never under two names at the end."""

from __future__ import annotations

import threading

import pytest

from core.store import Workspace
from core.store.annotation import annotations
from core.store.db.errors import StoreError, StoreFull
from core.store.document import documents
from core.store.label import changes as label_changes
from core.store.label import steps as label_steps
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import labels as lexicon_labels
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon import returning as lexicon_returning
from core.store.lexicon import steps as lexicon_steps
from core.store.lexicon import word_import as lexicon_import
from core.store.lexicon.entries import WordEntry
from core.text import Document, Span
from tests.store.killing import CHANGE_LABELS, kill_when
from tests.store.lexicon.test_steps import between
from tests.store.lexicon.test_versions import bring, stands

# Some have both types, some one, one has the other alone.
WORDS = {f"词{n:02}": [("PER", n + 1)] for n in range(30)} | {
    f"双{n:02}": [("PER", 3), ("LOC", 4)] for n in range(12)
} | {"青岛": [("LOC", 1)]}  # fmt: skip


@pytest.fixture
def filled(workspace, project, monkeypatch):
    monkeypatch.setattr(lexicon_lists, "ROWS", 5)
    monkeypatch.setattr(lexicon_lists, "PAUSE", 0.0)
    monkeypatch.setattr(lexicon_steps, "AT_ONCE", 10)
    bring(workspace, project, WORDS, choice="both")
    lexicon_changes.add(workspace, project.id, {"词05": "ORG"}, user="bo")
    return workspace, project


def versions(workspace, project):
    """What stood after every version, each made to stand again by itself."""
    found = {}
    for batch in lexicon_batches.versions(workspace, project.id)[0]:
        found[batch.id] = lexicon_batches_at(workspace, project, batch.id)
    return found


def lexicon_batches_at(workspace, project, version):
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT c.word, c.type, c.came FROM lexicon_changes c JOIN lexicon_batches b ON b.id = c.batch "
            "WHERE c.project_id = ? AND b.place <= (SELECT place FROM lexicon_batches WHERE id = ?) "
            "ORDER BY b.place, c.came",
            (project.id, version),
        )
        held = set()
        for word, kind, came in rows:
            (held.add if came else held.discard)((word, kind))
        return held


def names(workspace, project):
    return {(word, kind) for word, kind, _ in stands(workspace, project)[0]}


@pytest.mark.parametrize(("kind", "new"), [("merge", "LOC"), ("rename", "PERSON")])
def test_every_word_and_every_version_goes_along_and_comes_back(filled, kind, new):
    workspace, project = filled
    before, told = stands(workspace, project), versions(workspace, project)
    change = getattr(label_changes, kind)(workspace, project.id, "PER", new, user="lin")
    expected = {(word, new if type_ == "PER" else type_) for word, type_ in names_of(before)}
    assert names(workspace, project) == expected
    last = max(versions(workspace, project))
    assert versions(workspace, project)[last] == expected
    label_changes.undo(workspace, project.id, change.id, user="lin")
    assert stands(workspace, project) == before
    now = versions(workspace, project)
    assert {key: now[key] for key in told} == told
    with workspace.reading() as db:
        for table in ("label_change_words", "label_change_entries"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0


def names_of(state):
    return {(word, kind) for word, kind, _ in state[0]}


@pytest.mark.parametrize("after", range(0, 24, 3))
@pytest.mark.parametrize(("kind", "new"), [("merge", "LOC"), ("rename", "PERSON")])
def test_cut_short_anywhere_it_is_finished_by_whoever_comes_next(filled, monkeypatch, kind, new, after):
    workspace, project = filled
    before = stands(workspace, project)

    def full():
        raise StoreFull(workspace.file)

    nothing = lambda: None  # noqa: E731
    between(monkeypatch, *[nothing] * after, full, nothing)
    try:
        change = getattr(label_changes, kind)(workspace, project.id, "PER", new, user="lin")
    except StoreFull:
        between(monkeypatch, nothing)
        assert label_steps.finish(workspace, project.id) == 1
        change = label_changes.history(workspace, project.id)[0]
    expected = {(word, new if type_ == "PER" else type_) for word, type_ in names_of(before)}
    assert names(workspace, project) == expected
    between(monkeypatch, *[nothing] * after, full, nothing)
    try:
        label_changes.undo(workspace, project.id, change.id, user="lin")
    except StoreFull:
        between(monkeypatch, nothing)
        assert label_steps.finish(workspace, project.id) == 1
    assert stands(workspace, project) == before


def test_words_wait_for_a_label_on_its_way_and_say_so_when_it_takes_too_long(filled, monkeypatch):
    workspace, project = filled
    monkeypatch.setattr(lexicon_steps, "PATIENCE", 0.0)
    refused = []

    def try_to_change():
        for act in (
            lambda: lexicon_changes.add(workspace, project.id, {"新词": "PER"}, user="bo"),
            lambda: bring(workspace, project, {f"新{n}": [("PER", 1)] for n in range(30)}),
            lambda: lexicon_returning.undo(workspace, project.id, user="bo"),
        ):
            with pytest.raises(StoreError, match="being renamed"):
                act()
        refused.append(1)

    nothing = lambda: None  # noqa: E731
    between(monkeypatch, nothing, try_to_change, nothing)
    label_changes.rename(workspace, project.id, "PER", "PERSON", user="lin")
    assert refused
    between(monkeypatch, nothing)
    lexicon_changes.add(workspace, project.id, {"新词": "PERSON"}, user="bo")


def test_a_word_that_comes_while_a_label_goes_comes_after_it(filled, monkeypatch):
    workspace, project = filled
    adding = threading.Thread(
        target=lexicon_changes.add, args=(workspace, project.id, {"词07": "LOC"}), kwargs={"user": "bo"}
    )
    nothing = lambda: None  # noqa: E731
    between(monkeypatch, nothing, adding.start, nothing)
    label_changes.rename(workspace, project.id, "PER", "PERSON", user="lin")
    adding.join(timeout=20)
    assert not adding.is_alive()
    assert {kind for word, kind in names(workspace, project) if word == "词07"} == {"LOC"}
    lexicon_changes.undo(workspace, project.id)
    assert {kind for word, kind in names(workspace, project) if word == "词07"} == {"PERSON"}


def killed(workspace, project, *what, some):
    """Start a change in another process and kill it once ``some`` words have gone along."""

    def gone():
        return abs(db.execute(count).fetchone()[0] - before)

    count = "SELECT count(*) FROM lexicon_words WHERE type = 'PER'"
    with workspace.reading() as db:
        before = db.execute(count).fetchone()[0]
        kill_when(lambda: gone() >= some, CHANGE_LABELS, workspace.folder, project.id, *what)
        assert gone() < 3_000, "it was killed in the middle"


@pytest.mark.parametrize(("kind", "new"), [("merge", "LOC"), ("rename", "PERSON")])
def test_killed_in_the_middle_the_next_start_finishes_and_saves_go_on(workspace, project, kind, new):
    id_ = documents.add(workspace, project.id, [Document("a", "张伟在家", (Span(0, 2, "PER"),))]).ids[0]
    entries = {f"词{n:05}": (WordEntry("PER", 1),) for n in range(3_000)}
    lexicon_import.bring(workspace, project.id, entries, user="lin", source="x.txt")
    before = stands(workspace, project)
    killed(workspace, project, kind, new, some=40)
    workspace.close()
    with Workspace.open(workspace.folder) as opened:
        stood = annotations.current(opened, id_)
        annotations.save(opened, id_, stood.revision, [Span(2, 4, "ORG")], user="bo")
        assert label_steps.finish(opened) == 1
        assert {kind for _, kind in names(opened, project)} == {new}
        (change,) = label_changes.history(opened, project.id)
        killed(opened, project, "undo", change.id, some=40)
        assert label_steps.finish(opened) == 1
        assert stands(opened, project) == before


def test_a_step_reads_its_own_rows_and_not_the_whole_list(workspace):
    for statement in (lexicon_labels._CALL_WORDS, lexicon_labels._CALL_ENTRIES, lexicon_labels._CARRIED):
        with workspace.reading() as db:
            plan = db.execute(f"EXPLAIN QUERY PLAN {statement}", ["1"] * statement.count("?")).fetchall()
        assert "PRIMARY KEY" in plan[0]["detail"], plan[0]["detail"]
