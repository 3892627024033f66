"""The span tagger: its loss and probabilities against loops, nesting, padding, encoders, calibration."""

import json
import math

import numpy as np
import pytest
import torch

from core.layers.span_scores.biaffine import Biaffine
from core.taggers.base.calibration import UNCHANGED, Calibration, Scaling
from core.taggers.base.config_fields import ConfigError, config_fields, config_from_settings
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Resources
from core.taggers.base.tagging import tag
from core.taggers.sequence.encoder_choice import sequence_taggers
from core.taggers.span.config import SpanConfig
from core.taggers.span.tagger import MOST_PER_CHARACTER, SpanTagger
from core.text import Document, Span
from core.text.scoring import score_documents
from tests.sweep import sweep
from tests.taggers.small_flat import DOCUMENTS, LABELS, LEXICON, WITH_TEXT, train
from tests.taggers.small_taggers import OPTIONS, small_tagger
from tests.taggers.tiny_bert import tiny_bert

SCORERS = ("global_pointer", "biaffine")
OVER = sequence_taggers()


def alone(documents):
    return [document.with_spans(()) for document in documents]


def over(name):
    """A span tagger over the small tagger of this name."""
    torch.manual_seed(0)
    given = {key: value() if callable(value) else value for key, value in OPTIONS[name].items()}
    config = SpanConfig(over=name, over_options=json.dumps(given), head_width=8, decoding="nested")
    return SpanTagger.build(config, LABELS, Resources(DOCUMENTS, LEXICON))


@pytest.mark.parametrize("scorer", sweep(SCORERS, ["global_pointer"]))
def test_it_learns_a_nested_corpus_by_heart(scorer):
    tagger = train(small_tagger("span", scorer=scorer, embedding_dropout=0.1), WITH_TEXT, 150)
    assert tagger.config.decoding == "learned"
    assert isinstance(tagger.scorer, Biaffine) == (scorer == "biaffine")
    assert score_documents(DOCUMENTS, tag(tagger, alone(DOCUMENTS))).micro.f1 == 1.0


@pytest.mark.parametrize("scorer", SCORERS)
def test_the_loss_is_that_of_the_equation_for_each_label_and_start(scorer):
    tagger = small_tagger("span", scorer=scorer).double().eval()
    batch = tagger.collate(DOCUMENTS)
    scores = tagger.scores(batch).scores
    loss = 0.0
    for row, document in enumerate(DOCUMENTS):
        gold = {span.key for span in document.spans}
        for k, label in enumerate(LABELS):
            for start in range(len(document.text)):
                sums = {True: 1.0, False: 1.0}
                for end in range(start + 1, len(document.text) + 1):
                    score = float(scores.detach()[row, k, start, end - start - 1])
                    right = (start, end, label) in gold
                    sums[right] += math.exp(-score if right else score)
                loss += math.log(sums[True]) + math.log(sums[False])
    assert tagger.loss(batch).item() == pytest.approx(loss / len(LABELS) / len(DOCUMENTS))


@pytest.mark.parametrize("scorer", SCORERS)
def test_every_gold_span_of_a_sentence_is_learned_from_as_if_it_were_alone(scorer):
    tagger = small_tagger("span", scorer=scorer).eval()
    text = DOCUMENTS[0].text
    spans = (Span(0, 2, "LOC"), Span(3, 5, "LOC"), Span(6, 7, "LOC"))
    scores = tagger.scores(tagger.collate([Document("1", text, spans)]))
    scores.scores.retain_grad()
    tagger._loss(scores, tagger.collate([Document("1", text, spans)])).backward()
    pulls = [scores.scores.grad[0, LABELS.index("LOC"), span.start, len(span) - 1] for span in spans]
    # A fresh tagger is nearly sure that it is none: each pulls with all its weight.
    assert torch.stack(pulls) * len(LABELS) == pytest.approx(-1.0, abs=0.1)


def test_a_span_that_may_or_may_not_be_is_not_learned_from():
    tagger = small_tagger("span").eval()
    text = DOCUMENTS[0].text
    regions = {"annotated_regions": [[0, 4]]}
    batch = tagger.collate([Document("1", text, (Span(4, 6, "LOC"),), regions)])
    decisions = tagger.token_scores(batch)
    known = {tuple(place) for place in decisions.mask[0].nonzero().tolist()}
    inside = {(k, i, o) for k in range(3) for i in range(4) for o in range(4 - i)}
    assert known == inside | {(LABELS.index("LOC"), 4, 1)}
    assert decisions.gold.sum() == 1


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("longest", [0, 3])
def test_scores_do_not_depend_on_the_rest_of_the_batch(scorer, longest):
    tagger = small_tagger("span", scorer=scorer, longest_span=longest).eval()
    together = tagger.scores(tagger.collate(WITH_TEXT))
    for row, document in enumerate(WITH_TEXT):
        single = tagger.scores(tagger.collate([document]))
        length, width = single.scores.shape[2:]
        assert torch.equal(together.mask[row, :length, :width], single.mask[0])
        assert together.mask[row].sum() == single.mask.sum()
        chosen = single.mask[0].expand(len(LABELS), -1, -1)
        torch.testing.assert_close(
            together.scores[row, :, :length, :width][chosen], single.scores[0][chosen], atol=1e-5, rtol=1e-5
        )


