"""The text index against looking into every text, at every moment of its building."""

from __future__ import annotations

import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.store import Filter, Workspace
from core.store.annotation import annotations
from core.store.document import documents, text_index, text_indexing, text_postings, trash
from core.store.label import labels
from core.store.project import projects
from core.store.queue import order as queue_order
from core.store.queue import queue
from core.text import Document, LabelSet, Span
from tests.store.killing import kill_when
from tests.workspaces import new_workspace

# ASCII of both cases and what LIKE takes for a wildcard, a NUL, Chinese within and beyond the first plane,
# emoji with a joiner, a combining mark, private use, capitals that only Unicode knows, the last code point.
CHARACTERS = "aAzZ09 %_\\'\"\0\r\n北京大学书𠀀👩‍🔬e\u0301\ue000\U000f0020ÄäΣς\U0010ffff"
texts = st.text(st.sampled_from(CHARACTERS), max_size=12)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of four documents, built by hand."""
    monkeypatch.setattr(text_index, "DOCUMENTS", 4)
    monkeypatch.setattr(text_indexing, "keep_up", lambda *_: None)
    monkeypatch.setattr(documents, "keep_up", lambda *_: None)
    monkeypatch.setattr(queue, "keep_up", lambda *_: None)


def small(text: str) -> str:
    return "".join(chr(ord(char) + 32) if "A" <= char <= "Z" else char for char in text)


def found(workspace, project, search: str, *, trashed: bool = False) -> list[int]:
    with workspace.reading() as db:
        return text_index.hits(db, project.id, search, trashed=trashed)


def add(workspace, project, texts, prefix=""):
    made = [Document(f"{prefix}{at}", text) for at, text in enumerate(texts)]
    return documents.add(workspace, project.id, made).ids


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
        step = 0
        while True:
            if step == 1:
                trash.trash_documents(workspace, project.id, gone)
                trash.empty(workspace, project.id)
                trash.trash_documents(workspace, project.id, binned)
            for search in [*searches, *slices[:12]]:
                for trashed in (False, True):
                    wanted = [
                        number
                        for number, text in zip(numbers, corpus, strict=True)
                        if small(search) in small(text)
                        and not (step and number in gone)
                        and (bool(step) and number in binned) == trashed
                    ]
                    assert found(workspace, project, search, trashed=trashed) == wanted, (search, step)
            step += 1
            if not text_index.grow(workspace, project.id) and step > 1:
                break


def test_a_long_search_is_as_exact_as_a_short_one(workspace, project):
    text = "".join(chr(0x4E00 + at % 700) for at in range(3000))
    corpus = [text, text[::-1], text[:999] + "书" + text[999:], "短"]
    numbers = add(workspace, project, corpus)
    assert text_index.grow(workspace, project.id)
    for search in (text[700:1600], text[:900], text[::-1][:30]):
        wanted = [number for number, one in zip(numbers, corpus, strict=True) if search in one]
        assert found(workspace, project, search) == wanted
        assert wanted


def test_half_of_a_surrogate_pair_stands_in_no_text(workspace, project):
    add(workspace, project, ["𠀀"] * 5)
    assert found(workspace, project, "\ud840") == []
    assert queue.page(workspace, project.id, Filter(search="\ud840")).total == 0


def test_documents_far_apart_and_texts_longer_than_a_block_are_indexed_too(workspace, project, monkeypatch):
    monkeypatch.setattr(text_index, "CHARACTERS", 50)
    monkeypatch.setattr(text_postings, "WIDEST", 6)
    other = projects.create(workspace, "other")
    numbers = [*add(workspace, project, ["北京" * 100, "大学"], "a")]
    add(workspace, other, [f"{at}" for at in range(20)])
    numbers += add(workspace, project, ["书" * 60, "北京", "大", "学", ""], "b")
    while text_index.grow(workspace, project.id):
        pass
    with workspace.reading() as db:
        blocks = [tuple(row) for row in db.execute("SELECT first, last FROM text_blocks")]
    assert len(blocks) >= 3
    assert found(workspace, project, "北京") == [numbers[0], numbers[3]]
    assert found(workspace, project, "京北") == [numbers[0]]
    assert found(workspace, project, "学") == [numbers[1], numbers[5]]


def test_what_was_deleted_for_good_leaves_the_index_and_a_deleted_project_leaves_nothing(workspace, project):
    kept = projects.create(workspace, "kept")
    add(workspace, kept, ["北京"] * 4)
    numbers = add(workspace, project, ["北京"] * 9)
    for one in (kept, project):
        while text_index.grow(workspace, one.id):
            pass
    trash.trash_documents(workspace, project.id, numbers[:4])
    trash.empty(workspace, project.id)
    assert text_index.forget_gone(workspace, project.id) == 1
    assert found(workspace, project, "北京") == list(numbers[4:])
    trash.trash_project(workspace, project.id)
    trash.empty_project(workspace, project.id)
    with workspace.reading() as db:
        assert db.execute("SELECT count(*) FROM text_blocks").fetchone()[0] == 1
        left = [row[0] >> 44 for row in db.execute("SELECT id FROM text_postings")]
    assert set(left) == {kept.id}
    assert len(found(workspace, kept, "京")) == 4


def test_a_backup_restored_while_a_block_is_made_is_indexed_by_its_own_texts(workspace, project, monkeypatch):
    add(workspace, project, ["北京"] * 4)
    packed = text_postings.packed

    def meanwhile(texts, places):
        monkeypatch.undo()
        monkeypatch.setattr(text_index, "DOCUMENTS", 4)
        with workspace.writing() as db:  # what a restored file looks like: other texts under these numbers
            db.execute("UPDATE documents SET text = '大学' || id, content_hash = 'other' || id")
        return packed(texts, places)

    monkeypatch.setattr(text_postings, "packed", meanwhile)
    while text_index.grow(workspace, project.id):
        pass
    assert found(workspace, project, "北京") == []
    assert len(found(workspace, project, "大学")) == 4


def test_two_builders_at_once_index_nothing_twice(workspace, project, tmp_path):
    numbers = add(workspace, project, [f"书{at}" for at in range(40)])
    start = threading.Barrier(3)

    def build():
        with Workspace.open(workspace.folder) as own:
            start.wait()
            while text_index.grow(own, project.id):
                pass

    builders = [threading.Thread(target=build) for _ in range(3)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join()
    with workspace.reading() as db:
        assert db.execute("SELECT count(*), sum(documents) FROM text_blocks").fetchone()[:] == (10, 40)
    assert found(workspace, project, "书") == list(numbers)


_BUILD = """
import sys, time
from core.store import Workspace
from core.store.document import text_index
text_index.DOCUMENTS = 4
with Workspace.open(sys.argv[1]) as workspace:
    print("ready", flush=True)
    while text_index.grow(workspace, int(sys.argv[2])):
        time.sleep(0.001)
