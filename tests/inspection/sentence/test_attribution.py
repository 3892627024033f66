"""Integrated gradients add up, follow the definition, and depend on what was learned."""

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from torch import nn

from core.inspection.sentence.attribution import POSITIONS, TOLERANCE, integrated_gradients
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.registry import by_name
from core.taggers.elmo_crf.config import ElmoConfig
from core.text import Document, Span
from core.text.units import characters
from tests.sweep import sweep
from tests.taggers.small_flat import DOCUMENTS, WITH_TEXT, small_flat, train
from tests.taggers.small_taggers import OPTIONS, small_tagger
from tests.taggers.tiny_bert import tiny_bert

WEIGHING = tuple(name for name in sorted(OPTIONS) if by_name(name).has_span_probabilities)
TEXT, SPAN = DOCUMENTS[0].text, Span(4, 8, "ORG")


@pytest.mark.parametrize("name", sweep(WEIGHING, ["bilstm_crf", "flat", "span"]))
def test_the_shares_add_up_to_the_difference_of_the_scores(name):
    tagger = train(small_tagger(name), WITH_TEXT, 40)
    found = integrated_gradients(tagger, TEXT, SPAN)
    gained = found.score - found.blank
    assert abs(gained) > 0.1
    assert found.tokens.sum() + found.words.sum() == pytest.approx(gained, rel=TOLERANCE)
    assert found.is_complete
    with torch.no_grad():
        told = tagger.span_log_probability(tagger.collate([Document("x", TEXT)]), SPAN)
    assert found.score == pytest.approx(float(told), abs=1e-4)
    assert found.tokens.shape == (len(TEXT),)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("flat", {"encoder": tiny_bert(), "head": "softmax"}),
        ("soft_lexicon", {"lexicon_features": "softword"}),
        ("soft_lexicon", {"lexicon_features": "exsoftword"}),
        ("bert", {"layer_mix": "dynamic"}),
        ("elmo_crf", {"tokens": "word"}),
        ("bilstm_crf", {"bigram_dim": 0, "constrained": False}),
    ],
)
def test_so_they_do_in_other_arrangements(name, options):
    # The rate is high for a transformer, which soon knows all by position.
    tagger = train(small_tagger(name, **options), WITH_TEXT, 0 if name == "bert" else 20)
    found = integrated_gradients(tagger, TEXT, SPAN)
    assert abs(found.score - found.blank) > 0.01
    assert found.is_complete


def test_an_elmo_that_does_not_learn_is_led_through_all_the_same(monkeypatch):
    monkeypatch.setattr(ElmoConfig, "encoder_learns", False)
    # Without vectors of its own for characters and with a fixed ELMo, what is left goes through its bytes.
    tagger = train(small_tagger("elmo_crf", place="both"), WITH_TEXT, 20)
    with torch.no_grad():
        tagger.characters.table.weight.zero_()
        tagger.bigrams.table.weight.zero_()
    found = integrated_gradients(tagger, TEXT, SPAN)
    assert abs(found.score - found.blank) > 0.05
    assert found.is_complete


@pytest.mark.parametrize("name", ["bert", "mrc", "elmo_crf"])
def test_words_of_another_script_have_their_share_on_each_letter(name):
    documents = [Document("1", "Lin hired 😀 Qinghe", (Span(0, 3, "PER"), Span(12, 18, "ORG")))]
    options = {"elmo_crf": {"tokens": "word"}, "bert": {"unit": "character"}}.get(name, {})
    tagger = train(small_tagger(name, documents=documents, **options), documents, 20)
    found = integrated_gradients(tagger, documents[0].text, Span(12, 18, "ORG"))
    assert found.is_complete
    assert np.abs(found.tokens[12:18]).min() > 0
    if name != "elmo_crf":
        # qing ##he: four letters share one piece, two the other.
        assert found.tokens[12:16] == pytest.approx([found.tokens[12]] * 4)


class Linear(nn.Module):
    """A score that is linear in two embeddings of a text: of its letters, and of one word over them."""

    has_span_probabilities = True
    title = "linear"

    @staticmethod
    def units(document):
        return characters(document.text)

    device = torch.device("cpu")

    def __init__(self) -> None:
        super().__init__()
        self.letters, self.word = nn.Embedding(4, 3), nn.Embedding(1, 2)
        self.weights = torch.tensor([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])

    def cost(self, document):
        return len(document.text)

    def collate_copies(self, document, copies, label):
        class Rows:
            letters = torch.tensor([[int(letter) for letter in document.text]] * copies)

            def to(self, device):
                return self

        return Rows()

    def span_log_probability(self, batch, span):
        word = self.word(torch.zeros(len(batch.letters), 1, dtype=torch.long))
        return (self.letters(batch.letters) * self.weights).sum((1, 2)) + 2.0 * word.sum((1, 2)) - 7.0

    def embedding_hooks(self, batch):
        blank = torch.tensor([1.0, 1.0, 0.0])
        return [
            EmbeddingHook.of_nodes(self.letters, [(0,), (1,)], blank),
            EmbeddingHook.of_nodes(self.word, [(2,)]),
        ]


