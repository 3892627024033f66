"""``python -m core convert``: convert between file formats, reporting errors and losses."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.commands.arguments.corpus_files import add_format, as_read, format_of
from core.commands.terminal.errors import CommandError
from core.formats import (
    LOSSES,
    FormatError,
    Losses,
    Reading,
    ReadOptions,
    Refusal,
    WriteOptions,
    available,
    by_name,
    write_file,
    write_refused,
)
from core.formats.framework.candidates import UnsureFormat
from core.text import Document

_EVERY = 5000
_SHOWN = 20
_SEPARATORS: dict[str, Any] = {"tab": "\t", "space": " "}


def add_parser(subparsers: Any) -> None:
    """Add ``convert`` to the commands."""
    names = ", ".join(available())
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "convert",
        help="turn a file of one format into another",
        description="Read IN, write OUT, and print as JSON what was read, written, refused and lost.",
    )
    parser.add_argument("source", metavar="IN", help="what to read: a file, a folder or a ZIP")
    parser.add_argument("target", metavar="OUT", help="the file to write; one that is there is replaced")
    add_format(parser, f"IN ({names})", dest="source_format")
    parser.add_argument("--to", dest="target_format", metavar="NAME", help="format of OUT; from its ending")
    parser.add_argument("--refused", metavar="FILE", help="write the refused records here, to be mended")
    parser.add_argument("--text-column", metavar="NAME", help="field or column of IN that holds the text")
    parser.add_argument("--encoding", metavar="NAME", help="encoding of IN; found out")
    parser.add_argument(
        "--offsets", metavar="NAME", default="auto", help="what the offsets of IN count; doctor tells"
    )
    parser.add_argument("--blocks", action="store_true", help="plain text: documents end at blank lines")
    parser.add_argument(
        "--sentences", action="store_true", help="column files: a blank line after each sentence"
    )
    parser.add_argument(
        "--separator", choices=sorted(_SEPARATORS), default="tab", help="column files: between token and tag"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Convert; returns counts and losses."""
    source, target = Path(args.source), Path(args.target)
    refusals: list[Refusal] = []
    try:
        if source.exists() and target.exists() and source.samefile(target):
            raise CommandError(f"{source} is both what to read and what to write; name another file")
        options = ReadOptions(
            text_column=args.text_column,
            encoding=args.encoding,
            offsets=args.offsets,
            unit="paragraph" if args.blocks else "line",
        )
        reading = Reading(source, *as_read(args.source_format, options))
        target_format = args.target_format or format_of(target)
        writing = WriteOptions(_SEPARATORS[args.separator], args.blocks, args.sentences)
        try:
            lost = write_file(_documents(reading, refusals), target, target_format, writing)
        finally:
            if args.refused and refusals:
                write_refused(args.refused, refusals, reading.format.refused_header(reading.source))
    except UnsureFormat as error:
        raise CommandError(f"{error}: --from NAME, or --map text=FIELD,spans=FIELD") from error
    except (FormatError, OSError) as error:
        raise CommandError(str(error)) from error
    return _report(reading, refusals, target, target_format, lost)


def _documents(reading: Reading, refusals: list[Refusal]) -> Iterator[Document]:
    for item in reading:
        if isinstance(item, Refusal):
            refusals.append(item)
            continue
        if reading.documents % _EVERY == 0:
            print(f"{reading.documents} documents", file=sys.stderr)
        yield item
    if not reading.documents:
        first = f"; the first: line {refusals[0].line}: {refusals[0].reason}" if refusals else ""
        raise CommandError(
            f"not one of {reading.refused} records of {reading.source.path.name} can be read{first}"
        )


def _report(
    reading: Reading, refusals: list[Refusal], target: Path, target_format: str, lost: Losses
) -> dict[str, Any]:
    companion = by_name(target_format).companion()
    return {
        "from": reading.format.name,
        "to": target_format,
        "read": reading.documents,
        "written": reading.documents - lost.get("documents", 0),
        "refused": reading.refused,
        "lost": lost,
        "why": {
            "lost": {name: LOSSES[name] for name in lost},
            "refused": [{"line": refusal.line, "reason": refusal.reason} for refusal in refusals[:_SHOWN]],
        },
        **({"beside": str(target.with_suffix(companion.ending))} if companion else {}),
        "spans": reading.counts()["spans"],
        "labels": reading.counts()["labels"],
        "notes": list(reading.notes),
    }
