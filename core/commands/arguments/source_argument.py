"""``--source``: another tagger, or a language model, and what it is asked with."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import replace
from pathlib import Path

from core.commands.terminal.errors import CommandError
from core.sources import SourceError, SourceSettings
from core.text import Label, LabelSet

PREFIXES = {"spacy": "spacy", "hf": "transformers", "gliner": "gliner"}
NAMED = "lac, spacy:PIPELINE, hf:FOLDER, gliner:FOLDER"


def add_source(parser: argparse.ArgumentParser, *, required: bool = False, more: str = "") -> None:
    """Add ``--source``. Args:
    more: what else its help says."""
    parser.add_argument(
        "--source",
        required=required,
        metavar="SOURCE",
        help=f"{NAMED}, or a JSON file of the settings of a source{more}",
    )


def add_labels(parser: argparse.ArgumentParser) -> None:
    """Add ``--label``."""
    parser.add_argument(
        "--label",
        action="append",
        default=[],
        metavar="NAME[=GUIDELINE]",
        help="a label to ask a language model or GLiNER for; may be repeated",
    )


def add_cache(parser: argparse.ArgumentParser) -> None:
    """Add ``--cache``."""
    parser.add_argument("--cache", metavar="DIR", help="keep the answers of a language model here")


def source_settings(written: str) -> SourceSettings:
    """The settings of ``--source``.

    Raises:
        CommandError: it names no source, or the file holds none.
    """
    prefix, colon, target = written.partition(":")
    try:
        if written == "lac":
            return SourceSettings("lac", "LAC")
        if colon and prefix in PREFIXES:
            return SourceSettings.from_json({"kind": PREFIXES[prefix], "name": prefix, "target": target})
        value = json.loads(Path(written).read_text(encoding="utf-8"))
        settings = SourceSettings.from_json(value)
    except OSError as error:
        raise CommandError(f"--source {written}: give {NAMED}, or a JSON file that is there") from error
    except (ValueError, SourceError) as error:
        raise CommandError(f"--source {written}: {error}") from error
    if settings.key == "file":
        raise CommandError(f"--source {written}: key names an environment variable here")
    return replace(settings)


def key_of(settings: SourceSettings) -> str | None:
    """The secret of a source, from its environment variable.

    Raises:
        SourceError: the variable is not set.
    """
    if not settings.key:
        return None
    if not os.environ.get(settings.key):
        raise SourceError("The environment variable {variable} is not set.", variable=settings.key)
    return os.environ[settings.key]


def asked_labels(written: list[str]) -> LabelSet:
    """The labels of ``--label``.

    Raises:
        CommandError: one is no name of a label, or given twice.
    """
    pairs = [item.partition("=") for item in written]
    try:
        return LabelSet(Label(name.strip(), description=guideline) for name, _, guideline in pairs)
    except ValueError as error:
        raise CommandError(f"--label: {error}") from error
