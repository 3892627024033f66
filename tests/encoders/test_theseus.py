"""Successors take the place of a transformer's layers, as BERT-of-Theseus has it."""

from itertools import product

import pytest
import torch
from transformers import AutoModel

from core.encoders.theseus import BASE_SHARE, LayerReplacement
from core.encoders.transformer import EncoderError, TransformerEncoder
from tests.encoders.test_transformer_families import FAMILIES
from tests.encoders.tiny_encoders import tiny_encoder
from tests.sweep import sweep

TEXTS = ["林晚晴在清河大学教书", "青岚市"]
STILL = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.3}


def four_layers():
    return TransformerEncoder.pretrained(tiny_encoder(num_hidden_layers=4, **STILL))


def top(encoder):
    return encoder(encoder.tokenize(TEXTS)).states[-1].detach()


def by_hand(layers):
    """The states over these layers of the four, in this order."""
    model = AutoModel.from_pretrained(tiny_encoder(num_hidden_layers=4, **STILL)).eval()
    stack = model.encoder.layer
    model.encoder.layer = torch.nn.ModuleList([stack[number] for number in layers])
    model.config.num_hidden_layers = len(layers)
    encoder = four_layers()
    encoder.model, encoder.layer_count = model, len(layers)
    return top(encoder)


def test_a_share_of_1_and_evaluation_run_the_successors_which_begin_as_the_lowest_layers():
    encoder = four_layers()
    replacement = LayerReplacement(encoder, 2)
    assert encoder.layer_count == len(encoder.layers) == encoder.model.config.num_hidden_layers == 2
    expected = by_hand([0, 1])
    assert torch.allclose(top(encoder.train()), expected, atol=1e-6)
    replacement.share = 0.0
    assert torch.allclose(top(encoder.eval()), expected, atol=1e-6)


def test_a_share_of_0_runs_the_layers_as_they_were():
    expected = top(four_layers())
    encoder = four_layers()
    LayerReplacement(encoder, 2).share = 0.0
    assert torch.allclose(top(encoder.train()), expected, atol=1e-6)


def test_each_group_is_drawn_alone_as_often_as_the_share_says():
    """Equation 3: successor or group, for each place anew; of two groups of two layers four combinations."""
    ways = {False: ((0, 1), (2, 3)), True: ((0,), (1,))}  # layers of the groups, and of the successors
    combinations = {
        choice: by_hand([layer for at, own in enumerate(choice) for layer in ways[own][at]])
        for choice in product((False, True), repeat=2)
    }
    encoder = four_layers().train()
    LayerReplacement(encoder, 2).share = 0.7
    torch.manual_seed(3)
    counts = dict.fromkeys(combinations, 0)
    for _ in range(600):
        found = top(encoder)
        (choice,) = [
            each for each, states in combinations.items() if torch.allclose(found, states, atol=1e-5)
        ]
        counts[choice] += 1
    for (first, second), count in counts.items():
        expected = (0.7 if first else 0.3) * (0.7 if second else 0.3)
        assert count / 600 == pytest.approx(expected, abs=0.06)


def test_groups_have_no_gradient_and_are_no_part_of_the_encoder():
    encoder = four_layers().train()
    whole = sum(parameter.numel() for parameter in encoder.layers.parameters())
    replacement = LayerReplacement(encoder, 2)
    assert sum(parameter.numel() for parameter in encoder.layers.parameters()) == whole // 2
    replacement.share = 0.0
    encoder(encoder.tokenize(TEXTS)).states[-1].sum().backward()
    assert all(parameter.grad is None for parameter in encoder.layers.parameters())
    assert encoder.word_embeddings.grad is not None  # below both
    replacement.share = 1.0
    encoder(encoder.tokenize(TEXTS)).states[-1].pow(2).sum().backward()
    assert all(parameter.grad is not None for parameter in encoder.layers.parameters())


def test_the_share_rises_evenly_to_1():
    replacement = LayerReplacement(four_layers(), 1)
    shares = []
    for epoch in range(6):
        replacement.begin_epoch(epoch, 4)
        shares.append(replacement.share)
    assert shares == [BASE_SHARE, 0.625, 0.75, 0.875, 1.0, 1.0]
    replacement.begin_epoch(0, 0)
    assert replacement.share == 1.0


@pytest.mark.parametrize("layers", [3, 4, 5])
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_number_that_does_not_divide_the_layers_is_refused_with_those_that_do(layers, device):
    folder = tiny_encoder(num_hidden_layers=4, **STILL)
    make = TransformerEncoder.pretrained if device == "cpu" else TransformerEncoder.without_weights
    with pytest.raises(EncoderError, match=rf"{layers} layers cannot take the place of 4.*1, 2"):
        LayerReplacement(make(folder), layers)


CANNOT = {"albert": "share their weights", "t5": "do more than follow one another"}
CAN = [family for family in FAMILIES if family not in CANNOT]


@pytest.mark.parametrize("family", sweep(CAN, ["bert", "modernbert"]))
def test_layers_of_most_families_can_be_replaced(family):
    tokenizer, options = FAMILIES[family]
    encoder = TransformerEncoder.pretrained(tiny_encoder(family, tokenizer, **options))
    LayerReplacement(encoder, 1).share = 0.5
    encoder.train()
    for _ in range(4):
        states = encoder(encoder.tokenize(TEXTS)).states
        assert len(states) == 2
        assert states[-1].isfinite().all()


@pytest.mark.parametrize("family", CANNOT)
def test_others_say_why_they_cannot(family):
    tokenizer, options = FAMILIES[family]
    encoder = TransformerEncoder.pretrained(tiny_encoder(family, tokenizer, **options))
    with pytest.raises(EncoderError, match=f"{family}.*{CANNOT[family]}"):
        LayerReplacement(encoder, 1)
