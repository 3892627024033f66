"""A trace of FLAT holds what was seen and weighed, cut to its sentence."""

import numpy as np
import pytest

from core.lexicon import Lattice
from tests.taggers.small_flat import DOCUMENTS, LEXICON, small_flat


@pytest.fixture
def traces(flat):
    return flat.trace(flat.collate(DOCUMENTS))


def test_every_sentence_has_its_lattice(traces):
    for document, trace in zip(DOCUMENTS, traces, strict=True):
        lattice = Lattice.of(document.text, LEXICON)
        assert (trace.text, trace.tokens, trace.tagger) == (document.text, tuple(document.text), "flat")
        assert trace.lattice.nodes == lattice.nodes
        assert trace.lattice.head.tolist() == lattice.head
        assert trace.lattice.tail.tolist() == lattice.tail
        assert trace.lattice.characters == len(document.text)


def test_attention_runs_over_the_nodes_and_sums_to_one(traces):
    for trace in traces[:4]:
        characters, nodes = trace.lattice.characters, len(trace.lattice.nodes)
        assert [weights.shape for weights in trace.attention] == [(3, nodes, nodes), (3, characters, nodes)]
        for weights in trace.attention:
            np.testing.assert_allclose(weights.sum(-1), 1.0, atol=1e-4)


def test_attention_of_a_sentence_does_not_depend_on_its_company(flat, traces):
    (alone,) = flat.trace(flat.collate([DOCUMENTS[1]]))
    for together, apart in zip(traces[1].attention, alone.attention, strict=True):
        np.testing.assert_allclose(together, apart, atol=1e-5)


def test_the_crf_part_explains_the_prediction(flat, traces):
    predicted = flat.decode(flat.collate(DOCUMENTS))
    for document, trace, spans in zip(DOCUMENTS, traces, predicted, strict=True):
        length, tags = len(document.text), len(trace.crf.tags)
        assert trace.spans == tuple(spans)
        assert trace.crf.emissions.shape == trace.crf.marginals.shape == (length, tags)
        np.testing.assert_allclose(trace.crf.marginals.sum(1), np.ones(length), atol=1e-4)
        assert flat.decoder.read(trace.crf.path.tolist()) == [
            type(span)(span.start, span.end, span.label) for span in spans
        ]


def test_the_path_has_the_highest_score_of_the_traced_numbers(traces):
    crf = traces[1].crf  # two characters: all paths can be tried
    tags = range(len(crf.tags))

    def score(a, b):
        ends = crf.start[a] + crf.end[b]
        return ends + crf.emissions[0, a] + crf.emissions[1, b] + crf.transitions[a, b]

    legal = [(a, b) for a in tags for b in tags if _whole(crf.tags[a], crf.tags[b])]
    assert tuple(crf.path) == max(legal, key=lambda pair: score(*pair))


def _whole(first, second):
    """Whether two tags spell whole spans only: O or S each, or B then E of one label."""
    loose = {"O", "S"}
    if first[0] in loose and second[0] in loose:
        return True
    return first[0] == "B" and second[0] == "E" and first[1:] == second[1:]


def test_the_transitions_are_the_crfs_own_from_row_to_column(flat, traces):
    assert traces[0].crf.transitions.tolist() == flat.crf.transitions.tolist()
    assert traces[0].crf.start.tolist() == flat.crf.start_transitions.tolist()
    assert traces[0].crf.end.tolist() == flat.crf.end_transitions.tolist()


def test_tracing_leaves_a_tagger_in_training_as_it_was():
    tagger = small_flat().train()
    first, second = (tagger.trace(tagger.collate(DOCUMENTS[:1]))[0] for _ in range(2))
    assert tagger.training
    np.testing.assert_array_equal(first.crf.emissions, second.crf.emissions)


def test_an_empty_text_has_an_empty_trace(traces, flat):
    assert traces[4].tokens == ()
    assert traces[4].crf.path.tolist() == []
    (alone,) = flat.trace(flat.collate([DOCUMENTS[4]]))
    assert alone.crf.emissions.shape == (0, len(alone.crf.tags))
    assert alone.lattice.distances()["head-head"].shape == (0, 0)
