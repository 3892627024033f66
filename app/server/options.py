"""The flags of `launch.py`."""

from __future__ import annotations

import argparse
import hmac
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path

from app.server.origin import is_loopback
from core import __version__


@dataclass(frozen=True, slots=True)
class Options:
    """How to run the app; the fields are the flags of ``launch.py``; times in seconds."""

    workspace: Path
    host: str = "127.0.0.1"
    port: int | None = None
    allow_host: tuple[str, ...] = ()
    share: bool = False
    auth: Path | None = None
    allow_path: tuple[Path, ...] = ()
    device: str = "auto"
    demo: bool = False
    api: bool = True
    webhook_host: tuple[str, ...] = ()
    source_host: tuple[str, ...] = ()
    backup_every: float | None = None
    backup_keep: int = 8
    backup_to: Path | None = None
    metrics: tuple[str, int] | None = None
    log_format: str = "text"
    browser: bool = True

    @property
    def others_reach_it(self) -> bool:
        """Whether anybody but the person at this machine can open the app."""
        away = self.share or bool(self.allow_host) or not is_loopback(self.host)
        return away or self.demo or self.auth is not None


class AuthFileError(ValueError):
    """The file of users is invalid; the message names the line."""


def parse(arguments: Sequence[str] | None = None, prog: str = "launch.py") -> Options:
    """Parse the flags; a bad flag ends the program with a line of help.

    Args:
        prog: what the person typed before the flags.
    """
    from platformdirs import user_data_dir

    parser = argparse.ArgumentParser(
        prog=prog, description="LatticeLens: label text, train a tagger, look inside it, correct it."
    )
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        help="folder of projects, labels and runs (default: your user data directory)",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--port", type=_port, help="port to listen on (default: the first free one from 7860)"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        type=_host_name,
        default=[],
        metavar="NAME",
        help="a name that a proxy in front of the app gives it, whose pages may also show it in a frame; "
        "requests under other names are refused while it listens on this machine alone; may be repeated",
    )
    parser.add_argument(
        "--share", action="store_true", help="also open a public link through Gradio's tunnel"
    )
    parser.add_argument(
        "--auth", type=Path, metavar="FILE", help="file of user:password lines who may log in"
    )
    parser.add_argument(
        "--allow-path",
        action="append",
        type=_folder,
        default=[],
        metavar="DIR",
        help="a folder of vectors and encoders that people may name in options; needed only where others "
        "can open the app: with --auth, --share, --allow-host or a --host that is not this machine; "
        "may be repeated",
    )
    parser.add_argument("--device", choices=("auto", "cpu", "cuda", "mps"), default="auto")
    parser.add_argument(
        "--demo", action="store_true", help="public demo: every visitor gets a temporary copy, with limits"
    )
    parser.add_argument(
        "--no-api", action="store_true", help="serve the pages alone, no HTTP API (a demo never has one)"
    )
    parser.add_argument(
        "--webhook-host",
        action="append",
        type=_host_name,
        default=[],
        metavar="NAME",
        help="a host that webhooks may call although its address is private; may be repeated",
    )
    parser.add_argument(
        "--source-host",
        action="append",
        type=_host_name,
        default=[],
        metavar="NAME",
        help="a host whose language model projects may ask although its address is private; needed only "
        "where others can open the app; may be repeated",
    )
    _add_operation(parser)
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument("--version", action="version", version=f"LatticeLens {__version__}")
    space = on_a_space(os.environ)
    parser.set_defaults(**space)
    given = parser.parse_args(arguments)
    return Options(
        workspace=(given.workspace or Path(user_data_dir("latticelens", appauthor=False))).expanduser(),
        host=given.host,
        port=given.port,
        allow_host=tuple(given.allow_host),
        share=given.share,
        auth=given.auth,
        allow_path=tuple(given.allow_path),
        device=given.device,
        demo=given.demo,
        api=not (given.no_api or given.demo),
        webhook_host=tuple(given.webhook_host),
        source_host=tuple(given.source_host),
        backup_every=given.backup_every,
        backup_keep=given.backup_keep,
        backup_to=given.backup_to,
        metrics=given.metrics,
        log_format=given.log_format,
        browser=not given.no_browser,
    )


