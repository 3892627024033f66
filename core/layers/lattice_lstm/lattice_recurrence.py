"""The recurrence of Lattice LSTM over a batch, both directions at once, and its gradient.

Only time is looped over: at each step the character cells of all sentences are one matrix product, and so are
the cells of all words that begin there. The gradient is written by hand because autograd would accumulate
each weight's gradient step by step and pass through the cells of all words at every step; here each weight
gets its gradient from one product after the loop.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from core.layers.lattice_lstm.lattice_steps import LatticeSteps

# (g, y) to g * y * (1 - y), and to g * (1 - y * y), in one pass each.
sigmoid_backward, tanh_backward = torch.ops.aten.sigmoid_backward, torch.ops.aten.tanh_backward


class RecurrentWeights(NamedTuple):
    """The recurrent weights of each direction. G is the number of gates of a character.

    Args:
        character: from h of the previous character to the gates of a character, ``[2, H, G * H]``.
        word: from h of a word's first character to the gates of the word, ``[2, H, 3H]``.
        link: from the cell of a word to the gate by which it enters its last character, ``[2, H, H]``.
    """

    character: Tensor
    word: Tensor
    link: Tensor


class LatticeRun:
    """A forward pass through time, with what the backward pass needs.

    The gates of a character are o, i, f and the candidate; without f there are three and f is 1 - i. Those
    of a word are i, f and the candidate.

    Args:
        character: inputs of characters to their gates, ``[2, T, B, G * H]``.
        word: inputs of words to theirs, ``[2, N, 3H]``.
        link: input of a word's last character to the gate of that word, ``[2, N, H]``.

    Attributes:
        gates, word_gates, link_gate: of these shapes, after their nonlinearity.
        cell, hidden: ``[2, T, B, H]``. word_cell: ``[2, N + 1, H]``; slot N stands for no word.
        joined: where words end, ``[2, T, B, 1]``.
        candidate_share: of the candidate in such a cell (eq. 16), ``[2, T, B, H]``; 1 elsewhere.
        share: of the word that arrives, ``[A, 2, B, H]``.
    """

    def __init__(self, character: Tensor, word: Tensor, link: Tensor, steps: LatticeSteps) -> None:
        self.steps, self.width, self.times = steps, link.shape[-1], character.shape[1]
        self.gates, self.word_gates, self.link_gate = character.clone(), word.clone(), link.clone()
        states = (*character.shape[:3], self.width)
        self.cell, self.hidden = character.new_empty(states), character.new_empty(states)
        self.joined = torch.zeros(*states[:3], 1, dtype=torch.bool, device=character.device)
        self.candidate_share = character.new_ones(states)
        self.share = character.new_empty(*steps.arriving.shape, self.width)
        slots = link.shape[1] + 1
        # The exponential of a word's gate; zero for no word, so that it has no share.
        self.word_cell, self.exp_link = character.new_zeros(2, 2, slots, self.width)
        self.side = torch.arange(2, device=character.device)[:, None]
        self.leaving, self.arriving = steps.leaving + slots * self.side, steps.arriving + slots * self.side

    def forward(self, weights: RecurrentWeights) -> None:
        """Compute ``cell``, ``hidden`` and the other attributes, step by step."""
        self.of_state, self.of_link = torch.cat(weights[:2], dim=-1), weights.link
        gates = self.gates.shape[-1]
        c = self.cell.new_zeros(2, self.cell.shape[2], self.width)
        recurrent = self.gates.new_zeros(2, self.cell.shape[2], self.of_state.shape[-1])
        for step in range(self.times):
            self.gates[:, step].add_(recurrent[..., :gates])
            c = self._character_step(step, c)
            recurrent = torch.bmm(self.hidden[:, step], self.of_state)  # shape: (2, B, (G + 3) * H)
            if self.steps.slot_at[step] < self.steps.slot_at[step + 1]:
                self._word_step(step, c, recurrent[..., gates:])

    def _character_step(self, step: int, c: Tensor) -> Tensor:
        """Eq. 11, or 15 and 16 where words end."""
        gates, width = self.gates[:, step], self.width
        gates[..., :-width].sigmoid_()
        gates[..., -width:].tanh_()
        out, enter, candidate = gates[..., :width], gates[..., width : 2 * width], gates[..., -width:]
        cell = torch.addcmul(enter * candidate, self.forget(gates), c)
        first, last = self.steps.arrive_at[step : step + 2]
        if first < last:
            slots = self.arriving[first:last]
            exp_link, exp_enter = self.exp_link.flatten(0, 1)[slots], enter.exp()
            total = exp_link.sum(0).add_(exp_enter)
            self.share[first:last] = exp_link.div_(total)
            self.candidate_share[:, step] = exp_enter.div_(total)
            mixed = (self.word_cell.flatten(0, 1)[slots] * exp_link).sum(0).addcmul_(exp_enter, candidate)
            self.joined[:, step] = (self.steps.arriving[first] < self.link_gate.shape[1])[..., None]
            cell = torch.where(self.joined[:, step], mixed, cell)
        self.cell[:, step] = cell
        self.hidden[:, step] = cell.tanh() * out
        return cell

    def _word_step(self, step: int, c: Tensor, recurrent: Tensor) -> None:
        """Eq. 13 and 14 for the words that begin at this step; recalled is ``[2, B, 3H]``."""
        slots = slice(*self.steps.slot_at[step : step + 2])
        rows = self.side, self.steps.row[:, slots]
        gates = self.word_gates[:, slots].add_(recurrent[rows])
        gates[..., : 2 * self.width].sigmoid_()
        gates[..., 2 * self.width :].tanh_()
        enter, forget, candidate = gates.chunk(3, dim=-1)
        cell = torch.addcmul(enter * candidate, forget, c[rows])
        self.word_cell[:, slots] = cell
        link = self.link_gate[:, slots].baddbmm_(cell, self.of_link).sigmoid_()
        self.exp_link[:, slots] = link.exp()

    def forget(self, gates: Tensor) -> Tensor:
        """The gate f among the gates ``[..., G * H]``."""
        if gates.shape[-1] == 3 * self.width:
            return 1.0 - gates[..., self.width : 2 * self.width]
        return gates[..., 2 * self.width : 3 * self.width]

    def mean_share(self) -> Tensor:
        """The share of each slot's word in the cell it arrives in, mean over H, ``[2, N]``."""
        means = self.share.new_zeros(2 * self.word_cell.shape[1])
        means[self.arriving] = self.share.mean(-1)
        return means.view(2, -1)[:, :-1]


