"""The callbacks of the Words tab of the Dictionary page."""

import pytest

from app.dictionary import panel, word_table
from app.dictionary import words as page
from app.services.errors import AppError
from app.ui.payload import InvalidPayload
from core.lexicon import Lexicon, gazetteer
from core.lexicon.entry import Entry
from core.store import PayloadError, StoreError
from core.store.document import documents
from core.store.lexicon import words as lexicon_words
from core.store.project import projects
from core.store.run import predictions, runs
from core.text import Document
from tests.app.asking import asked
from tests.store.by_hand import add_words, number_of


@pytest.fixture(autouse=True)
def small_base(monkeypatch):
    base = Lexicon([Entry("北京", 30, "ns"), Entry("工作", 9, "v")])
    monkeypatch.setattr(Lexicon, "jieba", classmethod(lambda cls: base))


def finished(session):
    task = panel.LIST_WORK.of(session)
    assert task is None or task.wait(60)
    return panel.list_work(session)


def words(session, **query):
    rows = asked(word_table.dictionary_page, session, query)["rows"]
    return [(row["word"], row["type"], row["frequency"]) for row in rows]


def import_list(session, path, choice="file", choices=None):
    page.take_file(session, str(path))
    assert finished(session)["error"] == ""
    waiting = asked(page.dictionary_list, session)["list"]
    asked(
        page.dictionary_bring,
        session,
        {"list": waiting["number"], "choice": choice, "choices": choices or {}},
    )
    state = finished(session)
    assert state["error"] == "", state
    return waiting, state["result"]


def test_an_untouched_project_has_the_base_alone(session):
    found = asked(word_table.dictionary_page, session)
    assert (found["rows"], found["total"], found["base"]) == ([], 0, 2)
    assert (found["counts"]["entries"], found["counts"]["removed"]) == (0, 0)


@pytest.mark.parametrize(("word", "in_base", "count"), [("北京", True, 4), ("南山", False, 0)])
def test_a_word_is_looked_up_with_the_documents_it_touches(filled, word, in_base, count):
    found = asked(word_table.dictionary_look, filled, {"word": word})
    assert ("base" in found, found["documents"], len(found["matches"])) == (in_base, count, count)


def test_a_word_is_added_edited_and_taken_out_and_each_is_undone(filled):
    asked(word_table.dictionary_add, filled, {"word": " 今天 ", "type": "TIME", "frequency": 5})
    assert words(filled) == [("今天", "TIME", 5)]
    (row,) = asked(word_table.dictionary_page, filled)["rows"]
    asked(word_table.dictionary_edit, filled, {"id": row["id"], "type": "DATE", "frequency": 7})
    (row,) = asked(word_table.dictionary_page, filled)["rows"]
    assert (row["type"], row["frequency"]) == ("DATE", 7)
    asked(word_table.dictionary_change, filled, {"operation": "remove", "ids": [row["id"]]})
    assert words(filled) == []
    assert words(filled, state="removed") == [("今天", "", 0)]
    for expected in ([("今天", "DATE", 7)], [("今天", "TIME", 5)], []):
        assert asked(word_table.dictionary_page, filled)["undoable"]
        asked(word_table.dictionary_undo, filled)
        assert finished(filled)["error"] == ""
        assert words(filled) == expected
    assert not asked(word_table.dictionary_page, filled)["undoable"]
    asked(word_table.dictionary_undo, filled)
    assert "left to undo" in finished(filled)["error"]


def test_a_second_type_is_a_conflict_until_somebody_decides(filled):
    for kind in ("ORG", "PER"):
        asked(word_table.dictionary_add, filled, {"word": "青禾", "type": kind})
    rows = asked(word_table.dictionary_page, filled, {"state": "conflict"})["rows"]
    assert [(row["type"], row["conflict"]) for row in rows] == [("ORG", 1), ("PER", 1)]
    asked(word_table.dictionary_change, filled, {"operation": "keep_all", "ids": [rows[0]["id"]]})
    assert asked(word_table.dictionary_page, filled, {"state": "conflict"})["total"] == 0
    kept = asked(word_table.dictionary_page, filled, {"state": "kept"})["rows"]
    asked(word_table.dictionary_change, filled, {"operation": "keep_one", "ids": [kept[1]["id"]]})
    assert words(filled) == [("青禾", "PER", 1)]


