"""The compiled scores are those of FLAT's equations too, in blocks and threads of any size."""

import pytest
import torch

from core.layers import FlatEncoder, Lattice, compiled_loops
from core.layers.flat import character_scores, layout_planning
from core.layers.flat.layout_planning import plan_layout
from tests.layers.flat.flat_oracle import encode, nodes_of, random_encoder, random_lattice
from tests.layers.flat.test_flat_equations import LATTICES, _gradients

pytest.importorskip("numba")


@pytest.fixture
def compiled(monkeypatch):
    """As if every batch were large."""
    monkeypatch.setattr(layout_planning, "_WORTH_A_STEP", 0)
    monkeypatch.setattr(layout_planning, "WORTH_COMPILING", 0)
    monkeypatch.setattr(compiled_loops, "WORTH_COMPILING", 0)


@pytest.fixture
def small_blocks(compiled, monkeypatch):
    """Blocks of a few rows of one sentence."""
    monkeypatch.setattr(layout_planning, "_COMPILED_PAIRS", 20)


@pytest.fixture
def threads(compiled, monkeypatch):
    """A thread for every sentence."""
    monkeypatch.setattr(character_scores, "_WORTH_A_THREAD", 1)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def _agrees_with_the_equations(lattice: Lattice, **options) -> None:
    encoder = random_encoder(**options)
    x = nodes_of(lattice, encoder.positions.hidden).requires_grad_()
    inputs = [x, *encoder.parameters()]
    expected, _ = encode(encoder, x, lattice)
    hidden = encoder(x, lattice).hidden
    given = [row[: len(part)] for row, part in zip(hidden, expected, strict=True)]
    for ours, theirs in zip(given, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-12)
    for ours, theirs in zip(_gradients(given, inputs), _gradients(expected, inputs), strict=True):
        if theirs is not None:
            torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("name", LATTICES)
def test_values_and_gradients_are_those_of_the_equations(name, layers, compiled):
    assert plan_layout(LATTICES[name], 8).loops is not None
    _agrees_with_the_equations(LATTICES[name], layers=layers)


@pytest.mark.parametrize("layers", [1, 2])
def test_small_blocks_add_up(layers, small_blocks):
    lattice = random_lattice(3, 9, seed=4)
    layout = plan_layout(lattice, 12)
    assert layout.rows < layout.chars
    assert layout.sentences < layout.batch
    # A head of three numbers: the loops take two and four at a time.
    _agrees_with_the_equations(lattice, hidden=12, heads=4, layers=layers)


def test_threads_add_up(threads):
    _agrees_with_the_equations(random_lattice(4, 7, seed=5))


def test_gradcheck_through_tables_words_and_exceptions(compiled):
    lattice = Lattice.of_words([6, 2], [[(0, 5), (1, 2)], [(0, 1)]])
    encoder = random_encoder(hidden=4, layers=2)
    x = nodes_of(lattice, hidden=4).requires_grad_()
    layout = plan_layout(lattice, 4)
    assert layout.exceptions is not None
    assert layout.loops is not None
    assert torch.autograd.gradcheck(lambda x: encoder(x, lattice).hidden, (x,))


def test_kept_tables_of_longer_sentences_and_more_lengths_serve_a_short_one(compiled):
    encoder = random_encoder(layers=1).eval()
    with torch.no_grad():
        for seed, longest, lengths in [(2, 80, (2, 3, 6)), (4, 20, (1, 2)), (5, 1, (1,))]:
            lattice = random_lattice(3, longest, seed=seed, lengths=lengths)
            x = nodes_of(lattice)
            expected, weights = encode(encoder, x, lattice) if longest < 80 else (None, None)
            output = encoder(x, lattice, need_weights=True)
            for sentence, chars in enumerate(lattice.char_lengths.tolist() if expected else []):
                torch.testing.assert_close(output.hidden[sentence, :chars], expected[sentence])
                nodes = int(lattice.lengths[sentence])
                shares = output.attention[0][sentence, :, :chars, :nodes]
                torch.testing.assert_close(shares, weights[0][sentence][:, :chars])


def test_in_evaluation_the_feed_forward_network_reads_no_padding(compiled):
    lattice = random_lattice(4, 20, seed=3)
    encoder, x = random_encoder(layers=2).eval(), nodes_of(lattice)
    rows = []
    for layer in encoder.layers:
        layer.ffn.register_forward_pre_hook(lambda _, inputs: rows.append(inputs[0].shape[:-1].numel()))
    expected = encoder(x, lattice).hidden
    padded = [*rows]
    with torch.no_grad():
        hidden = encoder(x, lattice).hidden
    torch.testing.assert_close(hidden, expected)
    real = [int(lattice.lengths.sum()), int(lattice.char_lengths.sum())]
    assert rows[2:] == real
    assert padded[1] > real[1]


def test_half_precision_is_left_to_tensors(compiled):
    lattice = random_lattice(4, 20, seed=3)
    torch.manual_seed(0)
    encoder, x = FlatEncoder(32, 4, 2, 64, ffn_dropout=0.0), nodes_of(lattice, hidden=32).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = encoder(x, lattice).hidden.float()
        rough.square().sum().backward()
    assert (rough - encoder(x, lattice).hidden).abs().max() < 0.1


def test_a_call_takes_the_form_of_its_own_size_whatever_is_loaded(monkeypatch):
    small = Lattice.of_words([30], [[(0, 1), (4, 5)]])
    large = Lattice.of_words([50] * 16, [[(head, head + 1) for head in range(20)]] * 16)
    assert plan_layout(large, 8).loops is not None
    assert plan_layout(small, 8).loops is None
    with torch.no_grad():
        assert plan_layout(large, 8).loops is not None
        assert plan_layout(small, 8).loops is None
    monkeypatch.setattr(layout_planning, "compiled_loops", lambda name, positions: None)  # without numba
    assert plan_layout(large, 8).loops is None


def test_where_only_characters_ask_a_rare_long_word_has_a_table(compiled):
    lattice = Lattice.of_words([40], [[(0, 6), (1, 2), (4, 6)]])
    assert plan_layout(lattice, 160).spans == (0, 1, 2)
    layout = plan_layout(lattice, 160, word_queries=False)
    assert layout.spans == (0, 1, 2, 6)
    assert layout.exceptions is None
    assert layout.groups == ()


def test_tables_of_many_word_lengths_are_made_once(compiled, monkeypatch):
    encoder = random_encoder(layers=1).eval()
    batches = [
        Lattice.of_words([40], [[(0, a) for a in lengths]]) for lengths in ((1, 2, 5, 9), (3, 6, 7, 12))
    ]
    with torch.no_grad():
        for _ in range(2):
            for lattice in batches:
                encoder(nodes_of(lattice), lattice)
        monkeypatch.setattr(type(encoder.positions), "rows", None)  # not made again
        for lattice in batches:
            encoder(nodes_of(lattice), lattice)