class LatticeGradient:
    """The backward pass of a run, from the gradient of its ``hidden``.

    Attributes:
        character, word, link: gradients of the inputs of a `LatticeRun`, in their shapes.
    """

    def __init__(self, run: LatticeRun, grad: Tensor) -> None:
        self.run, self.derivatives = run, _LocalDerivatives(run)
        self.character = torch.empty_like(run.gates)
        slots = run.word_cell.shape[:2]
        # By slot. Sums over the words of a character read zero from slot N; its gradient is never read.
        self._word, self._cell = grad.new_zeros(*slots, 3 * run.width), grad.new_zeros(*slots, run.width)
        self._gate, self._start = grad.new_zeros(2, *slots, run.width)
        self._backward(grad)
        self.word, self.link = self._word[:, :-1], self._gate[:, :-1]

    def _backward(self, grad: Tensor) -> None:
        run, width = self.run, self.run.width
        of_state, gates = run.of_state.mT, run.gates.shape[-1]
        c = torch.zeros_like(run.cell[:, 0])
        recurrent = grad.new_zeros(*c.shape[:2], of_state.shape[1])
        for step in reversed(range(run.times)):
            slots = slice(*run.steps.slot_at[step : step + 2])
            if slots.start < slots.stop:
                self._word_step(slots)
            leaving = run.leaving[slice(*run.steps.leave_at[step : step + 2])]
            torch.sum(self._word.flatten(0, 1)[leaving], 0, out=recurrent[..., gates:])
            h = torch.baddbmm(grad[:, step], recurrent, of_state)
            c = c.add_(self._start.flatten(0, 1)[leaving].sum(0)).addcmul_(h, self.derivatives.state[:, step])
            self.character[:, step, :, :width] = h * self.derivatives.out[:, step]
            inner = self.derivatives.cell[:, step]  # shape: (2, B, G - 1, H)
            self.character[:, step, :, width:] = (c[:, :, None] * inner).flatten(2)
            recurrent[..., :gates] = self.character[:, step]
            self._arrivals(step, c)
            c *= self.derivatives.carried[:, step]

    def _word_step(self, slots: slice) -> None:
        gate = self._gate[:, slots].mul_(self.derivatives.link[:, slots])
        cell = self._cell[:, slots].baddbmm_(gate, self.run.of_link.mT)
        self._word[:, slots] = (cell[:, :, None] * self.derivatives.word[:, slots]).flatten(2)
        forget = self.run.word_gates[:, slots, self.run.width : 2 * self.run.width]
        self._start[:, slots] = cell * forget

    def _arrivals(self, step: int, c: Tensor) -> None:
        first, last = self.run.steps.arrive_at[step : step + 2]
        if first < last:
            slots, share = self.run.arriving[first:last], c * self.run.share[first:last]
            cells = self.run.word_cell.flatten(0, 1)[slots]
            self._cell.view(-1, self.run.width)[slots] = share
            self._gate.view(-1, self.run.width)[slots] = share * (cells - self.run.cell[:, step])

    def of_weights(self) -> RecurrentWeights:
        """Gradients of the weights, each from one product over all steps."""
        run, steps = self.run, self.run.steps
        before, after = run.hidden[:, :-1].flatten(1, 2), self.character[:, 1:].flatten(1, 2)
        start = run.hidden[run.side, steps.begin, steps.row]  # shape: (2, N, H)
        return RecurrentWeights(
            torch.bmm(before.mT, after),
            torch.bmm(start.mT, self.word),
            torch.bmm(run.word_cell[:, :-1].mT, self.link),
        )


