"""The callbacks of the Words tab of the Dictionary page."""

from __future__ import annotations

import pytest

from app.errors import AppError
from app.pages import dictionary_words as page
from core.lexicon import Lexicon, LexiconError, WordListError
from core.store import StoreError, documents, lexicon_changes, predictions, projects, runs


@pytest.fixture(autouse=True)
def small_base(monkeypatch):
    base = Lexicon(["北京", "工作"])
    monkeypatch.setattr(Lexicon, "jieba", classmethod(lambda cls: base))


def test_an_untouched_project_says_so(session):
    summary, empty, changes = page.show(session)
    assert "(2 words); this project adds 0 and takes out 0" in summary
    assert (empty["visible"], changes["visible"]) == (True, False)


@pytest.mark.parametrize(("word", "says"), [("北京", "is in the lexicon"), ("南山", "is not in the lexicon")])
def test_a_word_is_looked_up_with_the_documents_it_touches(filled, word, says):
    message, matches = page.search(filled, word)
    assert says in message
    assert f"occurs in {4 if word == '北京' else 0} documents" in message
    assert matches["visible"] is (word == "北京")


def test_adding_and_taking_out_show_at_once(filled):
    page.add(filled, " 今天 ", "TIME")
    message, _, summary, _, changes = page.remove(filled, "北京")
    assert "was taken out by this project" in message
    assert "adds 1 and takes out 1" in summary
    assert changes["value"]["data"] == [["今天", "added", "TIME", "1"], ["北京", "taken out", "", "4"]]


def test_the_last_change_is_undone_and_nothing_left_is_said(filled):
    page.add(filled, "今天", "")
    assert page.undo(filled)[0] == "Undone: `今天`."
    with pytest.raises(StoreError, match="undo"):
        page.undo(filled)


@pytest.mark.parametrize("word", ["", "  "])
def test_no_word_is_refused(session, word):
    for act in (page.search, page.remove):
        with pytest.raises(AppError, match="Write a word first"):
            act(session, word)


@pytest.mark.parametrize("word", ["a\tb", "长" * 101])
def test_what_is_no_word_is_refused(session, word):
    with pytest.raises(LexiconError):
        page.add(session, word, "")


def test_a_list_is_taken_line_by_line(filled, tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("今天\tTIME\n张伟 5 nr\n张伟\n\tLOC\n", encoding="utf-8")
    message, refused, _, summary, *_ = page.bring(filled, str(file))
    assert message == "2 words were added. 1 lines repeated a word; 1 lines were left out."
    assert refused["value"]["data"][0][0] == "4"
    assert "adds 2" in summary
    assert lexicon_changes.current(filled.workspace, filled.project_id).added == {
        "今天": "TIME",
        "张伟": "nr",
    }


def test_no_file_an_empty_one_and_a_binary_one_are_refused(session, tmp_path):
    with pytest.raises(AppError, match="Choose a word list"):
        page.bring(session, None)
    (tmp_path / "empty").write_text("# nothing\n")
    with pytest.raises(AppError, match="holds no word"):
        page.bring(session, str(tmp_path / "empty"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(WordListError, match="UTF-8"):
        page.bring(session, str(tmp_path / "binary"))


def test_the_tagger_is_asked_again_about_the_documents_a_word_touches(filled, tmp_path):
    runs.register(filled.workspace, filled.project_id, "demo", "flat", tmp_path, {})
    projects.set_serving(filled.workspace, filled.project_id, "demo")
    predictions.put(filled.workspace, "demo", documents.iterate(filled.workspace, filled.project_id))
    page.add(filled, "今天", "")
    raw = documents.find(filled.workspace, filled.project_id, "raw")
    assert predictions.missing(filled.workspace, "demo") == [raw]
