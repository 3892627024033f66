"""Attention rollout against loops over the definition."""

import numpy as np
import pytest

from core.inspection.sentence.attention_rollout import rollout
from tests.inspection.attention_traces import bert_trace, flat_trace, soft_lexicon_trace


def naive(layers, nodes):
    """Reach of every node by recursion: half stays, half comes from where the mean head looked."""

    def reach(layer, node):
        if layer < 0:
            return [float(other == node) for other in range(nodes)]
        mean = [
            sum(float(head[node, key]) for head in layers[layer]) / len(layers[layer]) for key in range(nodes)
        ]
        row = [0.5 * mean[key] + 0.5 * (key == node) for key in range(nodes)]
        row = [value / sum(row) for value in row]
        total = [0.0] * nodes
        for key in range(nodes):
            for other, part in enumerate(reach(layer - 1, key)):
                total[other] += row[key] * part
        return total

    return lambda layer, node: reach(layer, node)


@pytest.mark.parametrize("layer", [0, 1])
def test_rollout_of_square_layers_is_the_papers(layer):
    trace = bert_trace()
    expected = naive(trace.attention, len(trace.keys))
    found = rollout(trace, layer)
    for node in range(len(trace.keys)):
        np.testing.assert_allclose(found[node], expected(layer, node), atol=1e-12)


def test_the_last_layer_of_flat_has_the_rows_of_characters_alone():
    trace = flat_trace()
    expected = naive(trace.attention, len(trace.keys))
    found = rollout(trace, 1)
    assert found.shape == (len(trace.text), len(trace.lattice.nodes))
    for character in range(len(trace.text)):
        np.testing.assert_allclose(found[character], expected(1, character), atol=1e-12)
    np.testing.assert_allclose(found.sum(-1), 1.0)


def test_the_words_of_soft_lexicon_take_no_part():
    trace = soft_lexicon_trace()
    length = len(trace.text)
    square = [layer[..., :length] for layer in trace.attention]
    expected = naive(square, length)
    found = rollout(trace, 1)
    np.testing.assert_array_equal(found[:, length:], 0.0)
    for character in range(length):
        np.testing.assert_allclose(found[character, :length], expected(1, character), atol=1e-12)


@pytest.mark.parametrize("layer", [-1, 2])
def test_a_layer_that_does_not_exist_is_refused(layer):
    with pytest.raises(IndexError, match="of 2"):
        rollout(flat_trace(), layer)
