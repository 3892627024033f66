"""FLAT from text to tag scores against the paper's equations, written out pair by pair in float64."""

import math

import numpy as np
import pytest

from core.text import Document
from tests.taggers.small_flat import DOCUMENTS, small_flat

WIDTH, HEADS = 12, 3


def weights_of(tagger):
    return {name: tensor.detach().numpy() for name, tensor in tagger.state_dict().items()}


def linear(w, name, x):
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def norm(w, name, x):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]


def sinusoid(distance):
    """Eq. 9 as tensor2tensor and the published code compute it: all sines, then all cosines."""
    half = WIDTH // 2
    angles = [distance * math.exp(-k * math.log(10000) / (half - 1)) for k in range(half)]
    return np.array([*map(math.sin, angles), *map(math.cos, angles)])


def relative(w, a, b):
    """Eq. 4 to 8 for nodes a and b, each (head, tail)."""
    distances = (a[0] - b[0], a[0] - b[1], a[1] - b[0], a[1] - b[1])
    joined = np.concatenate([sinusoid(distance) for distance in distances])
    return np.maximum(linear(w, "encoder.positions.fusion", joined), 0)


def attention_row(w, layer, x, places, i, head):
    """Eq. 11 and the softmax over it, for query node i."""
    part = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
    query = linear(w, f"{layer}.query", x[i])[part]
    scores = []
    for j, place in enumerate(places):
        key = linear(w, f"{layer}.key", x[j])[part]
        position = linear(w, f"{layer}.relative_key", relative(w, places[i], place))[part]
        u, v = w[f"{layer}.content_bias"][head], w[f"{layer}.position_bias"][head]
        scores.append((query + u) @ key + (query + v) @ position)
    weights = np.exp(np.array(scores) - max(scores))
    return weights / weights.sum()


def transform(w, index, x, places):
    """One layer: attention, residual and norm; feed-forward, residual and norm."""
    layer = f"encoder.layers.{index}"
    value = linear(w, f"{layer}.attention.value", x)
    width = WIDTH // HEADS
    attended = np.zeros_like(x)
    for i in range(len(places)):
        for head in range(HEADS):
            part = slice(head * width, (head + 1) * width)
            attended[i, part] = attention_row(w, f"{layer}.attention", x, places, i, head) @ value[:, part]
    x = norm(w, f"{layer}.attention_norm", x + attended)
    inner = np.maximum(linear(w, f"{layer}.ffn.0", x), 0)
    return norm(w, f"{layer}.ffn_norm", x + linear(w, f"{layer}.ffn.3", inner))


def emissions_by_hand(tagger, text):
    w = weights_of(tagger)
    lattice = tagger.lattice(Document("1", text))
    pairs = [text[i : i + 2] for i in range(len(text))]
    characters = np.concatenate(
        [
            w["characters.table.weight"][tagger.characters.vocabulary.rows(text)],
            w["bigrams.table.weight"][tagger.bigrams.vocabulary.rows(pairs)],
        ],
        axis=1,
    )
    words = w["words.table.weight"][tagger.words.vocabulary.rows([word.word for word in lattice.words])]
    x = np.concatenate([linear(w, "char_projection", characters), linear(w, "word_projection", words)])
    places = list(zip(lattice.head, lattice.tail, strict=True))
    for index in range(tagger.config.layers):
        x = transform(w, index, x, places)
    return linear(w, "emission", x[: len(text)])


@pytest.mark.parametrize("document", DOCUMENTS[:4], ids=lambda document: document.id)
def test_tag_scores_are_those_of_the_equations(document):
    tagger = small_flat(seed=5).double().eval()
    found = tagger.emissions(tagger.collate([document]))
    np.testing.assert_allclose(
        found[0].detach().numpy(), emissions_by_hand(tagger, document.text), atol=1e-10
    )
