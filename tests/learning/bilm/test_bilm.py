"""The biLM's losses and perplexity against their definitions."""

import math

import pytest
import torch

from core.learning.bilm.bilm import Bilm, perplexity
from core.learning.bilm.config import BilmConfig, SoftmaxConfig
from core.learning.bilm.training import sampler_of
from core.learning.bilm.vocabulary import END, UNKNOWN
from core.taggers.base.config_fields import ConfigError
from tests.learning.bilm.small_bilm import DEV, SETTINGS, WORDS, small_bilm


def batches(corpus, unroll=4, rows=2):
    return corpus.stream(rows, unroll, 1, 0).batches(unroll)


def test_the_perplexity_of_a_uniform_model_is_the_number_of_words():
    bilm, corpus, _ = small_bilm()
    torch.nn.init.zeros_(bilm.softmax.weight)
    found = perplexity(bilm, batches(corpus), corpus.characters)
    assert found.forward == pytest.approx(len(corpus.vocabulary), rel=1e-5)
    assert found.backward == pytest.approx(len(corpus.vocabulary), rel=1e-5)


def test_perplexity_is_the_definition_over_one_sentence():
    """Each token's probability from ELMo's own layers of the sentence, one direction after the other."""
    bilm, corpus, _ = small_bilm(dev=DEV[:1])
    bilm = bilm.double()
    sentence = list(DEV[0].text)
    layers = bilm.elmo(bilm.elmo.read([sentence])).layers[-1][0]
    forward, backward = layers.split(bilm.elmo.options.projection, dim=-1)
    rows = corpus.vocabulary.rows
    classes = [0, *(rows.get(token, UNKNOWN) for token in sentence), END]
    table = bilm.softmax.weight

    def total(hidden, targets):
        scores = (hidden @ table.T + bilm.softmax.bias).log_softmax(-1)
        return -sum(scores[t, target].item() for t, target in enumerate(targets)) / len(targets)

    expected = (
        math.exp(total(forward[:-1], classes[1:])),
        math.exp(total(backward[1:].flip(0), classes[:-1][::-1])),
    )
    found = perplexity(bilm, corpus.dev_stream(1, 1).batches(3), corpus.characters)
    assert (found.forward, found.backward) == pytest.approx(expected)


def test_perplexity_does_not_depend_on_how_far_is_read_at_once():
    bilm, corpus, _ = small_bilm()
    stream = corpus.stream(2, 1, 1, 0)
    found = [perplexity(bilm.double(), stream.batches(unroll), corpus.characters) for unroll in (1, 3, 1000)]
    for one in found[1:]:
        assert (one.forward, one.backward) == pytest.approx((found[0].forward, found[0].backward))


def test_perplexity_leaves_the_mode_and_needs_text():
    bilm, corpus, _ = small_bilm()
    bilm.train()
    perplexity(bilm, batches(corpus), corpus.characters)
    assert bilm.training
    with pytest.raises(ValueError, match="at least one token"):
        perplexity(bilm, iter(()), corpus.characters)


def test_no_direction_sees_what_it_predicts():
    """The gradient of a prediction reaches the tokens read before it in its direction, no others."""
    bilm, corpus, _ = small_bilm()
    (batch,) = corpus.dev_stream(1, 1).batches(100)
    rows = corpus.characters.clone()
    seen = []
    hook = bilm.elmo.bilstm.register_forward_pre_hook(
        lambda module, given: seen.append(given[0].requires_grad_())
    )
    bilm.elmo.char_cnn.requires_grad_(False)
    hidden, _ = bilm(batch, rows)
    hook.remove()
    for direction in range(2):
        (gradient,) = torch.autograd.grad(hidden[direction, 0, 3].sum(), seen[0], retain_graph=True)
        reached = gradient.abs().sum(-1)[:, 0] > 0
        assert reached[direction].tolist() == [t <= 3 for t in range(reached.shape[1])]
        assert not reached[1 - direction].any()


@pytest.mark.parametrize("sampling", ["log_uniform", "unigram"])
def test_many_words_are_sampled_and_few_are_not(sampling):
    _, corpus, _ = small_bilm()
    some = BilmSettingsOf(samples=5, sampling=sampling)
    sampler = sampler_of(some, corpus.vocabulary)
    assert sampler is not None
    assert sampler.classes == len(corpus.vocabulary)
    assert float(sampler.inclusion.sum()) >= 5
    counts = torch.tensor(corpus.vocabulary.counts)
    first = sampler.inclusion.argmax()
    assert int(first) == (0 if sampling == "log_uniform" else int(counts.argmax()))
    assert sampler_of(BilmSettingsOf(samples=len(corpus.vocabulary)), corpus.vocabulary) is None


def BilmSettingsOf(**options):
    return type(SETTINGS)(**options)


def test_a_cnn_softmax_makes_its_words_of_characters():
    bilm, corpus, config = small_bilm(words=SoftmaxConfig(softmax="cnn", correction=3, least_count=1))
    assert config.correction == 3
    assert bilm.softmax.classes == len(corpus.vocabulary)
    assert bilm.softmax.cnn is not bilm.elmo.char_cnn
    (batch,) = corpus.dev_stream(1, 1).batches(100)
    hidden, _ = bilm(batch, corpus.characters)
    bilm.losses(hidden, batch).sum().backward()
    # expand begins to learn once the correction has left zero.
    without = {name for name, p in bilm.named_parameters() if p.grad is None or not p.grad.any()}
    assert without == {"softmax.expand.weight"}


def test_the_defaults_are_the_papers():
    options = BilmConfig().options()
    assert (options.cells, options.projection, options.layers, options.highways) == (4096, 512, 2, 2)
    assert sum(number for _, number in options.filters) == 2048
    settings = BilmSettingsOf()
    assert (settings.epochs, settings.batch_size, settings.unroll) == (10, 128, 20)
    assert (settings.optimiser, settings.learning_rate, settings.samples) == ("adagrad", 0.2, 8192)
    assert (settings.dropout, settings.clip_norm) == (0.1, 10.0)
    assert WORDS.correction == 128


@pytest.mark.parametrize("filters", ["", "1", "1x", "0x4", "60x4", "1x4 2y3", "1x99999"])
def test_filters_that_are_none_are_refused(filters):
    with pytest.raises(ConfigError, match="filter"):
        BilmConfig(filters=filters)


def test_dropout_is_on_inputs_and_output_in_training_alone():
    settings = BilmSettingsOf(dropout=0.5)
    bilm, corpus, _ = small_bilm(settings=settings)
    assert isinstance(bilm, Bilm)
    assert (bilm.dropout.p, bilm.elmo.bilstm.dropout.p) == (0.5, 0.5)
    (batch,) = corpus.dev_stream(1, 1).batches(100)
    bilm.eval()
    assert torch.equal(bilm(batch, corpus.characters)[0], bilm(batch, corpus.characters)[0])
    bilm.train()
    assert not torch.equal(bilm(batch, corpus.characters)[0], bilm(batch, corpus.characters)[0])
