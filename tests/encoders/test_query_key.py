"""Query and key vectors are given where they alone make the attention, and nowhere else."""

import math

import pytest
import torch

from core.encoders.query_key import projections
from core.encoders.transformer import TransformerEncoder
from tests.encoders.test_transformer_families import FAMILIES
from tests.encoders.tiny_encoders import tiny_encoder

TEXTS = ["林晚晴在清河大学 teaches", "青"]
PLAIN = ["bert", "roberta", "albert", "electra", "ernie", "distilbert", "bart"]
# Relative positions, turned vectors, or a look backward only.
OTHER = ["mpnet", "xlnet", "deberta", "deberta-v2", "modernbert", "gpt2", "t5"]


def run(family, need_weights=True):
    tokenizer, options = FAMILIES[family]
    encoder = TransformerEncoder.pretrained(tiny_encoder(family, tokenizer, **options)).eval()
    with torch.no_grad():
        return encoder, encoder(encoder.tokenize(TEXTS), need_weights=need_weights)


@pytest.mark.parametrize("family", PLAIN)
def test_the_softmax_of_their_dot_products_is_the_attention(family):
    _, hidden = run(family)
    assert len(hidden.queries) == len(hidden.keys) == len(hidden.attention) == 2
    for query, key, weights in zip(hidden.queries, hidden.keys, hidden.attention, strict=True):
        for window, pieces in enumerate(hidden.pieces.mask.sum(1).tolist()):
            for head in range(weights.shape[1]):
                for asking in range(pieces):
                    scores = [
                        math.exp(float(query[window, head, asking] @ key[window, head, given]) / math.sqrt(8))
                        for given in range(pieces)
                    ]
                    expected = torch.tensor([score / sum(scores) for score in scores])
                    found = weights[window, head, asking, :pieces]
                    assert torch.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("family", OTHER)
def test_families_whose_attention_is_more_than_that_give_none(family):
    _, hidden = run(family)
    assert hidden.attention
    assert hidden.queries == hidden.keys == ()


def test_nothing_is_given_when_nobody_asks():
    _, hidden = run("bert", need_weights=False)
    assert hidden.queries == hidden.keys == ()


def test_the_model_is_watched_only_while_it_runs():
    encoder, _ = run("bert")
    layers = list(encoder.model.modules())
    before = [len(layer._forward_hooks) for layer in layers]  # transformers has some of its own
    with projections(encoder.model):
        assert sum(len(layer._forward_hooks) for layer in layers) == sum(before) + 4
    assert [len(layer._forward_hooks) for layer in layers] == before
