"""A long change of a word list goes in steps: people save in between, and see the old version or the new."""

import random
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store import PayloadError, StoreError, StoreFull, Workspace
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import changes as label_changes
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import counts as lexicon_counts
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon import returning as lexicon_returning
from core.store.lexicon import steps as lexicon_steps
from core.store.lexicon import word_import as lexicon_import
from core.store.lexicon import words as lexicon_words
from core.store.lexicon.entries import WordEntry
from core.store.lexicon.query import WordQuery
from core.store.project import journal, projects
from core.text import Document, Span
from tests.store.by_hand import add_words, undo_batch
from tests.store.killing import ROOT, kill_when
from tests.store.lexicon.test_versions import import_list, stands
from tests.sweep import sweep
from tests.workspaces import new_workspace

MANY = {f"词{n:03}": [("ORG", n + 1)] for n in range(60)}


@pytest.fixture(autouse=True)
def every_change_is_long(monkeypatch):
    monkeypatch.setattr(lexicon_steps, "AT_ONCE", 20)
    monkeypatch.setattr(lexicon_steps, "AT_ONCE_IN_LONG", 0)
    monkeypatch.setattr(lexicon_lists, "ROWS", 10)
    monkeypatch.setattr(lexicon_lists, "PAUSE", 0.0)


def between(monkeypatch, *acts):
    """Run one of ``acts`` in each pause between two steps of this thread, the last one again and again."""
    left = list(acts)
    here = threading.current_thread()

    def pause(_):
        if threading.current_thread() is here and left:
            (left.pop(0) if len(left) > 1 else left[0])()

    monkeypatch.setattr(lexicon_lists.time, "sleep", pause)


def nothing():
    """A pause in which nobody does anything."""


def rows_kept(workspace):
    """Lists, words and changes that no version needs are gone."""
    lexicon_lists.finish(workspace)
    with workspace.reading() as db:
        lists = db.execute("SELECT count(*) FROM lexicon_lists").fetchone()[0]
        unplaced = db.execute("SELECT count(*) FROM lexicon_batches WHERE place IS NULL").fetchone()[0]
        loose = db.execute(
            "SELECT count(*) FROM lexicon_changes WHERE batch NOT IN (SELECT id FROM lexicon_batches)"
        ).fetchone()[0]
        return lists, unplaced, loose


def test_until_it_is_done_everybody_sees_the_old_version(workspace, project, monkeypatch):
    add_words(workspace, project.id, {"词001": "PER", "青禾": "ORG"}, user="bo")
    before = stands(workspace, project)
    seen = []

    def look():
        assert stands(workspace, project) == before
        assert lexicon_batches.versions(workspace, project.id)[1] == 1
        assert lexicon_words.page(workspace, project.id).total == 2
        assert set(lexicon_changes.current(workspace, project.id).added) == {"词001", "青禾"}
        seen.append(1)

    # The last pause comes after the exchange.
    between(monkeypatch, *[look] * 7, nothing)
    batch = import_list(workspace, project, MANY)
    assert len(seen) == 7
    assert (batch.added, batch.changed) == (59, 1)
    assert lexicon_counts.counts(workspace, project.id).entries == 61
    assert rows_kept(workspace) == (1, 0, 0)


def test_what_others_change_meanwhile_is_as_if_they_had_done_it_before(workspace, project, monkeypatch):
    other = projects.create(workspace, "other")
    start = {"词005": [("PER", 3)], "词040": [("", 1)], "青禾": [("ORG", 1), ("PER", 2)], "旧": [("", 7)]}

    def edit(where):
        lexicon_changes.remove(workspace, where.id, ["词005", "词002"], user="bo")
        add_words(workspace, where.id, {"词040": "TITLE", "新": "LOC"}, user="bo")
        lexicon_changes.remove(workspace, where.id, ["旧"], user="bo")
        lexicon_returning.undo(workspace, where.id, user="lin")
        # More than fits into the last transaction.
        add_words(workspace, where.id, {f"词{n:03}": "LOC" for n in range(30, 45)}, user="bo")

    for where in (project, other):
        import_list(workspace, where, start)
    edit(other)
    expected = import_list(workspace, other, MANY, choice="both")
    between(monkeypatch, nothing, nothing, lambda: edit(project), nothing)
    made = import_list(workspace, project, MANY, choice="both")
    assert stands(workspace, project) == stands(workspace, other)
    assert (made.added, made.removed, made.changed) == (expected.added, expected.removed, expected.changed)
    kinds = [batch.kind for batch in lexicon_batches.versions(workspace, project.id)[0]]
    assert kinds == ["import", "add", "undo", "remove", "add", "remove", "import"]
    between(monkeypatch, nothing)
    for version in lexicon_batches.versions(workspace, project.id)[0][::-1][:-1]:
        lexicon_returning.revert(workspace, project.id, version.id, user="x")
    lexicon_returning.revert(workspace, project.id, made.id, user="x")
    assert stands(workspace, project) == stands(workspace, other)


