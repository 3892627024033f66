"""BiLSTM-CRF over words: what it reads, against loops, and that no span cuts a word, whatever the text."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.encoders.vocabulary import folded_rows
from core.inspection.sentence.attribution import integrated_gradients
from core.inspection.sentence.crf_paths import crf_paths, rivals
from core.inspection.sentence.evidence import find_evidence
from core.inspection.sentence.occlusion import masked, occlude
from core.taggers.base.config_fields import ConfigError, config_from_settings
from core.taggers.base.model_folder import load_tagger, read_header
from core.taggers.base.tagger import Resources
from core.taggers.base.tagging import tag
from core.taggers.bilstm_crf import BiLstmCrf, BiLstmCrfConfig
from core.taggers.sequence.spellings import shape_of
from core.taggers.span.config import SpanConfig
from core.text import Document, Span
from core.text.units import in_units, words
from tests.taggers.small_flat import train
from tests.taggers.small_taggers import small_tagger
from tests.text.test_units import TEXTS

LABELS = ("LOC", "ORG", "PER")
TEXT = "Microsoft's Lin O'Neill  hired Wei-Na in São Paulo."
DOCUMENTS = (
    Document("1", TEXT, (Span(0, 9, "ORG"), Span(12, 23, "PER"), Span(31, 37, "PER"), Span(41, 50, "LOC"))),
    Document("2", "Lin left Qinghe", (Span(0, 3, "PER"), Span(9, 15, "LOC"))),
    Document("3", "Nobody came."),
)
BLANK = Document("blank", " \r\n\u3000")
SMALL = {"hidden": 6, "word_dim": 5, "char_dim": 4, "char_view_dim": 6, "shape_dim": 3}


def small(seed=0, documents=DOCUMENTS, **options):
    torch.manual_seed(seed)
    config = BiLstmCrfConfig(**{**SMALL, **options})
    return BiLstmCrf.build(config, LABELS, Resources(documents))


@pytest.fixture(scope="module")
def learned():
    return train(small(hidden=20), DOCUMENTS, 80)


def keys(documents):
    return [[span.key for span in document.spans] for document in documents]


def test_auto_reads_words_of_english_and_is_saved_as_what_it_chose(tmp_path):
    tagger = small()
    assert tagger.config.unit == "word"
    tagger.save(tmp_path)
    header = read_header(tmp_path)
    assert header.config["unit"] == "word"
    assert "unit" not in header.changed(), "a form shows what was given, which is auto"
    assert load_tagger(tmp_path).given == {"unit": "auto", "char_vectors": "auto"}
    small(unit="character").save(tmp_path)
    assert read_header(tmp_path).changed()["unit"] == "character"
    assert small_tagger("bilstm_crf").config.unit == "character"
    assert small(unit="character").units(Document("1", "ab c")).name == "character"


def test_it_learns_what_it_is_shown(learned):
    assert keys(tag(learned, DOCUMENTS)) == keys(DOCUMENTS)


@pytest.mark.parametrize("options", [{}, {"char_view": "lstm"}, {"char_view": "none", "shape_dim": 0}])
def test_it_answers_the_same_after_saving_and_loading(options, tmp_path):
    tagger = train(small(**options), DOCUMENTS, 10)
    tagger.save(tmp_path)
    loaded = load_tagger(tmp_path)
    texts = [*DOCUMENTS, BLANK, Document("empty", ""), Document("long", TEXT * 30)]
    assert tag(loaded, texts) == tag(tagger, texts)
    for name, value in tagger.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value)


def test_the_vector_of_a_word_by_hand():
    tagger = small().eval()
    batch = tagger.collate(DOCUMENTS[:2])
    characters, shapes = tagger.characters, tagger.shapes
    convolution = tagger.reader.view.convolutions[0]
    found = tagger.input_vectors(batch)
    for row, document in enumerate(DOCUMENTS[:2]):
        for at, word in enumerate(words(document.text).surfaces(document.text)):
            own = tagger.tokens.table.weight[folded_rows(tagger.tokens.vocabulary, [word])[0]]
            letters = [characters.table.weight[r] for r in characters.vocabulary.rows(word)]
            nothing = [torch.zeros(4)] * 3
            line = [*nothing[:2], *letters, *nothing]
            places = [
                sum(convolution.weight[:, :, k] @ line[start + k] for k in range(3)) + convolution.bias
                for start in range(len(line) - 2)
            ]
            view = torch.stack(places).amax(0).relu()
            shape = shapes.table.weight[shapes.vocabulary.rows([shape_of(word)])[0]]
            torch.testing.assert_close(found[row, at], torch.cat([own, view, shape]))


def test_the_loss_by_enumerating_all_paths_of_words():
    tagger = small(head="crf").eval()
    document = DOCUMENTS[1]
    batch = tagger.collate([document])
    emissions = tagger.emissions(batch)[0]
    gold = ["S-PER", "O", "S-LOC"]
    scores = {}
    for path in itertools.product(range(len(tagger.decoder.tags)), repeat=3):
        score = tagger.crf.start_transitions[path[0]] + tagger.crf.end_transitions[path[-1]]
        score = score + sum(emissions[at, tag] for at, tag in enumerate(path))
        score = score + sum(tagger.crf.transitions[a, b] for a, b in itertools.pairwise(path))
        scores[tuple(tagger.decoder.tags[tag] for tag in path)] = score
    expected = torch.logsumexp(torch.stack(list(scores.values())), 0) - scores[tuple(gold)]
    torch.testing.assert_close(tagger.loss(batch), expected, atol=1e-4, rtol=1e-4)


def test_padding_changes_nothing(learned):
    texts = [*DOCUMENTS, BLANK, Document("empty", ""), Document("odd", "Pneumonoultramicroscopic x")]
    together = tag(learned, texts, budget=100_000)
    alone = [tag(learned, [document])[0] for document in texts]
    assert keys(together) == keys(alone)
    losses = [learned.loss(learned.collate([document])).item() for document in DOCUMENTS]
    assert learned.loss(learned.collate(DOCUMENTS)).item() == pytest.approx(np.mean(losses), abs=1e-4)


@pytest.fixture(scope="module")
def eager():
    """A tagger that finds much, and what it finds is as good as random."""
    tagger = small(seed=4, constrained=True).eval()
    with torch.no_grad():
        tagger.emission.bias[0] = -3.0
        tagger.emission.weight.normal_(0.0, 4.0)
    return tagger


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_no_prediction_cuts_a_word(eager, texts):
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    for document in tag(eager, documents):
        units = words(document.text)
        for span in document.spans:
            assert units.exactly(span) is not None
            assert 0.0 <= span.score <= 1.0


@given(st.lists(TEXTS, min_size=20, max_size=60))
def test_no_prediction_cuts_a_word_of_a_long_text(eager, pieces):
    text = "".join(pieces) * 4
    (found,) = tag(eager, [Document("long", text)])
    assert all(words(text).exactly(span) is not None for span in found.spans)


def test_gold_spans_inside_words_are_widened_and_told():
    documents = [
        Document("1", "Newyorkers came.", (Span(0, 7, "LOC"),)),
        Document("2", "In Paris now", (Span(2, 8, "LOC"),)),
        Document("3", "Lin  left", (Span(3, 5, "PER"),)),
    ]
    tagger = small(documents=documents, unit="word")
    batch = tagger.collate(documents)
    assert [tagger.decoder.tags[tag] for tag in batch.tags[:, 0]] == ["S-LOC", "O", "O"]
    assert tagger.decoder.tags[batch.tags[1, 1]] == "S-LOC"
    notes = [str(note) for note in tagger.notes(documents)]
    assert notes[0].startswith("Words are tagged")
    assert notes[1].startswith("2 of the 3 training spans begin or end inside a word")
    assert "1 are left out" in notes[1]
    assert len(small().notes(DOCUMENTS)) == 1
    assert small_tagger("bilstm_crf").notes(documents) == ()


def test_a_partly_annotated_text_teaches_only_whole_words():
    text = "Lin left Qinghe today"
    document = Document("1", text, (Span(9, 15, "LOC"),), {"annotated_regions": [[0, 6]]})
    batch = small().collate([document])
    # "left" is annotated by half; "Qinghe" is under a span.
    assert batch.labelled.tolist() == [[True, False, True, False]]


def test_a_trace_has_words_with_offsets(learned):
    trace, blank = learned.trace(learned.collate([DOCUMENTS[0], BLANK]))
    assert trace.tokens == words(TEXT).surfaces(TEXT)
    assert trace.places == words(TEXT)
    assert len(trace.crf.emissions) == len(trace.crf.path) == len(trace.tokens)
    np.testing.assert_allclose(trace.crf.marginals.sum(-1), 1.0, atol=1e-3)
    assert [span.key for span in trace.spans] == [span.key for span in DOCUMENTS[0].spans]
    assert (blank.tokens, blank.spans) == ((), ())


def test_paths_and_rivals_have_spans_of_the_text(learned):
    (trace,) = learned.trace(learned.collate(DOCUMENTS[:1]))
    span = trace.spans[1]
    found = crf_paths(trace.crf, span, 5, trace.units)
    assert [s.key for s in found.best[0].spans] == [s.key for s in trace.spans]
    assert span.key in {s.key for s in found.margin.held.spans}
    assert span.key not in {s.key for s in found.margin.other.spans}
    assert rivals(trace.crf, span, 3, trace.units)[0].spans == found.margin.held.spans
    cut = Span(span.start + 1, span.end, span.label)
    assert crf_paths(trace.crf, cut, 5, trace.units).margin is None
    assert rivals(trace.crf, cut, 3, trace.units) == ()


def test_probabilities_of_spans_by_those_predicted(learned):
    batch = learned.collate([DOCUMENTS[0], DOCUMENTS[1]])
    with torch.no_grad():
        decoded, weights = learned.decode_and_score(batch, [Span(0, 3, "PER"), Span(9, 15, "LOC")])
    predicted = {span.key: span.score for span in decoded[1]}
    assert weights[1].tolist() == pytest.approx([predicted[0, 3, "PER"], predicted[9, 15, "LOC"]], abs=1e-5)
    # In the first text one of them cuts a word.
    assert weights[0, 0] == 0.0 < weights[0, 1]
    with pytest.raises(ValueError, match="begin and end with a word"):
        learned.span_log_probability(learned.collate([DOCUMENTS[0]]), Span(0, 3, "PER"))


def test_evidence_has_a_share_for_each_word(learned):
    (trace,) = learned.trace(learned.collate(DOCUMENTS[:1]))
    span = trace.spans[1]
    found = integrated_gradients(learned, TEXT, span)
    assert found.tokens.shape == (len(trace.tokens),)
    assert found.is_complete
    for method in ("gradients", "occlusion"):
        evidence = find_evidence(learned, trace, span, method)
        assert len(evidence.shading) == len(TEXT)
        assert len(set(evidence.shading[12:15])) == 1, "all letters of Lin have the colour of the word"
        assert evidence.shading[23] == evidence.shading[24] == 0.0, "blanks have none"
        assert {item.surface for item in evidence.items} & set(trace.tokens)


def test_a_covered_word_stays_one_word(learned):
    units = learned.units(Document("1", TEXT))
    for at in range(len(units)):
        hidden = masked(learned, TEXT, units, [at])
        assert len(hidden) == len(TEXT)
        assert len(learned.units(Document("1", hidden))) == len(units) or units.surfaces(TEXT)[at] == "'s"
    rows = occlude(learned, TEXT, Span(12, 23, "PER", 0.9))
    places = list(zip(units.starts, units.ends, strict=True))
    pairs = [(a[0], b[1]) for a, b in itertools.pairwise(places)]
    assert [(row.start, row.end) for row in rows] == places + pairs


def test_states_of_words_lie_on_their_characters(learned):
    layers = learned.layer_states(learned.collate([DOCUMENTS[0], BLANK]))
    assert [layer.name for layer in layers] == ["embeddings", "context"]
    context = layers[-1].states
    assert context.shape[:2] == (2, len(TEXT))
    encoded = learned.encode(learned.collate(DOCUMENTS[:1])).hidden[0]
    for at, unit in enumerate(words(TEXT).owners()):
        expected = encoded[unit] if unit >= 0 else torch.zeros(context.shape[2])
        torch.testing.assert_close(context[0, at], expected, atol=1e-5, rtol=1e-5)
    (only,) = learned.layer_states(learned.collate([BLANK]))
    assert only.states.shape[:2] == (1, len(BLANK.text))


def test_gradients_reach_every_parameter():
    tagger = small().train()
    reached = set()
    for _ in range(6):  # dropout may hide a parameter once
        tagger.zero_grad()
        tagger.loss(tagger.collate(DOCUMENTS)).backward()
        reached |= {n for n, p in tagger.named_parameters() if p.grad is not None and p.grad.any()}
    assert {n for n, p in tagger.named_parameters() if p.requires_grad} - reached == set()
    assert tagger.shapes.table.weight not in set(tagger.embedding_weights())


def test_words_learn_faster_than_characters():
    """All groups alike, the CRF's too: a rate of 3 is a training's learning rate times 3."""
    over_words = [group["lr_scale"] for group in small(word_rate=3.0).parameter_groups()]
    plain = [group["lr_scale"] for group in small(word_rate=1.0).parameter_groups()]
    assert over_words == [3.0 * scale for scale in plain]
    assert min(g["lr_scale"] for g in small(unit="character", word_rate=3.0).parameter_groups()) == 1.0


def test_a_batch_costs_what_it_has_words():
    tagger = small()
    assert tagger.cost(DOCUMENTS[1]) == 3
    assert tagger.collate(DOCUMENTS).mask.shape == (3, len(words(TEXT)))


def test_vectors_of_another_dimension_set_the_width(tmp_path):
    file = tmp_path / "words.vec"
    file.write_text("2 3\nLin 1 2 3\nParis 1 1 1\n", encoding="utf-8")
    tagger = small(word_vectors=str(file))
    assert tagger.tokens.dimension == 3
    assert "Paris" in tagger.tokens.vocabulary
    tagger.save(tmp_path / "model")
    assert load_tagger(tmp_path / "model").tokens.dimension == 3


def test_a_missing_or_broken_file_of_vectors_is_refused_by_name(tmp_path):
    with pytest.raises(ConfigError, match="word_vectors: there is no file"):
        BiLstmCrf.check_config(BiLstmCrfConfig(word_vectors=str(tmp_path / "none.vec")))
    (tmp_path / "bad.vec").write_text("Lin 1 2\nParis 1 x\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.vec, line 2"):
        small(word_vectors=str(tmp_path / "bad.vec"))


def test_another_tagger_over_it_reads_characters():
    span = small_tagger("span", documents=DOCUMENTS)
    assert span.encoder.units(Document("1", "ab")).name == "character"
    with pytest.raises(ConfigError, match="unit belongs to the tag layer"):
        _ = SpanConfig(over="bilstm_crf", over_options="unit=word").encoder_choice


def test_an_unknown_unit_is_refused():
    with pytest.raises(ConfigError, match="unit"):
        config_from_settings(BiLstmCrfConfig, {"unit": "sentence"})


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("Paris", "Xx"),
        ("McDonald", "XxXx"),
        ("U.S", "X.X"),
        ("1,000", "0,0"),
        ("iPhone4", "xXx0"),
        ("東京", "x"),
    ],
)
def test_the_shape_of_a_word(word, shape):
    assert shape_of(word) == shape


@given(TEXTS, st.data())
@settings(deadline=None)
def test_tags_read_back_are_the_spans_on_word_edges(text, data):
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    document = Document("1", text, (Span(start, data.draw(st.integers(start + 1, len(text))), "PER"),))
    tagger = _CACHED
    units = words(text)
    rows = tagger.decoder.encode(in_units(units, document.spans)[0], len(units))
    read = [units.in_text(span) for span in tagger.decoder.read(rows)]
    expected = units.touched(document.spans[0])
    assert read == ([] if expected is None else [units.in_text(expected)])


_CACHED = small()
