"""``python -m core export-model``: a trained run as a folder for another program."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.commands.arguments.model_argument import load_model, model_path
from core.commands.terminal.errors import CommandError

if TYPE_CHECKING:
    from core.export.model_card import RunFacts

TARGETS = ("latticelens", "transformers", "onnx")


def add_parser(subparsers: Any) -> None:
    """Add ``export-model``."""
    parser = subparsers.add_parser(
        "export-model",
        help="write a trained run for transformers, onnxruntime or another LatticeLens",
        description="Write a trained run with its model card as a folder for another program, checked "
        "against the run, and print one JSON object: out, tagger, labels, and the largest difference of a "
        "tag score on sample texts.",
    )
    parser.add_argument("--model", required=True, metavar="DIR", help="run folder or model folder")
    parser.add_argument("--to", required=True, choices=TARGETS, help="which program it is for")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder to write; must not exist yet")
    add_licence(parser)
    parser.set_defaults(run=run)


def add_licence(parser: argparse.ArgumentParser) -> None:
    """Add ``--license``."""
    parser.add_argument(
        "--license", default="", metavar="ID", help="licence in the model card, such as cc-by-4.0; else other"
    )


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Write the folder."""
    out = Path(args.out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CommandError(f"{out} exists already; name a new folder")
    model, tagger = model_path(args.model), load_model(args.model, "cpu")
    from core.export.bundle import write_bundle
    from core.export.errors import ExportError
    from core.taggers.base.tagger import ModelFolderError

    try:
        facts = facts_of(args.model)
        difference = write_bundle(model, out, args.to, facts=facts, licence=args.license, tagger=tagger)
    except (ExportError, ModelFolderError, OSError) as error:
        raise CommandError(str(error)) from error
    return {
        "out": str(out),
        "tagger": tagger.name,
        "labels": list(tagger.labels),
        "largest_difference": difference,
    }


def facts_of(folder: str) -> RunFacts | None:
    """What the card says of the run in ``folder``, or in the folder above a model folder."""
    from core.export.model_card import RunFacts
    from core.training.run.run_folder import RunFolder

    path = Path(folder)
    return RunFacts.of(RunFolder(path)) or RunFacts.of(RunFolder(path.resolve().parent))
