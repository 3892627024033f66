"""Where a tagger's HM-LSTM ends its segments, captured while the tagger reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from core.layers.recurrent.bidirectional import Bidirectional
from core.layers.recurrent.hm_lstm import HmLstm
from core.taggers.base.trace import SegmentTrace


def has_segments(tagger: nn.Module) -> bool:
    """Whether a part of the tagger is an HM-LSTM."""
    return any(isinstance(module, HmLstm) for module in tagger.modules())


@contextmanager
def capture_segments(tagger: nn.Module) -> Iterator[list[Tensor]]:
    """Collect `Bidirectional.segment_ends` of every pass through an HM-LSTM in the block.

    Each pass costs twice its time.
    """
    captured: list[Tensor] = []

    def record(module: nn.Module, inputs: tuple[Any, ...], _: Any) -> None:
        assert isinstance(module, Bidirectional)
        ends = module.segment_ends(*inputs)
        if ends is not None:
            captured.append(ends)

    handles = [
        module.register_forward_hook(record)
        for module in tagger.modules()
        if isinstance(module, Bidirectional)
    ]
    try:
        yield captured
    finally:
        for handle in handles:
            handle.remove()


def segment_trace(captured: Sequence[Tensor], index: int, length: int) -> SegmentTrace | None:
    """The segments of one sentence of ``length`` units; None where no HM-LSTM has read."""
    return SegmentTrace(captured[0][index, :length].T.cpu().numpy()) if captured else None
