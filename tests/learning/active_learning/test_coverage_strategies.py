"""Orders that look at what texts are like, against naive programs."""

import math
import random
from concurrent.futures import CancelledError
from itertools import pairwise

import networkx
import numpy as np
import pytest
from scipy.sparse import csr_array

from core.learning.active_learning import k_centre
from core.learning.active_learning.acquisition import Pool
from core.learning.active_learning.k_centre import KCentre, greedy_order
from core.learning.active_learning.mnlp import Mnlp
from core.learning.active_learning.sentence_vectors import bigram_vectors, sentence_vectors, state_vectors
from core.learning.active_learning.textrank import TextRank, pagerank, split_sentences
from core.learning.active_learning.uncertainty_diversity import UncertaintyDiversity
from core.retrieval import sentence_graph
from core.retrieval.sentence_graph import similarity_graph
from core.text import Document
from tests.learning.active_learning.chain_oracle import steep_tagger
from tests.taggers.small_taggers import small_tagger

QUIET = lambda share: None  # noqa: E731
TEXTS = [
    "林晚晴在清河大学教书",
    "清河大学在清河市",
    "昨天清河市下雨",
    "林晚晴昨天没去大学",
    "教",
    "",
    "今天天气不错",
]


def documents(texts=TEXTS):
    return [Document(str(number), text) for number, text in enumerate(texts)]


def unit_rows(count, width, seed):
    rows = np.random.default_rng(seed).normal(size=(count, width))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def naive_greedy(vectors, count, weights):
    """Every distance anew at every choice."""
    centres = list(range(count, len(vectors)))
    chosen = []
    while len(chosen) < count:
        best, worth = None, -1.0
        for row in range(count):
            if row in chosen:
                continue
            near = min(float(np.linalg.norm(vectors[row] - vectors[other])) for other in centres + chosen)
            if weights[row] * near > worth + 1e-6:
                best, worth = row, weights[row] * near
        chosen.append(best)
    return chosen


@pytest.mark.parametrize("seed", range(4))
def test_k_centre_chooses_as_the_naive_greedy_algorithm(seed):
    vectors = unit_rows(14, 5, seed)
    assert greedy_order(vectors, 11, np.ones(11), QUIET) == naive_greedy(vectors, 11, np.ones(11))
    weights = np.random.default_rng(seed).uniform(size=11)
    assert greedy_order(vectors, 11, weights, QUIET) == naive_greedy(vectors, 11, weights)
    assert greedy_order(csr_array(vectors), 11, weights, QUIET) == naive_greedy(vectors, 11, weights)


def test_without_centres_the_most_central_row_is_first():
    vectors = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]], dtype=np.float32)
    order = greedy_order(vectors, 4, np.ones(4), QUIET)
    # the mean points at 45°: rows 1 and 2 are equally near it; then whoever is farthest from row 1
    assert order == [1, 3, 0, 2]


def test_after_the_most_centres_the_others_follow_by_distance(monkeypatch):
    vectors = unit_rows(20, 6, 1)
    monkeypatch.setattr(k_centre, "MOST_CENTRES", 3)
    order = greedy_order(vectors, 18, np.ones(18), QUIET)
    assert sorted(order) == list(range(18))
    assert order[:3] == naive_greedy(vectors, 18, np.ones(18))[:3]
    centres = vectors[[18, 19, *order[:3]]]
    near = [min(float(np.linalg.norm(vectors[row] - centre)) for centre in centres) for row in order[3:]]
    assert all(a >= b - 1e-6 for a, b in pairwise(near))


def test_equal_documents_are_not_asked_for_twice_in_a_row():
    texts = ["林晚晴在清河大学教书"] * 5 + ["昨天清河市下雨了没有", "今天天气很好不是吗"]
    places = KCentre().score(Pool(documents(texts)), QUIET)
    assert sorted(places) == [float(place) for place in range(1, 8)]
    assert max(places[5], places[6]) <= 3.0, "each kind of text comes before a second copy of one"


def test_what_is_labelled_already_counts_as_a_centre():
    pool = Pool(documents(["清河大学", "昨天下雨"]), documents(["清河大学"]))
    assert KCentre().score(pool, QUIET) == [2.0, 1.0]


def test_uncertainty_diversity_is_the_greedy_algorithm_weighed_by_doubt():
    tagger, texts = steep_tagger(), documents()
    labelled = documents(["清河"])
    doubt = np.array(
        [-value if value is not None else 0.0 for value in Mnlp().score(Pool(texts, tagger=tagger), QUIET)]
    )
    vectors = state_vectors([*texts, *labelled], tagger, QUIET)
    wanted = naive_greedy(vectors, len(texts), doubt)
    found = UncertaintyDiversity().score(Pool(texts, labelled, tagger), QUIET)
    assert [found.index(float(place)) for place in range(1, len(texts) + 1)] == wanted


