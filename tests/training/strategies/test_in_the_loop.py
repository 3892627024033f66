"""Strategies in a whole training: each resumes to the bit, they work together, and batches accumulate."""

from pathlib import Path

import pytest
import torch

from core.text import Document
from core.training.loop import train
from core.training.optimisation import Optimisation
from core.training.precision import Precision
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings
from core.training.strategies import composition, vat
from core.training.strategies.composition import Strategies, chosen
from tests.sweep import sweep
from tests.training.watched import after, same, weights

UNLABELLED = tuple(
    Document(f"u{i}", f"昨天{place}下了雨") for i, place in enumerate(("青岛", "兰州", "大理"))
)
STRATEGIES = {
    "fgm": {"fgm": 1.0},
    "pgd": {"pgd_steps": 2},
    "vat": {"vat": 1.0, "vat_unlabelled": 2},
    "ema": {"ema": 0.9},
    "swa": {"swa_start": 2, "swa_cycle": 2},
    "focal loss": {"focal": 2.0},
    "label smoothing": {"label_smoothing": 0.1, "token_loss": "replace"},
    "class weights": {"class_weights": "balanced", "token_loss": "replace"},
    "r-drop": {"r_drop": 1.0},
    "negatives": {"keep_negatives": 0.5},
    "accumulation": {"accumulate": 3},
    "inverse square root": {"decay": "inverse_sqrt"},
}
TOGETHER = {name: value for options in STRATEGIES.values() for name, value in options.items()}


@pytest.fixture
def mixed(documents) -> list[Document]:
    """Documents with spans, and six without."""
    return documents[:22] + [Document(f"n{i}", "今天没有什么人来" + "啊" * i) for i in range(6)]


def learn(tagger, documents, folder: Path, *, stop_after=None, **settings):
    return train(
        tagger,
        documents,
        documents[:6],
        TrainingSettings(**{"epochs": 4, "batch_size": 4, "learning_rate": 0.02, **settings}),
        folder=RunFolder(folder),
        report=lambda event: None,
        should_stop=after(stop_after),
        device=torch.device("cpu"),
        unlabelled=UNLABELLED,
    )


@pytest.mark.parametrize(
    "options", sweep([*STRATEGIES.values(), TOGETHER], [TOGETHER]), ids=[*STRATEGIES, "all together"]
)
def test_a_resumed_training_equals_an_uninterrupted_one_to_the_bit(tiny, mixed, tmp_path, options):
    whole = tiny()
    expected = learn(whole, mixed, tmp_path / "whole", **options)
    steps = 7 if "accumulate" not in options else 3
    for epochs_done in (1, 3):  # before and inside a cycle of SWA
        folder = tmp_path / f"cut {epochs_done}"
        broken = learn(tiny(), mixed, folder, stop_after=epochs_done * steps + 1, **options)
        assert broken.stopped
        assert len(broken.history) >= 1
        torch.manual_seed(12345)  # whatever the new process drew before
        tagger = tiny(seed=77)
        resumed = learn(tagger, mixed, folder, **options)
        assert [record.loss for record in resumed.history] == [record.loss for record in expected.history]
        assert [record.learning_rate for record in resumed.history] == [
            record.learning_rate for record in expected.history
        ]
        assert resumed.best_epoch == expected.best_epoch
        assert same(weights(tagger), weights(whole))


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "swa"])
def test_a_strategy_changes_what_is_learned(tiny, mixed, tmp_path, name):
    plain, other = tiny(), tiny()
    learn(plain, mixed, tmp_path / "plain", epochs=2)
    learn(other, mixed, tmp_path / "other", **{"epochs": 2, **STRATEGIES[name]})
    assert not same(weights(plain), weights(other))


@pytest.mark.exhaustive
def test_all_together_still_learn(tiny, mixed, tmp_path):
    result = learn(tiny(), mixed, tmp_path, **{**TOGETHER, "epochs": 20, "learning_rate": 0.05})
    assert result.history[-1].loss < 0.7 * result.history[0].loss
    assert max(record.f1 for record in result.history) > 0.7


