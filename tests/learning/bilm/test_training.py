"""Training lowers perplexity, can be stopped anywhere, and goes on where it was."""

import json
import math
from dataclasses import replace

import pytest
import torch

from core.encoders.elmo.folder import WEIGHTS, read_elmo
from core.encoders.elmo.options import ElmoError
from core.learning.bilm.bilm import perplexity
from core.learning.bilm.config import SoftmaxConfig
from core.learning.bilm.folder import SOFTMAX, read_bilm, write_bilm
from core.learning.bilm.training import train_bilm
from core.learning.pretraining.checkpoint import CHECKPOINT, INDEX, TENSORS
from core.text import Document
from core.training.run.errors import TrainingError
from tests.encoders import published_elmo
from tests.learning.bilm.small_bilm import DEV, DOCUMENTS, SETTINGS, small_bilm
from tests.sweep import sweep
from tests.training.watched import after

CPU = torch.device("cpu")
ADAM = {"optimiser": "adam", "learning_rate": 0.02}


def run(prepared, folder, settings=SETTINGS, stop_after=None, report=lambda event: None):
    """Train; with ``stop_after`` ask to stop after so many steps."""
    return train_bilm(
        *prepared, settings, folder=folder, report=report, should_stop=after(stop_after), device=CPU
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, {}),
        *sweep(
            [
                ({"samples": 10}, {}),
                ({"samples": 10, "sampling": "unigram", **ADAM}, {"softmax": "cnn", "correction": 4}),
                ({"dropout": 0.1, **ADAM}, {"softmax": "cnn"}),
            ],
            [],
        ),
    ],
    ids=["full", "log-uniform sample", "CNN softmax, unigram sample", "CNN softmax, Adam"],
)
def test_training_lowers_perplexity_in_both_directions(tmp_path, options, words):
    settings = replace(SETTINGS, epochs=20, **options)
    words = SoftmaxConfig(least_count=1, **words)
    result = run(small_bilm(dev=DOCUMENTS, words=words, settings=settings), tmp_path, settings)
    before, after = result.before, result.history[result.best_epoch - 1].dev
    assert after.forward < 0.75 * before.forward
    assert after.backward < 0.75 * before.backward
    assert result.history[-1].loss < result.history[0].loss


@pytest.mark.exhaustive
def test_the_folder_holds_the_best_epoch_and_its_elmo(tmp_path):
    settings = replace(SETTINGS, epochs=25, optimiser="adam", learning_rate=0.05)
    prepared = small_bilm(settings=settings)
    result = run(prepared, tmp_path, settings)
    by_epoch = [math.log(r.dev.forward) + math.log(r.dev.backward) for r in result.history]
    assert result.best_epoch == 1 + by_epoch.index(min(by_epoch)) < 25, "so small a text is learned by heart"
    stored = read_bilm(tmp_path)
    corpus = prepared.corpus
    found = perplexity(stored.bilm, corpus.dev_stream(3, 4).batches(4), corpus.characters)
    assert found.forward == pytest.approx(result.history[result.best_epoch - 1].dev.forward)
    elmo = read_elmo(tmp_path)
    assert elmo.options == prepared.bilm.elmo.options
    for name, value in elmo.state_dict().items():
        assert torch.equal(stored.bilm.state_dict()[f"elmo.{name}"], value)


