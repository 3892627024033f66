"""Ray: started here, or a cluster that is running."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core import __version__
from core.bulk.errors import BulkError, cluster_library
from core.bulk.worker import WorkerOptions, check_node
from core.text.message import message_of

OBJECT_STORE = 128 << 20  # bytes; blocks and receipts that pass through it are small
ANSWERS_WITHIN = 5.0  # seconds
NODE_ANSWERS_WITHIN = 120.0  # a worker process starts and imports the package


@contextmanager
def ray_session(address: str | None, processors: int) -> Iterator[Any]:
    """Ray, for as long as the block lasts; one that this process has started already is left running.

    Args:
        address: ``host:port`` of a cluster, ``auto`` for the one that this machine belongs to; None: Ray is
            started here, for this process alone.
        processors: that Ray may give to workers, if it is started here.

    Raises:
        MissingPackage: Ray is not installed. BulkError: there is no cluster at the address.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to others
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # stderr is the command's; Ray has log files
    ray = cluster_library("ray")
    cluster_library("ray.data")
    if ray.is_initialized():
        yield ray
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        ray.init(
            address="local",  # not one that somebody else has running on this machine
            num_cpus=processors,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE,
            **quiet,
        )
    else:
        _check_address(address)
        try:
            ray.init(address=address, **quiet)
        except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise _nobody(address, error) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def check_cluster(ray: Any, options: WorkerOptions, gpus: float) -> None:
    """Check that every machine on which a worker may run has the package, the model and the output folder.

    Raises:
        BulkError: one of them has not, or no machine has a GPU though workers ask for one.
    """
    nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    if gpus and not any(node["Resources"].get("GPU") for node in nodes):
        raise BulkError(
            "no machine of the cluster has a GPU; leave --gpus-per-worker out to tag on processors"
        )
    affinity = cluster_library("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
    task = ray.remote(num_cpus=0, max_retries=1)(_look)
    asked = {
        node["NodeManagerHostname"]: task.options(
            scheduling_strategy=affinity(node["NodeID"], soft=False)
        ).remote(options)
        for node in nodes
    }
    for machine, answer in asked.items():
        try:
            version, problem = ray.get(answer, timeout=NODE_ANSWERS_WITHIN)
        except Exception as error:  # whatever Ray makes of a missing package or a dead machine
            raise BulkError(
                "the worker machine {machine} cannot run LatticeLens ({reason}); install "
                "latticelens[cluster] {version} there",
                machine=machine,
                reason=str(error).strip().splitlines()[-1][:300]
                if str(error).strip()
                else type(error).__name__,
                version=__version__,
            ) from error
        if problem is not None:
            raise BulkError(message_of(problem))
        if version != __version__:
            raise BulkError(
                "the worker machine {machine} has LatticeLens {found}, this one {version}; install the same",
                machine=machine,
                found=version,
                version=__version__,
            )


def _look(options: WorkerOptions) -> tuple[str, Exception | None]:
    try:
        check_node(options)
    except Exception as error:
        return __version__, error
    return __version__, None


def _check_address(address: str) -> None:
    """Refuse an address at which nobody listens: Ray itself waits for minutes."""
    if address == "auto":
        return
    host, _colon, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in address:
        raise BulkError(
            "{address} is not the address of a Ray cluster: give host:port as ray start --head prints it, "
            "or auto on a machine of the cluster",
            address=address,
        )
    try:
        socket.create_connection((host, int(port)), ANSWERS_WITHIN).close()
    except (OSError, OverflowError) as error:
        raise _nobody(address, error) from error


def _nobody(address: str, error: Exception) -> BulkError:
    return BulkError(
        "no Ray cluster answers at {address} ({reason}); start one with ray start --head, check the "
        "address, or leave --ray out to run on this machine alone",
        address=address,
        reason=str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__,
    )
