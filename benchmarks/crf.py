"""How fast the CRF is here, next to pytorch-crf's, with the same parameters in one process.

    python benchmarks/crf.py [--tags 9 29] [--batches 1 16 64] [--json]

Sentences of 40 to 60 tokens (one alone: 50), so that batches have padding as in training. ``likelihood`` is a
training step of the CRF alone: the mean log-likelihood, forward and backward. ``decode`` is the best path of
every sentence as lists of tags, in the two forms this project has: ``numpy``, without compiled code, and
``numba``. Before timing, likelihoods and gradients must agree and paths must be identical. Times are medians,
the two sides taking turns. Below the table: what loading numba's form costs a process, when it must be
compiled and when its machine code lies in the cache.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

import torch
import torchcrf
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a file: core lies beside benchmarks

from core.layers import CRF
from core.layers.crf import viterbi

ROOT = Path(__file__).resolve().parents[1]
SHORTEST, LONGEST = 40, 60
ORDER = ("torch", "numpy", "numba")  # of forms in the table
LOADING = """
import time
from core.layers.crf import viterbi
begin = time.perf_counter()
assert viterbi.compiled_form() is not None
print(time.perf_counter() - begin)
"""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    task: str
    form: str
    tags: int
    batch: int
    pytorch_crf_seconds: float
    latticelens_seconds: float
    times_faster: float


@dataclass(frozen=True)
class Sentences:
    """Random emissions ``[B, T, K]``, tags ``[B, T]`` and mask ``[B, T]``."""

    emissions: Tensor
    tags: Tensor
    mask: Tensor


def sentences(tags: int, batch: int) -> Sentences:
    """A batch whose lengths are spread evenly, always the same."""
    torch.manual_seed(0)
    lengths = torch.linspace(LONGEST, SHORTEST, batch).long() if batch > 1 else torch.tensor([50])
    longest = int(lengths.max())
    mask = torch.arange(longest) < lengths[:, None]
    return Sentences(torch.randn(batch, longest, tags), torch.randint(tags, (batch, longest)), mask)


def measure(tag_counts: Sequence[int], batches: Sequence[int], repeats: int) -> list[Row]:
    """Time both tasks for every number of tags and every batch size."""
    forms = ["numpy", "numba"] if viterbi.compiled_form() is not None else ["numpy"]
    rows = []
    for tags in tag_counts:
        torch.manual_seed(0)
        ours, theirs = CRF(tags), torchcrf.CRF(tags, batch_first=True)
        theirs.load_state_dict(ours.state_dict())
        for batch in batches:
            given = sentences(tags, batch)
            _check_likelihood(ours, theirs, given)
            steps = partial(_train_theirs, theirs, given), partial(_train_ours, ours, given)
            rows.append(_row("likelihood", "torch", tags, batch, *_times(*steps, repeats)))
            decoders = (
                partial(theirs.decode, given.emissions, given.mask),
                partial(ours.decode, given.emissions, given.mask),
            )
            for form in forms:
                with _decoding_by(form), torch.no_grad():
                    _check_paths(ours, theirs, given)
                    rows.append(_row("decode", form, tags, batch, *_times(*decoders, repeats)))
    return rows


def loading_seconds() -> dict[str, float]:
    """Seconds a process takes to load numba's form: compiling it, and finding it in the cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-c", LOADING]
        compiled, cached = (
            float(subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment).stdout)
            for _ in range(2)
        )
    return {"compiled": compiled, "cached": cached}


def _train_theirs(crf: torchcrf.CRF, given: Sentences) -> Tensor:
    emissions = given.emissions.detach().requires_grad_()
    crf.zero_grad(set_to_none=True)
    likelihood = crf(emissions, given.tags, given.mask, reduction="mean")
    likelihood.backward()
    return likelihood.detach()


def _train_ours(crf: CRF, given: Sentences) -> Tensor:
    emissions = given.emissions.detach().requires_grad_()
    crf.zero_grad(set_to_none=True)
    likelihood = crf.log_likelihood(emissions, given.tags, given.mask).mean()
    likelihood.backward()
    return likelihood.detach()


def _check_likelihood(ours: CRF, theirs: torchcrf.CRF, given: Sentences) -> None:
    torch.testing.assert_close(_train_ours(ours, given), _train_theirs(theirs, given), rtol=1e-5, atol=0)
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-3, atol=1e-4)


def _check_paths(ours: CRF, theirs: torchcrf.CRF, given: Sentences) -> None:
    if ours.decode(given.emissions, given.mask) != theirs.decode(given.emissions, given.mask):
        raise SystemExit("the paths differ from pytorch-crf's: nothing to compare")


@contextmanager
def _decoding_by(form: str) -> Iterator[None]:
    chosen = viterbi.compiled_form() if form == "numba" else None
    with patch.object(viterbi, "compiled_form", lambda: chosen):
        yield


def _times(theirs: Callable[[], object], ours: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Median seconds of both, which take turns."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(repeats + 1):
        for times, work in zip(seconds, (theirs, ours), strict=True):
            begin = time.perf_counter()
            work()
            if turn:  # the first turn warms up
                times.append(time.perf_counter() - begin)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def _row(task: str, form: str, tags: int, batch: int, theirs: float, ours: float) -> Row:
    return Row(task, form, tags, batch, theirs, ours, theirs / ours)


def table(rows: Sequence[Row], loading: dict[str, float] | None) -> str:
    """The rows as text, and what numba costs to load."""
    lines = [
        f"{'task':<12}{'form':<8}{'tags':>4}{'batch':>7}{'pytorch-crf ms':>17}{'latticelens ms':>17}   faster"
    ]
    for row in sorted(rows, key=lambda row: (ORDER.index(row.form), row.tags, row.batch)):
        theirs, ours = row.pytorch_crf_seconds * 1e3, row.latticelens_seconds * 1e3
        sizes = f"{row.task:<12}{row.form:<8}{row.tags:>4}{row.batch:>7}"
        lines.append(f"{sizes}{theirs:>17.3f}{ours:>17.3f}{row.times_faster:>8.1f}x")
    if loading is None:
        lines.append("numba cannot be imported here")
    else:
        lines.append(
            f"loading numba's form: {loading['compiled']:.2f} s when it is compiled, "
            f"{loading['cached']:.2f} s from the cache"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="The CRF, next to pytorch-crf's.")
    parser.add_argument("--tags", type=int, nargs="+", default=[9, 29], help="numbers of tags")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16, 64], help="sentences per batch")
    parser.add_argument("--repeats", type=int, default=40, help="turns timed; the median counts")
    parser.add_argument("--threads", type=int, default=2, help="torch threads")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    loading = loading_seconds() if viterbi.compiled_form() is not None else None
    rows = measure(given.tags, given.batches, given.repeats)
    if given.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "loading_seconds": loading}))
    else:
        print(table(rows, loading))


if __name__ == "__main__":
    main()