def test_two_long_changes_at_once_both_happen(workspace, project, monkeypatch):
    second = {f"词{n:03}": [("LOC", 500)] for n in range(40, 90)}
    between(monkeypatch, nothing, lambda: import_list(workspace, project, second, choice="both"), nothing)
    import_list(workspace, project, MANY, choice="both")
    words, _ = stands(workspace, project)
    assert {("词050", "ORG", 51), ("词050", "LOC", 500), ("词089", "LOC", 500), ("词000", "ORG", 1)} <= words
    assert len(words) == 110
    assert rows_kept(workspace) == (1, 0, 0)


def test_a_label_renamed_meanwhile_is_renamed_afterwards_too(workspace, project, monkeypatch):
    import_list(workspace, project, {"青禾": [("ORG", 1)]})
    done = []

    def rename():
        if not done:
            done.append(label_changes.rename(workspace, project.id, "ORG", "COMPANY", user="bo"))

    between(monkeypatch, nothing, rename, nothing)
    import_list(workspace, project, {word: [("PER", 1)] for word in MANY})
    words, _ = stands(workspace, project)
    assert ("青禾", "COMPANY", 1) in words
    between(monkeypatch, nothing)
    journal.undo(workspace, project.id, done[0].id, user="bo")
    # The rows are others than those that were renamed.
    assert ("青禾", "ORG", 1) in stands(workspace, project)[0]


def test_a_list_that_never_stands_still_is_an_error_and_nothing_is_left(workspace, project, monkeypatch):
    import_list(workspace, project, {"青禾": [("ORG", 1)]})
    between(monkeypatch, lambda: lexicon_words.resolve(workspace, project.id, ["青禾"], kept=True))
    with pytest.raises(StoreError, match="kept changing"):
        import_list(workspace, project, MANY)
    between(monkeypatch, nothing)
    assert stands(workspace, project)[0] == {("青禾", "ORG", 1)}
    assert rows_kept(workspace) == (1, 0, 0)


def test_a_cancelled_or_failed_change_leaves_nothing(workspace, project, monkeypatch):
    import_list(workspace, project, {"青禾": [("ORG", 1)]})

    def cancel(done):
        raise KeyboardInterrupt

    def full():
        raise StoreFull(workspace.file)

    with pytest.raises(KeyboardInterrupt):
        import_list(workspace, project, MANY, progress=cancel)
    between(monkeypatch, nothing, nothing, full)
    with pytest.raises(StoreFull):
        import_list(workspace, project, MANY)
    between(monkeypatch, nothing)
    with pytest.raises(PayloadError, match="a word has"):
        import_list(workspace, project, MANY | {"a\tb": [("", 1)]})
    again = {f"青禾{n}": [("", 1)] for n in range(30)}
    import_list(workspace, project, again)
    with pytest.raises(PayloadError, match="nothing changes"):
        import_list(workspace, project, again)
    assert {word for word, _, _ in stands(workspace, project)[0]} == {
        "青禾",
        *(f"青禾{n}" for n in range(30)),
    }
    assert rows_kept(workspace) == (1, 0, 0)


def test_undo_and_going_back_go_in_steps_too_and_only_one_undoes(workspace, project, monkeypatch):
    import_list(workspace, project, {"青禾": [("ORG", 1)]})
    before = stands(workspace, project)
    first = import_list(workspace, project, MANY)
    there = stands(workspace, project)
    done = []

    def undo_first():
        if not done:
            done.append(1)
            undo_batch(workspace, project.id, first.id, user="bo")

    between(monkeypatch, undo_first, nothing)
    with pytest.raises(StoreError, match=r"else has undone|nothing left of it"):
        undo_batch(workspace, project.id, first.id, user="lin")
    between(monkeypatch, nothing)
    assert stands(workspace, project) == before
    lexicon_returning.revert(workspace, project.id, first.id, user="lin")
    assert stands(workspace, project) == there
    lexicon_returning.revert(workspace, project.id, 0, user="lin")
    assert stands(workspace, project) == (set(), set())
    lexicon_returning.revert(workspace, project.id, first.id, user="lin")
    assert stands(workspace, project) == there
    assert rows_kept(workspace) == (1, 0, 0)


