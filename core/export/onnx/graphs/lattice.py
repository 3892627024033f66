"""The graph of Lattice LSTM."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._higher_order_ops.scan import scan  # public nowhere yet; torch's ONNX exporter knows it
from torch.nn import functional

from core.export.onnx.graphs.graph import Graph

_Carried = tuple[Tensor, Tensor, Tensor]
_Step = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]


class LatticeLstmGraph(Graph):
    """Lattice LSTM: both directions take their steps together in ONNX's operator Scan.

    The cell of a word that is open lies in its register, times its share, with its share beside it.
    """

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        lstm, mask, mirror = self.tagger.lstm, arrays["mask"], arrays["mirror"]
        gates, links = lstm.project(self.inputs(arrays), mirror)
        entry, row = arrays["word_entry"], arrays["word_sentence"]  # shape: (T, 2, L)
        batch, steps = mask.shape
        registers = arrays["registers"].shape[0]
        side = torch.arange(2)[:, None]
        words = self._word_inputs(arrays["words"])
        word_inputs = functional.embedding(entry + side * arrays["words"].shape[0], words.flatten(0, 1))
        ends = (side * steps + arrays["word_end"]) * batch + row
        link_inputs = functional.embedding(ends, links.flatten(0, 2))
        places = (row + side * batch).flatten(1)
        written = (arrays["word_register"] + side * registers).flatten(1)
        ending = arrays["word_ending"]  # shape: (T, A, 2, B)
        width = lstm.of_link.shape[-1]
        initial = (
            gates.new_zeros(2, batch, width),
            gates.new_zeros(2, batch, lstm.of_character.shape[-1] + lstm.of_word.shape[-1]),
            gates.new_zeros(2 * registers, 2 * width),
        )
        read = ending + side * registers
        given = gates.transpose(0, 1), word_inputs, link_inputs, places, written, read, ending[:, 0] > 0
        _last, hidden = scan(self._step, initial, given)
        return lstm.joined(hidden.transpose(0, 1), mirror, mask)

    def _word_inputs(self, rows: Tensor) -> Tensor:
        """Inputs of words to their gates, ``[2, W, 3H]``."""
        lstm = self.tagger.lstm
        vectors = self.tagger.words.table(rows)
        return torch.matmul(vectors, lstm.word) + lstm.word_bias

    def _step(self, carried: _Carried, given: _Step) -> tuple[_Carried, Tensor]:
        """One step: cell, what the state adds to gates and registers, and what there is of the step."""
        lstm, (cell, recurrent, file) = self.tagger.lstm, carried
        gates, word_gates, links, places, written, read, ends = given
        width, size = cell.shape[-1], gates.shape[-1]
        gates = gates + recurrent[..., :size]
        opened, candidate = gates[..., :-width].sigmoid(), gates[..., -width:].tanh()
        out, enter = opened[..., :width], opened[..., width : 2 * width]
        forget = 1.0 - enter if lstm.coupled else opened[..., 2 * width :]
        # Eq. 11, or 15 and 16 where words end.
        shares = functional.embedding(read, file).sum(0)  # shape: (2, B, 2H)
        own = enter.exp()
        mixed = (shares[..., :width] + own * candidate) / (shares[..., width:] + own)
        cell = torch.where(ends[..., None], mixed, enter * candidate + forget * cell)
        state = out * cell.tanh()
        recurrent = torch.bmm(state, torch.cat([lstm.of_character, lstm.of_word], dim=-1))
        # Eq. 13 and 14 for the words that begin.
        added = functional.embedding(places, recurrent[..., size:].flatten(0, 1)).view_as(word_gates)
        word_gates = word_gates + added
        opened = word_gates[..., : 2 * width].sigmoid()
        start = functional.embedding(places, cell.flatten(0, 1)).view_as(links)
        word = opened[..., :width] * word_gates[..., 2 * width :].tanh() + opened[..., width:] * start
        share = (links + torch.bmm(word, lstm.of_link)).sigmoid().exp()
        entries = torch.cat([share * word, share], dim=-1).flatten(0, 1)
        file = file.index_put((written,), entries)
        return (cell, recurrent, file), state.clone()
