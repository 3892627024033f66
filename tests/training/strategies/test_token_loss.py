"""Focal loss, label smoothing and class weights by hand, and how they meet a tagger's own loss."""

import math
from dataclasses import dataclass

import pytest
import torch
from torch.nn import functional

from core.taggers.base.tagger import TokenScores
from core.training.strategies.class_weights import BETA, class_counts, class_weights
from core.training.strategies.composition import Strategies
from core.training.strategies.focal_loss import focal_factor
from core.training.strategies.label_smoothing import smoothed_cross_entropy
from core.training.strategies.token_loss import TokenLoss, token_loss
from tests.taggers.small_flat import DOCUMENTS
from tests.taggers.small_taggers import small_tagger


@pytest.fixture
def scores() -> TokenScores:
    """Two sentences of 5 and 3 tokens, four classes; nothing sensible at the padding."""
    generator = torch.Generator().manual_seed(4)
    logits = 2 * torch.randn(2, 5, 4, generator=generator, dtype=torch.float64)
    logits[1, 3:] = float("inf")
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    return TokenScores(logits, torch.tensor([[0, 3, 1, 0, 2], [2, 2, 0, 0, 0]]), mask)


def by_hand(scores: TokenScores, gamma=0.0, epsilon=0.0, weights=(1.0, 1.0, 1.0, 1.0)) -> float:
    total = 0.0
    for row in range(2):
        for column in range(5):
            if not scores.mask[row, column]:
                continue
            z = scores.logits[row, column].tolist()
            p = [math.exp(value) / sum(map(math.exp, z)) for value in z]
            gold = int(scores.gold[row, column])
            q = [epsilon / 4 + (1 - epsilon) * (k == gold) for k in range(4)]
            cross_entropy = -sum(q[k] * math.log(p[k]) for k in range(4))
            total += weights[gold] * (1 - p[gold]) ** gamma * cross_entropy
    return total


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gamma": 2.0},
        {"gamma": 0.5},
        {"epsilon": 0.1},
        {"weights": (0.5, 2.0, 1.0, 0.1)},
        {"gamma": 1.5, "epsilon": 0.3, "weights": (0.5, 2.0, 1.0, 0.1)},
    ],
)
def test_the_token_loss_is_its_formula(scores, options):
    given = dict(options)
    if "weights" in given:
        given["weights"] = torch.tensor(given["weights"], dtype=torch.float64)
    assert float(token_loss(scores, **given)) == pytest.approx(by_hand(scores, **options), rel=1e-9)


def test_it_agrees_with_torchs_own_cross_entropy(scores):
    logits, gold = scores.logits[scores.mask], scores.gold[scores.mask]
    weights = torch.tensor([0.5, 2.0, 1.0, 0.1], dtype=torch.float64)
    for epsilon in (0.0, 0.2):
        expected = functional.cross_entropy(logits, gold, reduction="sum", label_smoothing=epsilon)
        assert torch.allclose(token_loss(scores, epsilon=epsilon), expected)
    expected = functional.cross_entropy(logits, gold, weight=weights, reduction="sum")
    assert torch.allclose(token_loss(scores, weights=weights), expected)


def test_focal_loss_with_gamma_0_is_the_cross_entropy(scores):
    log_p = scores.logits[scores.mask].log_softmax(-1)
    gold = scores.gold[scores.mask]
    assert torch.equal(focal_factor(log_p, gold, 0.0), torch.ones(8, dtype=torch.float64))


def test_what_stands_at_padding_reaches_neither_the_loss_nor_its_gradient(scores):
    logits = scores.logits.clone().requires_grad_()
    token_loss(TokenScores(logits, scores.gold, scores.mask), gamma=2.0, epsilon=0.1).backward()
    assert bool(torch.isfinite(logits.grad).all())
    assert not logits.grad[1, 3:].any()


def test_a_fractional_gamma_has_a_finite_slope_at_certainty():
    logits = torch.tensor([[200.0, 0.0]], requires_grad=True)
    certain = TokenScores(logits, torch.tensor([0]), torch.tensor([True]))
    token_loss(certain, gamma=0.5).backward()
    assert bool(torch.isfinite(logits.grad).all())


def test_smoothing_everything_away_leaves_the_uniform_target():
    log_p = torch.tensor([[0.1, 0.2, 0.7]]).log()
    expected = -(math.log(0.1) + math.log(0.2) + math.log(0.7)) / 3
    assert float(smoothed_cross_entropy(log_p, torch.tensor([2]), 1.0)) == pytest.approx(expected)


