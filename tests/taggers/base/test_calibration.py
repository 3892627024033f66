"""Calibration: its fit against grids of numbers, its order, and that no tagger predicts other spans by it."""

import json
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.taggers.base import calibration
from core.taggers.base.calibration import (
    FEWEST,
    FEWEST_OF_LABEL,
    LEAST,
    MOST,
    PRIOR,
    UNCHANGED,
    Calibration,
    Judged,
    Scaling,
    fit,
    fit_scaling,
)
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import ModelFolderError
from core.taggers.base.tagging import tag
from core.text import Document, Span
from tests.sweep import sweep
from tests.taggers.small_flat import DOCUMENTS, LABELS, WITH_TEXT
from tests.taggers.small_taggers import OPTIONS, learned_tagger, small_tagger

NAMES = sweep(tuple(sorted(OPTIONS)), ["bilstm_crf", "dictionary", "pu", "span"])
SOME = Calibration(Scaling(2.0, -0.5), {"LOC": Scaling(1.5, 0.8)}, 99)


def naive_loss(odds, right, temperature, shift, expected=None):
    """The negative log-likelihood of Platt's targets, a span at a time, with the prior on slope and shift."""
    positive = sum(right)
    yes, no = (positive + 1) / (positive + 2), 1 / (len(right) - positive + 2)
    total = 0.0
    for value, is_right in zip(odds, right, strict=True):
        odds_of_it = value / temperature + shift
        target = yes if is_right else no
        # -log sigmoid(z) = log(1 + e^-z), and -log(1 - sigmoid(z)) = log(1 + e^z).
        total += target * math.log1p(math.exp(-odds_of_it)) + (1 - target) * math.log1p(math.exp(odds_of_it))
    if expected is not None:
        total += PRIOR / 2 * (1 / temperature - 1 / expected.temperature) ** 2
        total += PRIOR / 2 * (shift - expected.shift) ** 2
    return total


def drawn(count, temperature, shift, seed=0):
    """Log-odds, and verdicts drawn as if this scaling were the truth."""
    generator = torch.Generator().manual_seed(seed)
    odds = 4 * torch.randn(count, generator=generator)
    return odds, torch.rand(count, generator=generator) < (odds / temperature + shift).sigmoid()


@pytest.mark.parametrize(("temperature", "shift"), [(3.0, -1.0), (0.5, 0.6), (1.0, 0.0)])
def test_temperature_and_shift_are_the_likeliest_of_a_grid(temperature, shift):
    odds, right = drawn(600, temperature, shift)
    found = fit_scaling(odds, right)
    pairs = odds.tolist(), right.tolist()
    least = min(
        naive_loss(*pairs, t, c) for t in np.geomspace(0.3, 5, 60) for c in np.linspace(-1.5, 1.5, 31)
    )
    assert naive_loss(*pairs, *found) <= least + 1e-6
    assert found.temperature == pytest.approx(temperature, rel=0.35)
    assert found.shift == pytest.approx(shift, abs=0.4)


@pytest.mark.parametrize("count", [3, 60])
def test_a_label_is_expected_where_all_are_the_less_the_more_it_has(count):
    common = Scaling(2.0, 0.5)
    odds, right = drawn(count, 1.0, -1.0, seed=3)
    found = fit_scaling(odds, right, common)
    pairs = odds.tolist(), right.tolist()
    least = min(
        naive_loss(*pairs, t, c, common) for t in np.geomspace(0.3, 6, 60) for c in np.linspace(-2, 2, 41)
    )
    assert naive_loss(*pairs, *found, common) <= least + 1e-6


def test_only_labels_with_enough_spans_have_their_own():
    odds, right = drawn(3 * FEWEST_OF_LABEL, 2.0, 0.0)
    labels = torch.zeros(len(odds)).long()
    labels[-FEWEST_OF_LABEL:] = 1
    labels[0] = 2
    found = fit([Judged(odds[:7], labels[:7], right[:7]), Judged(odds[7:], labels[7:], right[7:])], LABELS)
    assert found.spans == len(odds)
    assert set(found.own) == set(LABELS[:2])
    assert found.of(LABELS[2]) == found.common == fit_scaling(odds, right)
    fewer = fit([Judged(odds[labels == 1][1:], labels[labels == 1][1:], right[labels == 1][1:])], LABELS)
    assert fewer.own == {}
    assert fewer.common != UNCHANGED


