"""Ray: started here, or a cluster that is running."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core.cluster.errors import ClusterError, ray_library
from core.runtime.message import Message

OBJECT_STORE = 128 << 20  # bytes; what passes through it is small
ANSWERS_WITHIN = 5.0  # seconds


@contextmanager
def ray_session(address: str | None, processors: int, what: Message) -> Iterator[Any]:
    """Ray, for as long as the block lasts; one that this process has started already is left running.

    Args:
        address: ``host:port`` of a cluster, ``auto`` for the one that this machine belongs to; None: Ray is
            started here, for this process alone.
        processors: that Ray may give to workers, if it is started here. what: the work that needs it.

    Raises:
        MissingPackage: Ray is not installed. ClusterError: it does not start here, or there is no cluster at
            the address.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to others
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # stderr is the command's; Ray has log files
    ray = ray_library("ray", what)
    if ray.is_initialized():
        yield ray
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        try:
            ray.init(
                address="local",  # not one that somebody else has running on this machine
                num_cpus=processors,
                include_dashboard=False,
                object_store_memory=OBJECT_STORE,
                **quiet,
            )
        except Exception as error:  # what Ray raises if a part of it does not come up in time
            ray.shutdown()
            raise ClusterError(
                "Ray did not start on this machine ({reason}); if the machine is busy, try again when it is "
                "less so",
                reason=_first_line(error),
            ) from error
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


def _check_address(address: str) -> None:
    """Refuse an address at which nobody listens: Ray itself waits for minutes."""
    if address == "auto":
        return
    host, _colon, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in address:
        raise ClusterError(
            "{address} is not the address of a Ray cluster: give host:port as ray start --head prints it, "
            "or auto on a machine of the cluster",
            address=address,
        )
    try:
        socket.create_connection((host, int(port)), ANSWERS_WITHIN).close()
    except (OSError, OverflowError) as error:
        raise _nobody(address, error) from error


def _nobody(address: str, error: Exception) -> ClusterError:
    return ClusterError(
        "no Ray cluster answers at {address} ({reason}); start one with ray start --head, check the "
        "address, or leave --ray out to run on this machine alone",
        address=address,
        reason=_first_line(error),
    )


def _first_line(error: Exception) -> str:
    said = str(error).strip()
    return said.splitlines()[0][:200] if said else type(error).__name__
