"""Defaults inside a Hugging Face Space, whose host starts ``launch.py`` without flags.

https://huggingface.co/docs/hub/spaces-overview names the variables; storage is a mount, ``/data`` unless the
Space says otherwise. Anybody can open a public Space, so without storage, or without a way to say who
somebody is, it runs the demo: a temporary copy for each visitor.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.server.sign_in.provider_settings import CLIENT

DATA = Path("/data")
FOLDER = "latticelens"  # in the storage, beside what others keep there
FLAGS = "LATTICELENS_FLAGS"  # a variable of the Space with flags of `launch.py`
# Who owns a repository of the hub, and its name.
_ID = re.compile(r"(?P<owner>[A-Za-z0-9][A-Za-z0-9.\-]{0,95})/[A-Za-z0-9][\w.\-]{0,95}")

log = logging.getLogger("latticelens")


@dataclass(frozen=True, slots=True)
class Space:
    """The Space that the app runs in.

    Args:
        id: ``owner/name``; empty if the host's variable holds no such thing. host: its own name on the web.
    """

    id: str
    host: str = ""

    @property
    def owner(self) -> str:
        """Who made it."""
        return self.id.partition("/")[0]

    @property
    def duplicate_address(self) -> str:
        """The page of the hub on which somebody makes a Space of their own of it; empty if it has no id."""
        return f"https://huggingface.co/spaces/{self.id}?duplicate=true" if self.id else ""


def space_of(environment: Mapping[str, str]) -> Space | None:
    """The Space, or None elsewhere."""
    named = environment.get("SPACE_ID", "")
    if not named:
        return None
    host = environment.get("SPACE_HOST", "")
    return Space(
        named if _ID.fullmatch(named) and ".." not in named else "",
        host if re.fullmatch(r"[A-Za-z0-9.\-]{1,253}", host) else "",
    )


def flags_of(environment: Mapping[str, str]) -> list[str]:
    """Flags that a variable of the Space gives.

    Raises:
        ValueError: quotes in it are not closed.
    """
    return shlex.split(environment.get(FLAGS, "")) if environment.get("SPACE_ID") else []


def defaults(environment: Mapping[str, str]) -> dict[str, object]:
    """Defaults of the flags: where the host looks for the app."""
    port = environment.get("GRADIO_SERVER_PORT") or environment.get("PORT") or "7860"
    return {
        "no_browser": True,
        "host": environment.get("GRADIO_SERVER_NAME", "0.0.0.0"),  # noqa: S104 - only inside the Space
        "port": int(port) if port.isdecimal() and 0 < int(port) < 65536 else 7860,
    }


def settle(given: argparse.Namespace, space: Space, environment: Mapping[str, str]) -> None:
    """Decide where the work lives, who may come in, and whether this is the demo.

    Without another word of the flags, the owner of the Space comes in and nobody else.
    """
    if given.demo:
        return
    folder = storage(given.workspace)
    asks = bool(given.auth or given.trust_header or given.oidc or environment.get(CLIENT))
    if folder is None or not asks:
        if folder is not None:
            log.warning("%s is not used: nobody would have to sign in; give the Space hf_oauth: true", folder)
        given.demo = True
        return
    given.workspace = folder
    if not (given.oidc_person or given.oidc_domain or given.oidc_allow_group or given.oidc_anybody):
        given.oidc_person = [space.owner] if space.owner else []
    given.allow_host = [*given.allow_host, *([space.host] if space.host else [])]


def storage(named: Path | None, data: Path | None = None) -> Path | None:
    """The folder for the workspace on storage that outlives the Space's disk; None if there is none.

    Args:
        named: by ``--workspace``, which counts where it is a mount. data: where storage is mounted else.
    """
    if named is not None and os.path.ismount(named) and os.access(named, os.W_OK):
        return named
    data = data or DATA
    return data / FOLDER if os.path.ismount(data) and os.access(data, os.W_OK) else None
