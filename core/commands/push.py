"""``python -m core push``: a trained run into a repository of a hub."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from core.commands.arguments.model_argument import model_path
from core.commands.export_model import TARGETS, add_licence, facts_of
from core.commands.terminal.errors import CommandError


def add_parser(subparsers: Any) -> None:
    """Add ``push``."""
    parser = subparsers.add_parser(
        "push",
        help="upload a trained run with its model card to a hub",
        description="Upload a trained run with its model card to a repository, and print its address as one "
        "JSON object. The token is read from HF_TOKEN, the hub's address from HF_ENDPOINT. The repository is "
        "private unless --public is given: the files hold the vocabulary of the training texts, and of a "
        "BERT with neighbours its training sentences.",
    )
    parser.add_argument("--model", required=True, metavar="DIR", help="run folder or model folder")
    parser.add_argument("--repo", required=True, metavar="OWNER/NAME", help="the repository")
    parser.add_argument("--to", default="latticelens", choices=TARGETS, help="which program it is for")
    parser.add_argument("--public", action="store_true", help="make a new repository that everybody can read")
    add_licence(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Upload it."""
    model = model_path(args.model)
    from core.export.bundle import write_bundle
    from core.export.errors import ExportError
    from core.export.hub import check_repository, push
    from core.taggers.base.tagger import ModelFolderError

    try:
        name = check_repository(args.repo)
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "model"
            facts = facts_of(args.model)
            write_bundle(model, folder, args.to, facts=facts, licence=args.license, name=name)
            address = push(folder, name, public=args.public)
    except (ExportError, ModelFolderError, OSError) as error:
        raise CommandError(str(error)) from error
    return {"repo": name, "commit": address}