def test_no_type_is_none_beside_a_type(filled):
    """Added, edited or retyped: a word never has a type and none."""
    for kind in ("", "ORG", "PER"):
        asked(word_table.dictionary_add, filled, {"word": "青禾", "type": kind, "frequency": 2})
    both = [("青禾", "ORG", 2), ("青禾", "PER", 2)]
    assert words(filled) == both
    with pytest.raises(StoreError, match="nothing changes"):
        asked(word_table.dictionary_add, filled, {"word": "青禾", "type": ""})
    rows = asked(word_table.dictionary_page, filled)["rows"]
    asked(word_table.dictionary_edit, filled, {"id": rows[0]["id"], "type": "", "frequency": 2})
    assert words(filled) == both[1:]
    asked(word_table.dictionary_undo, filled)
    finished(filled)
    rows = asked(word_table.dictionary_page, filled)["rows"]
    asked(word_table.dictionary_change, filled, {"operation": "retype", "ids": [rows[1]["id"]], "type": ""})
    assert words(filled) == both[:1]
    asked(
        word_table.dictionary_change,
        filled,
        {
            "operation": "retype",
            "ids": [asked(word_table.dictionary_page, filled)["rows"][0]["id"]],
            "type": "",
        },
    )
    assert words(filled) == [("青禾", "", 2)], "the last type may go"


def test_many_are_retyped_and_taken_out_at_once(filled):
    for word in ("甲一", "甲二", "乙一"):
        asked(word_table.dictionary_add, filled, {"word": word, "type": "ORG"})
    asked(
        word_table.dictionary_change,
        filled,
        {"operation": "retype", "all": True, "new_type": "LOC", "search": "甲", "type": "ORG"},
    )
    finished(filled)
    assert words(filled) == [("乙一", "ORG", 1), ("甲一", "LOC", 1), ("甲二", "LOC", 1)]
    asked(word_table.dictionary_change, filled, {"operation": "remove", "all": True, "type": "LOC"})
    finished(filled)
    assert words(filled) == [("乙一", "ORG", 1)]
    ids = [row["id"] for row in asked(word_table.dictionary_page, filled, {"state": "removed"})["rows"]]
    asked(word_table.dictionary_change, filled, {"operation": "forget", "ids": ids})
    assert words(filled, state="removed") == []


@pytest.mark.parametrize("word", ["", "  ", "a\tb", "长" * 101, "\ud800", 3, None])
def test_invalid_words_are_refused(session, word):
    with pytest.raises((InvalidPayload, PayloadError)):
        asked(word_table.dictionary_add, session, {"word": word})


@pytest.mark.parametrize(
    "payload",
    [
        {"operation": "drop table"},
        {"operation": "remove"},
        {"operation": "remove", "ids": "1"},
        {"operation": "remove", "ids": [True]},
        {"operation": "remove", "ids": [1]},
        {"operation": "keep_one", "all": True},
        {"operation": "retype", "ids": [1], "type": "a\nb"},
    ],
)
def test_a_hostile_change_is_refused(session, payload):
    with pytest.raises((InvalidPayload, ValueError, StoreError)):
        asked(word_table.dictionary_change, session, payload)


def test_entries_of_another_project_are_out_of_reach(session):
    other = projects.create(session.workspace, "other")
    add_words(session.workspace, other.id, ["秘密"], user="bo")
    (row,) = lexicon_words.page(session.workspace, other.id).rows
    for payload in ({"operation": "remove", "ids": [row.id]}, {"operation": "keep_all", "ids": [row.id]}):
        with pytest.raises(PayloadError, match="changed in the meantime"):
            asked(word_table.dictionary_change, session, payload)
    with pytest.raises(PayloadError):
        asked(word_table.dictionary_edit, session, {"id": row.id, "type": "X", "frequency": 1})


