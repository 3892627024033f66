"""Fresh matrices have the spread their initialisation promises; everything else keeps its values."""

import math

import pytest
import torch
from torch import nn

from core.training.strategies.initialisation import fresh_matrices, initialise
from core.training.strategies.settings import INITIALISATIONS

OUT, IN = 120, 200
SPREAD = {
    "xavier_uniform": math.sqrt(2 / (OUT + IN)),
    "xavier_normal": math.sqrt(2 / (OUT + IN)),
    "kaiming_uniform": math.sqrt(2 / IN),
    "kaiming_normal": math.sqrt(2 / IN),
    "normal": 0.02,
    "uniform": 0.02 / math.sqrt(3),
}


class Parts(nn.Module):
    """One layer of every kind."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(IN, OUT)
        self.lstm = nn.LSTM(IN, OUT, bidirectional=True)
        self.convolution = nn.Conv1d(IN // 2, OUT, 3)
        self.attention = nn.MultiheadAttention(IN, 1)
        self.table = nn.Embedding(30, 8)
        self.norm = nn.LayerNorm(8)


def test_every_choice_is_tested():
    assert set(INITIALISATIONS) == {"own", *SPREAD}


@pytest.mark.parametrize("name", sorted(SPREAD))
def test_a_matrix_has_the_spread_of_its_formula(name):
    torch.manual_seed(1)
    module = Parts()
    bias, table = module.linear.bias.clone(), module.table.weight.clone()
    initialise(module, name)
    weight = module.linear.weight.detach()
    assert float(weight.std()) == pytest.approx(SPREAD[name], rel=0.03)
    assert float(weight.mean()) == pytest.approx(0, abs=0.03 * SPREAD[name])
    kurtosis = float((weight**4).mean() / (weight**2).mean() ** 2)
    assert kurtosis == pytest.approx(1.8 if "uniform" in name else 3.0, rel=0.05)
    assert torch.equal(module.linear.bias, bias)
    assert torch.equal(module.table.weight, table)
    # Each of the four gates is a matrix of its own: [OUT, IN], not [4 OUT, IN].
    for gate in module.lstm.weight_ih_l0_reverse.chunk(4):
        assert float(gate.detach().std()) == pytest.approx(SPREAD[name], rel=0.05)


@pytest.mark.parametrize(
    ("name", "spread"), [("xavier_normal", 3 * SPREAD["xavier_normal"]), ("normal", 3.0)]
)
def test_the_scale_multiplies_a_gain_and_is_the_deviation_of_a_normal(name, spread):
    torch.manual_seed(1)
    module = Parts()
    initialise(module, name, 3.0)
    assert float(module.linear.weight.detach().std()) == pytest.approx(spread, rel=0.03)


def test_own_changes_nothing_and_draws_nothing(exact):
    tagger = exact()
    before = {name: value.clone() for name, value in tagger.state_dict().items()}
    random_state = torch.get_rng_state()
    initialise(tagger, "own")
    assert torch.equal(torch.get_rng_state(), random_state)
    assert all(torch.equal(value, before[name]) for name, value in tagger.state_dict().items())


def test_a_pretrained_encoder_keeps_its_weights():
    from transformers import BertConfig, BertModel

    module = Parts()
    config = BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    module.encoder = BertModel(config)
    ids = {id(parameter) for parameter in module.encoder.parameters()}
    before = {name: value.clone() for name, value in module.encoder.state_dict().items()}
    initialise(module, "normal", 9.0)
    assert ids
    assert all(torch.equal(value, before[name]) for name, value in module.encoder.state_dict().items())
    assert len(list(fresh_matrices(module))) == 1 + 4 * 4 + 1 + 3 + 1


def test_the_same_seed_draws_the_same_matrices():
    found = []
    for _ in range(2):
        torch.manual_seed(7)
        module = Parts()
        initialise(module, "kaiming_normal")
        found.append(module.lstm.weight_hh_l0.clone())
    assert torch.equal(*found)
