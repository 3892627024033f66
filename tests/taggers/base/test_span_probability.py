"""The probability of a span, predicted or not, of every tagger that gives one; and where it reads text."""

import numpy as np
import pytest
import torch

from core.lexicon import Lexicon
from core.taggers.base.embedding_hooks import EmbeddingHook, capture_embeddings, replace_embeddings
from core.taggers.base.registry import by_name
from core.text import Document, Span
from tests.sweep import sweep
from tests.taggers.small_flat import DOCUMENTS, LEXICON, WITH_TEXT, train
from tests.taggers.small_taggers import OPTIONS, learned_tagger, small_tagger

WEIGHING = tuple(name for name in sorted(OPTIONS) if by_name(name).has_span_probabilities)
LEXICAL = tuple(name for name in sorted(OPTIONS) if by_name(name).uses_lexicon)
TEXT = DOCUMENTS[0].text


@pytest.fixture(
    scope="module", params=sweep(WEIGHING, ["bert", "bilstm_crf", "flat", "mrc", "soft_lexicon", "span"])
)
def learned(request):
    """A tagger that has learned something."""
    return learned_tagger(request.param)


def test_a_predicted_span_has_the_probability_of_its_score(learned):
    documents = [document for document in WITH_TEXT if learned.decode(learned.collate([document]))[0]]
    assert documents
    for document in documents:
        batch = learned.collate([document])
        for span in learned.decode(batch)[0]:
            probability = learned.span_log_probability(batch, span).exp().item()
            assert probability == pytest.approx(span.score, abs=1e-5)


def test_one_pass_gives_the_prediction_and_the_probability_of_any_span(learned):
    batch = learned.collate([WITH_TEXT[0], WITH_TEXT[2]])
    spans = [Span(0, 2, "LOC"), Span(4, 8, "ORG"), Span(3, 4, "PER")]
    decoded, weights = learned.decode_and_score(batch, spans)
    assert [[s.key for s in row] for row in decoded] == [
        [s.key for s in row] for row in learned.decode(batch)
    ]
    one_by_one = torch.stack([learned.span_log_probability(batch, span).exp() for span in spans], dim=1)
    np.testing.assert_allclose(weights.detach(), one_by_one.detach(), atol=1e-6)


def test_with_no_span_to_weigh_the_prediction_is_the_same(learned):
    batch = learned.collate([WITH_TEXT[0], WITH_TEXT[2]])
    decoded, weights = learned.decode_and_score(batch, [])
    assert [[s.key for s in row] for row in decoded] == [
        [s.key for s in row] for row in learned.decode(batch)
    ]
    assert weights.shape == (2, 0)


def test_a_span_that_leaves_a_sentence_is_refused(learned):
    batch = learned.collate([WITH_TEXT[0], WITH_TEXT[1]])
    with pytest.raises(ValueError, match="leave"):
        learned.span_log_probability(batch, Span(1, 5, "LOC"))
    with pytest.raises(ValueError, match="leave"):
        learned.decode_and_score(batch, [Span(1, 5, "LOC")])


def test_every_tap_has_a_vector_for_each_copy_of_the_sentence(learned):
    hooks = learned.embedding_hooks(learned.collate_copies(Document("x", TEXT), 1, "ORG"))
    assert hooks
    copies = learned.collate_copies(Document("x", TEXT), 3, "ORG")
    with torch.no_grad(), capture_embeddings(hooks) as one:
        alone = learned.span_log_probability(learned.collate_copies(Document("x", TEXT), 1, "ORG"), SPAN)
    with torch.no_grad(), capture_embeddings(hooks) as three:
        learned.span_log_probability(copies, SPAN)
    for single, triple in zip(one, three, strict=True):
        np.testing.assert_array_equal(triple.reshape(3, *single.shape[1:]), single.expand(3, -1, -1))
    with torch.no_grad(), replace_embeddings(hooks, [vectors.expand(3, -1, -1) for vectors in one]):
        again = learned.span_log_probability(copies, SPAN)
    np.testing.assert_allclose(again, alone.expand(3), rtol=1e-4, atol=1e-5)