@pytest.mark.exhaustive
def test_with_a_longest_span_wider_ones_are_neither_learned_nor_predicted_but_have_a_probability():
    free = train(small_tagger("span"), WITH_TEXT, 150)
    narrow = small_tagger("span", longest_span=3)
    narrow.load_state_dict(free.state_dict())
    narrow.eval()
    (found,) = tag(narrow, alone(DOCUMENTS[:1]))
    assert {span.key for span in found.spans} == {(0, 3, "PER"), (4, 6, "LOC")}
    batch, wide = narrow.collate(DOCUMENTS[:1]), Span(4, 8, "ORG")
    assert narrow.scores(batch).gold(batch.spans).sum() == 2
    torch.testing.assert_close(
        narrow.span_log_probability(batch, wide), free.span_log_probability(batch, wide), atol=1e-6, rtol=1e-5
    )
    decoded, weights = narrow.decode_and_score(batch, [wide])
    assert [span.key for span in decoded[0]] == [span.key for span in found.spans]
    assert weights[0, 0] > 0.5


def test_a_probability_is_the_sigmoid_of_the_calibrated_score():
    tagger = train(small_tagger("span"), WITH_TEXT, 40)
    scalings = {label: Scaling(2.5 + row, -0.7 - row) for row, label in enumerate(LABELS)}
    tagger.calibration = Calibration(own=scalings)
    batch = tagger.collate(DOCUMENTS[:1])
    scores = tagger.scores(batch).scores
    table = tagger.trace(batch)[0].span_scores
    assert table.scalings == tuple(scalings.values())
    assert table.thresholds[0] == pytest.approx(1 / (1 + math.exp(0.7))), "what a score of 0 stands for"
    for label in range(3):
        matrix = table.matrix(label)
        assert matrix.shape == (10, 10)
        for start in range(10):
            assert np.isnan(matrix[start, :start]).all()
            for end in range(start, 10):
                score = float(scores.detach()[0, label, start, end - start])
                expected = 1 / (1 + math.exp(-score / (2.5 + label) + 0.7 + label))
                assert matrix[start, end] == pytest.approx(expected, abs=1e-5)
                span = Span(start, end + 1, LABELS[label])
                told = tagger.span_log_probability(batch, span).exp().item()
                assert told == pytest.approx(expected, abs=1e-5)


def test_calibration_changes_confidence_and_no_prediction(tmp_path):
    tagger = train(small_tagger("span"), WITH_TEXT, 40)  # it still predicts much that is wrong
    before = tag(tagger, alone(DOCUMENTS))
    tagger.calibrate([tagger.collate(WITH_TEXT * 8)])
    after = tag(tagger, alone(DOCUMENTS))
    assert tagger.calibration.common != UNCHANGED
    assert [[s.key for s in d.spans] for d in after] == [[s.key for s in d.spans] for d in before]
    assert any(a.spans for a in after)
    assert [s.score for d in after for s in d.spans] != [s.score for d in before for s in d.spans]
    tagger.save(tmp_path / "model")
    assert tag(load_tagger(tmp_path / "model"), alone(DOCUMENTS)) == after


def test_a_threshold_is_a_calibrated_probability():
    tagger = train(small_tagger("span", threshold=0.4, decoding="nested"), WITH_TEXT, 60)
    tagger.calibration = Calibration(Scaling(2.0, 1.5))
    batch = tagger.collate(WITH_TEXT)
    scores = tagger.scores(batch)
    likely = (scores.scores / 2 + 1.5).sigmoid() > 0.4
    expected = int((likely & scores.mask[:, None]).sum())
    spans = [span for spans in tagger.decode(batch) for span in spans]
    assert len(spans) == expected > 0
    assert min(span.score for span in spans) > 0.4


