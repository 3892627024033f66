"""The fast encoder is FLAT: values and gradients of the equations, to float64 precision."""

import pytest
import torch

from core.layers import Lattice
from core.layers.flat.layout_planning import plan_layout
from tests.layers.flat.flat_oracle import OPTIONS, encode, nodes_of, random_encoder, random_lattice
from tests.sweep import sweep

LATTICES = {
    "words of all lengths": random_lattice(2, 7, seed=0),
    "no words": Lattice.of_words([5, 3], [[], []]),
    "a word in one sentence only": Lattice.of_words([5, 3], [[], [(0, 1)]]),
    "one character": Lattice.of_words([1], [[]]),
    "one character that is a word": Lattice.of_words([1], [[(0, 0)]]),
    "an empty sentence": Lattice.of_words([4, 0], [[(0, 1), (1, 3)], []]),
    "rare long words": Lattice.of_words([7, 5], [[(0, 6), (1, 2), (3, 5)], [(0, 4), (3, 4)]]),
    "only long words": Lattice.of_words([7, 2], [[(0, 6), (1, 6), (2, 6)], []]),
    "the same word twice": Lattice.of_words([4], [[(1, 2), (1, 2), (1, 2)]]),
    "the same long word twice": Lattice.of_words([6, 2], [[(1, 5), (1, 5), (0, 1)], [(0, 1)]]),
}


def _gradients(outputs, inputs):
    total = sum(
        (out * torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view_as(out)).sum() for out in outputs
    )
    return torch.autograd.grad(total, inputs, allow_unused=True)


@pytest.mark.parametrize("name", LATTICES)
@pytest.mark.parametrize(
    "options", sweep(OPTIONS, [{}, OPTIONS[-1]]), ids=lambda options: "+".join(options) or "paper"
)
def test_values_and_gradients_are_those_of_the_equations(name, options):
    lattice = LATTICES[name]
    encoder = random_encoder(**options)
    x = nodes_of(lattice).requires_grad_()
    inputs = [x, *encoder.parameters()]

    expected, _ = encode(encoder, x, lattice)
    hidden = encoder(x, lattice).hidden
    given = [row[: len(part)] for row, part in zip(hidden, expected, strict=True)]

    for ours, theirs in zip(given, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-12)
    for ours, theirs in zip(_gradients(given, inputs), _gradients(expected, inputs), strict=True):
        if theirs is not None:
            torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", LATTICES)
def test_weights_are_those_of_the_equations_and_padding_has_none(name):
    lattice = LATTICES[name]
    encoder = random_encoder().eval()
    x = nodes_of(lattice)
    with torch.no_grad():
        given = encoder(x, lattice, need_weights=True).attention
        _, expected = encode(encoder, x, lattice)
    for layer, weights in enumerate(given):
        last = layer == len(given) - 1
        for sentence, reference in enumerate(expected[layer]):
            queries = int(lattice.char_lengths[sentence]) if last else reference.shape[1]
            nodes = reference.shape[2]
            torch.testing.assert_close(weights[sentence, :, :queries, :nodes], reference[:, :queries])
            assert not weights[sentence, :, queries:].any()
            assert not weights[sentence, :, :, nodes:].any()


def test_gradcheck_through_tables_words_and_exceptions():
    lattice = Lattice.of_words([6, 2], [[(0, 5), (1, 2)], [(0, 1)]])
    encoder = random_encoder(hidden=4, layers=2)
    x = nodes_of(lattice, hidden=4).requires_grad_()
    assert plan_layout(lattice, 4).exceptions is not None
    assert torch.autograd.gradcheck(lambda x: encoder(x, lattice).hidden, (x,))
    weight = encoder.positions.fusion.weight

    def of_fusion(fusion):
        state = {"positions.fusion.weight": fusion}
        return torch.func.functional_call(encoder, state, (x.detach(), lattice)).hidden

    assert torch.autograd.gradcheck(of_fusion, (weight.detach().clone().requires_grad_(),), fast_mode=True)