def test_vectors_are_the_mean_states_of_the_characters():
    tagger, texts = steep_tagger(), documents()
    vectors = sentence_vectors(texts, tagger, QUIET)
    for row, document in enumerate(texts):
        if document.text:
            states = tagger.layer_states(tagger.collate([document]))[-1].states[0].numpy()
            mean = states[: len(document.text)].mean(0)
            assert vectors[row] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)
        else:
            assert not vectors[row].any()


def test_a_tagger_without_states_and_no_tagger_leave_bigrams():
    for tagger in (None, small_tagger("dictionary")):
        vectors = sentence_vectors(documents(["清河大学", "清河大学", "下雨", "雨"]), tagger, QUIET).toarray()
        assert vectors[0] == pytest.approx(vectors[1])
        assert vectors[0] @ vectors[2] == pytest.approx(0.0)
        assert not vectors[3].any(), "one character has no bigram"
    assert bigram_vectors(documents(["", "a"])).shape[0] == 2


# ---------------------------------------------------------------------- TextRank


def naive_similarity(one, other):
    a, b = ({text[i : i + 2] for i in range(len(text) - 1)} for text in (one, other))
    scale = math.log(max(len(a), 1)) + math.log(max(len(b), 1))
    return len(a & b) / scale if scale > 0 else 0.0


def test_similarity_is_the_papers_equation():
    graph = similarity_graph(TEXTS, QUIET).toarray()
    for i, one in enumerate(TEXTS):
        for j, other in enumerate(TEXTS):
            assert graph[i, j] == pytest.approx(0.0 if i == j else naive_similarity(one, other))
    assert graph.any()


def test_ranks_are_those_of_networkx():
    graph = similarity_graph(TEXTS, QUIET)
    wanted = networkx.pagerank(
        networkx.from_scipy_sparse_array(graph), alpha=0.85, weight="weight", tol=1e-12
    )
    assert pagerank(graph) == pytest.approx([wanted[node] for node in range(len(TEXTS))], abs=1e-6)


def test_the_sentence_that_the_others_resemble_is_first():
    texts = ["清河大学在清河市", "林晚晴在清河大学", "清河市昨天下雨", "今天没有别的事"]
    scores = TextRank().score(Pool(documents(texts)), QUIET)
    assert max(range(4), key=lambda index: scores[index]) == 0
    assert min(range(4), key=lambda index: scores[index]) == 3
    assert sum(scores) == pytest.approx(4.0), "1 is what an average sentence has"


def test_a_document_has_the_rank_of_its_foremost_sentence():
    parts = documents(["清河大学在清河市。今天没有别的事。", "林晚晴在清河大学。", "清河市昨天下雨。", ""])
    sentences, owner = split_sentences(parts)
    assert owner == [0, 0, 1, 2]
    ranks = pagerank(similarity_graph(sentences, QUIET)) * 4
    scores = TextRank().score(Pool(parts), QUIET)
    assert scores == [
        pytest.approx(max(ranks[0], ranks[1])),
        pytest.approx(ranks[2]),
        pytest.approx(ranks[3]),
        None,
    ]


def test_only_the_strongest_neighbours_are_kept(monkeypatch):
    chance = random.Random(1)
    texts = ["".join(chance.choice("清河大学市") for _ in range(12)) for _ in range(40)]
    full = similarity_graph(texts, QUIET).toarray()
    monkeypatch.setattr(sentence_graph, "NEIGHBOURS", 3)
    monkeypatch.setattr(sentence_graph, "CHUNK", 7)
    kept = similarity_graph(texts, QUIET).toarray()
    assert (kept == kept.T).all()
    for row in range(40):
        strongest = np.sort(full[row])[-3:]
        assert np.sort(kept[row])[-3:] == pytest.approx(strongest)
    assert np.count_nonzero(kept) < np.count_nonzero(full)


def test_bigrams_of_too_many_sentences_join_none(monkeypatch):
    monkeypatch.setattr(sentence_graph, "COMMON", 2)
    graph = similarity_graph(["清河大学", "清河下雨", "清河教书", "大学今天"], QUIET).toarray()
    assert graph[0, 1] == 0.0, "three sentences have 清河"
    assert graph[0, 3] > 0.0


@pytest.mark.parametrize("texts", [[], [""], ["a"], ["a", "b", ""]])
def test_texts_without_anything_in_common_are_fine(texts):
    assert len(TextRank().score(Pool(documents(texts)), QUIET)) == len(texts)
    assert len(KCentre().score(Pool(documents(texts)), QUIET)) == len(texts)


def test_both_can_be_stopped():
    def stop(share):
        raise CancelledError

    chance = random.Random(2)
    many = documents(["".join(chance.choice("清河大学市") for _ in range(9)) for _ in range(80)])
    for strategy in (TextRank(), KCentre()):
        with pytest.raises(CancelledError):
            strategy.score(Pool(many), stop)
