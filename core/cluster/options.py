"""How many workers share a piece of work, and where."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from core.cluster.errors import ClusterError
from core.cluster.nodes import working_nodes

MOST_WORKERS = 10_000


@dataclass(frozen=True, slots=True)
class WorkerGroup:
    """Workers of one kind.

    Args:
        workers: their number. gpus_per_worker: 0, a part of a GPU such as 0.5, or 1.
        address: of a running cluster, as ``ray_session`` takes it; None: Ray is started on this machine.
        threads: processors of each worker.

    Raises:
        ClusterError: a number is out of range; names the flag.
    """

    workers: int = 1
    gpus_per_worker: float = 0.0
    address: str | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        if type(self.workers) is not int or not 1 <= self.workers <= MOST_WORKERS:
            raise ClusterError(
                "--workers {count}: expected 1 to {most}", count=repr(self.workers), most=MOST_WORKERS
            )
        if not isinstance(self.gpus_per_worker, (int, float)) or not 0 <= self.gpus_per_worker <= 1:
            raise ClusterError(
                "--gpus-per-worker {count}: expected 0, a part of a GPU such as 0.5, or 1; a worker computes "
                "on one device",
                count=repr(self.gpus_per_worker),
            )
        if type(self.threads) is not int or not 1 <= self.threads <= 1024:
            raise ClusterError("threads {count}: expected 1 to 1024", count=repr(self.threads))
        if self.address is not None and not isinstance(self.address, str):
            raise ClusterError("the address of a cluster must be text, got {given}", given=repr(self.address))

    @property
    def processors(self) -> int:
        """All that the workers take."""
        return self.workers * self.threads

    def to_json(self) -> dict[str, Any]:
        """All fields under their names."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> WorkerGroup:
        """Parse the output of ``to_json`` of any version; unknown fields are ignored.

        Raises:
            ClusterError: a number is out of range.
        """
        names = {item.name for item in fields(cls)}
        return cls(**{name: item for name, item in value.items() if name in names})


def check_local(group: WorkerGroup) -> None:
    """Refuse more workers than this machine has processors for, before Ray is started on it.

    Raises:
        ClusterError: it has fewer.
    """
    here = os.cpu_count() or 1
    if group.address is None and group.processors > here:
        raise _too_many(group, here)


def check_room(ray: Any, group: WorkerGroup) -> None:
    """Refuse more workers than the machines that are there have room for.

    Raises:
        ClusterError: they have fewer processors or GPUs.
    """
    nodes = working_nodes(ray)
    there = int(sum(node["Resources"]["CPU"] // group.threads for node in nodes))
    if group.workers > there:
        raise _too_many(group, int(sum(node["Resources"]["CPU"] for node in nodes)))
    if group.gpus_per_worker:
        gpus = sum(node["Resources"].get("GPU", 0) for node in nodes)
        if group.workers * group.gpus_per_worker > gpus:
            raise ClusterError(
                "{workers} workers with {each:g} GPU each need {needed:g}, and the machines have {there:g}; "
                "start fewer, or leave --gpus-per-worker out to compute on processors",
                workers=group.workers,
                each=group.gpus_per_worker,
                needed=group.workers * group.gpus_per_worker,
                there=gpus,
            )


def _too_many(group: WorkerGroup, there: int) -> ClusterError:
    return ClusterError(
        "--workers {workers} with a thread number of {threads} each needs {needed} processors, and there are "
        "{there}; start fewer workers, give them fewer threads, or join more machines to the cluster",
        workers=group.workers,
        threads=group.threads,
        needed=group.processors,
        there=there,
    )
