"""The shares of a batch, learned by several processes, are the batch."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.learning.bilm.stream import BilmStream
from core.learning.bilm.training import train_bilm
from core.learning.mlm.corpus import stretches
from core.learning.mlm.model import MlmCounts
from core.training.processes import Processes
from core.training.run.errors import TrainingError
from tests.learning.bilm.small_bilm import SETTINGS, small_bilm
from tests.learning.mlm.small_mlm import CONFIG, small_mlm, without_dropout


def gradient(module):
    return torch.cat([p.grad.flatten() for p in module.parameters() if p.grad is not None])


def likeliest(scores, count):
    """In place of a draw, which would be another one in every share."""
    return scores.argmax(-1, keepdim=True)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"pairs": "next_sentence"},
        {"masking": "spans", "span_boundary": True},
        {"replaced_detection": True},
    ],
)
@pytest.mark.parametrize("count", [2, 3, 9])
def test_the_losses_of_masked_shares_add_up_to_that_of_the_batch(changed, count, monkeypatch):
    """With more processes than stretches, too: the shares of some are empty."""
    monkeypatch.setattr(torch, "multinomial", likeliest)
    config = replace(CONFIG, **changed)
    model, corpus = small_mlm(config=config)
    without_dropout(model)
    found = stretches(corpus.documents, config, 20, np.random.default_rng(0))[:7]
    batch = model.batches()(found, np.random.default_rng(0))
    whole = model.losses(batch).mean
    whole.backward()
    expected = gradient(model)
    model.zero_grad()
    total, hidden = 0.0, 0
    for index in range(count):
        share = batch.share(index, count)
        hidden += len(share.expected)
        if len(share.ids):
            loss = model.losses(share).mean_over(MlmCounts.of(batch))
            loss.backward()
            total += loss.item()
    assert hidden == len(batch.expected)
    assert total == pytest.approx(whole.item(), rel=1e-5)
    torch.testing.assert_close(gradient(model), expected, rtol=1e-4, atol=1e-6)


def test_every_row_of_running_text_is_in_one_share():
    documents = [[[number, number + 1, number + 2]] for number in range(0, 60, 3)]
    batch = next(iter(BilmStream.of(documents, rows=5, unroll=4).batches(4)))
    for field in ("read", "expected"):
        shares = [getattr(batch.share(index, 2), field) for index in range(2)]
        assert torch.equal(torch.cat(shares, dim=1)[:, [0, 3, 1, 4, 2]], getattr(batch, field))
    assert torch.equal(batch.share(1, 2).mask, batch.mask[1::2])


class Many(Processes):
    """The first of more processes than there are rows of text."""

    count = 50


def test_fewer_rows_of_text_than_processes_are_refused(tmp_path):
    with pytest.raises(TrainingError, match=r"gives 3 rows .* fewer than the 50 processes"):
        train_bilm(
            *small_bilm(),
            SETTINGS,
            folder=tmp_path,
            report=lambda event: None,
            should_stop=lambda: False,
            device=torch.device("cpu"),
            processes=Many(),
        )
