"""The bidirectional networks that a tagger may read its units with."""

from __future__ import annotations

from torch import nn

from core.layers.recurrent.bidirectional import Bidirectional
from core.layers.recurrent.birnn import BiRnn
from core.layers.recurrent.gated_feedback_lstm import GatedFeedbackLstm
from core.layers.recurrent.grid_lstm import GridLstm
from core.layers.recurrent.hm_lstm import HmLstm, slope_of

ONE_WAY: dict[str, type[GridLstm] | type[GatedFeedbackLstm] | type[HmLstm]] = {
    "grid_lstm": GridLstm,
    "gated_feedback_lstm": GatedFeedbackLstm,
    "hm_lstm": HmLstm,
}
CELLS = ("lstm", "gru", *ONE_WAY)
DEEP = (
    "gated_feedback_lstm",
    "hm_lstm",
)  # with one layer the first is an LSTM, and the second has no segment


def make_reader(
    cell: str, width: int, hidden: int, layers: int, dropout: float = 0.0
) -> BiRnn | Bidirectional:
    """A network from ``[B, T, width]`` and a mask ``[B, T]`` to ``[B, T, 2 * hidden]``.

    Args:
        cell: one of ``CELLS``. hidden: width of each direction. dropout: between layers.
    """
    if cell not in ONE_WAY:
        return BiRnn(width, hidden, layers, dropout, cell)
    forwards, backwards = (ONE_WAY[cell](width, hidden, layers, dropout) for _ in range(2))
    return Bidirectional(forwards, backwards)


def begin_epoch(network: nn.Module, epoch: int) -> None:
    """Set what changes from epoch to epoch, 0-based, in a network made here."""
    for module in network.modules():
        if isinstance(module, HmLstm):
            module.slope = slope_of(epoch)
