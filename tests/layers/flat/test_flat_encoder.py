"""What the encoder promises whatever its weights: padding, kept tables, weights, precision, length."""

import copy

import pytest
import torch

from core.layers import FlatEncoder, Lattice
from tests.layers.flat.flat_oracle import OPTIONS, nodes_of, random_encoder, random_lattice


def _alone(lattice: Lattice, x: torch.Tensor, sentence: int) -> tuple[torch.Tensor, Lattice]:
    nodes = int(lattice.lengths[sentence])
    row = slice(sentence, sentence + 1)
    single = Lattice(
        lattice.head[row, :nodes], lattice.tail[row, :nodes], lattice.char_lengths[row], lattice.lengths[row]
    )
    return x[row, :nodes], single


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "+".join(options) or "paper")
def test_a_sentence_reads_the_same_alone_and_in_a_batch(options):
    lattice = random_lattice(4, 14, seed=2)
    encoder, x = random_encoder(**options).eval(), nodes_of(lattice)
    together = encoder(x, lattice).hidden
    for sentence, chars in enumerate(lattice.char_lengths.tolist()):
        alone = encoder(*_alone(lattice, x, sentence)).hidden[0]
        torch.testing.assert_close(together[sentence, :chars], alone, rtol=1e-11, atol=1e-12)
        assert not together[sentence, chars:].any()


def test_what_padding_holds_does_not_matter():
    lattice = random_lattice(4, 12, seed=5)
    encoder, x = random_encoder(), nodes_of(lattice)
    padding = ~lattice.mask
    wild = Lattice(
        lattice.head.masked_fill(padding, 77),
        lattice.tail.masked_fill(padding, -5),
        lattice.char_lengths,
        lattice.lengths,
    )
    noisy = x.masked_fill(padding[..., None], 1e6).requires_grad_()
    hidden = encoder(noisy, wild).hidden
    assert torch.equal(hidden, encoder(x, lattice).hidden)
    hidden.sum().backward()
    assert not noisy.grad[padding].any()


def test_last_layer_queries_only_characters_and_loses_nothing():
    lattice = random_lattice(4, 12, seed=6)
    encoder, x = random_encoder(layers=1).eval(), nodes_of(lattice)
    one = encoder(x, lattice, need_weights=True)
    encoder.layers.append(torch.nn.Identity())  # a second "layer", so that the first is not the last

    def passing(x, relative, *, queries, need_weights=False):
        return x[:, :queries], None

    encoder.layers[1].forward = passing
    every = encoder(x, lattice, need_weights=True)
    torch.testing.assert_close(one.hidden, every.hidden, rtol=1e-12, atol=1e-13)
    chars = one.hidden.shape[1]
    assert one.attention[0].shape[2] == chars
    for sentence, count in enumerate(lattice.char_lengths.tolist()):
        first, second = one.attention[0][sentence], every.attention[0][sentence]
        torch.testing.assert_close(first[:, :count], second[:, :count], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("training", [True, False])
def test_asking_for_weights_changes_no_value_and_rows_sum_to_one(training):
    lattice = random_lattice(4, 15, seed=7)
    encoder, x = random_encoder().train(training), nodes_of(lattice)
    with torch.set_grad_enabled(training):
        plain, shown = encoder(x, lattice), encoder(x, lattice, need_weights=True)
    assert torch.equal(plain.hidden, shown.hidden)
    assert plain.attention is None
    for layer, weights in enumerate(shown.attention):
        real = lattice.char_mask if layer == len(shown.attention) - 1 else lattice.mask
        sums = weights.sum(-1)
        torch.testing.assert_close(sums, real[:, None].expand_as(sums).double())


def _evaluate(encoder, x, lattice):
    with torch.no_grad():
        return encoder(x, lattice).hidden


def _step(encoder, x, lattice):
    encoder.train()
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=0.1)
    encoder(x, lattice).hidden.square().sum().backward()
    optimizer.step()
    encoder.eval()


def _load(encoder, x, lattice):
    encoder.load_state_dict(random_encoder(seed=9).state_dict())


def _write_data(encoder, x, lattice):
    encoder.positions.fusion.weight.data.mul_(-1.0)


def _replace_parameter(encoder, x, lattice):
    key = encoder.layers[0].attention.relative_key
    key.weight = torch.nn.Parameter(key.weight.detach() * 2)


def _step_in_evaluation_mode(encoder, x, lattice):
    encoder(x, lattice).hidden.sum().backward()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter -= 0.1 * parameter.grad


CHANGES = [_step, _load, _write_data, _replace_parameter, _step_in_evaluation_mode]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_kept_tables_are_dropped_when_parameters_change(change):
    lattice = random_lattice(3, 12, seed=8)
    encoder, x = random_encoder().eval(), nodes_of(lattice)
    before = _evaluate(encoder, x, lattice)
    change(encoder, x, lattice)
    after = _evaluate(encoder, x, lattice)
    fresh = random_encoder().eval()
    fresh.load_state_dict(encoder.state_dict())
    assert not torch.allclose(before, after)
    torch.testing.assert_close(after, _evaluate(fresh, x, lattice), rtol=1e-12, atol=1e-13)


