"""What turns a tagger's scores into spans, as plain numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.export.query_decoding import QueryDecoder
from core.export.run_decoding import RunDecoder
from core.export.span_decoding import SpanDecoder
from core.export.tag_decoding import TagDecoder
from core.taggers.base.calibration import UNCHANGED, Calibration, Scaling, log_odds
from core.taggers.ensemble.mean_spans import MeanSpans
from core.taggers.ensemble.mean_tags import MeanTags
from core.taggers.mrc.tagger import Mrc
from core.taggers.pu.tagger import Pu
from core.taggers.sequence.tagger import SequenceTagger
from core.taggers.span.config import AUTO
from core.taggers.span.decoding import SEEN
from core.taggers.span.tagger import SpanTagger


def decoder_of(tagger: SequenceTagger) -> TagDecoder:
    """What reads a tagger's tag scores as it does itself: transitions, constraints, calibration."""
    crf = tagger.crf
    transitions, start, end = (
        scores.detach().cpu().float().numpy().copy()
        for scores in (crf.transitions, crf.start_transitions, crf.end_transitions)
    )
    allowed = tagger.decoder.allowed_steps()
    if allowed is not None:
        transitions[~allowed[1:, :-1]] = -np.inf
        start[~allowed[0, :-1]] = -np.inf
        end[~allowed[1:, -1]] = -np.inf
    return TagDecoder(tagger.decoder.tags, transitions, start, end, _scalings_of(tagger.calibration))


def mean_tag_decoder_of(average: MeanTags, calibration: Calibration) -> TagDecoder:
    """The tags and legal steps of an ensemble of tags, with its calibration."""
    decoder = average.decoder
    allowed = decoder.allowed_steps()
    assert allowed is not None
    steps = np.where(allowed, np.float32(0), np.float32("-inf"))
    return TagDecoder(decoder.tags, steps[1:, :-1], steps[0, :-1], steps[1:, -1], _scalings_of(calibration))


def span_decoder_of(tagger: SpanTagger) -> SpanDecoder:
    """What reads a span tagger's scores as it does itself: calibration, threshold, decoding."""
    config = tagger.config
    return SpanDecoder(
        tagger.labels,
        _scalings_by_label(tagger.calibration, tagger.labels),
        log_odds(tagger.threshold) if tagger.threshold else None,
        config.longest_span,
        SEEN if config.decoding == AUTO else config.decoding,
        tagger.overlaps.cpu().numpy() > 0,
    )


def run_decoder_of(tagger: Pu) -> RunDecoder:
    """What reads a PU tagger's scores as it does itself."""
    return RunDecoder(
        tagger.labels, _scalings_by_label(tagger.calibration, tagger.labels), tagger.config.unit
    )


def query_decoder_of(tagger: Mrc) -> QueryDecoder:
    """What reads the scores of BERT-MRC as it does itself: threshold, longest span, calibration."""
    return QueryDecoder(
        tagger.labels,
        _scalings_by_label(tagger.calibration, tagger.labels),
        log_odds(tagger.config.threshold),
        tagger.config.longest_span,
    )


def mean_span_decoder_of(average: MeanSpans, calibration: Calibration) -> SpanDecoder:
    """The labels and the decoding of an ensemble of span scores, with its calibration."""
    decoding = average.members[0].config.decoding
    count = len(average.labels)
    seen = [
        [[average.seen(how, one, other) for other in range(count)] for one in range(count)]
        for how in range(3)
    ]
    return SpanDecoder(
        average.labels,
        _scalings_by_label(calibration, average.labels),
        None,
        0,
        SEEN if decoding == AUTO else decoding,
        np.array(seen, dtype=np.bool_),
    )


def _scalings_of(calibration: Calibration) -> dict[str, tuple[float, float]]:
    scalings = {label: _pair(scaling) for label, scaling in calibration.own.items()}
    return scalings if calibration.common == UNCHANGED else {**scalings, "": _pair(calibration.common)}


def _scalings_by_label(calibration: Calibration, labels: Sequence[str]) -> list[tuple[float, float]]:
    return [_pair(calibration.of(label)) for label in labels]


def _pair(scaling: Scaling) -> tuple[float, float]:
    return float(scaling.temperature), float(scaling.shift)
