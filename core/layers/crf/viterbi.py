"""The best tag path of every sentence (Viterbi, IEEE Transactions on Information Theory 1967), on the CPU.

Paths are returned as Python lists, so the scores are copied to the CPU once, which avoids hundreds of small
kernel launches. Sums and ties are those of pytorch-crf: among equal scores the first tag wins.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.layers.compiled_loops import WORTH_COMPILING

Floats = NDArray[np.floating]
Integers = NDArray[np.int64]

_COMPILED = f"{__package__}.compiled_viterbi"


class FillBestPaths(Protocol):
    """Writes the best paths of emissions ``[B, T, K]`` into ``path`` ``[B, T]``; values at padding are
    undefined."""

    def __call__(
        self,
        emissions: Floats,
        lengths: Integers,
        transitions: Floats,
        start: Floats,
        end: Floats,
        path: Integers,
    ) -> None: ...


def best_paths(
    emissions: Floats, lengths: Integers, transitions: Floats, start: Floats, end: Floats
) -> list[list[int]]:
    """The best path of every sentence, [] for empty ones.

    Args:
        emissions: ``[B, T, K]``. lengths: ``[B]``. All floats are of one type.
        transitions: ``[K, K]`` from row to column; minus infinity forbids. start, end: ``[K]``.
    """
    path: Integers = np.zeros(emissions.shape[:2], dtype=np.int64)
    if path.size:
        large = int(lengths.sum()) >= WORTH_COMPILING
        compiled = compiled_form() if large or _COMPILED in sys.modules else None
        (compiled or fill_best_paths)(emissions, lengths, transitions, start, end, path)
    rows: list[list[int]] = path.tolist()
    return [row[:length] for row, length in zip(rows, lengths, strict=True)]


@cache
def compiled_form() -> FillBestPaths | None:
    """:func:`fill_best_paths` compiled by numba; None if numba cannot be imported or cannot compile."""
    try:
        from core.layers.crf.compiled_viterbi import fill_best_paths as compiled

        # Compiled by a first call here, where a full disk or a missing cache folder is handled.
        scores, single = np.zeros((1, 1), dtype=np.float32), np.ones(1, dtype=np.int64)
        compiled(scores[None], single, scores, scores[0], scores[0], single[None])
    except (ImportError, OSError, RuntimeError):  # numba lags behind new Pythons and numpys
        return None
    form: FillBestPaths = compiled
    return form


def fill_best_paths(
    emissions: Floats, lengths: Integers, transitions: Floats, start: Floats, end: Floats, path: Integers
) -> None:
    """:class:`FillBestPaths` in numpy.

    The forward pass keeps only scores; backpointers are computed on the way back, for the tags on the best
    path alone.
    """
    with np.errstate(all="ignore"):  # padding may hold anything
        best = _forward(emissions, transitions, start)
        if len(emissions) == 1 and lengths[0]:
            _trace_one(best[:, 0], emissions[0], transitions, end, path[0, : lengths[0]])
        else:
            _trace(best, emissions, lengths, transitions, end, path)


def _forward(emissions: Floats, transitions: Floats, start: Floats) -> Floats:
    """Score of the best prefix that ends at t in tag k, ``[T, B, K]``."""
    # shape: (T, K, B), so that the maximum over K tags is taken for all sentences at once
    emitted = np.ascontiguousarray(emissions.transpose(1, 2, 0))
    best = np.empty_like(emitted)
    np.add(start[:, None], emitted[0], out=best[0])
    moves = np.ascontiguousarray(
        np.broadcast_to(transitions[:, :, None], (*transitions.shape, len(emissions)))
    )
    scores = np.empty_like(moves)
    for before, here, emission in zip(best, best[1:], emitted[1:], strict=False):
        np.add(before[:, None], moves, out=scores)
        np.maximum.reduce(scores, 0, out=here)
        here += emission
    return np.ascontiguousarray(best.transpose(0, 2, 1))


# Adding the emission of the later position does not reorder the tags before it, but rounding may create ties;
# without it, paths would differ from pytorch-crf's.
def _trace(
    best: Floats, emissions: Floats, lengths: Integers, transitions: Floats, end: Floats, path: Integers
) -> None:
    """Paths from the last tags back, all sentences at once."""
    batch, _, tags = emissions.shape
    arriving, first = transitions.T.copy(), np.arange(0, batch * tags, tags)
    emitted = emissions.transpose(1, 0, 2).reshape(-1, batch * tags)
    last = lengths - 1
    final = (best[last, np.arange(batch)] + end).argmax(1)
    tag, ends = final, set(last.tolist())
    for step in range(int(last.max()), -1, -1):
        if step in ends:
            tag = np.where(last == step, final, tag)
        path[:, step] = tag
        if step:
            scores = arriving.take(tag, 0)
            scores += best[step - 1]
            scores += emitted[step].take(first + tag)[:, None]
            tag = scores.argmax(1)


def _trace_one(best: Floats, emissions: Floats, transitions: Floats, end: Floats, path: Integers) -> None:
    """:func:`_trace` for one sentence, the interactive case: half the cost without the batch indices."""
    arriving, last = transitions.T.copy(), len(path) - 1
    tag = (best[last] + end).argmax()
    for step in range(last, 0, -1):
        path[step] = tag
        scores = arriving[tag] + best[step - 1]
        scores += emissions[step, tag]
        tag = scores.argmax()
    path[0] = tag
