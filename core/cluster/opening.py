"""A cluster that has what a piece of work needs: room, the program, and sight of its folder."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from core.cluster.errors import ClusterError
from core.cluster.nodes import ask_nodes
from core.cluster.options import WorkerGroup, check_local, check_room
from core.cluster.session import ray_session
from core.runtime.message import Message


@contextmanager
def opened(group: WorkerGroup, folder: Path, what: Message) -> Iterator[Any]:
    """Ray with room for the workers, on machines that see the folder.

    Args:
        folder: written to by the work; made, if it is not there. what: the work, in a few words.

    Raises:
        MissingPackage: Ray is not installed. ClusterError: there is no cluster at the address, it is too
            small, or a machine lacks the program or the folder. Nothing is left in the folder.
    """
    check_local(group)
    with ray_session(group.address, group.processors, what) as ray:
        check_room(ray, group)
        if group.address is not None:
            _check_seen(ray, folder, what)
        yield ray


def _check_seen(ray: Any, folder: Path, what: Message) -> None:
    """Check that every machine sees a file that is written into the folder now."""
    new = not folder.exists()
    token = secrets.token_hex(8)
    file = folder.resolve() / f".seen-{token}.new"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(token, encoding="utf-8")
        ask_nodes(ray, partial(_see, str(file), token), what)
    except OSError as error:
        raise ClusterError(
            "{folder} cannot be written ({reason}); name another folder",
            folder=folder,
            reason=error.strerror or str(error),
        ) from error
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)
            if new:
                folder.rmdir()


def _see(file: str, token: str) -> None:
    """Asked on a worker machine."""
    path = Path(file)
    try:
        seen = path.read_text(encoding="utf-8") == token
    except OSError:
        seen = False
    if not seen:
        raise ClusterError(
            "the worker machine {machine} does not see {folder}; put it on a disk that all machines share, "
            "under the same path",
            machine=socket.gethostname(),
            folder=path.parent,
        )