def test_kept_tables_serve_every_later_sentence():
    encoder = random_encoder().eval()
    for seed, longest, lengths in [
        (1, 8, (2,)),
        (2, 80, (2, 3, 4)),
        (3, 5, (3,)),
        (4, 20, (1, 2, 6)),
        (5, 1, (1,)),
    ]:
        lattice = random_lattice(3, longest, seed=seed, lengths=lengths)
        x = nodes_of(lattice)
        grown = _evaluate(encoder, x, lattice)
        made_anew = encoder(x, lattice).hidden.detach()  # with gradients nothing is kept
        torch.testing.assert_close(grown, made_anew, rtol=1e-11, atol=1e-12)
        assert torch.equal(grown, _evaluate(encoder, x, lattice))


def test_kept_tables_do_not_travel_in_the_state_and_copies_work():
    lattice = random_lattice(2, 9, seed=1)
    encoder, x = random_encoder().eval(), nodes_of(lattice)
    keys = set(encoder.state_dict())
    hidden = _evaluate(encoder, x, lattice)
    assert set(encoder.state_dict()) == keys
    assert torch.equal(_evaluate(copy.deepcopy(encoder), x, lattice), hidden)
    single = _evaluate(copy.deepcopy(encoder).float(), x.float(), lattice)
    torch.testing.assert_close(single.double(), hidden, rtol=1e-3, atol=1e-4)


def test_inference_mode_and_later_training_live_together():
    lattice = random_lattice(2, 9, seed=1)
    encoder, x = random_encoder().eval(), nodes_of(lattice)
    with torch.inference_mode():
        inferred = encoder(x, lattice).hidden.clone()
    torch.testing.assert_close(_evaluate(encoder, x, lattice), inferred, rtol=1e-12, atol=1e-13)
    encoder.train()(x, lattice).hidden.sum().backward()


def test_bfloat16_autocast_stays_close_in_both_directions():
    lattice = random_lattice(4, 20, seed=3)
    torch.manual_seed(0)
    encoder = FlatEncoder(32, 4, 2, 64, ffn_dropout=0.0)
    x = nodes_of(lattice, hidden=32).float()
    exact = encoder(x, lattice).hidden
    exact.square().sum().backward()
    slopes = {name: p.grad.clone() for name, p in encoder.named_parameters()}
    encoder.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = encoder(x, lattice).hidden
        rough.float().square().sum().backward()
    assert (rough.float() - exact).abs().max() < 0.1
    slope = encoder.layers[0].ffn[0].weight.grad
    expected = slopes["layers.0.ffn.0.weight"]
    assert torch.nn.functional.cosine_similarity(slope.flatten(), expected.flatten(), dim=0) > 0.99


def test_attention_dropout_is_random_in_training_scaled_and_absent_in_evaluation():
    lattice = random_lattice(4, 12, seed=1)
    encoder, x = random_encoder(layers=1, attention_dropout=0.5), nodes_of(lattice)
    torch.manual_seed(1)
    first = encoder(x, lattice).hidden
    torch.manual_seed(1)
    assert torch.equal(encoder(x, lattice).hidden, first)
    assert not torch.equal(encoder(x, lattice).hidden, first)
    plain = random_encoder(layers=1).eval()
    plain.load_state_dict(encoder.state_dict())
    assert torch.equal(_evaluate(encoder.eval(), x, lattice), _evaluate(plain, x, lattice))


def test_the_gradient_of_dropped_attention_is_that_of_its_values():
    lattice = random_lattice(2, 5, seed=1, lengths=(2, 5))
    encoder = random_encoder(hidden=4, layers=1, attention_dropout=0.3)
    x = nodes_of(lattice, hidden=4).requires_grad_()

    def seeded(x):
        torch.manual_seed(3)
        return encoder(x, lattice).hidden

    assert torch.autograd.gradcheck(seeded, (x,))


def test_two_thousand_characters_fit_in_little_memory():
    lattice = random_lattice(1, 2000, seed=1, lengths=(2, 2, 2, 3, 4))
    torch.manual_seed(0)
    encoder = FlatEncoder(32, 2, 1, 64).eval()
    x = nodes_of(lattice, hidden=32).float()
    recording = torch.profiler.profile(profile_memory=True, acc_events=True)
    with torch.no_grad(), recording:
        hidden = encoder(x, lattice).hidden
    assert hidden.shape == (1, 2000, 32)
    assert hidden.isfinite().all()
    events = [e for e in recording.profiler.kineto_results.events() if e.name() == "[memory]"]
    alive = peak = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        alive += event.nbytes()
        peak = max(peak, alive)
    # The published form would hold 3000 * 3000 * 4 * 32 sinusoids, 4.6 GB, twice.
    assert 0 < peak < 100e6


def test_no_characters_at_all_give_an_empty_answer():
    lattice = Lattice.of_words([0, 0], [[], []])
    output = random_encoder()(torch.zeros(2, 0, 8, dtype=torch.float64), lattice, need_weights=True)
    assert output.hidden.shape == (2, 0, 8)


def test_the_same_encoding_comes_from_every_order_of_words():
    lattice = Lattice.of_words([6], [[(0, 1), (2, 5), (3, 4)]])
    swapped = Lattice.of_words([6], [[(3, 4), (0, 1), (2, 5)]])
    encoder, x = random_encoder(), nodes_of(lattice)
    moved = torch.cat([x[:, :6], x[:, [8, 6, 7]]], dim=1)
    torch.testing.assert_close(encoder(x, lattice).hidden, encoder(moved, swapped).hidden)


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match="hidden=10 and heads=4"):
        FlatEncoder(10, 4, 1, 8)


def test_a_word_outside_its_sentence_is_refused_by_number():
    with pytest.raises(ValueError, match=r"sentence 1: word \(1, 3\) is outside its 3 characters"):
        Lattice.of_words([4, 3], [[(0, 1)], [(1, 3)]])
