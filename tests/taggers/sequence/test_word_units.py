"""Words as the unit of BERT, SoftLexicon and FLAT: pieces, phrases and sets against loops."""

import itertools
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.inspection.sentence.attention_units import kinds
from core.inspection.sentence.attention_units import units as attention_units
from core.inspection.sentence.attribution import integrated_gradients
from core.inspection.sentence.evidence import find_evidence, methods_of
from core.inspection.sentence.lattice_view import lattice_view
from core.layers.set_pooling import SETS
from core.lexicon import Lattice, Lexicon
from core.taggers.base.config_fields import ConfigError, config_from_settings
from core.taggers.base.model_folder import load_tagger, read_header
from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Resources
from core.taggers.base.tagging import tag
from core.text import Document, Span
from core.text.units import words
from core.training.preparation import pieces
from tests.taggers.small_flat import train
from tests.taggers.small_taggers import OPTIONS, small_tagger, without_gradient
from tests.taggers.tiny_bert import tiny_bert
from tests.text.test_units import TEXTS

LABELS = ("LOC", "ORG", "PER")
TEXT = "Lin of Qinghe University hired Wei-Na's Lin."
DOCUMENTS = (
    Document("1", TEXT, (Span(0, 3, "PER"), Span(7, 24, "ORG"), Span(31, 37, "PER"), Span(40, 43, "PER"))),
    Document("2", "Qinghe hired Lin", (Span(0, 6, "LOC"), Span(13, 16, "PER"))),
    Document("3", "university of universities"),
)
ODD = (Document("blank", " \r\n\u3000"), Document("empty", ""), Document("long", TEXT * 12))
PHRASES = ("Qinghe University", "Qinghe", "Lin", "niversity", "University hired Wei", "of", "a", "Na")
LEXICON = Lexicon(PHRASES)
READING_WORDS = ("bert", "bilstm_crf", "flat", "soft_lexicon")
READING_CHARACTERS = ("elmo_crf", "lattice_lstm", "lr_cnn")
VARIANTS = [
    ("bert", {}),
    ("bert", {"piece_pooling": "mean", "layer_mix": "dynamic", "top": "bilstm", "top_hidden": 6}),
    ("bilstm_crf", {}),
    ("flat", {}),
    ("flat", {"encoder": tiny_bert}),
    ("soft_lexicon", {}),
    ("soft_lexicon", {"lexicon_features": "softword"}),
    ("soft_lexicon", {"lexicon_features": "exsoftword"}),
    ("soft_lexicon", {"sequence_layer": "transformer", "heads": 2, "encoder": tiny_bert}),
]
USUAL = VARIANTS[1:4]  # the others only in the exhaustive run


def small(name, seed=0, documents=DOCUMENTS, lexicon=LEXICON, **options):
    torch.manual_seed(seed)
    given_options = {**OPTIONS[name], "char_view_dim": 4, "shape_dim": 3, **options}
    fields = by_name(name).Config.__dataclass_fields__
    values = {
        key: value() if callable(value) else value for key, value in given_options.items() if key in fields
    }
    return by_name(name).build(by_name(name).Config(**values), LABELS, Resources(documents, lexicon))


@pytest.fixture(
    scope="module",
    params=[
        variant if variant in USUAL else pytest.param(variant, marks=pytest.mark.exhaustive)
        for variant in VARIANTS
    ],
    ids=lambda variant: "-".join([variant[0], *variant[1]]),
)
def learned(request):
    name, options = request.param
    return train(small(name, **options), DOCUMENTS, 60)


def keys(documents):
    return [[span.key for span in document.spans] for document in documents]


def test_words_are_learned_saved_and_read_in_any_batch(learned, tmp_path):
    assert learned.config.unit == "word"
    assert keys(tag(learned, DOCUMENTS)) == keys(DOCUMENTS)
    learned.save(tmp_path)
    assert "unit" not in read_header(tmp_path).changed()
    loaded = load_tagger(tmp_path)
    texts = [*DOCUMENTS, *ODD]
    assert tag(loaded, texts) == tag(learned, texts)
    alone = [tag(learned, [document])[0] for document in texts]
    assert keys(tag(learned, texts, budget=100_000)) == keys(alone)