class _LocalDerivatives:
    """Local derivatives of all steps at once.

    Attributes:
        state: of h by c, ``[2, T, B, H]``. out: of h by the input of the gate o, the same shape.
        cell: of c by the inputs of i, f and the candidate, ``[2, T, B, G - 1, H]``.
        carried: of c by the previous c. word: of a word's cell by the inputs of its gates, ``[2, N, 3, H]``.
        link: of a word's gate by its input, ``[2, N, H]``.
    """

    def __init__(self, run: LatticeRun) -> None:
        width, gates = run.width, run.gates
        out, enter, candidate = gates[..., :width], gates[..., width : 2 * width], gates[..., -width:]
        tanh_cell, forget = run.cell.tanh(), run.forget(gates)
        self.state, self.out = tanh_backward(out, tanh_cell), sigmoid_backward(tanh_cell, out)
        before = torch.zeros_like(run.cell)
        before[:, 1:] = run.cell[:, :-1]
        before.masked_fill_(run.joined, 0.0)
        self.carried = forget.masked_fill(run.joined, 0.0)
        by_enter = torch.where(run.joined, run.candidate_share * (candidate - run.cell), candidate)
        by_candidate = torch.where(run.joined, run.candidate_share, enter)
        coupled = gates.shape[-1] == 3 * width
        parts = [sigmoid_backward(by_enter - before if coupled else by_enter, enter)]
        if not coupled:
            parts.append(sigmoid_backward(before, forget))
        parts.append(tanh_backward(by_candidate, candidate))
        self.cell = torch.stack(parts, dim=3)
        self._of_words(run)

    def _of_words(self, run: LatticeRun) -> None:
        enter, forget, candidate = run.word_gates.chunk(3, dim=-1)
        start = run.cell[run.side, run.steps.begin, run.steps.row]
        by_gates = [
            sigmoid_backward(candidate, enter),
            sigmoid_backward(start, forget),
            tanh_backward(enter, candidate),
        ]
        self.word = torch.stack(by_gates, dim=2)
        self.link = sigmoid_backward(torch.ones_like(run.link_gate), run.link_gate)
