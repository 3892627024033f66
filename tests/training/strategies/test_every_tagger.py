"""Strategies reach every tagger there is through its interface alone."""

import pytest
import torch

from core.taggers.base.registry import by_name
from core.training.precision import Precision
from core.training.processes import ALONE
from core.training.settings import TrainingSettings
from core.training.strategies.composition import Strategies
from core.training.strategies.step import Step
from core.training.strategies.strategy import TrainingContext
from tests.taggers.small_flat import WITH_TEXT
from tests.taggers.small_taggers import OPTIONS, small_tagger

LEARNING = tuple(name for name in sorted(OPTIONS) if by_name(name).needs_training)
EVERYTHING = TrainingSettings(
    fgm=1.0, pgd_steps=1, vat=1.0, ema=0.9, focal=2.0, class_weights="balanced", r_drop=1.0
)


def context(tagger) -> TrainingContext:
    plain = [document.with_spans(()) for document in WITH_TEXT[:2]]
    return TrainingContext(
        tagger, EVERYTHING, WITH_TEXT, plain, lambda found: iter([tagger.collate(found)]), ALONE, 1
    )


@pytest.mark.parametrize("name", LEARNING)
def test_loss_and_scores_are_those_of_one_pass(name):
    tagger = small_tagger(name).eval()
    batch = tagger.collate(WITH_TEXT)
    loss, scores = tagger.loss_and_scores(batch)
    torch.testing.assert_close(loss, tagger.loss(batch))
    alone = tagger.token_scores(batch)
    assert torch.equal(scores.gold, alone.gold)
    assert torch.equal(scores.mask, alone.mask)
    torch.testing.assert_close(scores.logits[scores.mask], alone.logits[alone.mask])


@pytest.mark.parametrize("name", LEARNING)
def test_all_strategies_together_make_a_step_and_restore_the_embeddings(name):
    tagger = small_tagger(name).train()
    before = {key: value.clone() for key, value in tagger.state_dict().items()}
    strategies = Strategies.of(context(tagger))
    strategies.begin_epoch(0)
    batch = tagger.collate(WITH_TEXT)
    learning = [parameter for parameter in tagger.parameters() if parameter.requires_grad]
    step = Step(
        [batch],
        len(WITH_TEXT),
        strategies.loss,
        learning,
        torch.device("cpu"),
        Precision("off", "cpu"),
        ALONE,
    )
    loss = step.backward()
    clean = {
        key: parameter.grad.clone()
        for key, parameter in tagger.named_parameters()
        if parameter.grad is not None
    }
    strategies.after_backward(step)
    assert bool(torch.isfinite(loss))
    after = tagger.state_dict()
    assert all(torch.equal(value, after[key]) for key, value in before.items())
    named = dict(tagger.named_parameters())
    assert all(bool(torch.isfinite(named[key].grad).all()) for key in clean)
    assert any(not torch.equal(named[key].grad, gradient) for key, gradient in clean.items())


@pytest.mark.parametrize("name", LEARNING)
def test_it_has_embeddings_to_perturb(name):
    tagger = small_tagger(name)
    assert tagger.embedding_weights()
    assert all(weight.requires_grad for weight in tagger.embedding_weights())
