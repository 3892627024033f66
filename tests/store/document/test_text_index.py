"""The text index against looking into every text: after imports, deletions, a kill, a restore, damage."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.store import Filter, Workspace
from core.store.annotation import annotations
from core.store.db.backup import backup, restore
from core.store.document import documents, text_index, trash
from core.store.label import labels
from core.store.project import projects
from core.store.queue import order as queue_order
from core.store.queue import queue
from core.text import Document, LabelSet, Span
from tests.store.killing import kill_when
from tests.workspaces import new_workspace

# ASCII of both cases and what LIKE, FTS5 and JSON take for syntax, a NUL, Chinese within and beyond the first
# plane, characters whose UTF-16 units share a half, emoji with a joiner, a combining mark, private use,
# capitals that only Unicode knows, hexadecimal digits, the last code point.
CHARACTERS = (
    "aAzZ09 %_*^:+-()\\'\"\0\r\n"
    "北京大学书乎\u4e4e\u4e00𠀀𠀁\U00020400👩‍🔬e\u0301\ue000\U000f0020ÄäΣς4eEＡ\U0010ffff"
)
texts = st.text(st.sampled_from(CHARACTERS), max_size=12)


def small(text: str) -> str:
    return "".join(chr(ord(char) + 32) if "A" <= char <= "Z" else char for char in text)


def found(workspace, project, search: str, *, trashed: bool = False) -> list[int]:
    with workspace.reading() as db:
        hits = text_index.hits(db, project.id, search, trashed=trashed)
    assert hits.whole, "nothing but the index was asked"
    return hits.numbers


def add(workspace, project, texts, prefix=""):
    made = [Document(f"{prefix}{at}", text) for at, text in enumerate(texts)]
    return documents.add(workspace, project.id, made).ids


def indexed(workspace, project) -> int:
    """How many documents the index holds, read from its own words."""
    with closing(sqlite3.connect(workspace.file)) as db:
        db.execute(
            f"CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, text_index_{project.id}, instance)"
        )
        return db.execute("SELECT count(DISTINCT doc) FROM words").fetchone()[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(texts, min_size=1, max_size=14), st.lists(texts.filter(bool), min_size=1, max_size=5), st.data()
)
def test_it_answers_as_looking_into_every_text_would(tmp_path_factory, corpus, searches, data):
    with Workspace.open(new_workspace(tmp_path_factory.mktemp("index"))) as workspace:
        other = projects.create(workspace, "other")
        project = projects.create(workspace, "news")
        half = data.draw(st.integers(0, len(corpus)))
        numbers = [*add(workspace, project, corpus[:half], "a")]
        add(workspace, other, corpus, "o")
        numbers += add(workspace, project, corpus[half:], "b")
        gone = set(data.draw(st.lists(st.sampled_from(numbers), max_size=3)))
        binned = set(data.draw(st.lists(st.sampled_from(numbers), max_size=3))) - gone
        slices = [text[a:b] for text in corpus for a in (0, 1) for b in (a + 1, a + 2, a + 5) if text[a:b]]

        def check(stage: str, present: set[int], binned: set[int]) -> None:
            for search in [*searches, *slices[:12]]:
                for trashed in (False, True):
                    wanted = [
                        number
                        for number, text in zip(numbers, corpus, strict=True)
                        if small(search) in small(text)
                        and number in present
                        and (number in binned) == trashed
                    ]
                    assert found(workspace, project, search, trashed=trashed) == wanted, (search, stage)

        everything = set(numbers)
        check("imported", everything, set())
        trash.trash_documents(workspace, project.id, gone)
        check("in the trash", everything, gone)
        trash.empty(workspace, project.id)
        trash.trash_documents(workspace, project.id, binned)
        check("deleted", everything - gone, binned)
        copy = backup(workspace, workspace.folder / "copy.sqlite")
        add(workspace, project, [*searches, *corpus], "later")
        restore(workspace, copy)
        check("restored", everything - gone, binned)
        text_index.rebuild(workspace, project.id)
        check("rebuilt", everything - gone, binned)


def test_a_long_search_is_as_exact_as_a_short_one(workspace, project):
    text = "".join(chr(0x4E00 + at % 700) for at in range(3000)) + "\0A"
    corpus = [text, text[::-1], text[:999] + "书" + text[999:], "短"]
    numbers = add(workspace, project, corpus)
    for search in (text[700:1600], text[:900], text[::-1][:30], text[-900:], text[-900:].lower(), text):
        wanted = [number for number, one in zip(numbers, corpus, strict=True) if small(search) in small(one)]
        assert found(workspace, project, search) == wanted
        assert wanted


def test_half_of_a_surrogate_pair_stands_in_no_text(workspace, project):
    add(workspace, project, ["𠀀"] * 5)
    assert found(workspace, project, "\ud840") == []
    assert queue.page(workspace, project.id, Filter(search="\ud840")).total == 0


def test_an_empty_project_is_searched_and_nothing_is_made_for_it(workspace, project):
    assert queue.page(workspace, project.id, Filter(search="北")).total == 0
    with workspace.reading() as db:
        made = db.execute("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'text_index_%'").fetchone()[0]
    assert made == 0


def test_a_document_that_is_imported_again_stands_once(workspace, project):
    numbers = add(workspace, project, ["北京", "大学"])
    trash.trash_documents(workspace, project.id, numbers)
    assert add(workspace, project, ["北京", "大学"]) == numbers
    assert found(workspace, project, "北") == [numbers[0]]
    assert indexed(workspace, project) == 2


def test_what_was_deleted_for_good_leaves_the_index_and_a_deleted_project_leaves_nothing(workspace, project):
    kept = projects.create(workspace, "kept")
    add(workspace, kept, ["北京"] * 4)
    numbers = add(workspace, project, ["北京"] * 9)
    trash.trash_documents(workspace, project.id, numbers[:4])
    trash.empty(workspace, project.id)
    assert found(workspace, project, "北京") == list(numbers[4:])
    assert trash.discard_import(workspace, project.id, numbers[4:6], user="import") == 2
    assert indexed(workspace, project) == 3
    trash.trash_project(workspace, project.id)
    trash.empty_project(workspace, project.id)
    with workspace.reading() as db:
        left = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'text_index_%'")]
    assert left
    assert all(name.startswith(f"text_index_{kept.id}") for name in left)
    assert len(found(workspace, kept, "京")) == 4


def test_an_import_that_fails_leaves_nothing_in_the_index(workspace, project, monkeypatch):
    monkeypatch.setattr(documents, "IMPORTED", 2)
    full = [Document("a", "北京"), Document("b", "北"), Document("c", "北\ud800")]
    with pytest.raises(Exception, match="surrogate"):
        documents.add(workspace, project.id, full)
    assert len(found(workspace, project, "北")) == 2, "of the chunk that is in"
    with suppress(ZeroDivisionError), workspace.writing():
        print(len(add(workspace, project, ["北大"], "x")) / 0)
    assert found(workspace, project, "北大") == []


_IMPORT = """
import sys
from core.store import Workspace
from core.store.document import documents
from core.text import Document
documents.IMPORTED = 4
with Workspace.open(sys.argv[1]) as workspace:
    print("ready", flush=True)
    made = (Document(f"d{at}", f"{'北京' if at % 3 else '大学'}{at}") for at in range(100_000))
    documents.add(workspace, int(sys.argv[2]), made)
