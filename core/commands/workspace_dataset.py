"""``python -m core workspace dataset``: a project as a data set of the hub, in a folder or pushed."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core.commands.export_model import add_licence
from core.commands.terminal.errors import CommandError
from core.export.errors import ExportError
from core.text import Document, LabelSet

FILES = ("jsonl", "parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is written, and where to."""
    parser.add_argument("--out", metavar="DIR", help="folder to write; must not exist yet")
    parser.add_argument(
        "--push",
        metavar="OWNER/NAME",
        help="upload it to this repository, which is made; the token is read from HF_TOKEN",
    )
    parser.add_argument("--public", action="store_true", help="make a repository that everybody can read")
    parser.add_argument("--files", choices=FILES, default=FILES[0], help="what the data is written as")
    parser.add_argument(
        "--named",
        action="store_true",
        help="keep who annotated a document and when, and the comments; otherwise they are left out",
    )
    add_licence(parser)


def exported_dataset(
    documents: Iterable[Document], labels: LabelSet, title: str, args: argparse.Namespace
) -> dict[str, Any]:
    """Write, and push.

    Raises:
        CommandError: neither a folder nor a repository is named, the folder exists, there is no document, or
            the hub refuses.
    """
    from core.export.dataset.export import write_dataset
    from core.export.hub import check_repository, push

    if not (args.out or args.push):
        raise CommandError("name a folder with --out DIR, or a repository with --push OWNER/NAME")
    try:
        if args.push:
            check_repository(args.push)
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(args.out) if args.out else Path(scratch) / "dataset"
            written = write_dataset(
                documents, folder, labels, title=title, repository=args.push or "", licence=args.license,
                files=args.files, named=args.named,
            )  # fmt: skip
            told: dict[str, Any] = {
                "project": title,
                "splits": {name: facts.documents for name, facts in written.splits.items()},
                "spans": sum(written.labels.values()),
            }
            if args.out:
                told["out"] = str(folder)
            if args.push:
                told["commit"] = push(
                    folder, args.push, public=args.public, message="Upload the data set", kind="dataset",
                    fresh=True,
                )  # fmt: skip
    except (ExportError, OSError) as error:
        raise CommandError(str(error)) from error
    return told
