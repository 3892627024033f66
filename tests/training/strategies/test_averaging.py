"""EMA equals its recursion, SWA the mean of what stood at the ends of its cycles."""

import random

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from core.training.loop import train
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings
from core.training.strategies.composition import Strategies
from core.training.strategies.ema import EMA
from core.training.strategies.swa import SWA, cyclic_rate


def numbered(tagger, value: float) -> None:
    """Give every weight one value."""
    with torch.no_grad():
        for parameter in tagger.parameters():
            parameter.fill_(value)


def judged(strategy, tagger) -> torch.Tensor:
    with strategy.averaged():
        return tagger.emission.weight.detach().clone()


def test_ema_equals_its_recursion(exact, context):
    tagger = exact()
    ema = EMA(context(tagger, ema=0.9))
    assert ema.averaged() is None
    assert judged_as(ema, tagger, [3.0, -1.0, 4.0, 1.5], 0.9)
    assert bool((tagger.emission.weight == 1.5).all()), "its own weights come back"


def naive_average(values, decay):
    """TensorFlow's ``ExponentialMovingAverage`` with ``num_updates``, from the first value on."""
    average = values[0]
    for updates, value in enumerate(values[1:], start=1):
        kept = decay if decay < (1 + updates) / (10 + updates) else (1 + updates) / (10 + updates)
        average = average - (1 - kept) * (average - value)
    return average