"""


def test_a_killed_builder_leaves_a_right_index_that_the_next_one_goes_on_with(workspace, project):
    corpus = [f"{'北京' if at % 3 else '大学'}{at}" for at in range(600)]
    numbers = add(workspace, project, corpus)

    def built():
        with workspace.reading() as db:
            return db.execute("SELECT count(*) FROM text_blocks").fetchone()[0]

    blocks = []
    for _ in range(2):
        wanted = (blocks[-1] if blocks else 0) + 20
        kill_when(lambda wanted=wanted: built() >= wanted, _BUILD, workspace.folder, project.id)
        blocks.append(built())
        for search in ("北京", "学", "京1"):
            assert found(workspace, project, search) == [
                number for number, text in zip(numbers, corpus, strict=True) if search in text
            ]
    assert 20 <= blocks[0] < blocks[1]
    while text_index.grow(workspace, project.id):
        pass
    with workspace.reading() as db:
        assert db.execute("SELECT sum(documents) FROM text_blocks").fetchone()[0] == 600


def test_the_queue_searches_through_the_index(workspace, project):
    numbers = add(workspace, project, [f"{'北京' if at % 2 else '书'} 100% {at}" for at in range(11)])
    while text_index.grow(workspace, project.id):
        pass
    for search in ("北京", "书", "0% 1", "%", "_"):
        for order in queue_order.ORDERS:
            page = queue.page(workspace, project.id, Filter(search=search), order=order)
            wanted = [
                n for at, n in enumerate(numbers) if search in f"{'北京' if at % 2 else '书'} 100% {at}"
            ]
            assert sorted(row.id for row in page.rows) == wanted
            assert page.total == len(wanted)
    assert queue.matching(workspace, project.id, Filter(search="书")) == list(numbers[::2])


def test_an_import_is_indexed_behind_it_while_people_save(tmp_path, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(text_index, "DOCUMENTS", 50)
    monkeypatch.setattr(text_indexing, "PAUSE", 0.001)
    with Workspace.open(tmp_path) as workspace:
        project = projects.create(workspace, "news")
        labels.put(workspace, project.id, LabelSet.from_names(["LOC"]))
        numbers = add(workspace, project, [f"北京{at}" for at in range(620)])
        saved = 0
        while not workspace.background.finish(text_indexing.KEY, 0) and saved < len(numbers):
            annotations.save(workspace, numbers[saved], 0, [Span(0, 2, "LOC")], user="lin")
            saved += 1
        text_indexing.finish(workspace, 60)
        with workspace.reading() as db:
            assert db.execute("SELECT sum(documents) FROM text_blocks").fetchone()[0] == 600
        assert found(workspace, project, "北") == list(numbers)
        assert queue.page(workspace, project.id, Filter(label="LOC")).total == saved
        # Twenty wait; a search after thirty more finds them, and has them indexed.
        add(workspace, project, [f"书{at}" for at in range(30)], "later")
        assert queue.page(workspace, project.id, Filter(search="书")).total == 30
        text_indexing.finish(workspace, 60)
        with workspace.reading() as db:
            assert db.execute("SELECT sum(documents) FROM text_blocks").fetchone()[0] == 650


def test_a_workspace_that_is_closed_meanwhile_ends_the_building_quietly(tmp_path, monkeypatch, caplog):
    monkeypatch.undo()
    monkeypatch.setattr(text_index, "DOCUMENTS", 5)
    monkeypatch.setattr(text_indexing, "PAUSE", 30.0)
    with Workspace.open(tmp_path) as workspace:
        project = projects.create(workspace, "news")
        add(workspace, project, [f"北京{at}" for at in range(500)])
        assert not workspace.background.finish(text_indexing.KEY, 0)
    assert workspace.background.finish(text_indexing.KEY, 0), (
        "closing waits for its end, and not for all texts"
    )
    assert not caplog.records