def test_going_back_takes_along_what_is_changed_meanwhile(workspace, project, monkeypatch):
    first = import_list(workspace, project, {"青禾": [("ORG", 1)]})
    import_list(workspace, project, MANY)
    edit = lambda: add_words(workspace, project.id, {"青禾": "PER", "词001": "LOC"}, user="bo")  # noqa: E731
    between(monkeypatch, nothing, edit, nothing)
    lexicon_returning.revert(workspace, project.id, first.id, user="lin")
    assert stands(workspace, project) == ({("青禾", "ORG", 1)}, set())


def test_conflicts_settled_and_documents_counted_come_along(workspace, project):
    import_list(workspace, project, {"青禾": [("ORG", 3), ("PER", 5)], "院长": [("TITLE", 1), ("PER", 1)]})
    lexicon_words.resolve(workspace, project.id, ["青禾"], kept=True)
    lexicon_words.set_documents(workspace, project.id, {"青禾": 4})
    import_list(workspace, project, MANY)
    counts = lexicon_counts.counts(workspace, project.id)
    assert (counts.conflicts, counts.kept) == (1, 1)
    rows = lexicon_words.page(workspace, project.id, WordQuery(search="青禾")).rows
    assert [(row.type, row.frequency, row.documents, row.conflict) for row in rows] == [
        ("ORG", 3, 4, 2), ("PER", 5, 4, 2),
    ]  # fmt: skip


def test_whoever_slept_for_too_long_is_told_and_writes_no_more(workspace, project, monkeypatch):
    def sleep_for_a_minute():
        with workspace.writing() as db:
            db.execute("UPDATE lexicon_lists SET at = at - 120000 WHERE batch IS NOT NULL")
        assert lexicon_lists.sweep(workspace) == 1

    between(monkeypatch, nothing, sleep_for_a_minute, nothing)
    with pytest.raises(StoreError, match="stopped; start it again"):
        import_list(workspace, project, MANY)
    assert stands(workspace, project) == (set(), set())
    assert rows_kept(workspace) == (1, 0, 0)


_BRING = """
import sys
from core.store import Workspace
from core.store.lexicon import lists as lexicon_lists, returning as lexicon_returning
from core.store.lexicon import word_import as lexicon_import
from core.store.lexicon.entries import WordEntry
lexicon_lists.ROWS, lexicon_lists.PAUSE = 50, 0.002
with Workspace.open(sys.argv[1]) as workspace:
    print("ready", flush=True)
    if sys.argv[3] == "undo":
        lexicon_returning.undo(workspace, int(sys.argv[2]), user="lin")
    else:
        words = {f"新{n:05}": (WordEntry("ORG", 1),) for n in range(20_000)}
        lexicon_import.import_list(workspace, int(sys.argv[2]), words, user="lin", source="x.txt")
"""


def killed(workspace, project, what):
    """Start a change in another process and kill it in the middle."""

    def begun():
        with workspace.reading() as db:
            changed = db.execute(
                "SELECT count(*) FROM (SELECT 1 FROM lexicon_changes WHERE batch IN "
                "(SELECT id FROM lexicon_batches WHERE place IS NULL) LIMIT 3)"
            )
            return changed.fetchone()[0] >= 3

    kill_when(begun, _BRING, workspace.folder, project.id, what)


@pytest.mark.parametrize("what", sweep(["bring", "undo"], ["bring"]))
def test_killed_in_the_middle_the_old_version_stands_and_the_rest_is_cleared_away(workspace, project, what):
    entries = {f"旧{n:05}": (WordEntry("PER", 1),) for n in range(5_000)}
    lexicon_import.import_list(workspace, project.id, entries, user="lin", source="old.txt")
    before = stands(workspace, project)
    killed(workspace, project, what)
    workspace.close()
    with Workspace.open(workspace.folder) as opened:
        assert stands(opened, project) == before
        assert lexicon_batches.versions(opened, project.id)[1] == 1
        assert lexicon_lists.sweep(opened) == 0, "it may still be alive"
        with opened.writing() as db:
            db.execute("UPDATE lexicon_lists SET at = at - 120000 WHERE batch IS NOT NULL")
        add_words(opened, project.id, {"青禾": "ORG"}, user="bo")
        assert lexicon_lists.sweep(opened) == 1
        assert rows_kept(opened) == (1, 0, 0)
        lexicon_returning.undo(opened, project.id, user="lin")
        assert stands(opened, project) == before


