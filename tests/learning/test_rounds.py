"""Several trainings tell of themselves as of one."""

import pytest
import torch

from core.learning import rounds as rounds_module
from core.learning.rounds import Rounds, Training
from core.runtime.message import Message
from core.text import Document, Span
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings
from core.training.stopping import Stopped


@pytest.mark.parametrize(
    ("share", "left", "told"), [(0.0, None, None), (0.25, 30.0, 30.0 + 2 * 40.0), (0.9, 1.0, 1.0 + 2 * 10.0)]
)
def test_what_is_left_is_this_training_and_as_much_for_each_to_come(tmp_path, monkeypatch, share, left, told):
    """Before a training knows its speed nothing is promised: from the first slow step it would be hours."""
    events = []

    def trained(*_, report, **__):
        report({"event": "step", "fraction": share, "remaining_seconds": left})
        raise Stopped

    monkeypatch.setattr(rounds_module, "train", trained)
    rounds = Rounds(
        RunFolder(tmp_path), ("PER",), TrainingSettings(), torch.device("cpu"), lambda: None, events.append,
        lambda: False, 3,
    )  # fmt: skip
    document = Document("a", "陈禾来了", (Span(0, 2, "PER"),))
    config = {"hidden": 4, "char_dim": 4, "char_vectors": "", "bigram_dim": 0}
    with pytest.raises(Stopped):
        rounds.train(Training("one", Message("one"), "bilstm_crf", config, [document]))
    step = events[-1]
    assert step["fraction"] == pytest.approx(share / 3)
    assert step["remaining_seconds"] == (None if told is None else pytest.approx(told))


@pytest.mark.parametrize("shown", [True, False])
def test_epochs_that_are_shown_say_of_which_training_they_are(tmp_path, monkeypatch, shown):
    events = []

    def trained(*_, report, **__):
        report({"event": "epoch", "epoch": 1, "fraction": 0.5, "remaining_seconds": 2.0})
        raise Stopped

    monkeypatch.setattr(rounds_module, "train", trained)
    rounds = Rounds(
        RunFolder(tmp_path), ("PER",), TrainingSettings(), torch.device("cpu"), lambda: None, events.append,
        lambda: False, 4,
    )  # fmt: skip
    rounds._done = 2
    document = Document("a", "陈禾来了", (Span(0, 2, "PER"),))
    config = {"hidden": 4, "char_dim": 4, "char_vectors": "", "bigram_dim": 0}
    with pytest.raises(Stopped):
        rounds.train(Training("three", Message("three"), "bilstm_crf", config, [document]), shown=shown)
    told = [(e["round"], e["share"], e["fraction"]) for e in events if e["event"] == "epoch"]
    assert told == ([(3, 0.5, 0.625)] if shown else [])
