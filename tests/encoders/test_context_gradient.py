"""What is read beside a text teaches nothing: gradients against BERT written out by hand."""

import math

import pytest
import torch
from torch.nn import functional

from core.encoders.context_gradient import can_block_gradients, without_gradient_at
from core.encoders.transformer import TransformerEncoder
from tests.encoders.test_transformer_families import FAMILIES
from tests.encoders.tiny_encoders import tiny_encoder

REFUSED = {"xlnet", "deberta"}
OFFERED = [family for family in FAMILIES if family not in REFUSED]
TEXTS = ["林晚晴在清河大学", "青岚"]
BESIDE = [["星野机器人公司"], ["Lin rows", "白石湖"]]


def encoder_of(family="bert"):
    tokenizer, options = FAMILIES[family]
    return TransformerEncoder.pretrained(tiny_encoder(family, tokenizer, **options)).eval()


def gradients(model, score):
    model.zero_grad(set_to_none=True)
    score.backward()
    return {name: None if p.grad is None else p.grad.clone() for name, p in model.named_parameters()}


def by_hand(model, pieces):
    """BERT's states of every layer (Devlin et al. 2019), all it makes at a piece of the context detached.

    Two passes: the first, without gradients, says what stands at those pieces; the second reads that.
    """
    constants = None
    for learning in (False, True):
        with torch.set_grad_enabled(learning):
            states = hand_pass(model, pieces, constants)
        constants = [state.detach() for state in states]
    return states[-1]


def hand_pass(model, pieces, constants):
    there = pieces.context[..., None]
    fixed = (
        (lambda made, layer: made)
        if constants is None
        else (lambda made, layer: torch.where(there, constants[layer], made))
    )
    table = model.embeddings
    places = torch.arange(pieces.ids.shape[1])
    summed = table.word_embeddings.weight[pieces.ids] + table.token_type_embeddings.weight[pieces.types]
    hidden = table.LayerNorm(summed + table.position_embeddings.weight[places])
    states = [fixed(hidden, 0)]
    for number, layer in enumerate(model.encoder.layer):
        x, own = states[-1], layer.attention.self
        heads, size = own.num_attention_heads, own.attention_head_size
        query, key, value = (
            functional.linear(x, part.weight, part.bias) for part in (own.query, own.key, own.value)
        )
        if constants is not None:
            key, value = torch.where(there, key.detach(), key), torch.where(there, value.detach(), value)
        query, key, value = (part.unflatten(2, (heads, size)).transpose(1, 2) for part in (query, key, value))
        scores = query @ key.transpose(2, 3) / math.sqrt(size)
        scores = scores.masked_fill(~pieces.mask[:, None, None, :], float("-inf"))
        seen = (scores.softmax(3) @ value).transpose(1, 2).flatten(2)
        out = layer.attention.output
        x = out.LayerNorm(x + functional.linear(seen, out.dense.weight, out.dense.bias))
        inner = layer.intermediate.dense
        wide = functional.gelu(functional.linear(x, inner.weight, inner.bias))
        x = layer.output.LayerNorm(
            x + functional.linear(wide, layer.output.dense.weight, layer.output.dense.bias)
        )
        states.append(fixed(x, number + 1))
    return states


def test_every_weight_of_bert_moves_as_when_the_context_is_a_constant():
    encoder = encoder_of().double()
    pieces = encoder.tokenize(TEXTS, contexts=BESIDE)
    weigh = torch.randn(2, 8, encoder.width, dtype=torch.float64, generator=torch.manual_seed(3))
    made = encoder(pieces).states[-1]
    found = gradients(encoder.model, (made * weigh).sum())
    hand = pieces.at_characters(by_hand(encoder.model, pieces))
    assert torch.allclose(made, hand, atol=1e-9)
    expected = gradients(encoder.model, (hand * weigh).sum())
    assert any(value is not None and value.abs().max() > 1e-3 for value in expected.values())
    for name, value in expected.items():
        other = found[name]
        if value is None or other is None:
            assert all(part is None or not part.any() for part in (value, other)), name
        else:
            assert torch.allclose(value, other, atol=1e-9), name


@pytest.mark.exhaustive
def test_families_with_weights_outside_of_layers_are_not_offered():
    refused = {family for family in FAMILIES if not can_block_gradients(encoder_of(family).model)}
    assert refused == REFUSED
    assert not can_block_gradients(torch.nn.Sequential(torch.nn.Conv1d(2, 2, 3)))


@pytest.mark.parametrize("family", OFFERED)
def test_in_no_family_does_a_gradient_reach_the_embeddings_of_neighbours(family):
    encoder = encoder_of(family)
    pieces = encoder.tokenize(TEXTS, contexts=BESIDE)
    reached = {}
    table = encoder.model.get_input_embeddings()

    def keep(module, given, made):
        made.register_hook(lambda gradient: reached.setdefault("gradient", gradient))

    for cut in (True, False):
        reached.clear()
        hook = table.register_forward_hook(keep)
        context = pieces.context if cut else torch.zeros_like(pieces.context)
        given = type(pieces)(**{**vars(pieces), "context": context})
        encoder(given).states[-1].square().sum().backward()
        hook.remove()
        at_neighbours = reached["gradient"].reshape(*pieces.ids.shape, -1)[pieces.context & pieces.mask]
        if cut:
            assert not at_neighbours.any()
            rest = reached["gradient"].reshape(*pieces.ids.shape, -1)[pieces.in_text]
            assert rest.abs().sum() > 0
        elif family != "gpt2":  # which looks only backward, and so never at what stands behind
            assert at_neighbours.abs().sum() > 0


@pytest.mark.parametrize("family", OFFERED)
def test_the_cut_changes_no_value(family):
    encoder = encoder_of(family)
    pieces = encoder.tokenize(TEXTS, contexts=BESIDE)
    with torch.no_grad():
        plain = encoder(pieces).states[-1]
    assert torch.equal(encoder(pieces).states[-1], plain)


def test_hooks_are_gone_behind_the_block_even_after_an_error():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.LayerNorm(3))
    context = torch.ones(1, 4, dtype=torch.bool)
    with pytest.raises(RuntimeError), without_gradient_at(model, context):
        raise RuntimeError
    model(torch.randn(1, 4, 3)).sum().backward()
    assert not any(module._forward_hooks for module in model.modules())
    assert model[1].bias.grad.abs().sum() > 0