@pytest.mark.parametrize("stop_after", sweep([0, 1, 5, 6, 11], [0, 6]))
def test_a_stopped_training_ends_as_if_never_stopped(tmp_path, stop_after):
    settings = replace(SETTINGS, dropout=0.2, samples=10)
    whole = small_bilm(settings=settings)
    expected = run(whole, tmp_path / "whole", settings)
    first = run(small_bilm(settings=settings), tmp_path / "cut", settings, stop_after)
    assert first.stopped
    torch.manual_seed(99)
    again = small_bilm(settings=settings)
    result = run(again, tmp_path / "cut", settings)
    assert [record.loss for record in result.history] == [record.loss for record in expected.history]
    assert (result.before, result.best_epoch) == (expected.before, expected.best_epoch)
    for name, value in whole.bilm.state_dict().items():
        assert torch.equal(value, again.bilm.state_dict()[name]), name
    assert (tmp_path / "cut" / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()


def test_the_state_is_carried_through_an_epoch_but_the_gradient_is_not(tmp_path):
    prepared = small_bilm(dev=())
    given = []
    prepared.bilm.elmo.bilstm.register_forward_pre_hook(lambda module, passed: given.append(passed[2]))
    run(prepared, tmp_path)
    steps = prepared.corpus.stream(3, 4, 1, 0).steps(4)
    assert len(given) == 2 * steps
    assert [states is None for states in given] == [step % steps == 0 for step in range(2 * steps)]
    carried = [state for states in given if states is not None for state in states]
    assert all(bool(state.cell.any()) and not state.cell.requires_grad for state in carried)


def test_more_epochs_go_on_with_a_finished_training(tmp_path):
    run(small_bilm(), tmp_path / "two")
    more = run(small_bilm(), tmp_path / "two", replace(SETTINGS, epochs=3))
    three = run(small_bilm(), tmp_path / "three", replace(SETTINGS, epochs=3))
    assert [r.loss for r in more.history] == [r.loss for r in three.history]


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    run(small_bilm(), tmp_path)
    with pytest.raises(TrainingError, match=r"another training \(settings differ\)"):
        run(small_bilm(), tmp_path, replace(SETTINGS, learning_rate=0.1))
    with pytest.raises(TrainingError, match=r"another training \(text differ\)"):
        run(small_bilm(documents=DOCUMENTS[:-1]), tmp_path)


@pytest.mark.parametrize("file", [INDEX, TENSORS])
def test_a_damaged_checkpoint_says_what_to_do(tmp_path, file):
    run(small_bilm(), tmp_path)
    path = tmp_path / CHECKPOINT / file
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(TrainingError, match=r"damaged .* delete that folder"):
        run(small_bilm(), tmp_path)


def test_a_loss_that_is_no_number_stops_with_advice(tmp_path):
    prepared = small_bilm()
    with torch.no_grad():
        prepared.bilm.softmax.bias[0] = float("nan")
    with pytest.raises(TrainingError, match="lower learning rate"):
        run((prepared.bilm, replace(prepared.corpus, dev=[]), prepared.config), tmp_path)


def test_no_text_is_refused(tmp_path):
    with pytest.raises(TrainingError, match="no text to learn from"):
        run(small_bilm(documents=(Document("1", " "),)), tmp_path)


def test_without_dev_text_the_last_epoch_counts(tmp_path):
    result = run(small_bilm(dev=()), tmp_path)
    assert (result.before, result.best_epoch) == (None, 2)
    assert [record.dev for record in result.history] == [None, None]


def test_progress_is_told(tmp_path):
    events = []
    run(small_bilm(), tmp_path, report=events.append)
    kinds = [event["event"] for event in events]
    assert kinds[:3] == ["started", "before", "step"]
    assert kinds.count("epoch") == 2
    assert events[-1]["dev"]["forward"] > 1
    assert 0 < events[2]["fraction"] < 1
    assert events[1]["dev"]["forward"] > events[-1]["dev"]["forward"]


def test_fine_tuning_starts_where_the_training_left(tmp_path):
    settings = replace(SETTINGS, epochs=5)
    result = run(small_bilm(settings=settings), tmp_path / "first", settings)
    left = result.history[result.best_epoch - 1].dev
    domain = (Document("d", "林医生在清河看病。小孩病了。"),)
    started = small_bilm(documents=domain, dev=DEV, start=tmp_path / "first")
    tuned = run(started, tmp_path / "second")
    assert (tuned.before.forward, tuned.before.backward) == pytest.approx((left.forward, left.backward))
    assert started.corpus.vocabulary.words == read_bilm(tmp_path / "first").vocabulary.words
    assert "病" not in started.corpus.vocabulary.words


def test_fine_tuning_lowers_the_perplexity_of_the_domain(tmp_path):
    settings = replace(SETTINGS, epochs=10)
    run(small_bilm(settings=settings), tmp_path / "first", settings)
    domain = (Document("d", "小鱼看书，小鱼写字，小鱼教书。"),)
    started = small_bilm(documents=domain, dev=domain, start=tmp_path / "first")
    tuned = run(started, tmp_path / "second", replace(SETTINGS, epochs=10))
    assert tuned.history[-1].dev.forward < 0.8 * tuned.before.forward


def test_published_weights_are_fine_tuned_with_a_fresh_softmax(tmp_path):
    published = published_elmo.write(tmp_path / "elmo")
    prepared = small_bilm(start=published, settings=replace(SETTINGS, dropout=0.3))
    for name, value in read_elmo(published).state_dict().items():
        assert torch.equal(prepared.bilm.elmo.state_dict()[name], value)
    assert prepared.bilm.elmo.bilstm.dropout.p == 0.3
    assert prepared.bilm.elmo.options.unit == "word"
    result = run(prepared, tmp_path / "tuned")
    assert result.history[-1].dev.forward < result.before.forward
    assert read_elmo(tmp_path / "tuned").options == prepared.bilm.elmo.options


def test_a_bilm_folder_that_does_not_fit_is_refused(tmp_path):
    bilm, corpus, config = small_bilm()
    write_bilm(tmp_path / "bilm", bilm, config, corpus.vocabulary)
    stored = json.loads((tmp_path / "bilm" / SOFTMAX).read_text(encoding="utf-8"))
    changes = [
        ("words", stored["words"][:-1]),
        ("words", [*stored["words"][:-1], stored["words"][0]]),
        ("counts", "many"),
        ("config", {"softmax": "none"}),
    ]
    for name, value in changes:
        (tmp_path / "bilm" / SOFTMAX).write_text(json.dumps({**stored, name: value}), encoding="utf-8")
        with pytest.raises(ElmoError, match="damaged"):
            read_bilm(tmp_path / "bilm")
    shorter = {**stored, "words": stored["words"][:-1], "counts": stored["counts"][:-1]}
    (tmp_path / "bilm" / SOFTMAX).write_text(json.dumps(shorter), encoding="utf-8")
    with pytest.raises(ElmoError, match="softmax"):
        read_bilm(tmp_path / "bilm")
    (tmp_path / "bilm" / SOFTMAX).unlink()
    with pytest.raises(ElmoError, match="no biLM that was trained here"):
        read_bilm(tmp_path / "bilm")
