"""``--set FIELD=VALUE``, and the flags that are short for it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from core.commands.terminal.errors import CommandError

SHORT = ("epochs", "seed")


def add_set(parser: argparse.ArgumentParser, what: str, short: Sequence[str] = SHORT) -> None:
    """Add ``--set``, which takes ``what``, and the flags that are short for it."""
    parser.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help=f"{what}; may be repeated"
    )
    for name in short:
        parser.add_argument(f"--{name}", metavar="N", help=f"same as --set {name}=N")


def assignments(args: argparse.Namespace) -> dict[str, str]:
    """The values of ``--set`` by field, including ``--epochs`` and ``--seed``.

    Raises:
        CommandError: one of them names no field.
    """
    values: dict[str, str] = {}
    for assignment in args.set:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise CommandError(f"--set {assignment}: expected FIELD=VALUE, for example --set batch_size=32")
        values[name] = value
    for name in SHORT:
        if getattr(args, name) is not None:
            values[name] = getattr(args, name)
    return values
