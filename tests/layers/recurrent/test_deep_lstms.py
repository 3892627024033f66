"""Grid LSTM, gated-feedback LSTM and HM-LSTM against loops over single sentences, from their equations."""

import pytest
import torch

from core.layers.recurrent.bidirectional import Bidirectional, reordered, reversal
from core.layers.recurrent.choice import CELLS, ONE_WAY, begin_epoch, make_reader
from core.layers.recurrent.gated_feedback_lstm import GatedFeedbackLstm
from core.layers.recurrent.grid_lstm import GridLstm
from core.layers.recurrent.hm_lstm import HmLstm, slope_of

WIDTH, HIDDEN, LAYERS, LENGTH = 4, 3, 3, 6
sigmoid, tanh = torch.sigmoid, torch.tanh


@pytest.fixture(autouse=True)
def _doubles():
    torch.manual_seed(5)
    torch.set_default_dtype(torch.double)
    yield
    torch.set_default_dtype(torch.float)


def spread(network):
    """Weights far from 0, so that gates and boundaries differ from step to step."""
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(0, 1.0)
    return network


def grid_by_hand(network, sentence):
    layers, size = len(network.weights), network.width
    state, memory = torch.zeros(layers, size), torch.zeros(layers, size)
    for x in sentence:
        entered = network.entry.weight @ x + network.entry.bias
        depth, depth_memory = entered[:size], entered[size:]
        for layer in range(layers):
            joined = torch.cat([state[layer], depth])
            new = []
            for cell, before in enumerate((memory[layer], depth_memory)):
                rows = range(4 * size * cell, 4 * size * (cell + 1))
                total = network.weights[layer][rows] @ joined + network.biases[layer][rows]
                u, f, o, c = total.split(size)
                m = sigmoid(f) * before + sigmoid(u) * tanh(c)
                new.append((tanh(sigmoid(o) * m), m))
            (state[layer], memory[layer]), (depth, depth_memory) = new
        yield depth


def gated_feedback_by_hand(network, sentence):
    layers, size = len(network.own), network.width
    h, c = [torch.zeros(size)] * layers, [torch.zeros(size)] * layers
    for x in sentence:
        every, new = torch.cat(h), []
        for j in range(layers):
            below = new[-1] if j else x
            weight, bias = network.below[j].weight, network.below[j].bias
            w = [
                weight[size * n : size * (n + 1)] @ below + bias[size * n : size * (n + 1)] for n in range(4)
            ]
            own = (network.own[j].weight @ h[j]).split(size)
            i, f, o = (sigmoid(w[n] + own[n]) for n in range(3))
            fed_back = torch.zeros(size)
            for source in range(layers):
                at = 4 * size + source
                g = sigmoid(weight[at] @ below + bias[at] + network.resets[j].weight[source] @ every)
                matrix = network.feedback[j].weight[:, size * source : size * (source + 1)]
                fed_back = fed_back + g * (matrix @ h[source])
            c[j] = f * c[j] + i * tanh(w[3] + fed_back)
            new.append(o * tanh(c[j]))
        h = new
        yield h[-1]


def hm_by_hand(network, sentence, operations):
    layers, size = len(network.own), network.width
    h, c = [torch.zeros(size)] * layers, [torch.zeros(size)] * layers
    z = [0] * layers
    for x in sentence:
        new_h, new_c, new_z = list(h), list(c), list(z)
        for l in range(layers):  # noqa: E741 - as the paper writes it
            below, z_below = (x, 1) if l == 0 else (new_h[l - 1], new_z[l - 1])
            total = network.own[l].weight @ h[l] + z_below * (network.below[l].weight @ below)
            total = total + network.biases[l]
            if l < layers - 1:
                total = total + z[l] * (network.above[l].weight @ h[l + 1])
            f, i, o, g = total[: 4 * size].split(size)
            f, i, o, g = sigmoid(f), sigmoid(i), sigmoid(o), tanh(g)
            if z[l] == 1:
                operation, new_c[l] = "flush", i * g
            elif z_below == 1:
                operation, new_c[l] = "update", f * c[l] + i * g
            else:
                operation = "copy"
            if operation != "copy":
                new_h[l] = o * tanh(new_c[l])
            operations.add((l, operation))
            if l < layers - 1:
                new_z[l] = int(
                    max(0.0, min(1.0, (network.slope * float(total[4 * size].detach()) + 1) / 2)) > 0.5
                )
        h, c, z = new_h, new_c, new_z
        joined = torch.cat(h)
        out = network.output_bias
        for l in range(layers):  # noqa: E741
            gate = sigmoid(network.gates.weight[l] @ joined)
            out = out + gate * (network.outputs[l].weight @ h[l])
        yield torch.cat([out.clamp(min=0), torch.tensor(z[:-1], dtype=torch.double)])


