"""The span scorers and their loss against loops that follow the equations."""

import math

import pytest
import torch
from torch.nn import functional

from core.layers.span_scores.band import BLOCK, band_of, band_products, span_mask
from core.layers.span_scores.biaffine import Biaffine
from core.layers.span_scores.global_pointer import GlobalPointer
from core.layers.span_scores.inside import Inside
from core.layers.span_scores.multilabel_loss import multilabel_loss
from core.layers.span_scores.prior import PRIOR
from core.layers.span_scores.rotary import BASE, rotate

WIDTH, LABELS, INNER = 5, 3, 4


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def scorer_of(kind):
    scorer = kind(WIDTH, LABELS, INNER).double()
    for parameter in scorer.parameters():
        torch.nn.init.normal_(parameter)
    return scorer


def rotated(vector, position):
    """Equation 34 of RoFormer as a matrix, pair by pair."""
    size = len(vector)
    matrix = torch.zeros(size, size, dtype=torch.float64)
    for pair in range(size // 2):
        angle = position * BASE ** (-2 * pair / size)
        cosine, sine = math.cos(angle), math.sin(angle)
        matrix[2 * pair, 2 * pair], matrix[2 * pair, 2 * pair + 1] = cosine, -sine
        matrix[2 * pair + 1, 2 * pair], matrix[2 * pair + 1, 2 * pair + 1] = sine, cosine
    return matrix @ vector


def linear(layer, vector):
    return functional.linear(vector, layer.weight, layer.bias)


def biaffine_score(scorer, states, label, start, end):
    """Yu et al., section 3, for one span."""
    head = functional.gelu(linear(scorer.start, states[start]))
    tail = functional.gelu(linear(scorer.end, states[end]))
    weights = torch.cat([scorer.start_score.weight[label], scorer.end_score.weight[label]])
    return (
        head @ scorer.bilinear[label] @ tail
        + weights @ torch.cat([head, tail])
        + scorer.end_score.bias[label]
    )


def pointer_score(scorer, states, label, start, end):
    """Su et al., section 3.4, for one span."""
    q_i, k_i, q_j, k_j = (
        linear(layer, states[at]) for at in (start, end) for layer in (scorer.query, scorer.key)
    )
    product = rotated(q_i, start) @ rotated(k_j, end) if scorer.rotary else q_i @ k_j
    weights = torch.cat([scorer.start_score.weight[label], scorer.end_score.weight[label]])
    linear_part = weights @ torch.cat([q_i, k_i, q_j, k_j])
    return product / math.sqrt(INNER) + linear_part + scorer.end_score.bias[label]


@pytest.mark.parametrize(
    ("length", "width"), [(1, 1), (5, 5), (7, 3), (BLOCK, 4), (2 * BLOCK + 3, BLOCK + 9)]
)
def test_products_of_a_band_are_those_of_a_double_loop(length, width):
    left, right = random(2, length, 4), random(2, length, 4)
    band = band_products(left, right, width)
    assert band.shape == (2, length, width)
    for start in range(length):
        for offset in range(width):
            end = start + offset
            expected = (left[:, start] * right[:, end]).sum(-1) if end < length else torch.zeros(2)
            torch.testing.assert_close(band[:, start, offset], expected.double())


def test_a_span_may_be_where_it_may_start_and_end():
    starts = torch.tensor([[True, False, True, True]])
    ends = torch.tensor([[False, True, True, False]])
    mask = span_mask(starts, ends, 3)[0]
    spans = {(int(i), int(i + o)) for i, o in mask.nonzero()}
    assert spans == {(0, 1), (0, 2), (2, 2)}
    assert band_of(torch.tensor([1, 2, 3]), 2).tolist() == [[1, 2], [2, 3], [3, 0]]


def test_a_rotation_is_the_matrix_of_the_equation():
    x = random(6, 4)
    turned = rotate(x)
    for position in range(6):
        torch.testing.assert_close(turned[position], rotated(x[position], position))


@pytest.mark.parametrize("distance", [0, 1, 7])
def test_products_of_rotated_vectors_depend_on_the_distance_alone(distance):
    query, key = random(4), random(4)
    queries, keys = rotate(query.expand(30, 4)), rotate(key.expand(30, 4))
    products = torch.stack([queries[at] @ keys[at + distance] for at in range(30 - distance)])
    torch.testing.assert_close(products, products[0].expand_as(products))
    if distance:
        assert abs(float(products[0] - query @ key)) > 1e-3


def test_an_odd_width_cannot_be_turned():
    with pytest.raises(ValueError, match="there are 3"):
        rotate(random(2, 3))
    with pytest.raises(ValueError, match="there are 3"):
        GlobalPointer(WIDTH, LABELS, 3)


@pytest.mark.parametrize("width", [1, 4, 6])
@pytest.mark.parametrize(("kind", "score"), [(Biaffine, biaffine_score), (GlobalPointer, pointer_score)])
def test_every_span_has_the_score_of_the_equation(kind, score, width):
    scorer, states = scorer_of(kind), random(2, 6, WIDTH)
    scores = scorer(states, width)
    assert scores.shape == (2, LABELS, 6, width)
    for row in range(2):
        for label in range(LABELS):
            for start in range(6):
                for end in range(start, min(6, start + width)):
                    expected = score(scorer, states[row], label, start, end)
                    torch.testing.assert_close(scores[row, label, start, end - start], expected)


def test_without_rotary_positions_a_pointer_knows_none():
    scorer, state = scorer_of(GlobalPointer), random(WIDTH).expand(1, 6, WIDTH)
    assert scorer(state, 6)[0, 0, 0].std() > 1e-3
    scorer.rotary = False
    torch.testing.assert_close(scorer(state, 6)[0, 0, 0], scorer(state, 6)[0, 0, 0, :1].expand(6))


@pytest.mark.parametrize("kind", [Biaffine, GlobalPointer])
def test_a_fresh_scorer_finds_next_to_nothing(kind):
    everywhere = torch.ones(2, 40, dtype=torch.bool)
    inside = span_mask(everywhere, everywhere, 40)[:, None].expand(-1, 4, -1, -1)
    scores = kind(16, 4, 8)(torch.randn(2, 40, 16), 40).detach()[inside]
    assert float(scores.sigmoid().mean()) == pytest.approx(PRIOR, rel=2.0)
    assert not bool((scores > 0).any())


@pytest.mark.parametrize("width", [1, 4, 6])
def test_every_character_inside_counts_once(width):
    layer, states = Inside(WIDTH, LABELS).double(), random(2, 6, WIDTH)
    torch.nn.init.normal_(layer.score.weight)
    scores = layer(states, width)
    assert scores.shape == (2, LABELS, 6, width)
    for row in range(2):
        for label in range(LABELS):
            for start in range(6):
                expected = 0.0
                for end in range(start, min(6, start + width)):
                    score = layer.score.weight[label] @ states[row, end] + layer.score.bias[label]
                    expected -= math.log1p(math.exp(-score.item()))
                    assert scores[row, label, start, end - start].item() == pytest.approx(expected)


def test_a_character_that_does_not_fit_tells_against_every_span_across_it_and_no_other():
    layer = Inside(1, 1)
    torch.nn.init.ones_(layer.score.weight)
    states = torch.zeros(1, 5, 1)
    plain = layer(states, 5)
    states[0, 2] = -20.0
    change = (layer(states, 5) - plain)[0, 0].detach()
    for start in range(5):
        for end in range(start, 5):
            across = start <= 2 <= end
            assert (float(change[start, end - start]) < -10) == across
            assert across or abs(float(change[start, end - start])) < 1e-5


def test_the_loss_is_the_sum_of_the_equation():
    scores = random(4, 7).requires_grad_()
    gold, mask = torch.rand(4, 7) > 0.6, torch.rand(4, 7) > 0.3
    gold[1] = False  # a row without a gold class
    mask[2] = False  # a row without a score
    losses = multilabel_loss(scores, gold, mask)
    expected = []
    for row in range(4):
        negative, positive = 1.0, 1.0
        for at in range(7):
            if mask[row, at] and gold[row, at]:
                positive = positive + torch.exp(-scores[row, at])
            elif mask[row, at]:
                negative = negative + torch.exp(scores[row, at])
        expected.append(torch.log(torch.as_tensor(negative)) + torch.log(torch.as_tensor(positive)))
    torch.testing.assert_close(losses, torch.stack([each.double() for each in expected]))
    losses.sum().backward()
    assert not scores.grad[~mask].any(), "what is masked is not learned from"
    assert (scores.grad[mask & gold] < 0).all()
    assert (scores.grad[mask & ~gold] > 0).all()


def test_the_loss_stays_finite_for_scores_whose_exponential_is_not():
    scores = torch.tensor([[1e4, -1e4, 3.0]], requires_grad=True)
    loss = multilabel_loss(scores, torch.tensor([[False, True, True]]), torch.ones(1, 3, dtype=torch.bool))
    loss.sum().backward()
    assert loss.item() == pytest.approx(2e4, rel=1e-3)
    assert bool(scores.grad.isfinite().all())