_SAVE = """
import sys, time
from core.store import Workspace, annotations
from core.text import Span
with Workspace.open(sys.argv[1]) as workspace:
    print("ready", flush=True)
    for id_ in map(int, sys.argv[2:]):
        stands = annotations.current(workspace, id_)
        annotations.save(workspace, id_, stands.revision, [Span(0, 2, "PER")], user="bo")
        time.sleep(0.01)
"""


@pytest.mark.exhaustive
def test_another_process_saves_while_a_long_list_comes(workspace, project, monkeypatch):
    monkeypatch.setattr(lexicon_lists, "ROWS", 500)
    ids = documents.add(workspace, project.id, [Document(str(n), f"张伟在{n}") for n in range(60)]).ids
    child = subprocess.Popen(
        [sys.executable, "-c", _SAVE, str(workspace.folder), *map(str, ids)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    child.stdout.readline()
    words = {f"新{n:05}": (WordEntry("ORG", 1),) for n in range(30_000)}
    batch = lexicon_import.import_list(workspace, project.id, words, user="lin", source="x.txt")
    assert child.wait(timeout=60) == 0
    child.stdout.close()
    assert batch.added == 30_000
    for id_ in ids:
        assert [span.key for span in annotations.current(workspace, id_).document.spans] == [(0, 2, "PER")]


WORDS = st.sampled_from([f"词{n}" for n in range(8)])
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), WORDS, st.sampled_from(["", "A", "B"])),
        st.tuples(st.just("remove"), WORDS),
        st.tuples(st.just("undo")),
    ),
    max_size=6,
)


@given(
    EDITS,
    st.lists(st.tuples(st.integers(0, 6), EDITS), max_size=3),
    st.dictionaries(WORDS, st.sampled_from(["", "A", "B"]), min_size=1),
    st.sampled_from(["file", "ours", "both"]),
)
def test_however_changes_meet_it_is_as_if_they_came_one_after_the_other(
    tmp_path_factory, start, meanwhile, comes, choice
):
    def act(workspace, project, edits):
        for edit in edits:
            try:
                if edit[0] == "add":
                    add_words(workspace, project.id, {edit[1]: edit[2]}, user="x")
                elif edit[0] == "remove":
                    lexicon_changes.remove(workspace, project.id, [edit[1]], user="x")
                else:
                    lexicon_returning.undo(workspace, project.id, user="lin")
            except StoreError:
                continue

    def last(workspace, project):
        try:
            words = {word: [(kind, 1)] for word, kind in comes.items()}
            made = import_list(workspace, project, words, choice=choice)
        except PayloadError:
            return None
        return made.added, made.removed, made.changed

    with (
        Workspace.open(new_workspace(tmp_path_factory.mktemp("steps"))) as workspace,
        pytest.MonkeyPatch.context() as patch,
    ):
        plain, stepped = projects.create(workspace, "plain"), projects.create(workspace, "stepped")
        for project in (plain, stepped):
            act(workspace, project, start)
        for _, edits in sorted(meanwhile, key=lambda one: one[0]):
            act(workspace, plain, edits)
        expected = last(workspace, plain)
        due = [(at, edits) for at, edits in sorted(meanwhile, key=lambda one: one[0])]
        patch.setattr(lexicon_steps, "AT_ONCE", 0)
        patch.setattr(lexicon_lists, "ROWS", 2)
        steps = iter(range(1000))

        @lexicon_steps.contextmanager
        def step(where):
            # Before a step, so that nothing comes after the last.
            at = next(steps)
            while due and (due[0][0] <= at):
                with pytest.MonkeyPatch.context() as short:
                    short.setattr(lexicon_steps, "AT_ONCE", 10**9)
                    act(workspace, stepped, due.pop(0)[1])
            with where.writing() as db:
                yield db

        patch.setattr(lexicon_lists, "sweep_later", lambda where: None)
        patch.setattr(lexicon_lists, "step", step)
        found = last(workspace, stepped)
        if due:
            return  # these come after the end: there is nothing to compare
        assert found == expected
        assert stands(workspace, stepped) == stands(workspace, plain)
        places = [batch.kind for batch in lexicon_batches.versions(workspace, stepped.id)[0]]
        assert places == [batch.kind for batch in lexicon_batches.versions(workspace, plain.id)[0]]
        with workspace.reading() as db:
            assert (
                db.execute(
                    "SELECT count(*) FROM lexicon_words WHERE list NOT IN (SELECT id FROM lexicon_lists)"
                ).fetchone()[0]
                == 0
            )


