"""Where nobody has annotated, nothing is learned from there being no span: every tagger, by brute force."""

from itertools import product

import pytest
import torch

from core.lexicon import Lexicon
from core.taggers.base.registry import by_name
from core.taggers.base.surface_labels import surface_labels
from core.taggers.mrc.batch import MrcBatch
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document, Span
from tests.taggers.small_flat import DOCUMENTS, LABELS
from tests.taggers.small_taggers import OPTIONS, small_tagger

NAMES = tuple(sorted(name for name in OPTIONS if by_name(name).needs_training))
SEQUENCE = tuple(name for name in NAMES if issubclass(by_name(name), SequenceTagger))
SHORT = "林到青河"


def with_regions(document, regions):
    return Document(document.id, document.text, document.spans, {"annotated_regions": regions})


def partial_documents():
    """A labelled sentence with its end not looked at, one wholly looked at, one only with a span."""
    label = LABELS[0]
    return (
        Document("a", SHORT, (Span(0, 1, label),), {"annotated_regions": [[0, 2]]}),
        Document("b", SHORT[:3], (Span(1, 3, label),)),
        Document("c", SHORT, (Span(2, 4, label),), {"annotated_regions": []}),
    )


def completions(tagger, document, known):
    """Every tag path that says what is known of a document."""
    gold = tagger.decoder.encode(document.spans, len(document.text))
    rows = range(len(tagger.decoder.tags))
    return product(*([gold[at]] if known[at] else rows for at in range(len(gold))))


@pytest.mark.parametrize("name", SEQUENCE)
def test_the_loss_sums_over_every_completion_of_what_is_known(name):
    """Exhaustive: at most 9 tags over 2 to 4 free characters."""
    tagger = small_tagger(name).double().eval()
    documents = partial_documents()
    known = [[True, True, False, False], [True] * 3, [False, False, True, True]]
    batch = tagger.collate(documents)
    emissions = tagger.emissions(batch)
    expected = []
    for row, document in enumerate(documents):
        length = len(document.text)
        mask = torch.ones(1, length, dtype=torch.bool)
        paths = torch.tensor(list(completions(tagger, document, known[row])))
        own = emissions[row : row + 1, :length]
        scores = tagger.crf.score(own.expand(len(paths), -1, -1), paths, mask.expand(len(paths), -1))
        expected.append(scores.logsumexp(0) - tagger.crf.log_partition(own, mask)[0])
    given = tagger._log_likelihood(emissions, batch)
    torch.testing.assert_close(given, torch.stack(expected), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", SEQUENCE)
@pytest.mark.parametrize("head", ["crf", "softmax"])
def test_an_unannotated_character_has_no_softmax_gradient(name, head):
    """Of a CRF its gradient is that of its neighbours alone; of a softmax it is zero to the bit."""
    tagger = small_tagger(name, head=head).eval()
    batch = tagger.collate(partial_documents())
    emissions = tagger.emissions(batch).detach().requires_grad_()
    tagger._log_likelihood(emissions, batch).sum().backward()
    assert emissions.grad[0, :2].any()
    assert emissions.grad[2, 2:].any()
    if head == "softmax":
        assert not emissions.grad[0, 2:].any()
        assert not emissions.grad[2, :2].any()


@pytest.mark.parametrize("name", SEQUENCE)
def test_a_document_of_which_nothing_is_known_teaches_nothing(name):
    tagger = small_tagger(name).eval()
    batch = tagger.collate([Document("x", SHORT, (), {"annotated_regions": []})])
    emissions = tagger.emissions(batch).detach().requires_grad_()
    tagger._log_likelihood(emissions, batch).sum().backward()
    assert emissions.grad.abs().max() < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_fully_annotated_documents_give_the_same_loss_to_the_bit(name):
    tagger = small_tagger(name).eval()
    documents = [document for document in DOCUMENTS if document.text]
    whole = [with_regions(document, [[0, len(document.text)]]) for document in documents]
    one, other = (tagger.loss(tagger.collate(given)) for given in (documents, whole))
    assert torch.equal(one, other)
    one, other = (tagger.token_scores(tagger.collate(given)) for given in (documents, whole))
    assert torch.equal(one.mask, other.mask)


@pytest.mark.parametrize("name", NAMES)
def test_outside_annotated_regions_nothing_is_decided(name):
    tagger = small_tagger(name).eval()
    batch = tagger.collate(partial_documents())
    scores = tagger.token_scores(batch)
    # Any queries and classes aside, the mask of a character is over sentence and place; `pu` has a decision a
    # type behind the place, `mrc` one a query before it and two (start, end) behind.
    per_place = scores.mask
    while per_place.dim() > 2:
        per_place = per_place.any(-1) if name == "pu" or per_place.shape[-1] == 2 else per_place.any(1)
    assert per_place[0].tolist() == [True, True, False, False]


def test_the_loss_of_mrc_does_not_change_with_what_it_says_where_nobody_annotated():
    tagger = small_tagger("mrc").double().eval()
    document = partial_documents()[0]
    batch = tagger.collate([document])
    assert isinstance(batch, MrcBatch)
    states = tagger._states(batch)
    start, end = (side.detach().requires_grad_() for side in tagger.scorer.boundaries(states))
    from core.taggers.mrc.loss import SpanScores, mrc_loss, training_pairs

    pairs = training_pairs("all", start, end, batch)
    match = torch.zeros(len(pairs), dtype=start.dtype, requires_grad=True)
    mrc_loss(SpanScores(start, end, pairs, match), batch, (1.0, 1.0, 1.0)).sum().backward()
    assert not start.grad[:, 2:].any()
    assert not end.grad[:, 2:].any()
    assert start.grad[:, :2].all()
    outside = (pairs[:, 1:] >= 2).any(1)
    assert not match.grad[outside].any()
    assert match.grad[~outside].all()


def test_an_mrc_span_outside_annotated_regions_is_learned_for_its_own_label_only():
    tagger = small_tagger("mrc").double().eval()
    batch = tagger.collate([partial_documents()[2]])
    gold_starts, gold_ends = batch.gold()
    known = batch.loss_mask(gold_starts, batch.starts)
    assert torch.equal(known, gold_starts)
    assert known.sum() == 1
    assert batch.loss_mask(gold_ends, batch.ends).sum() == 1


def test_a_dictionary_counts_no_occurrence_against_a_word_where_nobody_annotated():
    text = "林到了。林来了。"
    spans = (Span(0, 1, "PER"),)
    whole, part = Document("w", text, spans), Document("p", text, spans, {"annotated_regions": [[0, 4]]})
    assert surface_labels([whole], ["PER"])["林"].share == 0.5
    assert surface_labels([part], ["PER"])["林"].share == 1.0


def test_a_lexicon_tagger_reads_its_words_in_both_halves():
    """The text is whole, only the labels are not: hidden states must not depend on what was looked at."""
    tagger = small_tagger("flat", lexicon=Lexicon(["青河"])).eval()
    document = partial_documents()[0]
    states = [
        tagger.emissions(tagger.collate([given]))
        for given in (document, Document("w", document.text, document.spans))
    ]
    assert torch.equal(*states)