def test_class_weights_by_hand():
    counts = torch.tensor([80, 16, 4, 0])
    shapes = {
        "balanced": [1 / 80, 1 / 16, 1 / 4],
        "root": [80**-0.5, 16**-0.5, 4**-0.5],
        "effective": [(1 - BETA) / (1 - BETA**n) for n in (80, 16, 4)],
    }
    for kind, raw in shapes.items():
        scale = 100 / sum(w * n for w, n in zip(raw, (80, 16, 4), strict=True))
        weights = class_weights(counts, kind)
        assert weights.tolist() == pytest.approx([*(w * scale for w in raw), 1.0], rel=1e-5)
        assert float((weights * counts).sum()) == pytest.approx(100, rel=1e-5), "a token weighs 1 in the mean"
    assert class_weights(counts, "balanced").tolist()[:3] == pytest.approx(
        [100 / (3 * n) for n in (80, 16, 4)]
    )


def test_classes_are_counted_over_all_training_documents(exact, context, documents):
    tagger = exact(dropout=0.5)
    counts = class_counts(tagger, context(tagger).training_batches())
    inside = {"LOC": 0, "PER": 0}
    for document in documents:
        for span in document.spans:
            inside[span.label] += span.end - span.start
    characters = sum(len(document.text) for document in documents)
    assert counts.tolist() == [characters - sum(inside.values()), inside["LOC"], inside["PER"]]
    assert tagger.training


@dataclass(frozen=True)
class SoftmaxConfig:
    head: str = "softmax"


@pytest.mark.parametrize(
    ("wanted", "softmax", "replaces"),
    [("auto", True, True), ("auto", False, False), ("add", True, False), ("replace", False, True)],
)
def test_it_replaces_a_softmax_loss_and_adds_to_any_other(
    exact, context, documents, wanted, softmax, replaces
):
    tagger = exact()
    if softmax:
        tagger.config = SoftmaxConfig()
    batch = tagger.collate(documents[:4])
    plain = tagger.loss(batch).item()
    focal = float(token_loss(tagger.token_scores(batch), gamma=2.0)) / 4
    given = context(tagger, focal=2.0, token_loss=wanted, token_weight=0.5)
    strategies = Strategies(tagger, [TokenLoss(given)])
    expected = focal if replaces else plain + 0.5 * focal
    assert strategies.loss(batch).item() == pytest.approx(expected)


@pytest.mark.parametrize("wanted", ["auto", "replace"])
def test_what_a_tagger_adds_to_the_loss_of_its_decisions_stays_where_that_is_replaced(context, wanted):
    top = {"top": "bilstm", "top_hidden": 8, "top_dropout": 0.0, "output_dropout": 0.0, "auxiliary": 0.3}
    taggers = {
        "bert": small_tagger("bert", **top),
        "elmo_crf": small_tagger("elmo_crf", mix_penalty=0.1, head="softmax"),
    }
    for mix in (taggers["elmo_crf"].input_mix, taggers["elmo_crf"].output_mix):
        torch.nn.init.ones_(mix.scalars)  # a penalty on weights of 0 is 0
    for name, tagger in taggers.items():
        batch = tagger.eval().collate(DOCUMENTS)
        with torch.no_grad():
            scores = tagger.token_scores(batch)
            focal = float(token_loss(scores, gamma=2.0)) / len(DOCUMENTS)
            assert scores.auxiliary is not None
            assert scores.auxiliary.item() > 0
            given = context(tagger, focal=2.0, token_loss=wanted)
            learned = Strategies(tagger, [TokenLoss(given)]).loss(batch).item()
        share = {"bert": 0.7, "elmo_crf": 1.0}[name]
        assert learned == pytest.approx(share * focal + scores.auxiliary.item(), rel=1e-5)


def test_class_weights_act_on_the_loss_and_survive_a_resume(exact, context, documents):
    tagger = exact()
    batch = tagger.collate(documents[:4])
    given = context(tagger, class_weights="balanced", token_loss="replace")
    first, second = TokenLoss(given), TokenLoss(given)
    first.begin_epoch(0)
    weights = class_weights(class_counts(tagger, given.training_batches()), "balanced")
    expected = float(token_loss(tagger.token_scores(batch), weights=weights)) / 4
    assert Strategies(tagger, [first]).loss(batch).item() == pytest.approx(expected)
    second.load_state(first.state())
    second.begin_epoch(1)
    assert Strategies(tagger, [second]).loss(batch).item() == pytest.approx(expected)


def test_texts_without_a_character_give_a_loss_of_zero_with_a_graph(exact, context, documents):
    tagger = exact()
    strategies = Strategies(tagger, [TokenLoss(context(tagger, focal=2.0, token_loss="replace"))])
    empty = documents[0].__class__("e", "")
    loss = strategies.loss(tagger.collate([empty, empty]))
    loss.backward()
    assert float(loss) == 0.0
