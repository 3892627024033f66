"""Which of several launched processes this is, by what launchers put into the environment. Needs no torch."""

from __future__ import annotations

import os
from collections.abc import Sequence

# accelerate and torchrun; then MPI, by which accelerate starts processes on CPUs.
SIZES = ("WORLD_SIZE", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE")
RANKS = ("RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK")


def is_launched() -> bool:
    """Whether a launcher started this process as one of several."""
    return _number(SIZES, 1) > 1


def is_main() -> bool:
    """Whether this process speaks and writes for all: it is alone, or the first."""
    return not is_launched() or _number(RANKS, 0) == 0


def _number(names: Sequence[str], default: int) -> int:
    return next((int(os.environ[name]) for name in names if os.environ.get(name, "").isdecimal()), default)
