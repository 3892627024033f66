"""Key sentences of a text: TextRank by hand, and texts that have none."""

import time

import pytest

from core.retrieval.sentence_graph import FEWEST, LONG, MOST, key_sentences
from core.text.segmentation import sentences

ALIKE = "林晚晴在清河大学教书"


def other(n):
    """A sentence that shares nothing with any other."""
    return "".join(chr(0x5000 + 8 * n + k) for k in range(6)) + "。"


def text_of(count, every=4):
    return "".join(f"{ALIKE}第{n}年。" if n % every == 0 else other(n) for n in range(count))


def by_hand(text, rounds=300, d=0.85):
    """Power iteration over |A ∩ B| / (log |A| + log |B|), written out with dictionaries."""
    import math

    texts = [text[start:end].strip() for start, end in sentences(text)]
    sets = [{one[at : at + 2] for at in range(len(one) - 1)} for one in texts]
    n = len(texts)

    def weight(i, j):
        scale = math.log(max(len(sets[i]), 1)) + math.log(max(len(sets[j]), 1))
        return len(sets[i] & sets[j]) / scale if i != j and scale > 0 else 0.0

    weights = [[weight(i, j) for j in range(n)] for i in range(n)]
    sums = [sum(row) for row in weights]
    ranks = [1 / n] * n
    for _ in range(rounds):
        lost = sum(rank for rank, total in zip(ranks, sums, strict=True) if not total)
        ranks = [
            (1 - d) / n
            + d * (lost / n + sum(weights[j][i] / sums[j] * ranks[j] for j in range(n) if sums[j]))
            for i in range(n)
        ]
    return [rank * n for rank in ranks]


def test_ranks_are_those_of_the_paper_and_the_highest_come_first():
    text = "".join(
        f"{ALIKE[: 4 + n % 6]}{other(n)[:3]}，{'昨天下雨' if n % 3 else '学校很大'}。"
        for n in range(LONG + 4)
    )
    expected = by_hand(text)
    places = list(sentences(text))
    found = key_sentences(text, len(places))
    assert len(found) == len(places)
    for row in found:
        assert row.rank == pytest.approx(expected[places.index((row.start, row.end))], abs=1e-5)
    assert [round(row.rank, 6) for row in found] == sorted(
        (round(row.rank, 6) for row in found), reverse=True
    )


def test_sentences_that_say_much_the_same_are_found_among_others():
    text = text_of(24)
    assert {text[row.start : row.end][: len(ALIKE)] for row in key_sentences(text)} == {ALIKE}
    assert len(key_sentences(text)) == FEWEST
    assert len(key_sentences(text_of(400, 2))) == MOST
    assert len(key_sentences(text, 5)) == 5


def test_a_sentence_stands_without_the_blanks_around_it():
    text = text_of(24).replace("。", "。  \n")
    for row in key_sentences(text):
        assert text[row.start : row.end] == text[row.start : row.end].strip()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "清",
        "，。！",
        "😀" * 50,
        text_of(LONG - 1),
        "".join(other(n) for n in range(40)),
        "。" * 100,
        "\n" * 5000,
    ],
)
def test_short_texts_and_those_that_share_nothing_have_none(text):
    assert key_sentences(text) == []


@pytest.mark.exhaustive
def test_a_hundred_thousand_characters_and_hostile_ones_take_seconds_at_most():
    start = time.process_time()
    long = (text_of(60, 3) * 200)[:100_000]
    assert len(key_sentences(long)) == MOST
    assert key_sentences("清河大学。" * 20_000) == [], "where all say the same none says more"
    assert len(key_sentences("<img src=x onerror=alert(1)>。\ud800" * 30)) == FEWEST
    assert time.process_time() - start < 60