@pytest.mark.parametrize("layers", [1, 2, LAYERS])
@pytest.mark.parametrize(
    ("kind", "by_hand"), [(GridLstm, grid_by_hand), (GatedFeedbackLstm, gated_feedback_by_hand)]
)
def test_the_states_are_those_of_a_loop_over_the_equations(kind, by_hand, layers):
    network = spread(kind(WIDTH, HIDDEN, layers))
    x = torch.randn(3, LENGTH, WIDTH)
    for sentence, states in zip(x, network(x), strict=True):
        torch.testing.assert_close(states, torch.stack(list(by_hand(network, sentence))))


def test_a_multiscale_network_flushes_updates_and_copies_as_the_equations_say():
    operations: set[tuple[int, str]] = set()
    for _ in range(20):
        network = spread(HmLstm(WIDTH, HIDDEN, LAYERS))
        x = torch.randn(3, LENGTH, WIDTH)
        states, boundaries = network.read(x)
        found = torch.cat([states, boundaries], dim=-1)
        for sentence, row in zip(x, found, strict=True):
            torch.testing.assert_close(row, torch.stack(list(hm_by_hand(network, sentence, operations))))
    lowest = {(0, "flush"), (0, "update")}  # what lies below it ends at every step
    highest = {(LAYERS - 1, "update"), (LAYERS - 1, "copy")}  # it has no boundary
    assert operations == lowest | highest | {(1, each) for each in ("flush", "update", "copy")}


def test_segments_end_where_a_loop_in_either_direction_ends_them():
    network = spread(make_reader("hm_lstm", WIDTH, HIDDEN, LAYERS)).eval()
    lengths = (LENGTH, 3, 0)
    x, mask = torch.randn(3, LENGTH, WIDTH), torch.arange(LENGTH) < torch.tensor(lengths)[:, None]
    found = network.segment_ends(x, mask)
    assert found.shape == (3, LENGTH, 2 * (LAYERS - 1))
    for sentence, length, ends in zip(x, lengths, found, strict=True):
        forwards = [row[HIDDEN:] > 0 for row in hm_by_hand(network.forwards, sentence[:length], set())]
        turned = sentence[:length].flip(0)
        backwards = [row[HIDDEN:] > 0 for row in hm_by_hand(network.backwards, turned, set())][::-1]
        for at in range(LENGTH):
            if at >= length:
                assert not ends[at].any()
            elif at == length - 1:
                assert ends[at].all()
            else:  # what the backward network begins at the next unit ends here
                assert ends[at].tolist() == [*forwards[at].tolist(), *backwards[at + 1].tolist()]
    assert found[0, :-1].any()
    assert not found[0].all()
    grid = make_reader("grid_lstm", WIDTH, HIDDEN, 2)
    assert isinstance(grid, Bidirectional)
    assert grid.segment_ends(x, mask) is None


def test_what_lies_above_a_segment_that_never_ends_reads_nothing():
    network = spread(HmLstm(WIDTH, HIDDEN, 2))
    with torch.no_grad():
        network.biases[0][-1] = -1e6
    x = torch.randn(2, LENGTH, WIDTH)
    output, boundaries = network.read(x)
    assert not boundaries.any()
    with torch.no_grad():
        network.own[1].weight.zero_()
        network.below[1].weight.zero_()
    assert torch.equal(network(x), output)