def test_few_or_perfect_spans_say_nothing():
    odds = torch.linspace(-1, 1, 60)
    mixed = torch.arange(60) % 2 > 0
    assert fit_scaling(odds[: FEWEST - 1], mixed[: FEWEST - 1]) == UNCHANGED
    assert fit_scaling(odds, odds > 0) == UNCHANGED
    assert fit([], LABELS) == Calibration()
    few = Judged(odds[:5], torch.zeros(5).long(), mixed[:5])
    assert fit([few], LABELS) == Calibration(spans=5)
    perfect = Judged(odds, torch.zeros(60).long(), odds > 0)
    assert fit([perfect], LABELS) == Calibration(spans=60), "nor of a label"


def test_odds_that_are_no_numbers_are_left_out():
    odds, right = drawn(90, 2.0, 0.5)
    labels = torch.zeros(len(odds)).long()
    spoilt = torch.cat([odds, torch.tensor([math.nan, math.inf, -math.inf])])
    found = fit([Judged(spoilt, torch.zeros(93).long(), torch.cat([right, torch.ones(3).bool()]))], LABELS)
    assert found == fit([Judged(odds, labels, right)], LABELS)
    assert found.spans == 90


def test_scores_that_say_nothing_become_the_share_of_right_spans():
    odds = torch.linspace(-3, 3, 400)
    right = (torch.arange(400) % 4 > 0) & (odds < 2.4)  # the surest are wrong
    found = fit_scaling(odds, right)
    assert found.temperature == MOST, "never the other way round"
    least = min(naive_loss(odds.tolist(), right.tolist(), MOST, c) for c in np.linspace(-1, 2, 601))
    assert naive_loss(odds.tolist(), right.tolist(), *found) <= least + 1e-4
    confidence = (odds / found.temperature + found.shift).sigmoid().mean()
    assert float(confidence) == pytest.approx(float(right.float().mean()), abs=0.01)


@given(
    st.lists(st.tuples(st.floats(-30, 30), st.booleans()), min_size=1, max_size=80),
    st.sampled_from([None, UNCHANGED, Scaling(3.0, -2.0)]),
    st.lists(st.floats(0, 1), min_size=2, max_size=20),
)
def test_within_a_label_the_order_stays(found, expected, raw):
    odds, right = (torch.tensor(part) for part in zip(*found, strict=True))
    scaling = fit_scaling(odds.float(), right, expected)
    assert LEAST <= scaling.temperature <= MOST
    one = Calibration(own={"PER": scaling})
    spans = one.scaled(Span(0, 1, "PER", score) for score in sorted(raw))
    scores = [span.score for span in spans]
    assert scores == sorted(scores)
    assert all(0 <= score <= 1 for score in scores)
    columns = one.probabilities(torch.tensor([sorted(raw)], dtype=torch.float64).T, ["PER"])
    np.testing.assert_allclose(columns[:, 0], scores, atol=1e-9)


def test_a_probability_by_hand():
    # log-odds of 0.8 are log 4; halved log 2, less 0.5.
    (span,) = SOME.scaled([Span(0, 2, "PER", 0.8)])
    assert span.score == pytest.approx(1 / (1 + math.exp(0.5) / 2))
    (own,) = SOME.scaled([Span(0, 2, "LOC", 0.8)])
    assert own.score == pytest.approx(1 / (1 + math.exp(-math.log(4) / 1.5 - 0.8)))
    assert Calibration().scaled([own]) == [own]
    assert SOME.scaled([Span(0, 1, "LOC")]) == [Span(0, 1, "LOC")], "without a score there is none"


@pytest.mark.parametrize("name", NAMES)
def test_no_tagger_predicts_other_spans_and_all_its_answers_agree(name, tmp_path):
    tagger = learned_tagger(name)
    before = tag(tagger, WITH_TEXT)
    tagger.calibration = SOME
    after = tag(tagger, WITH_TEXT)
    assert [[s.key for s in d.spans] for d in after] == [[s.key for s in d.spans] for d in before]
    assert any(document.spans for document in after)
    raw = [span for document in before for span in document.spans]
    if name != "span":  # which knows log-odds beyond any probability
        expected = [span.score for span in SOME.scaled(raw)]
        found = [span.score for document in after for span in document.spans]
        np.testing.assert_allclose(found, expected, atol=1e-5)
    batch = tagger.collate(WITH_TEXT[:1])
    (spans,) = tagger.decode(batch)
    np.testing.assert_allclose(
        [span.score for span in tagger.trace(batch)[0].spans], [span.score for span in spans], atol=1e-6
    )
    if tagger.has_span_probabilities:
        others = [*spans, Span(0, 2, LABELS[0]), Span(0, 2, LABELS[1])]
        _, weights = tagger.decode_and_score(batch, others)
        logs = [tagger.span_log_probability(batch, span).item() for span in others]
        np.testing.assert_allclose(weights[0].detach(), np.exp(logs), atol=1e-4)
        np.testing.assert_allclose([s.score for s in spans], np.exp(logs[: len(spans)]), atol=1e-4)
    tagger.save(tmp_path / "model")
    loaded = load_tagger(tmp_path / "model")
    assert loaded.calibration == SOME
    assert tag(loaded, WITH_TEXT) == after