def test_of_a_linear_score_they_are_weight_times_input():
    tagger = Linear()
    found = integrated_gradients(tagger, "31", Span(0, 1, "X"))
    with torch.no_grad():
        vectors = tagger.letters(torch.tensor([3, 1])) - torch.tensor([1.0, 1.0, 0.0])
        by_hand = (vectors * tagger.weights).sum(1)
        word = 2.0 * tagger.word.weight[0].sum()
    np.testing.assert_allclose(found.tokens, by_hand, rtol=1e-5)
    np.testing.assert_allclose(found.words, [word], rtol=1e-5)
    assert found.blank == pytest.approx(1.0 - 2.0 + 0.0 + 3.0 - 7.0)


def test_of_a_flat_they_are_the_sum_along_the_way_taken_step_by_step():
    tagger = train(small_flat(bigram_dim=0, layers=1), WITH_TEXT, 20)
    found = integrated_gradients(tagger, TEXT, SPAN, first=256)
    tables = [tagger.characters.table.weight, tagger.words.table.weight]
    whole = [table.detach().clone() for table in tables]
    batch, sums, steps = tagger.collate([Document("x", TEXT)]), [0.0, 0.0], 150
    for step in range(steps):
        # Every vector of a text is a row of these tables, and nothing else is: shrinking those is the way.
        for table, full in zip(tables, whole, strict=True):
            table.data = full * ((step + 0.5) / steps)
        gradients = torch.autograd.grad(tagger.span_log_probability(batch, SPAN).sum(), tables)
        sums = [total + gradient / steps for total, gradient in zip(sums, gradients, strict=True)]
    by_row = [(total * full).sum(1) for total, full in zip(sums, whole, strict=True)]
    rows = tagger.characters.vocabulary.rows(TEXT)
    assert len(set(rows)) == len(TEXT), "no character stands twice, so a row is a place"
    np.testing.assert_allclose(found.tokens, by_row[0][rows], atol=2e-3)
    words = tagger.words.vocabulary.rows([match.word for match in tagger.lattice(Document("1", TEXT)).words])
    np.testing.assert_allclose(found.words, by_row[1][words], atol=2e-3)


@pytest.mark.exhaustive
def test_other_weights_give_other_shares():
    """Adebayo et al., Sanity Checks for Saliency Maps, NeurIPS 2018: what survives random weights is no
    explanation of the model."""
    text = "林晚晴在清河大学教书，昨天清河下雨"
    tagger = train(small_flat(), WITH_TEXT, 60)
    learned = integrated_gradients(tagger, text, SPAN)
    again = integrated_gradients(train(small_flat(seed=0), WITH_TEXT, 60), text, SPAN)
    agreement = []
    for seed in range(1, 7):
        other = integrated_gradients(small_flat(seed=seed).eval(), text, SPAN)
        agreement.append(spearmanr(shares(learned), shares(other)).statistic)
    assert spearmanr(shares(learned), shares(again)).statistic == pytest.approx(1.0)
    assert abs(np.mean(agreement)) < 0.4


def shares(found):
    return np.abs(np.concatenate([found.tokens, found.words]))


def test_steps_are_doubled_until_it_holds_and_no_further_than_allowed():
    tagger = train(small_flat(), WITH_TEXT, 60)
    coarse = integrated_gradients(tagger, TEXT, SPAN, first=1, most=1)
    assert coarse.steps == 1
    assert not coarse.is_complete
    assert coarse.error > TOLERANCE
    fine = integrated_gradients(tagger, TEXT, SPAN, first=1)
    assert fine.is_complete
    assert fine.steps in {2, 4, 8, 16, 32, 64, 128}


@pytest.mark.parametrize("training", [True, False])
def test_the_tagger_is_left_as_it_was(training):
    tagger = small_tagger("elmo_crf").train(training)
    tagger.elmo.requires_grad_(False)
    before = [parameter.requires_grad for parameter in tagger.parameters()]
    integrated_gradients(tagger, TEXT, SPAN)
    assert tagger.training is training
    assert [parameter.requires_grad for parameter in tagger.parameters()] == before
    assert all(parameter.grad is None for parameter in tagger.parameters())
    assert not any(module._forward_hooks for module in tagger.modules())


def test_a_long_text_goes_through_in_few_copies_at_a_time():
    tagger = small_tagger("bilstm_crf")
    text = TEXT * 20
    copies: list[int] = []
    hook = tagger.context.register_forward_pre_hook(lambda module, given: copies.append(len(given[0])))
    integrated_gradients(tagger, text, SPAN, first=16, most=16)
    hook.remove()
    assert max(copies) > 1
    assert max(copies) * len(text) <= POSITIONS


@pytest.mark.parametrize("name", ["bert", "mrc", "flat"])
def test_a_text_of_blanks_has_nothing_to_share_out(name):
    tagger = small_tagger(name, **({"encoder": tiny_bert()} if name == "flat" else {}))
    found = integrated_gradients(tagger, " \u3000", Span(0, 1, "ORG"), first=4)
    if name != "flat":  # it has a vector for a character that its transformer has no piece for
        assert found.score == found.blank
        assert found.tokens.tolist() == [0.0, 0.0]
    assert found.is_complete


def test_a_tagger_that_weighs_no_spans_is_refused():
    with pytest.raises(ValueError, match="no probability"):
        integrated_gradients(small_tagger("dictionary"), TEXT, SPAN)
