"""BM25 against Robertson and Zaragoza's formula written out, and an index that texts join and leave."""

import math
import random
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval import bm25, segment
from core.retrieval.bm25 import Bm25Index
from core.retrieval.segment import Segment
from core.retrieval.terms import bigrams

TEXTS = {
    "a": "林晚晴在清河大学教书，清河大学在清河。",
    "b": "昨天清河下雨",
    "c": "星野机器人公司上周在青岚市开了新店",
    "d": "Dr. Lin teaches at Qinghe University",
    "e": "大学",
}


def naive(texts, query, k1=segment.K1, b=segment.B):
    """Sum over the query's terms of tf / (k1 ((1 - b) + b dl / avdl) + tf) * log(1 + (N - n + .5) / (n + .5))

    by key, of the texts that have any of them.
    """
    terms = {key: [term.text for term in bigrams(text)] for key, text in texts.items()}
    average = sum(map(len, terms.values())) / max(len(terms), 1) or 1.0
    scores = {}
    for key, own in terms.items():
        total = 0.0
        for term in bigrams(query):
            tf = own.count(term.text)
            n = sum(term.text in other for other in terms.values())
            length = (1 - b) + b * len(own) / average
            total += tf / (k1 * length + tf) * math.log(1 + (len(terms) - n + 0.5) / (n + 0.5))
        if total > 0:
            scores[key] = total
    return scores


def index_of(texts):
    index = Bm25Index()
    for key, text in texts.items():
        index.add(key, text)
    index.apply_pending()
    return index


def found(index, query, count=100):
    return {hit.key: pytest.approx(hit.score, rel=1e-5) for hit in index.search(query, count)}


@pytest.mark.parametrize(
    "query", ["清河大学", "林晚晴昨天在大学", "LIN university 大学", "大学大学", "清河下雨了"]
)
def test_scores_are_those_of_the_formula(query):
    assert found(index_of(TEXTS), query) == naive(TEXTS, query)


SHORT = st.text(alphabet="清河大学教a ，", max_size=12)


@given(st.lists(SHORT, min_size=1, max_size=8), SHORT)
def test_so_they_are_for_any_texts_and_the_best_come_first(texts, query):
    numbered = dict(enumerate(texts))
    expected = naive(numbered, query)
    hits = index_of(numbered).search(query, 100)
    assert {hit.key: pytest.approx(hit.score, rel=1e-4) for hit in hits} == expected
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_of_equal_texts_the_first_comes_first_however_many_are_asked_for():
    index = index_of(dict.fromkeys(range(200), "清河大学"))
    for count in (1, 5, 16, 17, 150, 300):
        assert [hit.key for hit in index.search("清河大学", count)] == list(range(min(count, 200)))


def test_only_what_is_accepted_is_found_even_if_much_is_not():
    index = index_of({number: "清河大学" + "书" * (number % 7) for number in range(500)})
    asked = []

    def accept(key):
        asked.append(key)
        return key % 100 == 3

    assert {hit.key for hit in index.search("清河大学", 5, accept)} == {3, 103, 203, 303, 403}
    assert len(asked) == len(set(asked)) <= 500


@pytest.mark.parametrize("query", ["", "，。！", "😀", "鑫淼", "清", "\ud800", "<b>", " \n"])
def test_where_nothing_is_shared_nothing_is_found(query):
    assert index_of(TEXTS).search(query, 5) == []


def test_an_empty_index_and_one_of_a_single_text():
    assert Bm25Index().search("清河", 5) == []
    empty = Bm25Index()
    empty.apply_pending()
    assert empty.search("清河", 5) == []
    single = index_of({"a": "清河大学"})
    assert [hit.key for hit in single.search("在清河", 5)] == ["a"]
    assert index_of({"a": "，", "b": ""}).search("清河", 5) == []


def test_a_very_long_text_and_a_very_long_query_are_read_as_far_as_they_count():
    index = index_of({"long": "清河大学" * 25_000, **TEXTS})
    assert [hit.key for hit in index.search("昨天清河下雨" * 20_000, 1)] == ["b"]
    assert len(index._texts["long"]) == bm25.MOST_TERMS


# ---------------------------------------------------------------- coming and going


def test_what_joins_or_leaves_counts_from_settling_on():
    index = index_of(TEXTS)
    index.add("f", "鑫淼大学")
    index.remove("e")
    assert "f" not in found(index, "大学")
    assert "e" in found(index, "大学")
    index.apply_pending()
    assert {"a", "f"} == set(found(index, "大学"))
    index.add("b", "完全不同")
    index.apply_pending()
    assert found(index, "下雨") == {}
    assert set(found(index, "完全不同")) == {"b"}


def test_a_few_new_texts_are_scored_as_the_others_are():
    rng = random.Random(1)
    texts = {number: "".join(rng.choices("清河大学教书昨天下雨", k=12)) for number in range(400)}
    index = index_of(texts)
    index.add("fresh", texts[7])
    index.apply_pending()
    scores = {hit.key: hit.score for hit in index.search(texts[7], 500)}
    assert scores["fresh"] == pytest.approx(scores[7], rel=1e-6)


def test_the_large_segment_is_scored_again_only_when_much_has_changed(monkeypatch):
    built = []
    monkeypatch.setattr(
        segment, "Segment", lambda texts, *more: built.append(len(texts)) or Segment(texts, *more)
    )
    texts = {number: f"第{number}句清河" for number in range(2000)}
    index = index_of(texts)
    assert built == [2000]
    for number in range(90):
        index.add(2000 + number, f"新{number}句")
        index.apply_pending()
    assert max(built[1:]) <= 90, "one new text does not cost a rebuild"
    for number in range(200):
        index.remove(number)
    index.apply_pending()
    assert built[-1] == len(index) == 1890


def test_after_any_changes_a_rebuild_gives_the_formulas_scores():
    rng = random.Random(2)
    index, texts = Bm25Index(), {}
    for step in range(300):
        key = rng.randrange(40)
        if rng.random() < 0.3:
            index.remove(key)
            texts.pop(key, None)
        else:
            texts[key] = "".join(rng.choices("清河大学教书，a", k=rng.randrange(12)))
            index.add(key, texts[key])
        if step % 7 == 0:
            index.apply_pending()
            assert set(found(index, "清河大学")) == set(naive(texts, "清河大学"))
    index._rebuild()
    index.apply_pending()
    assert found(index, "清河大学教书") == naive(texts, "清河大学教书")


def test_terms_that_no_text_has_any_more_are_forgotten():
    index = Bm25Index()
    for number in range(300):
        index.add("only", f"{number}号清河")
        index.apply_pending()
    index._rebuild()
    assert len(index._vocabulary) == len(bigrams("299号清河"))


def test_one_may_search_while_another_changes_the_texts():
    index = index_of({number: f"清河大学{number}" for number in range(300)})
    wrong = []
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            try:
                hits = index.search("清河大学", 10)
                if len(hits) != 10 or any(hit.score <= 0 for hit in hits):
                    wrong.append(hits)
            except Exception as error:
                wrong.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(3)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for number in range(400):
            index.add(1000 + number, f"清河{number}大学")
            index.remove(number % 250)
            index.apply_pending()
    finally:
        stop.set()
        sys.setswitchinterval(before)
        for thread in threads:
            thread.join()
    assert not wrong
