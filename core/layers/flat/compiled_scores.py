"""Relative scores of character queries and their gradients, as loops that numba compiles.

A module of its own because importing it imports numba. The code is cached beside this file or, where that
cannot be written, in the user's cache folder.

The relative scores of one key are products of all queries with one run of neighbouring table rows. Where
position and head are the last two axes of queries and tables, that run is contiguous for all heads at once,
and a key costs D additions of long vectors: nothing is computed that no pair of nodes needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

Floats = NDArray[Any]
Integers = NDArray[np.int64]


def _signatures(*dimensions: int) -> list[Any]:
    """For float32 and float64: a first array of scores, the geometry, then arrays of these dimensions."""
    table, row = types.int64[:, ::1], types.int64[::1]
    return [
        types.void(
            types.Array(real, 4, "A"),
            table,
            table,
            row,
            types.int64,
            *(types.Array(real, d, "C") for d in dimensions),
        )
        for real in (types.float32, types.float64)
    ]


_COMPILE = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


@njit(_signatures(3, 3), **_COMPILE)
def add_scores(
    scores: Floats, head: Integers, span: Integers, chars: Integers, first: int, query: Floats, table: Floats
) -> None:
    """Adds the relative scores of character queries from ``first`` on to ``scores``.

    Args:
        scores: ``[B, N, r, L]``. head: of the keys, ``[B, L]``.
        span: index of the keys' span lengths, ``[B, L]``; -1 for keys that are left out.
        chars: characters of the sentences, ``[B]``; queries past them are left out.
        query: ``[B, D, T * N]``, by character and head.
        table: ``[A, D, (2 M + 1) * N]``, entry e of the last axis for query head - key head = e - M.
    """
    batch, heads, rows, keys = scores.shape
    width, centre = query.shape[1], table.shape[2] // heads // 2
    sums = np.empty((keys, rows * heads), scores.dtype)
    for b in range(batch):
        count = max(min(chars[b] - first, rows), 0)
        low, high = first * heads, (first + count) * heads
        for j in range(keys):
            if span[b, j] < 0:
                continue
            at = (centre + first - head[b, j]) * heads
            near, end = table[span[b, j]], at + count * heads
            total = sums[j, : count * heads]
            total[:] = 0
            for d in range(0, width - 3, 4):
                q0, q1 = query[b, d, low:high], query[b, d + 1, low:high]
                q2, q3 = query[b, d + 2, low:high], query[b, d + 3, low:high]
                k0, k1, k2, k3 = (
                    near[d, at:end],
                    near[d + 1, at:end],
                    near[d + 2, at:end],
                    near[d + 3, at:end],
                )
                for x in range(len(total)):
                    total[x] += (q0[x] * k0[x] + q1[x] * k1[x]) + (q2[x] * k2[x] + q3[x] * k3[x])
            for d in range(width - width % 4, width):
                q0, k0 = query[b, d, low:high], near[d, at:end]
                for x in range(len(total)):
                    total[x] += q0[x] * k0[x]
        for n in range(heads):
            for i in range(count):
                row = scores[b, n, i]
                for j in range(keys):
                    if span[b, j] >= 0:
                        row[j] += sums[j, i * heads + n]


@njit(_signatures(3, 3, 3, 3), **_COMPILE)
def add_gradients(
    d_scores: Floats,
    head: Integers,
    span: Integers,
    chars: Integers,
    first: int,
    query: Floats,
    table: Floats,
    d_query: Floats,
    d_table: Floats,
) -> None:
    """Adds the gradients of queries and table, from those of scores; see :func:`add_scores`."""
    batch, heads, rows, keys = d_scores.shape
    width, centre = query.shape[1], table.shape[2] // heads // 2
    slopes = np.empty((keys, rows * heads), d_scores.dtype)
    for b in range(batch):
        count = max(min(chars[b] - first, rows), 0)
        for n in range(heads):
            for i in range(count):
                row = d_scores[b, n, i]
                for j in range(keys):
                    slopes[j, i * heads + n] = row[j]
        low, high = first * heads, (first + count) * heads
        for j in range(keys):
            if span[b, j] < 0:
                continue
            at = (centre + first - head[b, j]) * heads
            end, near, d_near = at + count * heads, table[span[b, j]], d_table[span[b, j]]
            slope = slopes[j, : count * heads]
            for d in range(width):
                q, d_q = query[b, d, low:high], d_query[b, d, low:high]
                k, d_k = near[d, at:end], d_near[d, at:end]
                for x in range(len(slope)):
                    d_q[x] += slope[x] * k[x]
                    d_k[x] += slope[x] * q[x]