SPAN = Span(4, 8, "ORG")


def test_every_vector_of_a_tap_is_parted_wholly_and_every_character_has_one(learned):
    hooks = learned.embedding_hooks(learned.collate_copies(Document("x", TEXT), 1, "ORG"))
    reached = set()
    for hook in hooks:
        whole = torch.zeros(int(hook.vector.max()) + 1, dtype=torch.float64).index_add_(
            0, hook.vector, hook.share
        )
        assert whole[hook.vector.unique()].tolist() == pytest.approx([1.0] * len(hook.vector.unique()))
        reached |= set(hook.node.tolist())
    assert set(range(len(TEXT))) <= reached
    words = len(LEXICON.match(TEXT)) if learned.uses_lexicon else 0
    if learned.name == "lr_cnn":
        words -= 1  # 清河大学 is longer than its layers
    assert reached == set(range(len(TEXT) + words))


def test_the_dictionary_gives_no_probability():
    tagger = small_tagger("dictionary")
    assert not tagger.has_span_probabilities
    with pytest.raises(NotImplementedError, match="no probability"):
        tagger.span_log_probability(tagger.collate(WITH_TEXT), SPAN)


@pytest.mark.parametrize("name", sweep(LEXICAL, ["flat"]))
def test_a_lexicon_for_each_document_acts_as_if_it_were_the_taggers_own(name):
    tagger = small_tagger(name)
    tagger = train(tagger, WITH_TEXT, 30) if tagger.needs_training else tagger
    lexicons = [LEXICON, LEXICON.without_words(["清河"]), LEXICON.without_words(["清河大学"]), Lexicon()]
    document = WITH_TEXT[0]
    together = tagger.decode(tagger.collate_with([document] * len(lexicons), lexicons))
    before = tagger.lexicon
    for lexicon, found in zip(lexicons, together, strict=True):
        tagger.lexicon = lexicon
        (alone,) = tagger.decode(tagger.collate([document]))
        assert [span.key for span in found] == [span.key for span in alone]
        np.testing.assert_allclose([s.score for s in found], [s.score for s in alone], atol=1e-5)
    tagger.lexicon = before


@pytest.mark.parametrize("name", sweep(LEXICAL, ["flat"]))
def test_no_lexicon_for_a_document_is_one_without_words(name):
    tagger = small_tagger(name)
    tagger = train(tagger, WITH_TEXT, 30) if tagger.needs_training else tagger
    without, empty = tagger.decode(tagger.collate_with([WITH_TEXT[0]] * 2, [None, Lexicon()]))
    assert [span.key for span in without] == [span.key for span in empty]
    np.testing.assert_allclose([s.score for s in without], [s.score for s in empty], atol=1e-6)
    if tagger.needs_training and name != "soft_lexicon":
        assert tagger.collate_with([WITH_TEXT[0]], [None]).lattices[0].words == ()


def test_a_tagger_without_a_lexicon_cannot_be_given_one():
    tagger = small_tagger("bilstm_crf")
    with pytest.raises(NotImplementedError, match="reads no lexicon"):
        tagger.collate_with(WITH_TEXT[:1], [LEXICON])


def test_a_tap_parts_a_vector_among_its_nodes_and_keeps_what_is_no_text():
    hook = EmbeddingHook.of_nodes(torch.nn.Identity(), [(0, 1), (), (1,)], baseline=torch.tensor([5.0, 6.0]))
    vectors = torch.arange(6.0).view(1, 3, 2)
    assert hook.with_baseline(vectors).tolist() == [[[5.0, 6.0], [2.0, 3.0], [5.0, 6.0]]]
    assert vectors[0, 0].tolist() == [0.0, 1.0], "the vectors themselves stay"
    assert hook.at_nodes(torch.tensor([4.0, 100.0, 3.0]), 3).tolist() == [2.0, 5.0, 0.0]
