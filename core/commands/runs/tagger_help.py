"""``--tagger NAME --help``: the options of that tagger, besides the flags of the command."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.taggers.base.config_fields import ConfigField

_WIDTH, _INDENT = 100, " " * 6


class TaggerHelp(argparse.Action):
    """Prints the help of the command and, after ``--tagger``, the options of that tagger."""

    def __init__(self, option_strings: Sequence[str], dest: str, default: str, **_: Any) -> None:
        """``default`` is the tagger that the command trains when none is named."""
        super().__init__(
            option_strings,
            argparse.SUPPRESS,
            nargs=0,
            default=argparse.SUPPRESS,
            help="show this help; behind --tagger NAME also the options of that tagger",
        )
        self._default = default

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *_: object) -> None:
        """Print and exit."""
        name = getattr(namespace, "tagger", None)
        listed = "" if name is None else tagger_options(parser, name)
        parser.print_help()
        print(
            listed or f"\n--tagger NAME --help lists the options of a tagger; {self._default} is the default."
        )
        parser.exit()


def tagger_options(parser: argparse.ArgumentParser, name: str) -> str:
    """The fields of a tagger's config with defaults, types and help; loads torch."""
    from core.taggers.base.config_fields import config_fields
    from core.taggers.base.registry import UnknownTaggerError, by_name

    try:
        kind = by_name(name)
    except UnknownTaggerError as error:
        parser.error(str(error))
    lines = [line for field in config_fields(kind.Config) for line in _lines(field)]
    told = ["", f"options of {name} ({kind.title}), for --set:", *lines]
    if kind.learns_best_with:
        best = ", ".join(f"{field}={value:g}" for field, value in kind.learns_best_with.items())
        told += ["", f"from scratch it trains with {best} unless --set says otherwise"]
    return "\n".join(told)


def _lines(field: ConfigField) -> Iterator[str]:
    yield f"  {field.name}={field.default}"
    text = f"{field.help} ({field.allowed})" if field.help else str(field.allowed)
    yield from textwrap.wrap(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
