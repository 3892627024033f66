"""New words have the counts, the cohesion and the entropies of a naive loop; bad text breaks nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon.discovery import NewWord, Thresholds, new_words, ngrams
from core.lexicon.discovery.token_stream import token_stream
from tests.lexicon.discovery.naive import Naive, surface

LOOSE = {"cohesion": -100.0, "freedom": 0.0}
ROMANS = "甲乙丙，𠮷·\n a-"


def _expected(texts: list[str], count: int, longest: int) -> dict[str, tuple[float, ...]]:
    naive = Naive(texts, longest)
    return {
        surface(gram): (times, naive.cohesion(gram), *naive.entropies(gram))
        for gram, times in naive.counts.items()
        if len(gram) > 1 and times >= count and "·" not in (gram[0], gram[-1])
    }


@given(st.lists(st.text(ROMANS, max_size=40), max_size=6), st.integers(2, 3), st.integers(2, 5))
def test_every_number_is_that_of_a_naive_loop(texts: list[str], count: int, longest: int) -> None:
    found = {word.surface: word for word in new_words(texts, Thresholds(count, longest=longest, **LOOSE))}
    expected = _expected(texts, count, longest)
    assert found.keys() == expected.keys()
    for spelt, numbers in expected.items():
        word = found[spelt]
        got = (word.count, word.cohesion, word.left_entropy, word.right_entropy)
        assert got == pytest.approx(numbers, abs=1e-9)


def test_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["甲乙丙甲乙丁甲乙", "丙甲乙丙丁丁甲乙丙"] * 3
    whole = new_words(texts, Thresholds(2, **LOOSE))
    monkeypatch.setattr(ngrams, "SLICE", 3)
    assert new_words(texts, Thresholds(2, **LOOSE)) == whole != []


def _corpus() -> list[str]:
    """One planted word, 区块链, among characters that go with everything."""
    filler = "天地人和风雨山水日月"
    return [f"{a}{b}区块链{c}{a}{c}" for a in filler for b in filler for c in filler[:3]]


def test_a_planted_word_comes_first_and_its_parts_do_not_come() -> None:
    found = new_words(_corpus(), Thresholds(count=20, cohesion=2.0, freedom=1.0))
    assert found[0].surface == "区块链"
    assert not {"区块", "块链"} & {word.surface for word in found}


def test_known_words_are_left_out() -> None:
    found = new_words(_corpus(), Thresholds(20, 2.0, 1.0), excluded={"区块链"})
    assert "区块链" not in {word.surface for word in found}


def test_the_end_of_a_clause_is_free() -> None:
    (word,) = new_words(["甲乙。"] * 8, Thresholds(2, **LOOSE))
    assert word == NewWord("甲乙", 8, 1.0, 3.0, 3.0)


def test_alphabetic_scripts_are_read_word_by_word() -> None:
    texts = [f"{a} New York {b}." for a in "abcd" for b in "wxyz"]
    found = new_words(texts, Thresholds(5, 1.0, 1.0))
    assert [word.surface for word in found] == ["New York"]
    mixed = new_words([f"{a}买iPhone手机{b}" for a in "甲乙丙" for b in "丁戊己"], Thresholds(5, **LOOSE))
    assert "iPhone手机" in {word.surface for word in mixed}


def test_two_blanks_or_a_line_end_part_words() -> None:
    assert new_words(["New  York", "New\nYork", "New\r\nYork"] * 5, Thresholds(2, **LOOSE)) == []


def test_a_transcribed_name_keeps_its_dot_inside() -> None:
    texts = [f"{a}列夫·托尔斯泰{b}" for a in "甲乙丙丁" for b in "戊己庚辛"]
    found = {word.surface for word in new_words(texts, Thresholds(5, 1.0, 1.5, longest=8))}
    assert found == {"列夫·托尔斯泰"}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], []),
        ([""], []),
        (["甲"], []),
        (["甲乙"], []),
        (["甲乙来了，甲乙走了。"], ["甲乙"]),  # a single document is enough
        (["\r\n" * 50], []),
        (["😀😀" * 9], []),  # an emoji is no part of a word
        (["\ud800甲\ud800" * 9], []),
        (["2019 2020 " * 9], []),  # numbers alone
        (["𠮷野。"] * 5, ["𠮷野"]),
        (["甲乙\r\n"] * 5, ["甲乙"]),
        (["תל אביב."] * 5, ["תל אביב"]),
        (["cafe\u0301 noir."] * 5, ["cafe\u0301 noir"]),
    ],
)
def test_texts_at_the_edge(texts: list[str], expected: list[str]) -> None:
    assert [word.surface for word in new_words(texts, Thresholds(2, **LOOSE))] == expected


def test_one_character_a_hundred_thousand_times() -> None:
    found = new_words(["哈" * 100_000], Thresholds(2, **LOOSE))
    assert {word.surface for word in found} == {"哈" * length for length in range(2, 7)}


def test_a_text_longer_than_is_read_at_once_is_read_whole() -> None:
    stream = token_stream(["甲乙。" * 700_000])
    assert stream.characters == 2_100_000
    assert int((stream.tokens != 0).sum()) == 1_400_000


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"count": 1}, "at least 2 times"),
        ({"longest": 1}, "2 to 12 tokens"),
        ({"longest": 13}, "2 to 12 tokens"),
        ({"cohesion": float("nan")}, "cohesion must be a number"),
        ({"freedom": float("inf")}, "freedom must be a number"),
    ],
)
def test_thresholds_out_of_range_are_refused_by_name(options: dict[str, float], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Thresholds(**options)  # type: ignore[arg-type]


def test_the_share_that_is_done_is_told_and_may_stop_the_work() -> None:
    shares: list[float] = []
    new_words(_corpus(), progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0

    def stop(share: float) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        new_words(_corpus(), progress=stop)
