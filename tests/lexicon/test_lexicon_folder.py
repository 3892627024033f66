"""A saved lexicon comes back the same, fast, and a damaged one is refused by name."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon import Entry, Lexicon, LexiconError, automaton, lexicon_folder
from core.lexicon.dictionary import Dictionary
from core.lexicon.lexicon_folder import HEADER, WORDS

# Other work shares the processors: no example has a deadline.

TEXT = "记者在北京大学的星辰湾采访"
ENTRIES = st.lists(
    st.builds(Entry, st.text("北京大学星a", min_size=1, max_size=4), st.integers(0, 99)), max_size=9
)


@pytest.fixture
def saved(tmp_path):
    lexicon = (
        Lexicon([Entry("北京", 3, "LOC"), "大学", "采访"]).with_words(["星辰湾"]).without_words(["大学"])
    )
    lexicon.save(tmp_path / "lexicon")
    return lexicon, tmp_path / "lexicon"


def test_what_was_saved_is_what_is_loaded(saved):
    lexicon, folder = saved
    loaded = Lexicon.load(folder)
    assert list(loaded) == list(lexicon)
    assert loaded.fingerprint == lexicon.fingerprint
    assert loaded.match(TEXT) == lexicon.match(TEXT)
    assert (loaded.added, loaded.removed) == ((Entry("星辰湾"),), ("大学",))


@given(ENTRIES, ENTRIES, ENTRIES)
def test_any_lexicon_comes_back(tmp_path_factory, base, added, removed):
    folder = tmp_path_factory.mktemp("lexicon")
    lexicon = Lexicon(base).with_words(added).without_words([entry.word for entry in removed])
    lexicon.save(folder)
    assert list(Lexicon.load(folder)) == list(lexicon)


def test_saving_twice_gives_the_same_bytes(saved, tmp_path):
    lexicon, folder = saved
    lexicon.save(tmp_path / "again")
    assert (tmp_path / "again" / WORDS).read_bytes() == (folder / WORDS).read_bytes()
    assert (tmp_path / "again" / HEADER).read_bytes() == (folder / HEADER).read_bytes()


def test_no_automaton_lies_in_a_saved_lexicon(saved):
    assert sorted(path.name for path in saved[1].iterdir()) == [HEADER, WORDS]


def test_jieba_with_changes_reloads_in_under_a_second(tmp_path):
    Lexicon.jieba().with_words(["星辰湾"]).save(tmp_path)
    Lexicon.load(tmp_path).match(TEXT)  # leaves the automaton in the cache folder
    # Processor time: other work on this machine is no fault of the lexicon's.
    begin = time.process_time()
    found = Lexicon.load(tmp_path).match(TEXT)
    assert time.process_time() - begin < 1.0
    assert "星辰湾" in [match.word for match in found]


@pytest.mark.parametrize("name", [WORDS, HEADER])
def test_a_missing_file_is_named(saved, name):
    (saved[1] / name).unlink()
    with pytest.raises(LexiconError, match=name):
        Lexicon.load(saved[1])


@pytest.mark.parametrize("size", [0, 5, 20, 40])
def test_a_cut_off_word_file_is_refused(saved, size):
    path = saved[1] / WORDS
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(LexiconError, match=WORDS):
        Lexicon.load(saved[1])


@pytest.mark.parametrize(
    "table",
    [
        "北京\t3\n",
        " 北京\t3\tLOC\n",
        "北\u2028京\t3\tLOC\n",
        "北京\t9999999999999999\tLOC\n",
        "长" * 101 + "\t3\tLOC\n",
        "北京\tx\tLOC\n",
        "\t3\tLOC\n",
        "北京\t-3\tLOC\n",
        "北京\t3\tLOC",
        "广州\t3\tLOC\n",
    ],
)
def test_words_other_than_the_header_says_are_refused(saved, table):
    (saved[1] / WORDS).write_bytes(gzip.compress(table.encode()))
    with pytest.raises(LexiconError, match=WORDS):
        Lexicon.load(saved[1])


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"words": "3"},
        {"sha256": "0" * 64},
        {"added": [["北京"]]},
        {"added": [["北\t京", 1, ""]]},
        {"added": [["北京", -1, ""]]},
        {"removed": [3]},
        {"removed": None},
    ],
)
def test_a_header_that_does_not_fit_is_refused(saved, change):
    path = saved[1] / HEADER
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(LexiconError, match=r"lexicon\.json"):
        Lexicon.load(saved[1])


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_header_that_is_no_object_is_refused(saved, content):
    (saved[1] / HEADER).write_bytes(content)
    with pytest.raises(LexiconError, match=r"lexicon\.json"):
        Lexicon.load(saved[1])


WORDLIST = [f"词{a}{b}" for a in "甲乙丙丁" for b in "子丑寅卯"]


def fingerprint():
    return "f" * 64


@pytest.fixture
def always_cached(monkeypatch):
    monkeypatch.setattr(automaton, "CACHED_FROM", 1)


def test_a_cached_automaton_is_used_and_matches_alike(tmp_path, always_cached):
    built = automaton.build_cached(WORDLIST, fingerprint, tmp_path)
    (path,) = tmp_path.iterdir()
    found = automaton.build_cached(["别的词"], fingerprint, tmp_path)
    assert found.find_overlapping("词甲子词丁卯") == built.find_overlapping("词甲子词丁卯")
    assert path.stat().st_size == 32 + len(built.serialize())


@pytest.mark.parametrize("damage", [lambda raw: raw[:50], lambda raw: raw[:-1] + b"\0", lambda raw: b""])
def test_a_damaged_cache_is_built_anew(tmp_path, always_cached, damage):
    automaton.build_cached(WORDLIST, fingerprint, tmp_path)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert automaton.build_cached(WORDLIST, fingerprint, tmp_path).find_overlapping("词甲子") == [(0, 3, 0)]
    assert path.read_bytes() == whole


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path, always_cached):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert automaton.build_cached(WORDLIST, fingerprint, blocked / "cache").find_overlapping("词甲子") == [
        (0, 3, 0)
    ]


def test_a_full_disk_leaves_no_half_written_cache(tmp_path, always_cached, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    automaton.build_cached(WORDLIST, fingerprint, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_lexicon_needs_no_torch_and_does_not_run_jieba():
    code = (
        "import sys; from core.lexicon import Lexicon; Lexicon.jieba();"
        "assert not {'torch', 'jieba', 'transformers'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_folder_may_be_copied(saved, tmp_path):
    shutil.copytree(saved[1], tmp_path / "elsewhere")
    assert Lexicon.load(tmp_path / "elsewhere").match(TEXT) == saved[0].match(TEXT)


def test_a_forged_word_file_with_a_word_twice_counts_its_last_line(saved):
    forged = Dictionary.of_table("北京\t3\tLOC\n北京\t5\tORG\n", distinct=True)
    lexicon_folder.write(saved[1], forged, [], [])
    loaded = Lexicon.load(saved[1])
    assert loaded.entry("北京") == Entry("北京", 5, "ORG")
    assert [match.word for match in loaded.match("去北京")] == ["北京"]


def test_a_word_file_that_unpacks_without_end_is_refused(saved, monkeypatch):
    monkeypatch.setattr("core.lexicon.lexicon_folder.LARGEST_TABLE", 10)
    with pytest.raises(LexiconError, match=r"words\.tsv\.gz: unpacks to more than 10 bytes"):
        Lexicon.load(saved[1])
