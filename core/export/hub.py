"""Uploads a folder to a hub: Hugging Face's, or another with its HTTP API (``HF_ENDPOINT``)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from core.export.errors import ExportError

LONGEST_REASON = 300
DEFAULT_ENDPOINT = "https://huggingface.co"
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.\-]{0,95}/[A-Za-z0-9][\w.\-]{0,95}")
_TOKEN = re.compile(r"[\x21-\x7e]{1,500}")
_FIRST_FILES = frozenset({".gitattributes", "README.md"})  # those of a repository made on the hub's page
Kind = Literal["model", "dataset"]
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


def push(
    folder: Path,
    repository: str,
    *,
    public: bool = False,
    message: str = "Upload the model",
    kind: Kind = "model",
    token: str | None = None,
    fresh: bool = False,
) -> str:
    """Upload a folder, and return the address of the commit.

    The repository is made if there is none, private unless ``public``. The token is read from ``HF_TOKEN``
    unless it is given, the address from ``HF_ENDPOINT``; neither is stored, and the token is in no message.

    Args:
        fresh: whether a repository that holds more than the hub's own first files is refused.

    Raises:
        ExportError: no token, a name that is none, an address that would get the token unencrypted, a hub
            that does not answer, or a refusal: the token lacks the right, or the repository is not empty.
    """
    name = check_repository(repository)
    token = (os.environ.get("HF_TOKEN", "") if token is None else token).strip()
    if not token:
        raise ExportError("no token for the hub: put one that may write into the environment as HF_TOKEN")
    if not _TOKEN.fullmatch(token):
        raise ExportError("this is no token of the hub; copy it again, without blanks")
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
        hub.create_repo(name, private=not public, exist_ok=True, repo_type=kind)
        if fresh and (there := set(hub.list_repo_files(name, repo_type=kind)) - _FIRST_FILES):
            raise ExportError(
                "the repository {name} holds files already, such as {file}; name a new one, or one that is "
                "empty",
                name=name,
                file=min(there),
            )
        done = hub.upload_folder(repo_id=name, folder_path=folder, commit_message=message, repo_type=kind)
    except ExportError:
        raise
    except Exception as error:  # besides its own, those of the HTTP library that its release uses
        raise _refusal(error, endpoint, name, token) from None
    return str(done.commit_url)


def _refusal(error: Exception, endpoint: str, name: str, token: str) -> ExportError:
    """What went wrong, in words, without the token."""
    if type(error).__name__ == "OfflineModeIsEnabled":
        return ExportError(
            "this program is told to stay offline (HF_HUB_OFFLINE=1); start it with HF_HUB_OFFLINE=0"
        )
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if status == 401:
        return ExportError(
            "the hub at {endpoint} does not know this token; make a new one that may write", endpoint=endpoint
        )
    if status == 403:
        return ExportError(
            "the hub at {endpoint} refused {name}: this token may not write there; give a token with the "
            "right to write, or a name under which you may",
            endpoint=endpoint,
            name=name,
        )
    if response is None and isinstance(error, (OSError, *_connection_errors())):
        return ExportError(
            "the hub at {endpoint} does not answer; check the connection and the address, then try again",
            endpoint=endpoint,
        )
    reason = " ".join(str(error).split()).replace(token, "…")[:LONGEST_REASON]
    return ExportError(
        "the hub at {endpoint} refused {name} ({reason}); check the token's rights and the name",
        endpoint=endpoint,
        name=name,
        reason=reason,
    )


def _connection_errors() -> tuple[type[Exception], ...]:
    import httpx

    return (httpx.TransportError,)
