"""The bidirectional recurrent network against torch's own on packed sentences."""

import pytest
import torch

from core.layers import compiled_loops
from core.layers.recurrent.birnn import CELLS, BiRnn, TableColumns

WIDTH, HIDDEN = 5, 4


def sentences(lengths, longest):
    torch.manual_seed(0)
    x = torch.randn(len(lengths), longest, WIDTH, requires_grad=True)
    return x, torch.arange(longest) < torch.tensor(lengths)[:, None]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("lengths", [(7, 3, 1, 5), (2,), (4, 4), (6, 0, 2), (0, 0)])
def test_padded_sentences_have_the_states_and_gradients_of_packed_ones(cell, layers, lengths):
    x, mask = sentences(lengths, 7)
    network = BiRnn(WIDTH, HIDDEN, layers, cell=cell)
    weights = torch.randn(len(lengths), 7, 2 * HIDDEN) * mask[..., None]
    found = []
    for states in (network(x, mask), network.packed(x, mask.sum(1)) * mask[..., None]):
        network.zero_grad()
        x.grad = None
        (states * weights).sum().backward()
        grads = [parameter.grad.clone() for parameter in network.parameters()]
        found.append([states.detach(), x.grad.clone(), *grads])
    for ours, packed in zip(*found, strict=True):
        torch.testing.assert_close(ours, packed, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("training", [False, True])
def test_padding_changes_nothing(training):
    x, mask = sentences((4, 2), 4)
    longer, longer_mask = torch.cat([x, torch.full((2, 3, WIDTH), 9.0)], dim=1), sentences((4, 2), 7)[1]
    network = BiRnn(WIDTH, HIDDEN, 2).train(training)
    torch.testing.assert_close(network(longer, longer_mask)[:, :4], network(x, mask))
    assert not network(longer, longer_mask)[:, 4:].any()


def test_nothing_to_read():
    network = BiRnn(WIDTH, HIDDEN)
    assert network(torch.zeros(2, 0, WIDTH), torch.zeros(2, 0, dtype=torch.bool)).shape == (2, 0, 2 * HIDDEN)
    assert network(torch.zeros(0, 3, WIDTH), torch.zeros(0, 3, dtype=torch.bool)).shape == (0, 3, 2 * HIDDEN)


def test_dropout_lies_between_the_layers_in_training_only():
    x, mask = sentences((6, 6), 6)
    network = BiRnn(WIDTH, HIDDEN, 2, dropout=0.5)
    assert not torch.equal(network(x, mask), network(x, mask))
    network.eval()
    assert torch.equal(network(x, mask), network(x, mask))
    torch.testing.assert_close(network(x, mask), network.packed(x, mask.sum(1)))
    alone = BiRnn(WIDTH, HIDDEN, 1, dropout=0.5)
    assert torch.equal(alone(x, mask), alone(x, mask))


@pytest.fixture
def compiled(monkeypatch):
    """The compiled loops serve any call without gradient; returns how many calls they served."""
    pytest.importorskip("numba")
    monkeypatch.setattr(compiled_loops, "WORTH_COMPILING", 0)
    served = []
    run = BiRnn.compiled
    monkeypatch.setattr(BiRnn, "compiled", lambda *given: served.append(True) or run(*given))
    return served


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("lengths", [(7, 3, 1, 5), (2,), (4, 4), (6, 0, 2), (0, 0)])
def test_the_compiled_loops_give_the_states_of_packed_sentences(compiled, layers, lengths):
    x, mask = sentences(lengths, 7)
    network = BiRnn(WIDTH, HIDDEN, layers).eval()
    with torch.no_grad():
        for factor in (1.0, 30.0):  # saturated gates too
            wanted = network.packed(factor * x, mask.sum(1)) * mask[..., None]
            torch.testing.assert_close(network(factor * x, mask), wanted, rtol=1e-4, atol=2e-6)
    assert len(compiled) == 2


def test_columns_with_few_different_vectors_are_multiplied_once(compiled):
    torch.manual_seed(0)
    lengths, tables = torch.tensor([6, 0, 3]), (torch.randn(4, 2), torch.randn(3, 3))
    columns = [TableColumns(table, torch.randint(len(table), (3, 6))) for table in tables]
    x = torch.cat([part.vectors[part.places] for part in columns], dim=2)
    network, mask = BiRnn(WIDTH, HIDDEN, 2).eval(), torch.arange(6) < lengths[:, None]
    with torch.no_grad():
        torch.testing.assert_close(network(x, mask, columns), network.packed(x, lengths) * mask[..., None])
    assert compiled


def test_gradients_training_and_other_numbers_do_without_the_compiled_loops(compiled):
    x, mask = sentences((4, 2), 4)
    network = BiRnn(WIDTH, HIDDEN)
    network(x, mask)
    network.eval()(x, mask)
    with torch.no_grad():
        BiRnn(WIDTH, HIDDEN, cell="gru").eval()(x, mask)
        network.double()(x.double(), mask)
    assert not compiled


def test_scores_that_are_no_numbers_stay_so(compiled):
    x, mask = sentences((4, 2), 4)
    x.data[1, 0] = float("nan")
    with torch.no_grad():
        states = BiRnn(WIDTH, HIDDEN).eval()(x, mask)
    assert states[1, :2].isnan().any()
    assert states[0].isfinite().all()
