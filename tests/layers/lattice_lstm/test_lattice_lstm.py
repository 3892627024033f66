"""The batched Lattice LSTM against its equations, one word at a time, and against torch's LSTM."""

import gc
import random
import weakref

import pytest
import torch
from torch import nn

from core.layers.lattice_lstm import lattice_lstm
from core.layers.lattice_lstm.lattice_lstm import LatticeLstm
from core.layers.lattice_lstm.lattice_steps import LatticeSteps
from tests.layers.lattice_lstm.lattice_lstm_oracle import random_words, states

WIDTH, WORD_WIDTH, HIDDEN = 5, 4, 6
LENGTHS = (9, 4, 0, 1, 6)


def make(coupled=False, seed=0):
    """A float64 layer whose every weight is far from zero."""
    torch.manual_seed(seed)
    layer = LatticeLstm(WIDTH, WORD_WIDTH, HIDDEN, coupled).double()
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.6)
    return layer


def sentences(seed=1, lengths=LENGTHS):
    """Characters, the words over them and their vectors, sentence by sentence."""
    choice, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    found = []
    for length in lengths:
        words = random_words(length, choice)
        x = torch.randn(length, WIDTH, generator=generator, dtype=torch.float64)
        vectors = torch.randn(len(words), WORD_WIDTH, generator=generator, dtype=torch.float64)
        found.append((x.requires_grad_(), words, vectors.requires_grad_()))
    return found


def batched(layer, found):
    lengths = [len(x) for x, _, _ in found]
    padded = nn.utils.rnn.pad_sequence([x for x, _, _ in found], batch_first=True, padding_value=7.0)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    vectors = torch.cat([vectors for _, _, vectors in found])
    return layer(padded, mask, vectors, LatticeSteps.of_words(lengths, [words for _, words, _ in found]))


def gradients(total, layer, found):
    leaves = [*layer.parameters(), *(tensor for x, _, vectors in found for tensor in (x, vectors))]
    return torch.autograd.grad(total, leaves, allow_unused=True, materialize_grads=True)


@pytest.mark.parametrize("coupled", [False, True])
def test_values_and_gradients_are_those_of_the_equations(coupled):
    layer, found = make(coupled), sentences()
    weigh = torch.randn(9, 2 * HIDDEN, dtype=torch.float64)
    given = batched(layer, found).hidden
    expected = [states(layer, *sentence)[0] for sentence in found if len(sentence[0])]
    rows = [given[row, : len(x)] for row, (x, _, _) in enumerate(found) if len(x)]
    for one, other in zip(rows, expected, strict=True):
        torch.testing.assert_close(one, other)
    ours = gradients(sum((row * weigh[: len(row)]).sum() for row in rows), layer, found)
    naive = gradients(sum((row * weigh[: len(row)]).sum() for row in expected), layer, found)
    for one, other in zip(ours, naive, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("coupled", [False, True])
def test_the_shares_of_words_are_their_alphas(coupled):
    layer, found = make(coupled), sentences(seed=3)
    expected = []
    for x, words, vectors in found:
        shares = states(layer, x, words, vectors)[1] if len(x) else {}
        expected += [shares[word].mean(-1) for word in words]
    torch.testing.assert_close(batched(layer, found).word_shares, torch.stack(expected))


def test_without_words_it_is_torchs_lstm():
    layer = make()
    torchs = nn.LSTM(WIDTH, HIDDEN, bidirectional=True, batch_first=True).double()
    o, i, f, candidate = (slice(k * HIDDEN, (k + 1) * HIDDEN) for k in range(4))
    order = [i, f, candidate, o]
    with torch.no_grad():
        for side, suffix in enumerate(("", "_reverse")):
            for part, own in (
                ("weight_ih", layer.character[side]),
                ("weight_hh", layer.of_character[side]),
                ("bias_ih", layer.bias[side]),
            ):
                columns = torch.cat([own[:, gate] for gate in order], dim=1).T.squeeze(1)
                getattr(torchs, f"{part}_l0{suffix}").copy_(columns)
            getattr(torchs, f"bias_hh_l0{suffix}").zero_()
    x = torch.randn(3, 8, WIDTH, dtype=torch.float64)
    steps = LatticeSteps.of_words([8, 8, 8], [[], [], []])
    given = layer(x, torch.ones(3, 8, dtype=torch.bool), x.new_zeros(0, WORD_WIDTH), steps)
    torch.testing.assert_close(given.hidden, torchs(x)[0])
    assert given.word_shares.shape == (0, 2)


def test_a_batch_is_its_sentences_one_by_one():
    layer, found = make(), sentences(seed=2)
    together = batched(layer, found)
    shares = together.word_shares.split([len(words) for _, words, _ in found])
    for row, sentence in enumerate(found):
        if not len(sentence[0]):
            continue
        alone = batched(layer, [sentence])
        torch.testing.assert_close(together.hidden[row, : len(sentence[0])], alone.hidden[0])
        torch.testing.assert_close(shares[row], alone.word_shares)
    mask = torch.arange(9) < torch.tensor(LENGTHS)[:, None]
    assert not together.hidden[~mask].any()


def test_the_order_in_which_words_are_listed_does_not_matter():
    layer, ((x, words, vectors),) = make(), sentences(lengths=(9,))
    turned = batched(layer, [(x, words[::-1], vectors.flip(0))])
    torch.testing.assert_close(turned.hidden, batched(layer, [(x, words, vectors)]).hidden)


def test_a_word_reaches_only_what_is_read_after_it():
    layer, ((x, _, _),) = make(), sentences(lengths=(9,))
    vector = torch.randn(1, WORD_WIDTH, dtype=torch.float64)
    without = batched(layer, [(x, [], vector[:0])]).hidden[0]
    changed = (batched(layer, [(x, [(3, 5)], vector)]).hidden[0] - without).abs() > 1e-9
    assert changed[:, :HIDDEN].any(1).tolist() == [False] * 5 + [True] * 4
    assert changed[:, HIDDEN:].any(1).tolist() == [True] * 4 + [False] * 5


def test_gradients_can_be_taken_twice_from_one_pass():
    layer, found = make(), sentences()
    total = batched(layer, found).hidden.square().sum()
    first = torch.autograd.grad(total, list(layer.parameters()), retain_graph=True)
    second = torch.autograd.grad(total, list(layer.parameters()))
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))


def test_half_precision_around_it_leaves_the_recurrence_alone():
    layer, found = make().float(), sentences()
    found = [(x.detach().float(), words, vectors.detach().float()) for x, words, vectors in found]
    whole = batched(layer, found).hidden
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = batched(layer, found).hidden
    assert half.dtype == torch.float32
    torch.testing.assert_close(half, whole, atol=0.05, rtol=0.05)
    half.sum().backward()
    assert all(parameter.grad is not None for parameter in layer.parameters())


def test_a_pass_that_is_let_go_frees_what_it_kept(monkeypatch):
    kept = []

    class Watched(lattice_lstm.LatticeRun):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            kept.append(weakref.ref(self))

    monkeypatch.setattr(lattice_lstm, "LatticeRun", Watched)
    gc.disable()
    try:
        hidden = batched(make(), sentences()).hidden
        hidden.sum().backward()
        del hidden
        assert kept[0]() is None
    finally:
        gc.enable()