def test_a_trace_has_words_in_every_part(learned):
    trace, blank = learned.trace(learned.collate([DOCUMENTS[0], ODD[0]]))
    assert trace.tokens == words(TEXT).surfaces(TEXT)
    assert trace.places == words(TEXT)
    assert len(trace.crf.emissions) == len(trace.tokens)
    assert (blank.tokens, blank.spans) == ((), ())
    for mix in trace.mixes:
        assert mix.weights.ndim == 1 or len(mix.weights) == len(trace.tokens)
    if trace.attention:
        shown = kinds(trace)
        assert "characters" not in shown
        assert {"words", "spans"} <= set(shown)
        joined = attention_units(trace, "words", special=False)
        assert joined.rows == trace.tokens
        entities = attention_units(trace, "spans", special=False)
        assert "Qinghe University" in entities.rows
    states = learned.layer_states(learned.collate([DOCUMENTS[0]]))
    assert all(layer.states.shape[:2] == (1, len(TEXT)) for layer in states)


def test_what_moves_a_span_is_told_by_word(learned):
    (trace,) = learned.trace(learned.collate([DOCUMENTS[0]]))
    span = trace.spans[1]
    found = integrated_gradients(learned, TEXT, span)
    assert found.tokens.shape == (len(trace.tokens),)
    assert found.is_complete
    for method in methods_of(learned):
        evidence = find_evidence(learned, trace, span, method)
        assert len(evidence.shading) == len(TEXT)
        assert evidence.shading[3] == 0.0, "a blank has no share"


def test_gradients_reach_every_parameter(learned):
    tagger = small(learned.name)
    tagger.train()
    left = {name for name, parameter in tagger.named_parameters() if parameter.requires_grad}
    for _ in range(6):
        tagger.zero_grad()
        tagger.loss(tagger.collate(DOCUMENTS)).backward()
        left -= {name for name, p in tagger.named_parameters() if p.grad is not None and p.grad.any()}
    assert left == without_gradient_by_characters(learned.name)


def without_gradient_by_characters(name):
    """Parameters that no sentence reaches, whatever the unit, such as a transformer's pooler."""
    return without_gradient(small_tagger(name))


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_no_prediction_cuts_a_word(texts):
    for tagger in _EAGER:
        for document in tag(tagger, [Document(str(number), text) for number, text in enumerate(texts)]):
            assert all(words(document.text).exactly(span) is not None for span in document.spans)


def _eager(name):
    """A tagger that finds much, as good as at random."""
    tagger = small(name, seed=4).eval()
    with torch.no_grad():
        tagger.emission.bias[0] = -3.0
        tagger.emission.weight.normal_(0.0, 4.0)
    return tagger


_EAGER = [_eager(name) for name in ("bert", "flat", "soft_lexicon")]


@pytest.mark.parametrize("window", [48, 16])
@pytest.mark.parametrize("pooling", ["first", "mean"])
def test_the_state_of_a_word_by_its_pieces(pooling, window):
    tagger = small("bert", piece_pooling=pooling, encoder=tiny_bert(window)).eval()
    texts = [TEXT * (3 if window == 16 else 1), "Lin 😀 universities"]
    batch = tagger.collate([Document(str(n), text) for n, text in enumerate(texts)])
    plain = tagger.features.encoder.tokenize(texts)
    states = torch.randn(*plain.ids.shape, 3)
    found = batch.pieces.at_characters(states)
    for row, text in enumerate(texts):
        for at, (start, end) in enumerate(zip(words(text).starts, words(text).ends, strict=True)):
            seen = []
            for character in range(start, end):
                for piece in plain.characters[row, character].tolist():
                    window_of, inside = divmod(piece, plain.ids.shape[1])
                    overlaps = plain.start[window_of, inside] < end and plain.end[window_of, inside] > start
                    if piece >= 0 and overlaps and piece not in seen:
                        seen.append(piece)
            assert seen, "every word here has pieces"
            chosen = seen[:1] if pooling == "first" else seen
            expected = states.flatten(0, 1)[chosen].mean(0)
            torch.testing.assert_close(found[row, at], expected)


def brute_phrases(text, phrases):
    """Every run of words whose text is a phrase, by trying all: (head, tail) in words."""
    units = words(text)
    runs = itertools.combinations_with_replacement(range(len(units)), 2)
    return [
        (text[units.starts[head] : units.ends[tail]], head, tail)
        for head, tail in runs
        if text[units.starts[head] : units.ends[tail]] in phrases
    ]


def test_phrases_are_runs_of_whole_words():
    lattice = Lattice.of(TEXT, LEXICON, units=words(TEXT))
    several = [found for found in brute_phrases(TEXT, PHRASES) if len(found[0]) > 1]
    assert [tuple(match) for match in lattice.words] == several
    assert lattice.nodes[: lattice.characters] == words(TEXT).surfaces(TEXT)
    assert ("niversity" in lattice.nodes, "Qinghe University" in lattice.nodes) == (False, True)
    short = Lattice.of(TEXT, LEXICON, 1, words(TEXT))
    assert [match.word for match in short.words] == ["Lin", "of", "Qinghe", "Na", "Lin"]


