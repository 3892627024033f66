"""Candidates of a span against BM25 written out, and in cases with one right answer."""

from collections import Counter
from math import log1p

import pytest

from core.linking.candidates import CONTEXT, EARLIER, NAME, Target, name_score, rank
from core.retrieval.segment import K1, B
from core.text.knowledge_entry import KnowledgeEntry

CAPITAL = KnowledgeEntry("Q64", "Berlin", ("柏林",), "city", "capital of Germany on the river Spree")
MOUNTAINS = KnowledgeEntry(
    "Q821244", "Berlin", ("Berlin, New Hampshire",), "city", "paper mills in the White Mountains"
)
SHIP = KnowledgeEntry("Q3", "SMS Berlin", (), "ship", "light cruiser")
TARGETS = [Target(entry, "W") for entry in (CAPITAL, MOUNTAINS, SHIP)]


def test_the_context_chooses_between_equal_names() -> None:
    def first(context: str) -> str:
        return rank("Berlin", context, TARGETS, contexts={}, links={})[0].entry.id

    assert first("the government of Germany met at the Spree") == "Q64"
    assert first("snow fell on the mountains above the mills") == "Q821244"


def test_earlier_links_weigh_by_their_share_and_lend_their_contexts() -> None:
    found = rank(
        "Berlin", "nothing in common", TARGETS, contexts={}, links={("W", "Q821244"): 3, ("W", "Q64"): 1}
    )
    assert [(one.entry.id, one.earlier) for one in found[:2]] == [("Q821244", 0.75), ("Q64", 0.25)]
    lent = rank(
        "Berlin", "the Bundestag voted", TARGETS, contexts={("W", "Q64"): ["the Bundestag sits in"]}, links={}
    )
    assert (lent[0].entry.id, lent[0].context) == ("Q64", 1.0)


@pytest.mark.parametrize(
    ("surface", "name", "score"),
    [
        ("berlin", "Berlin", 1),
        ("柏林", "柏林市", 2 / 3),
        ("Berlin city", "Berlin", 6 / 11),
        ("x", "Berlin", 0),
        (" ", "a", 0),
    ],
)
def test_a_name_counts_as_far_as_it_is_the_surface(surface: str, name: str, score: float) -> None:
    assert name_score(surface, name) == pytest.approx(score)


def test_scores_are_the_formula_written_out() -> None:
    context = "the light on the river"
    texts = [f"{entry.type}\n{entry.description}".lower().split() for entry, _ in TARGETS]
    average = sum(map(len, texts)) / len(texts)

    def bm25(text: list[str]) -> float:
        counts, total = Counter(text), 0.0
        for term in context.split():
            having = sum(term in other for other in texts)
            if having:
                rarity = log1p((len(texts) - having + 0.5) / (having + 0.5))
                length = 1 - B + B * len(text) / average
                total += rarity * counts[term] / (K1 * length + counts[term])
        return total

    naive = [bm25(text) for text in texts]
    for one in rank("Berlin", context, TARGETS, contexts={}, links={("W", "Q64"): 1}):
        at = [entry.id for entry, _ in TARGETS].index(one.entry.id)
        name = 1.0 if at < 2 else 6 / 10
        expected = NAME * name + CONTEXT * naive[at] / max(naive) + EARLIER * (at == 0)
        assert one.score == pytest.approx(expected, rel=1e-5)