def _add_operation(parser: argparse.ArgumentParser) -> None:
    """Flags for whoever runs the app for others: backups, metrics, the log."""
    parser.add_argument(
        "--backup-every",
        type=_seconds,
        metavar="TIME",
        help="back up the workspace on this schedule, as 6h, 30m or 1d (default: never)",
    )
    parser.add_argument(
        "--backup-keep",
        type=_at_least_one,
        default=8,
        metavar="N",
        help="how many scheduled backups to keep (default: %(default)s)",
    )
    parser.add_argument(
        "--backup-to",
        type=Path,
        metavar="DIR",
        help="folder for them, best on another disk (default: backups in the workspace)",
    )
    parser.add_argument(
        "--metrics",
        type=_listener,
        metavar="[HOST:]PORT",
        help="serve metrics for Prometheus on a port of their own, of this machine unless HOST is given",
    )
    parser.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="json writes one object a line, with a line for every request (default: %(default)s)",
    )


def on_a_space(environment: Mapping[str, str]) -> dict[str, object]:
    """Defaults inside a Hugging Face Space, which starts ``launch.py`` without flags.

    A Space is public and its disk is ephemeral, so it runs the demo.
    """
    if not environment.get("SPACE_ID"):
        return {}
    port = environment.get("GRADIO_SERVER_PORT", "7860")
    return {
        "demo": True,
        "no_browser": True,
        "host": environment.get("GRADIO_SERVER_NAME", "0.0.0.0"),  # noqa: S104 - only inside the Space
        "port": int(port) if port.isdecimal() else 7860,
    }


def read_auth_file(path: Path) -> Callable[[str, str], bool]:
    """Build a check of name and password from a file of ``user:password`` lines.

    Only hashes stay in memory, compared in constant time. Blank lines and lines that start with
    ``#`` are skipped; a password may contain colons.

    Raises:
        AuthFileError: the file cannot be read, a line has no name or password, a name comes twice, or nobody
            is listed.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AuthFileError(f"--auth {path} cannot be read: {error}") from error
    users: dict[str, bytes] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, password = line.partition(":")
        name = name.strip()
        if not colon or not name or not password:
            raise AuthFileError(f"--auth {path}, line {number}: write user:password, both non-empty")
        if name in users:
            raise AuthFileError(f"--auth {path}, line {number}: user {name!r} is listed twice")
        users[name] = _digest(password)
    if not users:
        raise AuthFileError(f"--auth {path} lists no user: write one user:password a line")
    nobody = _digest("")

    def check(name: str, password: str) -> bool:
        # The same comparison for unknown names, so that timing does not reveal them.
        matches = hmac.compare_digest(users.get(name, nobody), _digest(password))
        return matches and name in users

    return check


def _digest(password: str) -> bytes:
    return sha256(password.encode()).digest()


def _port(value: str) -> int:
    number = int(value)
    if not 0 < number < 65536:
        raise argparse.ArgumentTypeError(f"a port lies between 1 and 65535, got {number}")
    return number


def _seconds(value: str) -> float:
    """A time as ``30m``, ``6h`` or ``1d``, at least a minute."""
    matched = re.fullmatch(r"(\d{1,6})([mhd])", value.strip().lower())
    if matched is None or int(matched[1]) == 0:
        raise argparse.ArgumentTypeError(f"a time is a number with m, h or d, as 6h, got {value!r:.40}")
    return float(int(matched[1]) * {"m": 60, "h": 3600, "d": 86_400}[matched[2]])


def _at_least_one(value: str) -> int:
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, got {number}")
    return number


def _listener(value: str) -> tuple[str, int]:
    """Host and port to listen on."""
    host, _, port = value.rpartition(":")
    return host.strip("[]") or "127.0.0.1", _port(port)


def _folder(value: str) -> Path:
    """An existing folder, as its real path."""
    folder = Path(value).expanduser().resolve()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {value!r:.200}")
    if folder == folder.parent:
        raise argparse.ArgumentTypeError("that is every file of this machine; name a folder inside it")
    return folder


def _host_name(value: str) -> str:
    """A host name as browsers send it, for use in a header."""
    if re.fullmatch(r"[A-Za-z0-9._-]+", value) or _is_address(value):
        return value
    raise argparse.ArgumentTypeError(
        f"a host's name alone, as ner.example.org, without https:// and port, got {value!r:.80}"
    )


def _is_address(value: str) -> bool:
    try:
        return bool(ip_address(value))
    except ValueError:
        return False
