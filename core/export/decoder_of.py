"""What turns a tagger's scores into spans, as plain numbers."""

from __future__ import annotations

import numpy as np

from core.export.span_decoding import SpanDecoder
from core.export.tag_decoding import TagDecoder
from core.taggers.base.calibration import UNCHANGED, log_odds
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
    calibration = tagger.calibration
    scalings = {label: tuple(scaling) for label, scaling in calibration.own.items()}
    if calibration.common != UNCHANGED:
        scalings[""] = tuple(calibration.common)
    pairs = {label: (float(pair[0]), float(pair[1])) for label, pair in scalings.items()}
    return TagDecoder(tagger.decoder.tags, transitions, start, end, pairs)


def span_decoder_of(tagger: SpanTagger) -> SpanDecoder:
    """What reads a span tagger's scores as it does itself: calibration, threshold, decoding."""
    config = tagger.config
    scalings = [tagger.calibration.of(label) for label in tagger.labels]
    return SpanDecoder(
        tagger.labels,
        [(float(each.temperature), float(each.shift)) for each in scalings],
        log_odds(config.threshold) if config.threshold else None,
        config.longest_span,
        SEEN if config.decoding == AUTO else config.decoding,
        tagger.overlaps.cpu().numpy() > 0,
    )