def test_a_boundary_passes_the_gradient_on_by_the_slope():
    """The straight-through estimator: that of the hard sigmoid, a / 2 inside its bounds and 0 beyond."""
    from core.layers.recurrent.hm_lstm import _boundary

    score = torch.tensor([-3.0, -0.2, 0.1, 3.0], requires_grad=True)
    for slope, expected in ((1.0, [0, 0.5, 0.5, 0]), (4.0, [0, 2.0, 2.0, 0])):
        found = _boundary(score, slope)
        assert found.tolist() == [0, 0, 1, 1]
        (gradient,) = torch.autograd.grad(found.sum(), score)
        assert gradient.tolist() == expected
    assert [slope_of(epoch) for epoch in (0, 25, 100, 400)] == [1.0, 2.0, 5.0, 5.0]


@pytest.mark.parametrize("kind", [GridLstm, GatedFeedbackLstm])
def test_gradients_are_those_of_finite_differences(kind):
    network = spread(kind(2, 2, 2))
    x = torch.randn(1, 3, 2, requires_grad=True)
    assert torch.autograd.gradcheck(network, (x,))
    network(x).sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in network.parameters())


def test_every_weight_of_a_multiscale_network_learns():
    left = {name for name, _ in HmLstm(WIDTH, HIDDEN, LAYERS).named_parameters()}
    for _ in range(20):  # with some weights the boundaries of the upper layer do not come
        network = spread(HmLstm(WIDTH, HIDDEN, LAYERS))
        network(torch.randn(8, LENGTH, WIDTH)).sum().backward()
        left -= {
            name for name, value in network.named_parameters() if value.grad is not None and value.grad.any()
        }
    assert left == set()


def test_a_sentence_is_turned_around_and_back_and_its_padding_stays():
    mask = torch.tensor([[True, True, True, False], [True, False, False, False], [False] * 4])
    x = torch.arange(12.0).view(3, 4, 1)
    turned = reordered(x, reversal(mask))
    assert turned[..., 0].tolist() == [[2, 1, 0, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert torch.equal(reordered(turned, reversal(mask)), x)


@pytest.mark.parametrize("cell", CELLS)
def test_padding_changes_nothing_and_a_state_sees_both_sides(cell):
    hidden = 16  # few of them are cut off by the ReLU of HM-LSTM
    network = spread(make_reader(cell, WIDTH, hidden, 2)).eval()
    assert network.width == 2 * hidden
    x, mask = torch.randn(2, 5, WIDTH), torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    states = network(x, mask)
    assert not states[1, 3:].any()
    torch.testing.assert_close(network(x[1:, :3], mask[1:, :3])[0], states[1, :3])
    for end, half in ((0, slice(0, hidden)), (4, slice(hidden, None))):
        other = x.clone()
        other[0, end] += 3.0
        assert not torch.equal(network(other, mask)[0, 4 - end, half], states[0, 4 - end, half])
    assert network(x[:, :0], mask[:, :0]).shape == (2, 0, 2 * hidden)
    assert network(x[:0], mask[:0]).shape == (0, 5, 2 * hidden)


@pytest.mark.parametrize("cell", ONE_WAY)
def test_dropout_lies_between_the_layers_in_training_only(cell):
    network = spread(make_reader(cell, WIDTH, HIDDEN, 2, dropout=0.5))
    x, mask = torch.randn(2, LENGTH, WIDTH), torch.ones(2, LENGTH, dtype=torch.bool)
    assert not torch.equal(network(x, mask), network(x, mask))
    network.eval()
    assert torch.equal(network(x, mask), network(x, mask))


def test_the_slope_is_that_of_the_epoch_in_both_directions():
    network = make_reader("hm_lstm", WIDTH, HIDDEN, 2)
    begin_epoch(network, 25)
    assert isinstance(network, Bidirectional)
    assert [module.slope for module in network.modules() if isinstance(module, HmLstm)] == [2.0, 2.0]
    with pytest.raises(ValueError, match="a layer above the first"):
        HmLstm(WIDTH, HIDDEN, 1)
