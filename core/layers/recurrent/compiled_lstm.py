"""The element-wise part of an LSTM's step, as a loop that numba compiles.

A module of its own because importing it imports numba. The code is cached beside this file or, where that
cannot be written, in the user's cache folder.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

_HALF, _ONE, _BOUND = np.float32(0.5), np.float32(1.0), np.float32(9.0)
# Numerator and denominator of tanh(x) / x and 1 in powers of x², the highest first: the minimax rational
# approximation of Eigen (ptanh), within 4e-7 of tanh; beyond 9 a float32 tanh is 1.
_OVER = tuple(
    map(
        np.float32,
        (
            -2.76076847742355e-16,
            2.00018790482477e-13,
            -8.60467152213735e-11,
            5.12229709037114e-08,
            1.48572235717979e-05,
            6.37261928875436e-04,
            4.89352455891786e-03,
        ),
    )
)
_UNDER = tuple(
    map(np.float32, (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03))
)
# Rounding may change by fused and reordered sums; NaN and infinity keep their meaning.
_ROUNDING = {"contract", "arcp", "reassoc", "nsz"}

_MATRIX, _STATES = types.float32[:, ::1], types.float32[:, :, ::1]
_PLACES = types.int64[:, :, ::1]


@njit(fastmath=_ROUNDING, error_model="numpy", inline="always")
def _tanh(x: np.float32) -> np.float32:
    x = min(max(x, -_BOUND), _BOUND)
    square = x * x
    over = _OVER[0]
    for factor in _OVER[1:]:
        over = over * square + factor
    under = _UNDER[0]
    for factor in _UNDER[1:]:
        under = under * square + factor
    return x * over / under


@njit(
    types.void(_MATRIX, _MATRIX, _PLACES, types.int64[::1], types.int64, _MATRIX, _STATES, types.int64),
    fastmath=_ROUNDING,
    error_model="numpy",
    cache=True,
    nogil=True,
)
def advance(
    gates: Floats,
    terms: Floats,
    places: Integers,
    lengths: Integers,
    step: int,
    cells: Floats,
    states: Floats,
    first: int,
) -> None:
    """One step of B sentences: writes ``cells`` and ``states``, zeros where the sentence has ended.

    Args:
        gates: ``W_hh h`` of the step before, ``[B, 4H]``, in torch's order: input, forget, cell, output;
            overwritten. terms: ``W_ih x`` of parts of the input, with the biases, ``[U, 4H]``.
        places: the rows of ``terms`` that add up, ``[P, T, B]``. lengths: ``[B]``.
        step: the position that is read. cells: of the step before, ``[B, H]``.
        states: ``[B, T, W]``, whose H columns from ``first`` on are written.
    """
    width = cells.shape[1]
    for row in range(len(cells)):
        cell, state = cells[row], states[row, step, first : first + width]
        if step >= lengths[row]:
            cell[:] = np.float32(0.0)
            state[:] = np.float32(0.0)
            continue
        gate = gates[row]
        for part in range(len(places)):
            term = terms[places[part, step, row]]
            for at in range(4 * width):
                gate[at] += term[at]
        for at in range(width):
            entering = _HALF * (_ONE + _tanh(_HALF * gate[at]))
            kept = _HALF * (_ONE + _tanh(_HALF * gate[width + at]))
            leaving = _HALF * (_ONE + _tanh(_HALF * gate[3 * width + at]))
            now = kept * cell[at] + entering * _tanh(gate[2 * width + at])
            cell[at] = now
            state[at] = leaving * _tanh(now)
