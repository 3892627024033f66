"""``hub.push`` in a process of its own.

The app's process is told to stay offline, which libraries read once, and an upload that waits for the network
can only be ended with its process. The token goes through stdin, never onto a command line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.export.errors import ExportError
from core.export.hub import Kind, push
from core.runtime.message import Message

LOOK_SECONDS = 0.3


def push_apart(
    folder: Path,
    repository: str,
    token: str,
    *,
    public: bool,
    kind: Kind,
    offline: bool = False,
    look: Callable[[], None] = lambda: None,
) -> str:
    """Upload a folder into a fresh repository, and return the address of the commit.

    Args:
        offline: what the process is told. look: called now and then; what it raises ends the upload.

    Raises:
        ExportError: as ``push``.
    """
    asked = {"folder": str(folder), "repository": repository, "token": token, "public": public, "kind": kind}
    process = subprocess.Popen(  # noqa: S603 - ours, by its module's name
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).resolve().parents[__name__.count(".")],
        env={**os.environ, "HF_HUB_OFFLINE": "1" if offline else "0", "TRANSFORMERS_OFFLINE": "0"},
    )
    sent: bytes | None = json.dumps(asked).encode()
    try:
        while True:
            try:
                out, _ = process.communicate(sent, timeout=LOOK_SECONDS)
                break
            except subprocess.TimeoutExpired:
                sent = None  # communicate keeps what it has not sent yet
                look()
    except BaseException:
        process.kill()
        process.communicate()
        raise
    return _answer(out)


def _answer(out: bytes) -> str:
    try:
        told = json.loads(out)
    except ValueError:
        raise ExportError("the upload ended without an answer; try again") from None
    if "error" in told:
        message = Message.from_json(told["error"])
        raise ExportError(message)
    return str(told["commit"])


def main() -> None:
    """Read what to do from stdin, and print what came of it."""
    asked = json.load(sys.stdin)
    told: dict[str, Any]
    try:
        address = push(
            Path(asked["folder"]), asked["repository"], public=asked["public"], kind=asked["kind"],
            message="Upload the data set", token=asked["token"], fresh=True,
        )  # fmt: skip
        told = {"commit": address}
    except ExportError as error:
        told = {"error": error.message.to_json()}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