def test_pages_from_the_end_are_those_from_the_beginning(workspace, project):
    chance = random.Random(4)
    words = {f"词{n:03}": [("ORG", chance.randrange(9))] for n in range(130)}
    import_list(workspace, project, words)
    for sort in ("word", "frequency", "length", "documents", "newest"):
        for descending in (False, True):
            query = WordQuery(sort=sort, descending=descending)
            whole = [row.word for row in lexicon_words.page(workspace, project.id, query, limit=200).rows]
            assert len(whole) == 130
            for offset in (0, 30, 64, 65, 66, 100, 125, 129, 130, 500):
                page = lexicon_words.page(workspace, project.id, query, offset=offset, limit=20)
                assert [row.word for row in page.rows] == whole[offset : offset + 20], (sort, offset)
                assert page.total == 130


@pytest.mark.parametrize(
    ("stand", "change", "copied"),
    [
        (600, 20, False),  # short wherever it is
        (600, 21, False),  # longer, and 28 times as many stay as they are
        (600, 54, False),
        (600, 55, True),  # of 600 not ten times as many stay
        (900, 60, False),
        (900, 61, True),  # too many for one transaction
        (0, 30, True),
    ],
)
def test_a_long_list_is_not_copied_for_a_few_of_its_words(
    workspace, project, monkeypatch, stand, change, copied
):
    words = [f"词{n:03}" for n in range(max(stand, change))]
    if stand:
        import_list(workspace, project, {word: [("ORG", 2)] for word in words})
    monkeypatch.setattr(lexicon_steps, "AT_ONCE_IN_LONG", 60)
    before = stands(workspace, project)
    stood = standing_number(workspace, project)
    changed = dict.fromkeys(words[::-1][:change], "PER")
    add_words(workspace, project.id, changed, user="bo")
    assert (standing_number(workspace, project) != stood) == copied
    frequency = 2 if stand else 1
    assert stands(workspace, project)[0] == {
        (word, "PER" if word in changed else "ORG", frequency) for word in words
    }
    lexicon_returning.undo(workspace, project.id, user="lin")
    assert stands(workspace, project) == before


def standing_number(workspace, project):
    with workspace.reading() as db:
        return lexicon_lists.current_list(db, project.id)


def test_a_few_words_of_a_long_list_that_cannot_be_written_leave_it_as_it_was(
    workspace, project, monkeypatch
):
    import_list(workspace, project, {f"词{n:03}": [("ORG", 2)] for n in range(600)})
    monkeypatch.setattr(lexicon_steps, "AT_ONCE_IN_LONG", 60)
    before, seen = stands(workspace, project), []

    def decide(word, entries):
        if word == "词049":
            # Another connection sees nothing of the 49 words before it.
            seen.append(stands(workspace, project) == before)
            raise StoreFull(workspace.file)
        return (WordEntry("PER", 1),)

    with pytest.raises(StoreFull):
        lexicon_steps.write(workspace, project.id, "add", [f"词{n:03}" for n in range(50)], decide, user="bo")
    assert seen == [True]
    assert stands(workspace, project) == before
    assert lexicon_batches.versions(workspace, project.id)[1] == 1
    assert rows_kept(workspace) == (1, 0, 0)


def test_a_person_who_saves_meanwhile_waits_for_no_more_than_a_step(workspace, project):
    id_ = documents.add(workspace, project.id, [Document("a", "张伟在家", (Span(0, 2, "PER"),))]).ids[0]
    words = {f"新{n:05}": (WordEntry("ORG", 1),) for n in range(3_000)}
    saved = []

    def save():
        for turn in range(12):
            stands = annotations.current(workspace, id_)
            annotations.save(workspace, id_, stands.revision, [Span(turn % 2, 2, "PER")], user="bo")
            saved.append(importing.is_alive())

    importing = threading.Thread(
        target=lexicon_import.import_list,
        args=(workspace, project.id, words),
        kwargs={"user": "lin", "source": "x"},
    )
    importing.start()
    save()
    importing.join()
    assert sum(saved) >= 6, "most of them while the list was written"
    assert lexicon_counts.counts(workspace, project.id).entries == 3_000