@pytest.mark.parametrize("name", NAMES)
def test_calibrating_makes_what_is_right_likelier(name):
    tagger = learned_tagger(name)
    doubted = [document.with_spans(document.spans[:1]) for document in WITH_TEXT]
    batches = [tagger.collate([*WITH_TEXT, *doubted]) for _ in range(8)]

    def loss():
        return -sum(
            math.log(max(span.score if span.key in gold else 1 - span.score, 1e-6))
            for batch in batches
            for document, spans in zip(batch.documents, tagger.decode(batch), strict=True)
            for gold in [{span.key for span in document.spans}]
            for span in spans
        )

    before = loss()
    tagger.calibrate(batches)
    assert tagger.calibration.spans >= FEWEST
    assert tagger.calibration.common != UNCHANGED
    assert loss() < before
    tagger.calibrate([])
    assert tagger.calibration == Calibration(), "without dev documents as at first"


def test_spans_where_nobody_has_annotated_are_not_judged():
    tagger = learned_tagger("bilstm_crf")
    document = DOCUMENTS[0]
    predicted = tagger.decode(tagger.collate([document]))[0]
    assert len(predicted) > 1
    whole = Document("x", document.text)
    assert len(tagger.judged(tagger.collate([whole])).right) == len(predicted)
    first = predicted[0]
    part = Document("x", document.text, (), {"annotated_regions": [[first.start, first.end]]})
    judged = tagger.judged(tagger.collate([part]))
    assert judged.right.tolist() == [False]
    assert judged.labels.tolist() == [LABELS.index(first.label)]


def test_gradients_are_those_of_the_calibrated_probability():
    raw = torch.tensor([-3.0, -0.5, -0.01], dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(lambda value: SOME.log_probability(value, "PER"), raw)
    certain = SOME.log_probability(torch.tensor([0.0, -1e-12], dtype=torch.float64), "PER")
    assert torch.isfinite(certain).all()
    assert certain[0] == certain[1], "rounding errors near 1 make no difference"
    assert SOME.probabilities(torch.tensor([[0.0, 1.0]]), ["PER", "LOC"])[0, 0] == 0


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"common": [1, 0]},
        {"common": [1, 0], "own": {}, "spans": -1},
        {"common": [1, 0], "own": {}, "spans": 9, "more": 1},
        {"common": [0, 0], "own": {}, "spans": 9},
        {"common": [math.nan, 0], "own": {}, "spans": 9},
        {"common": [1, math.inf], "own": {}, "spans": 9},
        {"common": [1, "0"], "own": {}, "spans": 9},
        {"common": [1, 0], "own": {"<b>": [1, 0]}, "spans": 9},
        {"common": [1, 0], "own": {"LOC": [1]}, "spans": 9},
        {"common": [1, 0], "own": {}, "spans": 9, "threshold": 1},
        {"common": [1, 0], "own": {}, "spans": 9, "threshold": "0.5"},
        {"common": [1, 0], "own": {}, "spans": 9, "threshold": math.nan},
    ],
)
def test_a_damaged_calibration_is_refused_by_name(value, tmp_path):
    folder = tmp_path / "model"
    tagger = small_tagger("bilstm_crf")
    tagger.calibration = SOME
    tagger.save(folder)
    header = json.loads((folder / "config.json").read_text())
    assert Calibration.from_json(header["calibration"], LABELS) == SOME
    (folder / "config.json").write_text(json.dumps({**header, "calibration": value}))
    with pytest.raises(ModelFolderError, match=r"config\.json: 'calibration' is malformed"):
        load_tagger(folder)


def test_a_model_that_was_never_calibrated_says_nothing_of_it(tmp_path):
    small_tagger("bilstm_crf").save(tmp_path)
    assert "calibration" not in json.loads((tmp_path / "config.json").read_text())
    assert load_tagger(tmp_path).calibration == calibration.Calibration()
