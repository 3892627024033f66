"""Uploads a folder to a hub of models: Hugging Face's, or another with its HTTP API (``HF_ENDPOINT``)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from core.export.errors import ExportError

LONGEST_REASON = 300
DEFAULT_ENDPOINT = "https://huggingface.co"
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.\-]{0,95}/[A-Za-z0-9][\w.\-]{0,95}")
_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})


def check_repository(name: str) -> str:
    """The name of a repository, ``owner/name``.

    Raises:
        ExportError: it is none.
    """
    if not _REPOSITORY.fullmatch(name) or "--" in name or ".." in name or name.endswith(".git"):
        raise ExportError(
            "{name} is no repository; write owner/name with letters, digits, dots, hyphens and underscores",
            name=repr(name),
        )
    return name


def push(folder: Path, repository: str, *, public: bool = False, message: str = "Upload the model") -> str:
    """Upload a folder, and return the address of the commit.

    The repository is made if there is none, private unless ``public``. The token is read from ``HF_TOKEN``,
    the address from ``HF_ENDPOINT``; neither is stored, and the token is in no message.

    Raises:
        ExportError: no token, a name that is none, an address that would get the token unencrypted, or a
            refusal of the hub.
    """
    name = check_repository(repository)
    token = os.environ.get("HF_TOKEN", "").strip()
    if not token:
        raise ExportError("no token for the hub: put one that may write into the environment as HF_TOKEN")
    endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or DEFAULT_ENDPOINT
    parts = urlsplit(endpoint)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
        raise ExportError(
            "HF_ENDPOINT={endpoint}: the token would travel unencrypted; give an address that begins with "
            "https://",
            endpoint=repr(endpoint),
        )
    from huggingface_hub import HfApi

    hub = HfApi(endpoint=endpoint, token=token)
    try:
        hub.create_repo(name, private=not public, exist_ok=True)
        done = hub.upload_folder(repo_id=name, folder_path=folder, commit_message=message)
    except Exception as error:  # besides its own, those of the HTTP library that its release uses
        reason = " ".join(str(error).split()).replace(token, "…")[:LONGEST_REASON]
        raise ExportError(
            "the hub at {endpoint} refused {name} ({reason}); check the token's rights and the name",
            endpoint=endpoint,
            name=name,
            reason=reason,
        ) from None
    return str(done.commit_url)