def test_spans_lie_side_by_side_where_those_of_the_training_do():
    flat = [document.with_spans(document.spans[:1]) for document in DOCUMENTS]
    tagger = small_tagger("span", documents=flat)
    assert (tagger.config.decoding, tagger.supports_nested) == ("flat", False)
    assert SpanTagger.supports_nested, "it can learn nested spans"
    nested = train(small_tagger("span"), WITH_TEXT, 150)
    for decoding, expected in (
        ("flat", 1),
        ("flat_greedy", 1),
        ("no_crossing", 2),
        ("nested", 2),
        ("learned", 2),
    ):
        other = small_tagger("span", decoding=decoding)
        other.load_state_dict(nested.state_dict())
        (found,) = tag(other.eval(), alone(DOCUMENTS[:1]))
        assert len([span for span in found.spans if span.start == 4]) == expected, decoding


def test_a_tagger_that_sees_spans_everywhere_predicts_a_bounded_number():
    tagger = small_tagger("span", decoding="nested").eval()
    torch.nn.init.constant_(tagger.scorer.end_score.bias, 9.0)
    spans = tagger.decode(tagger.collate([Document("x", "清河大学" * 20)]))[0]
    assert len(spans) == MOST_PER_CHARACTER * 80


@pytest.mark.parametrize("name", sweep(OVER, ["bert", "flat"]))
def test_it_reads_with_the_encoder_of_any_sequence_tagger(name, tmp_path):
    tagger = train(over(name), WITH_TEXT, 80)
    assert type(tagger.encoder) is by_name(name)
    found = tag(tagger, alone(DOCUMENTS))
    assert any(document.spans for document in found)
    tagger.save(tmp_path / "model")
    assert tag(load_tagger(tmp_path / "model"), alone(DOCUMENTS)) == found


def test_a_transformer_alone_chooses_bert_under_a_bilstm_and_none_a_bilstm():
    assert SpanConfig().encoder_choice.tagger is by_name("bilstm_crf")
    config = SpanConfig(encoder=tiny_bert(), layer_mix="scalar_mix", encoder_rate=0.5)
    choice = config.encoder_choice
    assert choice.tagger is by_name("bert")
    assert (choice.config.layer_mix, choice.config.encoder_rate) == ("scalar_mix", 0.5)
    assert choice.config.top == "bilstm"
    assert SpanConfig(encoder=tiny_bert(), over="bert").encoder_choice.config.top == "none"
    assert SpanConfig(encoder=tiny_bert(), over_options="top=none").encoder_choice.config.top == "none"
    assert config.inner_configs() == (choice.config,)
    tagger = SpanTagger.build(config, LABELS, Resources(DOCUMENTS))
    assert tagger.mixes()
    assert {group["lr_scale"] for group in tagger.parameter_groups()} == {1.0, 0.5}
    flat = SpanConfig(over="flat", encoder=tiny_bert(), char_dim=7, over_options="layers=2")
    assert (flat.encoder_choice.config.char_dim, flat.encoder_choice.config.layers) == (7, 2)
    assert SpanTagger.reads_lexicon(flat)


def test_where_word_pieces_are_read_a_span_cuts_none_of_them():
    tagger = SpanTagger.build(SpanConfig(encoder=tiny_bert()), LABELS, Resources(DOCUMENTS)).eval()
    batch = tagger.collate([Document("x", "林 university", (Span(2, 5, "ORG"),))])
    starts = [at for at, yes in enumerate(batch.starts[0].tolist()) if yes]
    ends = [at for at, yes in enumerate(batch.ends[0].tolist()) if yes]
    assert 3 not in starts
    assert batch.spans.tolist() == [[LABELS.index("ORG"), 2, min(end for end in ends if end >= 4)]]
    table = tagger.trace(batch)[0].span_scores.matrix(0)
    finite = {tuple(place) for place in np.argwhere(~np.isnan(table)).tolist()}
    assert finite == {(i, j) for i in starts for j in ends if i <= j}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"head_width": "7"}, "head_width: 7 is odd"),
        ({"encoder": "somewhere", "over": "bilstm_crf"}, "encoder: bilstm_crf has no such option"),
        ({"char_dim": "9", "over": "bert"}, "char_dim: bert has no such option"),
        ({"over_options": "head=softmax"}, "over_options: head belongs to the tag layer of bilstm_crf"),
        ({"over_options": "colour=red"}, "over_options: bilstm_crf has no option 'colour'"),
        ({"over": "span"}, "over: 'span' does not fit"),
        ({"scorer": "none"}, "scorer: 'none' does not fit"),
    ],
)
def test_options_that_do_not_fit_are_refused_with_the_way_out(settings, message):
    with pytest.raises(ConfigError, match=message):
        config_from_settings(SpanConfig, settings)


def test_every_option_says_what_it_does():
    assert all(field.help for field in config_fields(SpanConfig))


def test_without_a_label_there_is_nothing_to_build():
    with pytest.raises(ConfigError, match="at least one label"):
        SpanTagger.build(SpanConfig(), (), Resources(DOCUMENTS))