def test_a_damaged_state_of_a_strategy_is_named_with_the_way_out(tiny, mixed, tmp_path, monkeypatch):
    learn(tiny(), mixed, tmp_path, stop_after=8, ema=0.9)
    monkeypatch.setattr(Strategies, "state", lambda self: {})
    learn(tiny(), mixed, tmp_path, stop_after=8, ema=0.9)  # its checkpoint lacks the average
    monkeypatch.undo()
    with pytest.raises(TrainingError, match=r"damaged.*delete that folder"):
        learn(tiny(), mixed, tmp_path, ema=0.9)


def test_without_strategies_nothing_stands_between_the_loop_and_the_taggers_loss(tiny, documents):
    assert chosen(TrainingSettings()) == []
    tagger = tiny(dropout=0.0)
    strategies = Strategies(tagger)
    batch = tagger.collate(documents[:3])
    assert torch.equal(strategies.loss(batch), tagger.loss(batch))
    assert strategies.state() == {}
    assert strategies.learning_rate(0.3) == 0.3


def test_the_order_is_loss_then_attacks_then_averages():
    everything = TrainingSettings(fgm=1, pgd_steps=1, vat=1, ema=0.9, swa_start=1, focal=1, r_drop=1)
    assert [strategy.name for strategy in chosen(everything)] == [
        "token_loss", "r_drop", "fgm", "pgd", "vat", "ema", "swa",
    ]  # fmt: skip
    assert composition.chosen.__doc__


@pytest.mark.parametrize("options", [{}, {"fgm": 1.0}, {"pgd_steps": 2}, {"label_smoothing": 0.1}])
def test_two_batches_of_eight_make_the_step_of_one_of_sixteen(exact, context, documents, options):
    found = []
    for cut in ([documents[:16]], [documents[:8], documents[8:16]], [documents[:3], documents[3:16]]):
        tagger = exact()
        given = context(tagger, optimiser="sgd", learning_rate=0.1, clip_norm=0.5, **options)
        optimisation = Optimisation(tagger, given.settings, 9, Strategies.of(given))
        for _ in range(3):
            loss = optimisation.make_step([tagger.collate(batch) for batch in cut])
        found.append((loss, weights(tagger)))
    for loss, learned in found[1:]:
        torch.testing.assert_close(loss, found[0][0], rtol=1e-10, atol=0)
        for name, value in learned.items():
            torch.testing.assert_close(value, found[0][1][name], rtol=1e-9, atol=1e-12)


def test_accumulating_is_the_same_training_with_a_larger_batch(tiny, documents, tmp_path):
    settings = {"optimiser": "sgd", "epochs": 2}
    large, small = (tiny(dropout=0.0) for _ in range(2))
    expected = learn(large, documents, tmp_path / "large", batch_size=12, **settings)
    result = learn(small, documents, tmp_path / "small", batch_size=4, accumulate=3, **settings)
    assert [r.loss for r in result.history] == pytest.approx([r.loss for r in expected.history], rel=1e-5)
    for name, value in weights(small).items():
        torch.testing.assert_close(value, weights(large)[name], rtol=1e-4, atol=1e-6)


def test_a_training_without_unlabelled_documents_may_use_vat(tiny, documents, tmp_path):
    learn(tiny(), documents, tmp_path, epochs=1, vat=1.0)


def test_they_work_in_half_precision_and_vat_compares_in_full(tiny, documents, context, monkeypatch):
    tagger = tiny(dropout=0.2)
    given = context(tagger, unlabelled=UNLABELLED, **{**TOGETHER, "epochs": 9, "vat": 2.0})
    strategies = Strategies.of(given)
    optimisation = Optimisation(tagger, given.settings, 9, strategies)
    monkeypatch.setattr(optimisation, "precision", Precision("bf16", "cpu"))
    compared = []
    divergence = vat.kl_divergence

    def watched(first, second, mask):
        compared.append(first.dtype)
        return divergence(first, second, mask)

    monkeypatch.setattr(vat, "kl_divergence", watched)
    strategies.begin_epoch(0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert tagger.token_scores(tagger.collate(documents[:2])).logits.dtype == torch.bfloat16
    losses = [
        float(optimisation.make_step([tagger.collate(documents[i : i + 8])])) for i in (0, 8, 16, 24) * 5
    ]
    assert losses[-1] < losses[0]
    assert set(compared) == {torch.float32}
    assert all(parameter.dtype == torch.float32 for parameter in tagger.parameters())
    assert all(bool(torch.isfinite(parameter).all()) for parameter in tagger.parameters())