def test_a_list_is_previewed_before_the_import(filled, tmp_path):
    add_words(filled.workspace, filled.project_id, {"张伟": "PER", "工作": ""}, user="lin")
    file = tmp_path / "words.txt"
    file.write_text(
        "今天\tTIME\n张伟 5 nr\n张伟\n\tLOC\n工作\tJOB\n" + "长" * 10_000 + "\n", encoding="utf-8"
    )
    page.take_file(filled, str(file))
    finished(filled)
    waiting = asked(page.dictionary_list, filled)["list"]
    counts = {kind: number for kind, number in waiting["counts"].items() if number}
    assert counts == {"new": 1, "conflict": 1, "typed": 1}
    assert waiting["types"] == [("TIME", 1), ("nr", 1), ("JOB", 1)]
    assert waiting["untyped"] == 0
    assert waiting["conflicts"] == [{"word": "张伟", "ours": ["PER"], "theirs": ["nr"]}]
    assert [line for line, _ in waiting["problems"]] == [4, 6]
    assert "10000 characters" in waiting["problems"][1][1]
    assert waiting["touched"] == {"documents": 5, "exact": True, "read": 5, "all": 5}
    assert words(filled) == [("工作", "", 1), ("张伟", "PER", 1)], "nothing is written by looking"
    assert asked(page.dictionary_refused, filled)["text"].startswith("# 4: ")
    asked(page.dictionary_drop, filled)
    assert asked(page.dictionary_list, filled) == {"list": None}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("file", [("张伟", "nr", 5)]),
        ("ours", [("张伟", "PER", 1)]),
        ("both", [("张伟", "PER", 1), ("张伟", "nr", 5)]),
    ],
)
def test_a_conflict_is_settled_as_chosen(filled, tmp_path, choice, expected):
    add_words(filled.workspace, filled.project_id, {"张伟": "PER"}, user="lin")
    file = tmp_path / "words.txt"
    file.write_text("张伟 5 nr\n今天\tTIME\n", encoding="utf-8")
    import_list(filled, file, "both" if choice == "file" else "file", {"张伟": choice})
    assert words(filled, search="张伟") == expected
    assert words(filled, source="words.txt", search="今天") == [("今天", "TIME", 1)]


