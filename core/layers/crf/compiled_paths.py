"""Probabilities of tag paths through parts of sentences, as loops that numba compiles.

A module of its own because importing it imports numba. The code is cached beside this file or, where that
cannot be written, in the user's cache folder.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FLOATS, _TABLE, _INTEGERS = types.float64[::1], types.float64[:, ::1], types.int64[::1]


@njit(
    types.void(
        types.float64[:, :, ::1], _INTEGERS, _TABLE, _TABLE, _FLOATS, _FLOATS,
        _INTEGERS, _INTEGERS, _INTEGERS, _INTEGERS, _FLOATS,
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)  # fmt: skip
def fill_path_probabilities(
    emissions: Floats,
    lengths: Integers,
    moves: Floats,
    back: Floats,
    begin: Floats,
    end: Floats,
    sentence: Integers,
    first: Integers,
    places: Integers,
    tags: Integers,
    out: Floats,
) -> None:
    """Writes the probability of each of S paths into ``out`` ``[S]``.

    Forward-backward with states that are normalised at every position (Rabiner, A tutorial on hidden Markov
    models, Proceedings of the IEEE 1989, section V.A).

    Args:
        emissions: ``[B, T, K]``, log-scores. lengths: ``[B]``.
        moves: exponentiated transitions ``[K, K]``, from row to column. back: turned round.
        begin, end: exponentiated, ``[K]``.
        sentence: of each path, ascending, ``[S]``. first: its first position, ``[S]``.
        places: where its tags begin and end in ``tags``, ``[S + 1]``. tags: of all paths.
    """
    _, longest, count = emissions.shape
    shares = np.empty((longest, count))
    forward = np.empty((longest, count))
    backward = np.empty((longest, count))
    sums = np.empty(longest)
    entered = np.empty(count)
    path = 0
    while path < len(sentence):
        row = sentence[path]
        last = lengths[row] - 1
        for step in range(last + 1):
            top = emissions[row, step, 0]
            for tag in range(1, count):
                top = max(top, emissions[row, step, tag])
            for tag in range(count):
                shares[step, tag] = math.exp(emissions[row, step, tag] - top)
            here = forward[step]
            for tag in range(count):
                here[tag] = 0.0 if step else begin[tag]
            if step:
                for origin in range(count):
                    reached = forward[step - 1, origin]  # read outside the inner loop: it becomes vectors
                    for tag in range(count):
                        here[tag] += reached * moves[origin, tag]
            total = 0.0
            for tag in range(count):
                here[tag] *= shares[step, tag]
                total += here[tag]
            for tag in range(count):
                here[tag] /= total
            sums[step] = total
        for tag in range(count):
            backward[last, tag] = end[tag]
        for step in range(last, 0, -1):
            for tag in range(count):
                entered[tag] = shares[step, tag] * backward[step, tag] / sums[step]
            here = backward[step - 1]
            for tag in range(count):
                here[tag] = 0.0
            for target in range(count):
                reached = entered[target]
                for tag in range(count):
                    here[tag] += reached * back[target, tag]
        total = 0.0
        for tag in range(count):
            total += forward[last, tag] * end[tag]
        while path < len(sentence) and sentence[path] == row:
            at, tag = first[path], tags[places[path]]
            chance = forward[at, tag] / total
            for place in range(places[path] + 1, places[path + 1]):
                at += 1
                chance *= moves[tag, tags[place]] * shares[at, tags[place]] / sums[at]
                tag = tags[place]
            out[path] = chance * backward[at, tag]
            path += 1
