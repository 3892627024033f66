"""LR-CNN against its equations, written for one character at a time."""

import random

import pytest
import torch
from torch import nn

from core.layers.flat.word_lengths import WordLengths
from core.layers.lexicon_cnn import LexiconCnn
from tests.layers.lexicon_cnn_oracle import naive

WIDTH, WORD_WIDTH, HIDDEN, LAYERS = 5, 4, 3, 4
LENGTHS = (7, 3, 0, 1, 5)
VARIANTS = [
    {},
    {"both_sides": False},
    {"rethinking": 0},
    {"rethinking": 3},
    {"layers": 2, "rethinking": 2, "both_sides": False},
]


def make(seed=0, **options):
    torch.manual_seed(seed)
    layer = LexiconCnn(WIDTH, WORD_WIDTH, HIDDEN, **{"layers": LAYERS, **options}).double()
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.7)
    return layer


def sentences(longest, seed=1):
    """Characters, the words over them by place, and their vectors, sentence by sentence."""
    choice, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    found = []
    for length in LENGTHS:
        places = [(h, t) for h in range(length) for t in range(h + 1, min(length, h + longest))]
        words = sorted(choice.sample(places, k=len(places) // 2))
        x = torch.randn(length, WIDTH, generator=generator, dtype=torch.float64)
        vectors = torch.randn(len(words), WORD_WIDTH, generator=generator, dtype=torch.float64)
        found.append((x.requires_grad_(), words, vectors.requires_grad_()))
    return found


def batched(layer, found):
    lengths = [len(x) for x, _, _ in found]
    longest = len(layer.beginning.convolutions) + 1
    padded = nn.utils.rnn.pad_sequence([x for x, _, _ in found], batch_first=True, padding_value=7.0)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    words = WordLengths.of_words([words for _, words, _ in found], max(lengths), longest)
    return layer(padded, mask, torch.cat([vectors for _, _, vectors in found]), words)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_values_and_gradients_are_those_of_the_equations(options):
    layer = make(**options)
    found = sentences(options.get("layers", LAYERS))
    given = batched(layer, found)
    expected = [naive(layer, *sentence) for sentence in found if len(sentence[0])]
    rows = [row for row, sentence in enumerate(found) if len(sentence[0])]
    weigh = torch.randn(7, HIDDEN, dtype=torch.float64)
    ours = naives = 0
    for row, (hidden, scales, _) in zip(rows, expected, strict=True):
        own = given.hidden[row, : len(hidden)]
        torch.testing.assert_close(own, hidden)
        torch.testing.assert_close(given.scales[row, : len(hidden)], scales)
        ours = ours + (own * weigh[: len(hidden)]).sum()
        naives = naives + (hidden * weigh[: len(hidden)]).sum()
    shares = [share for _, _, of_words in expected for share in of_words]
    torch.testing.assert_close(given.word_shares, torch.stack(shares))
    leaves = [*layer.parameters(), *(t for x, _, vectors in found for t in (x, vectors))]
    for one, other in zip(
        torch.autograd.grad(ours, leaves, materialize_grads=True, allow_unused=True),
        torch.autograd.grad(naives, leaves, materialize_grads=True, allow_unused=True),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


def test_a_batch_is_its_sentences_one_by_one():
    layer, found = make(), sentences(LAYERS)
    together = batched(layer, found)
    shares = together.word_shares.split([len(words) for _, words, _ in found])
    for row, sentence in enumerate(found):
        if not len(sentence[0]):
            continue
        alone = batched(layer, [sentence])
        torch.testing.assert_close(together.hidden[row, : len(sentence[0])], alone.hidden[0])
        torch.testing.assert_close(shares[row], alone.word_shares)
    mask = torch.arange(7) < torch.tensor(LENGTHS)[:, None]
    assert not together.hidden[~mask].any()


def test_a_batch_without_words():
    found = [(x, [], vectors[:0]) for x, _, vectors in sentences(LAYERS)]
    given = batched(make(), found)
    assert given.word_shares.shape == (0, 2)
    assert bool(given.hidden.isfinite().all())


def test_rethinking_lets_one_word_change_the_share_of_another():
    """Without feedback a layer knows nothing of the words of the other layers."""
    (x, _, _), *_ = sentences(LAYERS)
    vectors = torch.randn(2, WORD_WIDTH, dtype=torch.float64)
    for rethinking, changes in ((0, False), (1, True)):
        layer = make(rethinking=rethinking)
        alone = batched(layer, [(x, [(1, 2)], vectors[:1])]).word_shares[0]
        beside = batched(layer, [(x, [(1, 2), (1, 4)], vectors)]).word_shares[0]
        assert bool((alone - beside).abs().max() > 1e-6) is changes


def test_dropout_acts_in_training_only():
    layer, found = make(dropout=0.5), sentences(LAYERS)
    layer.eval()
    assert torch.equal(batched(layer, found).hidden, batched(layer, found).hidden)
    layer.train()
    assert not torch.equal(batched(layer, found).hidden, batched(layer, found).hidden)


def test_it_runs_and_learns_in_half_precision():
    layer = make().float()
    found = [(x.detach().float(), words, vectors.detach().float()) for x, words, vectors in sentences(LAYERS)]
    whole = batched(layer, found)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = batched(layer, found)
    torch.testing.assert_close(half.hidden.float(), whole.hidden, atol=0.1, rtol=0.1)
    half.hidden.float().sum().backward()
    assert all(parameter.grad is not None for parameter in layer.parameters())