def test_the_nodes_of_flat_and_the_sets_of_soft_lexicon_by_brute_force():
    tagger = small("flat").eval()
    batch = tagger.collate(DOCUMENTS)
    for row, document in enumerate(DOCUMENTS):
        expected = [found for found in brute_phrases(document.text, PHRASES) if len(found[0]) > 1]
        count = len(words(document.text))
        heads = [*range(count), *(head for _, head, _ in expected)]
        tails = [*range(count), *(tail for _, _, tail in expected)]
        assert batch.nodes.head[row, : len(heads)].tolist() == heads
        assert batch.nodes.tail[row, : len(tails)].tolist() == tails
    soft = small("soft_lexicon").eval()
    document = Document("a", "a Qinghe University", ())
    batch = soft.collate([document])
    expected_slots = set()
    for word, head, tail in brute_phrases(document.text, PHRASES):
        row = soft.words.vocabulary.rows([word])[0]
        for at in range(head, tail + 1):
            kind = 3 if head == tail else 0 if at == head else 2 if at == tail else 1
            expected_slots.add((row, SETS * at + kind))
    assert set(zip(batch.words.tolist(), batch.slots.tolist(), strict=True)) == expected_slots


def test_distances_of_a_lattice_count_words_and_its_links_tie_phrases_to_words():
    flat = small("flat").eval()
    (trace,) = flat.trace(flat.collate([DOCUMENTS[0]]))
    lattice = trace.lattice
    node = lattice.nodes.index("Qinghe University")
    assert (lattice.head[node], lattice.tail[node]) == (2, 3)
    assert TEXT[lattice.start[node] : lattice.end[node]] == "Qinghe University"
    soft = small("soft_lexicon").eval()
    (trace,) = soft.trace(soft.collate([DOCUMENTS[0]]))
    view = lattice_view(trace)
    names = trace.lattice.nodes
    linked = {(names[link.word], names[link.character], link.kind) for link in view.links}
    assert {("Qinghe University", "Qinghe", "B"), ("Qinghe University", "University", "E")} <= linked
    assert ("Qinghe", "Qinghe", "S") in linked
    assert all(link.word >= trace.lattice.characters for link in view.links)


@pytest.mark.parametrize("name", READING_WORDS)
def test_the_tokens_of_an_import_are_tagged_also_in_a_window_and_in_a_part(name):
    text = "Lin-of Qinghe hired Na. " * 30
    places = [[found.start(), found.end()] for found in re.finditer(r"\S+", text)]
    document = Document("1", text, (Span(0, 6, "PER"),), {"tokens": places})
    tagger = small(name, documents=[document], unit="word").eval()
    with torch.no_grad():
        tagger.emission.weight.normal_(0.0, 4.0)
    (trace,) = tagger.trace(tagger.collate([document]))
    assert trace.tokens[:3] == ("Lin-of", "Qinghe", "hired")
    (tagged,) = tag(tagger, [document], window=100)
    starts, ends = ({place[side] for place in places} for side in (0, 1))
    assert tagged.spans
    assert all(span.start in starts and span.end in ends for span in tagged.spans)
    part = pieces(document, 100)[0]
    assert tagger.units(part).surfaces(part.text)[:2] == ("Lin-of", "Qinghe")


@pytest.mark.parametrize("name", READING_CHARACTERS)
def test_the_others_read_characters_and_refuse_words_in_a_sentence(name):
    assert small(name).config.unit == "character"
    with pytest.raises(ConfigError, match=r"unit: .* reads characters only; choose auto or character"):
        small(name, unit="word")
    config = by_name(name).Config(unit="word")
    with pytest.raises(ConfigError, match="reads characters only"):
        by_name(name).check_config(config)


def test_piece_pooling_other_than_these_is_refused():
    with pytest.raises(ConfigError, match="piece_pooling"):
        config_from_settings(by_name("bert").Config, {"piece_pooling": "last"})


def test_a_piece_over_two_words_belongs_to_both():
    tagger = small("bert").eval()
    batch = tagger.collate([DOCUMENTS[1]])
    (hook,) = tagger.embedding_hooks(batch)
    shares = torch.zeros(len(words(DOCUMENTS[1].text)), dtype=torch.float64)
    shares.index_add_(0, hook.node, hook.share)
    inside = int(batch.pieces.in_text.sum())
    assert float(shares.sum()) == pytest.approx(inside)
    np.testing.assert_allclose(shares.numpy(), [2, 1, 1])