def judged_as(ema, tagger, values, decay) -> bool:
    """Whether the tagger that had these weights one after the other is judged by their average."""
    for value in values:
        numbered(tagger, value)
        ema.after_step()
    expected = torch.full_like(tagger.emission.weight, naive_average(values, decay))
    return torch.allclose(judged(ema, tagger), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("decay", [0.0001, 0.3, 0.9, 0.99, 0.999])
def test_ema_keeps_less_in_its_first_steps_and_then_its_decay(exact, context, decay):
    chance = random.Random(7)
    for steps in (1, 2, 9, 95):  # 0.9 is reached with step 80
        tagger = exact()
        values = [chance.uniform(-3, 3) for _ in range(steps)]
        assert judged_as(EMA(context(tagger, ema=decay)), tagger, values, decay)


def test_a_short_training_is_not_judged_by_its_random_start(exact, context):
    tagger = exact()
    ema = EMA(context(tagger, ema=0.999))
    for value in [100.0, *[1.0] * 60]:
        numbered(tagger, value)
        ema.after_step()
    assert float(judged(ema, tagger).max()) < 1.001  # 0.999 ** 60 of the start would make it 94.2


@pytest.mark.parametrize("after", [1, 4, 85])
def test_a_resumed_ema_goes_on_with_its_count(exact, context, after):
    values = [float(n % 7) - n / 50 for n in range(90)]
    first = exact()
    begun = EMA(context(first, ema=0.9))
    for value in values[:after]:
        numbered(first, value)
        begun.after_step()
    state = begun.state()
    second = exact()
    resumed = EMA(context(second, ema=0.9))
    resumed.load_state(state)
    for value in values[after:]:
        numbered(second, value)
        resumed.after_step()
    expected = torch.full_like(second.emission.weight, naive_average(values, 0.9))
    assert torch.allclose(judged(resumed, second), expected, rtol=1e-12, atol=1e-12)


def test_an_average_from_before_the_warm_up_is_taken_over_as_it_stands(exact, context):
    tagger = exact()
    numbered(tagger, 2.0)
    earlier = AveragedModel(nn.ParameterList(tagger.parameters()), multi_avg_fn=get_ema_multi_avg_fn(0.999))
    for value in (2.0, 8.0, 8.0):
        numbered(tagger, value)
        earlier.update_parameters(nn.ParameterList(tagger.parameters()))
    stood = 0.999 * (0.999 * 2.0 + 0.001 * 8.0) + 0.001 * 8.0
    ema = EMA(context(tagger, ema=0.999))
    ema.load_state(earlier.state_dict())
    assert torch.allclose(judged(ema, tagger), torch.full_like(tagger.emission.weight, stood))
    numbered(tagger, 5.0)
    ema.after_step()
    kept = (1 + 3) / (10 + 3)
    assert torch.allclose(
        judged(ema, tagger), torch.full_like(tagger.emission.weight, kept * stood + (1 - kept) * 5)
    )


def test_swa_equals_the_mean_of_the_weights_at_the_ends_of_cycles(exact, context):
    tagger = exact()
    swa = SWA(context(tagger, epochs=9, swa_start=3, swa_cycle=2, steps_per_epoch=2))
    ends = []
    for epoch in range(9):
        swa.begin_epoch(epoch)
        for step in range(2):
            numbered(tagger, 10.0 * epoch + step)
            swa.after_step()
        swa.end_epoch()
        if epoch in (3, 5, 7):  # the second, fourth and sixth epoch of the cycles
            ends.append(10.0 * epoch + 1)
        if ends:
            mean = sum(ends) / len(ends)
            assert torch.allclose(judged(swa, tagger), torch.full_like(tagger.emission.weight, mean))
        else:
            assert swa.averaged() is None


def test_the_rate_falls_from_high_to_low_in_every_cycle_and_not_before(exact, context):
    tagger = exact()
    settings = {"learning_rate": 0.1, "swa_high": 0.5, "swa_low": 0.1, "swa_start": 2, "swa_cycle": 2}
    swa = SWA(context(tagger, steps_per_epoch=2, **settings))
    rates = []
    for epoch in range(5):
        swa.begin_epoch(epoch)
        for _ in range(2):
            rates.append(swa.learning_rate(0.77))
            swa.after_step()
        swa.end_epoch()
    cycle = [0.1 * ((1 - t) * 0.5 + t * 0.1) for t in (0.25, 0.5, 0.75, 1.0)]
    assert rates == pytest.approx([0.77, 0.77, *cycle, *cycle])


def test_the_cyclic_rate_is_the_papers_formula():
    for step in range(1, 20):
        t = ((step - 1) % 7 + 1) / 7
        assert cyclic_rate(step, 7, 0.05, 0.0005) == pytest.approx((1 - t) * 0.05 + t * 0.0005)


def test_an_epoch_with_a_step_more_than_the_first_ends_its_cycle_all_the_same(exact, context):
    tagger = exact()
    swa = SWA(context(tagger, learning_rate=0.1, swa_start=1, swa_high=1.0, swa_low=0.5, steps_per_epoch=2))
    swa.begin_epoch(0)
    rates = []
    for _ in range(3):
        rates.append(swa.learning_rate(0.0))
        swa.after_step()
    swa.end_epoch()
    assert rates == pytest.approx([0.075, 0.05, 0.05])
    swa.begin_epoch(1)
    assert swa.learning_rate(0.0) == pytest.approx(0.075)
    assert swa.averaged() is not None


@pytest.mark.parametrize(("epochs", "start", "cycle"), [(5, 6, 1), (5, 3, 4), (2, 1, 3)])
def test_a_cycle_that_does_not_end_in_the_training_is_refused(epochs, start, cycle):
    with pytest.raises(TrainingError, match="swa_start"):
        TrainingSettings(epochs=epochs, swa_start=start, swa_cycle=cycle)


def test_swa_is_judged_before_ema_once_it_has_weights(exact, context):
    tagger = exact()
    strategies = Strategies.of(context(tagger, ema=0.5, swa_start=1))
    strategies.begin_epoch(0)
    for value in (2.0, 4.0):
        numbered(tagger, value)
        strategies.after_step()
    assert torch.allclose(
        judged(strategies, tagger), torch.full_like(tagger.emission.weight, naive_average([2.0, 4.0], 0.5))
    )
    strategies.end_epoch()
    assert torch.allclose(judged(strategies, tagger), torch.full_like(tagger.emission.weight, 4.0))


def test_the_saved_model_and_the_dev_scores_are_those_of_the_average(tiny, documents, tmp_path):
    tagger = tiny()
    ends = []

    def report(event) -> None:
        if event["event"] == "epoch":
            ends.append(tagger.emission.weight.detach().clone())

    settings = TrainingSettings(epochs=3, batch_size=4, learning_rate=0.05, ema=0.9)
    train(
        tagger,
        documents,
        [],
        settings,
        folder=RunFolder(tmp_path),
        report=report,
        should_stop=lambda: False,
        device=torch.device("cpu"),
    )
    # The epoch is reported while the average is in place; without dev documents the last one is kept.
    assert torch.equal(tagger.emission.weight, ends[-1])


class Normed(nn.Module):
    """An emission layer behind a batch norm."""

    def __init__(self, inner: nn.Linear) -> None:
        super().__init__()
        self.norm, self.inner = nn.BatchNorm1d(inner.in_features), inner

    def forward(self, hidden):
        return self.inner(self.norm(hidden.flatten(0, 1)).view_as(hidden))


def test_batch_norms_are_measured_anew_with_the_averaged_weights(exact, context, documents):
    tagger = exact()
    tagger.emission = Normed(tagger.emission).double()
    given = context(tagger, ema=0.5)
    ema = EMA(given)
    for scale in (1.0, 3.0):
        with torch.no_grad():
            tagger.embedding.weight.fill_(scale).add_(torch.arange(8.0) / 8)
            tagger.embedding.weight[::2] *= 2
        ema.after_step()
    for batch in given.training_batches():  # the running statistics of the tagger's own weights
        tagger.loss(batch)
    norm = tagger.emission.norm
    own = norm.running_mean.clone()
    with ema.averaged():
        means = []
        with torch.no_grad():
            for batch in given.training_batches():
                means.append(tagger.embedding(batch.characters).flatten(0, 1).mean(0))
        assert torch.allclose(norm.running_mean, torch.stack(means).mean(0))
        assert not torch.allclose(norm.running_mean, own)
    assert torch.equal(norm.running_mean, own)
