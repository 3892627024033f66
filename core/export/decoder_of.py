"""The CRF of a sequence tagger as plain numbers."""

from __future__ import annotations

import numpy as np

from core.export.tag_decoding import TagDecoder
from core.taggers.base.calibration import UNCHANGED
from core.taggers.sequence.tagger import SequenceTagger


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
