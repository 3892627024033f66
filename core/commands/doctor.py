"""``python -m core doctor``: a workspace examined, or the convention that the offsets of a file follow."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from platformdirs import user_data_dir

from core.commands.arguments.corpus_files import add_format, as_read
from core.commands.terminal.errors import CommandError
from core.commands.workspace_doctor import examined, examined_snapshot, holds_snapshots, is_workspace
from core.formats import FormatError, ReadOptions
from core.formats.doctor.offset_doctor import Diagnosis, diagnose


def add_parser(subparsers: Any) -> None:
    """Add ``doctor`` to the commands."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "doctor",
        help="examine a workspace, and mend it; or find out what the offsets of a file count",
        description="Examine a workspace and print as JSON what is inconsistent in it. Or try every "
        "convention of offsets on FILE and print how many records fit each. Exit status for a workspace: "
        "0 healthy or mended, 1 something is wrong, 2 it cannot be examined.",
    )
    parser.add_argument(
        "source",
        metavar="WORKSPACE|FILE",
        nargs="?",
        default=_own(),
        help="the folder of a workspace or of its snapshots (default: the app's own), or a file with spans "
        "as offsets",
    )
    parser.add_argument(
        "--fix", action="store_true", help="mend a workspace, in one transaction after a backup of it"
    )
    add_format(parser, "FILE")
    parser.add_argument("--text-column", metavar="NAME", help="field that holds the text")
    parser.add_argument("--encoding", metavar="NAME", help="encoding of FILE; found out")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """The diagnosis; ``args.status`` becomes the exit status."""
    source = Path(args.source).expanduser()
    if is_workspace(source):
        report, args.status = examined(source, fix=args.fix)
        return report
    if holds_snapshots(source):
        if args.fix:
            raise CommandError(
                f"{source} holds snapshots, which the app replaces with its own: restore a backup from "
                "before the damage on the page Settings of the app"
            )
        report, args.status = examined_snapshot(source)
        return report
    if args.fix or (source.is_dir() and not any(source.iterdir())) or args.source == _own():
        raise CommandError(f"there is no workspace in {source}; name its folder")
    try:
        options = ReadOptions(text_column=args.text_column, encoding=args.encoding)
        diagnosis = diagnose(source, *as_read(args.format, options))
    except (FormatError, OSError) as error:
        raise CommandError(str(error)) from error
    return {
        "format": diagnosis.format,
        "records": diagnosis.records,
        "with_surfaces": diagnosis.surfaces,
        "conventions": [
            {
                "name": row.convention.name,
                "what": row.convention.title,
                "fits": row.fits,
                "impossible_spans": row.impossible,
                "odd_ends": row.odd,
            }
            for row in diagnosis.rows
            if row.fits or row.convention == diagnosis.defined
        ],
        "verdict": verdict(diagnosis),
        "read_with": f"--offsets {diagnosis.chosen.name}",
    }


def _own() -> str:
    """The app's own workspace."""
    return user_data_dir("latticelens", appauthor=False)


def verdict(diagnosis: Diagnosis) -> str:
    """The diagnosis in a sentence."""
    if not diagnosis.best:
        return "no convention fits any record: the offsets belong to another text"
    names = " or ".join(convention.title for convention in diagnosis.best)
    if not diagnosis.decided:
        return f"undecidable: nothing in the file tells {names} apart"
    how = "by their surfaces" if diagnosis.surfaces else "by where the spans begin and end"
    by_format = (
        ""
        if diagnosis.chosen == diagnosis.defined
        else f"; the format itself counts {diagnosis.defined.title}"
    )
    return f"{names}, told {how}{by_format}"
