"""The attention of BERT-MRC between one query and a text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from core.runtime.message import ToldValueError
from core.taggers.base.trace import Trace
from core.taggers.sequence.encoder_features import EncoderFeatures


@torch.no_grad()
def with_attention(trace: Trace, query: int, features: EncoderFeatures) -> Trace:
    """``trace`` with the attention among the pieces of query number ``query`` and of its text.

    One query at a time, because all together would take queries x layers x heads x pieces² numbers. The
    encoder must be in evaluation mode. A text without pieces has no attention.

    Raises:
        ValueError: the trace has no such query.
    """
    if trace.mrc is None or not 0 <= query < len(trace.mrc.queries):
        raise ToldValueError(
            "the trace of a {tagger} tagger has no query {query}", tagger=repr(trace.tagger), query=query
        )
    device = next(features.parameters()).device
    pieces = features.encoder.tokenize([trace.text], [trace.mrc.queries[query]]).to(device)
    parts: dict[str, Any] = features.trace_parts(features(pieces, need_weights=True), 0, len(trace.text))
    del parts["mixes"]  # the trace holds those of all queries
    return replace(trace, **parts, mrc=replace(trace.mrc, attended=query))
