"""``viterbi.fill_best_paths`` compiled by numba: the same sums in the same order, as plain loops.

A module of its own because importing it imports numba. The code is cached beside this file or, where that
cannot be written, in the user's cache folder.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def fill_best_paths(
    emissions: NDArray[np.floating],
    lengths: NDArray[np.int64],
    transitions: NDArray[np.floating],
    start: NDArray[np.floating],
    end: NDArray[np.floating],
    path: NDArray[np.int64],
) -> None:
    """:class:`core.layers.crf.viterbi.FillBestPaths`, sentence by sentence."""
    batch, length, tags = emissions.shape
    best = np.empty((length, tags), emissions.dtype)
    for row in range(batch):
        last = lengths[row] - 1
        if last < 0:
            continue
        for tag in range(tags):
            best[0, tag] = start[tag] + emissions[row, 0, tag]
        for step in range(1, last + 1):
            # The inner loops run over the arriving tags, so that they become vector instructions.
            before, here = best[step - 1], best[step]
            for tag in range(tags):
                here[tag] = before[0] + transitions[0, tag]
            for origin in range(1, tags):
                reached = before[origin]  # reading it in the inner loop would prevent vectorisation
                for tag in range(tags):
                    score = reached + transitions[origin, tag]
                    here[tag] = score if score > here[tag] else here[tag]
            for tag in range(tags):
                here[tag] += emissions[row, step, tag]
        chosen = 0
        highest = best[last, 0] + end[0]
        for tag in range(1, tags):
            score = best[last, tag] + end[tag]
            if score > highest:
                chosen, highest = tag, score
        path[row, last] = chosen
        for step in range(last, 0, -1):
            tag, chosen = path[row, step], 0
            emitted = emissions[row, step, tag]
            highest = best[step - 1, 0] + transitions[0, tag] + emitted
            for origin in range(1, tags):
                score = best[step - 1, origin] + transitions[origin, tag] + emitted
                if score > highest:
                    chosen, highest = origin, score
            path[row, step - 1] = chosen