def test_an_import_is_undone_as_a_whole(filled, tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("\n".join(f"词{n}\t{n}\tORG" for n in range(1, 2000)), encoding="utf-8")
    _, result = import_list(filled, file)
    assert result["added"] == 1999
    assert (
        asked(word_table.dictionary_page, filled, {"sort": "frequency", "descending": True})["rows"][0][
            "word"
        ]
        == "词1999"
    )
    asked(word_table.dictionary_undo, filled)
    assert finished(filled)["result"]["removed"] == 1999
    assert words(filled) == []


def test_an_exported_list_round_trips(filled, tmp_path):
    for word, kind, frequency in (
        ("青禾", "ORG", 4),
        ("青禾", "PER", 2),
        ("New York", "LOC", 1),
        ("今天 3", "", 9),
        ("#话题", "ORG", 1),
    ):
        asked(word_table.dictionary_add, filled, {"word": word, "type": kind, "frequency": frequency})
    before = words(filled)
    text = asked(word_table.dictionary_export, filled)["text"]
    file = tmp_path / "out.txt"
    file.write_text(text, encoding="utf-8")
    other = projects.create(filled.workspace, "other")
    filled.turn_to(other.id)
    import_list(filled, file)
    assert words(filled) == before


def test_bad_files_are_reported_and_nothing_is_pending(session, tmp_path):
    with pytest.raises(AppError, match="Choose a word list"):
        page.take_file(session, None)
    bad = {
        "empty": (b"# nothing\n", "contains no words"),
        "zip.txt": (b"PK\x03\x04rest", "zip archive"),
        "binary": (b"\xfe\xfd\x80", "UTF-8"),
    }
    for name, (content, says) in bad.items():
        (tmp_path / name).write_bytes(content)
        page.take_file(session, str(tmp_path / name))
        assert says in finished(session)["error"]
        assert asked(page.dictionary_list, session) == {"list": None}


def test_a_missing_list_is_not_imported(session):
    with pytest.raises(AppError, match="no longer there"):
        asked(page.dictionary_bring, session, {"list": 1, "choice": "file"})


def test_two_works_on_one_list_are_refused_and_a_stopped_one_writes_nothing(filled, monkeypatch):
    def slow(task):
        task.pause(30)
        return {}

    panel.start_list_work(filled, "import", slow)
    with pytest.raises(AppError, match="being processed"):
        asked(word_table.dictionary_undo, filled)
    asked(page.dictionary_stop, filled)
    assert finished(filled)["stopped"] is True


def test_jiebas_names_come_under_the_labels_chosen(filled, monkeypatch):
    names = {
        "person": (Entry("张伟", 8, "nr"),),
        "place": (Entry("北京", 30, "ns"),),
        "organisation": (),
        "other": (Entry("今天", 2, "nz"),),
    }
    monkeypatch.setattr(gazetteer, "names", lambda: names)
    shown = asked(page.dictionary_names, filled)
    assert {kind: found["count"] for kind, found in shown["kinds"].items()} == {
        "person": 1, "place": 1, "organisation": 0, "other": 1,
    }  # fmt: skip
    asked(
        page.dictionary_bring_names, filled, {"labels": {"person": "PER", "place": "LOC"}, "choice": "ours"}
    )
    assert finished(filled)["result"]["added"] == 2
    assert words(filled, source="jieba") == [("北京", "LOC", 30), ("张伟", "PER", 8)]
    with pytest.raises(AppError, match="at least one kind"):
        asked(page.dictionary_bring_names, filled, {"labels": {}, "choice": "ours"})
    with pytest.raises(InvalidPayload):
        asked(page.dictionary_bring_names, filled, {"labels": ["PER"], "choice": "ours"})


def test_documents_are_counted_for_every_word_and_sort_the_table(filled):
    documents.add(filled.workspace, filled.project_id, [Document("x", "北京 北京 party")])
    for word in ("北京", "张伟", "无处", "art"):
        asked(word_table.dictionary_add, filled, {"word": word})
    found = asked(word_table.dictionary_documents, filled, {"words": ["北京", "张伟", "无处", "art"]})
    assert found == {"documents": {"北京": 5, "张伟": 4, "无处": 0, "art": 0}, "exact": True}
    asked(word_table.dictionary_count, filled)
    finished(filled)
    rows = asked(word_table.dictionary_page, filled, {"sort": "documents", "descending": True})["rows"]
    assert [(row["word"], row["documents"]) for row in rows[:2]] == [("北京", 5), ("张伟", 4)]


def test_markup_in_a_word_is_a_word(filled):
    word = "<img src=x onerror=alert(1)>${1}{{x}}"
    asked(word_table.dictionary_add, filled, {"word": word, "type": "<b>"})
    assert words(filled) == [(word, "<b>", 1)]


def test_documents_touched_by_a_word_are_predicted_again(filled, tmp_path):
    runs.register(filled.workspace, filled.project_id, "demo", "flat", tmp_path, {})
    projects.set_active(filled.workspace, filled.project_id, "demo")
    predictions.put(filled.workspace, "demo", documents.iterate(filled.workspace, filled.project_id))
    asked(word_table.dictionary_add, filled, {"word": "今天"})
    raw = number_of(filled.workspace, filled.project_id, "raw")
    assert predictions.missing(filled.workspace, "demo") == [raw]
