"""``--set FIELD=VALUE``, and the flags that are short for it."""

from __future__ import annotations

import argparse

from core.commands.terminal.errors import CommandError

SHORT = ("epochs", "seed")


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
