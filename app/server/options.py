"""The flags of `launch.py`."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from pathlib import Path

from app.server.limits.flags import add_limit_flags, limits_of
from app.server.origin import is_loopback
from app.server.sign_in.provider_settings import ProviderSettings, add_provider_flags, provider_settings
from app.server.sign_in.trusted_header import Network, TrustedHeader
from app.server.space import Space, defaults, flags_of, settle, space_of
from app.services.limits.table import ALONE, Limits
from core import __version__
from core.store.db.journal_mode import STORAGES, Storage

SNAPSHOT_SECONDS = 30.0  # between two


@dataclass(frozen=True, slots=True)
class Options:
    """How to run the app; the fields are the flags of ``launch.py``; times in seconds."""

    workspace: Path
    host: str = "127.0.0.1"
    port: int | None = None
    allow_host: tuple[str, ...] = ()
    share: bool = False
    auth: Path | None = None
    provider: ProviderSettings | None = None
    trust_header: TrustedHeader | None = None
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
    storage: Storage | None = None
    snapshot_every: float = SNAPSHOT_SECONDS
    space: Space | None = None
    limits: Limits = ALONE

    @property
    def others_reach_it(self) -> bool:
        """Whether anybody but the person at this machine can open the app."""
        away = self.share or bool(self.allow_host) or not is_loopback(self.host)
        return away or self.demo or self.has_login

    @property
    def has_login(self) -> bool:
        """Whether people have to say who they are."""
        return bool(self.auth or self.trust_header or (self.provider and not self.demo))


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
        "--auth",
        type=Path,
        metavar="FILE",
        help="file of who may log in with a password, which “python -m core user” writes",
    )
    parser.add_argument(
        "--trust-header",
        type=_header_name,
        metavar="NAME",
        help="header in which a proxy that people log in to says who they are, as X-Forwarded-User",
    )
    parser.add_argument(
        "--trust-from",
        type=_networks,
        metavar="ADDRESS[,…]",
        help="addresses or networks of that proxy; the header is refused from all others",
    )
    add_provider_flags(parser)
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
    add_limit_flags(parser)
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument("--version", action="version", version=f"LatticeLens {__version__}")
    space = space_of(os.environ)
    if space is not None:
        parser.set_defaults(**defaults(os.environ))
        arguments = [*flags_of(os.environ), *(sys.argv[1:] if arguments is None else arguments)]
    given = parser.parse_args(arguments)
    if space is not None:
        settle(given, space, os.environ)
    if bool(given.trust_header) != bool(given.trust_from):
        parser.error("--trust-header and --trust-from go together: a header, and who may send it")
    if given.share and given.trust_header:
        parser.error("--share brings strangers in as from this machine: leave it out with --trust-header")
    options = Options(
        workspace=(given.workspace or Path(user_data_dir("latticelens", appauthor=False))).expanduser(),
        host=given.host,
        port=given.port,
        allow_host=tuple(given.allow_host),
        share=given.share,
        auth=given.auth,
        provider=provider_settings(parser, given, os.environ),
        trust_header=TrustedHeader(given.trust_header, given.trust_from) if given.trust_header else None,
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
        storage=given.storage,
        snapshot_every=given.snapshot_every,
        space=space,
    )
    limits = limits_of(given, demo=options.demo, others=options.others_reach_it)
    return replace(options, limits=limits)


def _add_operation(parser: argparse.ArgumentParser) -> None:
    """Flags for whoever runs the app for others: storage, backups, metrics, the log."""
    parser.add_argument(
        "--storage",
        choices=STORAGES,
        help="what the workspace is on; beside a disk its live file is kept on the local disk, and "
        "snapshots go to the workspace (default: as the system says; what FUSE mounts is a bucket)",
    )
    parser.add_argument(
        "--snapshot-every",
        type=_short_time,
        default=SNAPSHOT_SECONDS,
        metavar="TIME",
        help="least time between two snapshots, as 10s or 5m; so much is lost if the app is killed "
        "(default: 30s)",
    )
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


def _short_time(value: str) -> float:
    """A time as ``10s`` or ``5m``."""
    matched = re.fullmatch(r"(\d{1,5})([sm])", value.strip().lower())
    if matched is None or int(matched[1]) == 0:
        raise argparse.ArgumentTypeError(f"a time is a number with s or m, as 30s, got {value!r:.40}")
    return float(int(matched[1]) * {"s": 1, "m": 60}[matched[2]])


def _at_least_one(value: str) -> int:
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, got {number}")
    return number


def _listener(value: str) -> tuple[str, int]:
    """Host and port to listen on."""
    host, _, port = value.rpartition(":")
    return host.strip("[]") or "127.0.0.1", _port(port)


def _header_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]{1,80}", value):
        raise argparse.ArgumentTypeError(f"a header's name alone, as X-Forwarded-User, got {value!r:.80}")
    return value


def _networks(value: str) -> tuple[Network, ...]:
    try:
        found = tuple(ip_network(part.strip()) for part in value.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"addresses or networks, as 10.0.0.7,10.1.0.0/16: {error}"
        ) from error
    if any(network.prefixlen == 0 for network in found):
        raise argparse.ArgumentTypeError("that is every address: whoever reaches the app could be anybody")
    return found


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
