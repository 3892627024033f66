"""``--engine ray`` and its flags, of the commands that train."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.commands.terminal.errors import CommandError
from core.runtime.message import _

if TYPE_CHECKING:
    from core.cluster.options import WorkerGroup

DEFAULTS: dict[str, Any] = {"workers": 1, "trials_at_once": 1, "gpus_per_worker": 0.0, "ray": None}


def add_engine(parser: argparse.ArgumentParser, many: str = "--workers") -> None:
    """Add ``--engine`` and what goes with it.

    Args:
        many: the flag that says how many work at once.
    """
    several = "processes that train together" if many == "--workers" else "trials side by side"
    parser.add_argument("--engine", choices=["ray"], help="several processes, here or on a cluster (Ray)")
    group = parser.add_argument_group("with --engine ray")
    group.add_argument(many, type=int, default=1, metavar="N", help=f"{several}; 1 when left out")
    group.add_argument(
        "--gpus-per-worker",
        type=float,
        default=0.0,
        metavar="F",
        help="0, 1, or a part of a GPU such as 0.5; 0 when left out: processors",
    )
    group.add_argument(
        "--ray", metavar="ADDRESS", help="host:port of a running cluster, or auto; otherwise Ray starts here"
    )


def group_of(args: argparse.Namespace, threads: int) -> WorkerGroup | None:
    """The workers that were asked for; None without ``--engine``.

    Args:
        threads: the training's; 0 gives each worker one.

    Raises:
        CommandError, Told: a number is out of range, or a flag is given that needs ``--engine ray``.
    """
    from core.cluster.options import WorkerGroup

    if args.engine is None:
        for name, default in DEFAULTS.items():
            if getattr(args, name, default) != default:
                raise CommandError(
                    f"--{name.replace('_', '-')} goes with --engine ray; add it, or leave this out"
                )
        return None
    many = args.workers if hasattr(args, "workers") else args.trials_at_once
    return WorkerGroup(many, args.gpus_per_worker, args.ray, threads or 1)


@contextmanager
def engine(group: WorkerGroup | None, out: str) -> Iterator[Any]:
    """Ray for as long as the block lasts, if workers were asked for; checked before anything is written.

    Args:
        out: the folder to write to, as the person wrote it.

    Raises:
        CommandError, Told: there is no such cluster, it is too small, or a machine lacks something.
        MissingPackage: Ray is not installed.
    """
    if group is None:
        yield None
        return
    from core.cluster.opening import opened

    with opened(group, Path(out), _("Training on Ray")) as ray:
        yield ray


def in_request(group: WorkerGroup | None) -> dict[str, Any]:
    """The workers as a request holds them."""
    return {} if group is None else asdict(group)


def device_of(args: argparse.Namespace, group: WorkerGroup | None) -> str | None:
    """The device of the request: workers without a GPU compute on processors, whatever the machine has."""
    if group is None or group.gpus_per_worker or args.device not in (None, "auto", "cpu"):
        device: str | None = args.device
        return device
    return "cpu"
