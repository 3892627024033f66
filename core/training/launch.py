"""The rank of this process among launched ones, from the launcher's environment variables. Needs no torch."""

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
    """Whether this is the main process: the only one, or the first."""
    return not is_launched() or _number(RANKS, 0) == 0


def _number(names: Sequence[str], default: int) -> int:
    return next((int(os.environ[name]) for name in names if os.environ.get(name, "").isdecimal()), default)