"""


def test_a_killed_import_leaves_texts_and_index_alike(workspace, project):
    def count():
        with workspace.reading() as db:
            return db.execute("SELECT count(*) FROM documents").fetchone()[0]

    for _ in range(2):
        wanted = count() + 200
        kill_when(lambda wanted=wanted: count() >= wanted, _IMPORT, workspace.folder, project.id)
        with workspace.reading() as db:
            corpus = [tuple(row) for row in db.execute("SELECT id, text FROM documents ORDER BY id")]
        assert len(corpus) >= 200
        for search in ("北京", "学", "京1"):
            assert found(workspace, project, search) == [id_ for id_, text in corpus if search in text]


def test_the_queue_searches_through_the_index(workspace, project):
    numbers = add(workspace, project, [f"{'北京' if at % 2 else '书'} 100% {at}" for at in range(11)])
    for search in ("北京", "书", "0% 1", "%", "_"):
        for order in queue_order.ORDERS:
            page = queue.page(workspace, project.id, Filter(search=search), order=order)
            wanted = [
                n for at, n in enumerate(numbers) if search in f"{'北京' if at % 2 else '书'} 100% {at}"
            ]
            assert sorted(row.id for row in page.rows) == wanted
            assert page.total == len(wanted)
    assert queue.matching(workspace, project.id, Filter(search="书")) == list(numbers[::2])


def test_people_save_while_documents_come_in(workspace, project, monkeypatch):
    monkeypatch.setattr(documents, "IMPORTED", 10)
    labels.put(workspace, project.id, LabelSet().extended(["LOC"]))
    saved = 0

    def save(done: int) -> None:
        nonlocal saved
        number = found(workspace, project, "北京")[done - 1]
        annotations.save(workspace, number, 0, [Span(0, 2, "LOC")], user="lin")
        saved += 1

    made = [Document(f"d{at}", f"北京{at}") for at in range(100)]
    documents.add(workspace, project.id, made, progress=save)
    assert saved == queue.page(workspace, project.id, Filter(label="LOC")).total == 10


@pytest.fixture
def harmed(tmp_path):
    """A workspace of its own whose index may come to harm, and the numbers of its documents."""
    with Workspace.open(new_workspace(tmp_path / "own")) as workspace:
        project = projects.create(workspace, "news")
        numbers = add(workspace, project, [f"{'北京' if at % 3 else '大学'}{at}" for at in range(300)])
        yield workspace, project, numbers


HARM = {
    "a block is garbage": "UPDATE text_index_{n}_data SET block = X'00FF00FF' WHERE id > 10",
    "the structure is garbage": "UPDATE text_index_{n}_data SET block = X'00000000FF7F7F7F' WHERE id = 10",
    "blocks are missing": "DELETE FROM text_index_{n}_data WHERE id > 10",
    "everything is missing": "DELETE FROM text_index_{n}_data",
    "the configuration is missing": "DELETE FROM text_index_{n}_config",
}


def harm(workspace, project, what):
    with closing(sqlite3.connect(workspace.file, isolation_level=None)) as db:
        assert db.execute(HARM[what].format(n=project.id)).rowcount > 0
    # What is open already knows the old version; a restarted program does not.
    return Workspace.open(workspace.folder)


@pytest.mark.parametrize("what", HARM)
def test_a_damaged_index_is_built_anew_and_every_answer_is_right(harmed, what):
    workspace, project, numbers = harmed
    wanted = [number for at, number in enumerate(numbers) if at % 3]
    with harm(workspace, project, what) as again:
        assert queue.matching(again, project.id, Filter(search="北京")) == wanted
        assert queue.page(again, project.id, Filter(search="北京")).total == len(wanted)
        assert found(again, project, "北京") == wanted
        assert indexed(again, project) == 300


@pytest.mark.parametrize("what", HARM)
@pytest.mark.parametrize("work", ["import", "delete", "delete the project"])
def test_a_damaged_index_hinders_no_work(harmed, what, work):
    workspace, project, numbers = harmed
    with harm(workspace, project, what) as again:
        if work == "import":
            add(again, project, ["北京人"], "later")
            assert queue.page(again, project.id, Filter(search="京人")).total == 1
        elif work == "delete":
            trash.trash_documents(again, project.id, numbers[:250])
            assert trash.empty(again, project.id) == 250
        else:
            trash.trash_project(again, project.id)
            trash.empty_project(again, project.id)
            return
        expected = 201 if work == "import" else 34
        assert queue.page(again, project.id, Filter(search="北京")).total == expected
        assert len(found(again, project, "北京")) == expected


def test_an_index_that_is_gone_is_built_by_the_next_search(harmed):
    workspace, project, numbers = harmed
    with workspace.writing() as db:
        db.execute(f"DROP TABLE text_index_{project.id}")
    assert queue.page(workspace, project.id, Filter(search="大学")).total == 100
    assert found(workspace, project, "大学") == list(numbers[::3])
