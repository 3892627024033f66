"""``python -m core``: train and run taggers, convert and store data, simulate annotation.

Results are JSON on stdout, everything else goes to stderr. Exit status: 0 done, 1 a failed run, 2 bad input
(one line says what and what to do), 130 interrupted.
"""

from __future__ import annotations

import argparse
import getpass
import importlib
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core import __version__
from core.commands.terminal.errors import CommandError, Interrupted
from core.corpus.errors import DiskFullError
from core.runtime.message import Told
from core.store.db import audit

PROGRAM = "python -m core"
COMMANDS = (
    "train",
    "tag",
    "suggest",
    "evaluate",
    "ensemble",
    "distil",
    "self-train",
    "convert",
    "doctor",
    "lexicon",
    "distant",
    "workspace",
    "user",
    "bilm",
    "vectors",
    "mlm",
    "recipe",
    "probe",
    "curve",
    "best",
    "distant-train",
    "agree",
    "simulate",
    "similar",
    "key-sentences",
    "export-model",
    "push",
)


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line."""

    def error(self, message: str) -> Any:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(argv: Sequence[str] | None = None, prog: str = PROGRAM, more: str | None = None) -> int:
    """Run one command and return the exit status.

    Args:
        prog: what the person typed before the command; its last word begins the line of an error.
        more: the last line of the help.
    """
    name = prog.split()[-1]
    try:
        arguments = _parser(prog, more).parse_args(argv)
        with audit.acting(_login_name(), "command"):
            _print(arguments.run(arguments))
        sys.stdout.flush()
        status = int(getattr(arguments, "status", 0))  # of a command that reports, as `doctor` does
    except (CommandError, Told) as error:
        print(f"{name} {arguments.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return error.status if isinstance(error, CommandError) else 2 - isinstance(error, DiskFullError)
    except (KeyboardInterrupt, Interrupted) as error:
        print(str(error) or "interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone. Give Python somewhere to flush what is left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status


def _login_name() -> str:
    """Who runs the command, by the system; empty where it does not say, as in some containers."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def _parser(prog: str = PROGRAM, more: str | None = None) -> argparse.ArgumentParser:
    parser = _Parser(prog=prog, description=__doc__.split("\n")[0].partition(": ")[2], epilog=more)
    parser.add_argument("--version", action="version", version=f"LatticeLens {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        importlib.import_module(f"{__package__}.commands.{name.replace('-', '_')}").add_parser(commands)
    return parser


def _print(result: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> None:
    """One object indented, or many, one a line, as they come."""
    if isinstance(result, Mapping):
        print(json.dumps(result, ensure_ascii=False, indent=1))
        return
    for record in result:
        print(json.dumps(record, ensure_ascii=False))
