"""Label descriptions from a file."""

from __future__ import annotations

import json
from pathlib import Path

from core.commands.terminal.errors import CommandError
from core.text import Label, LabelSet


def read_descriptions(path: str) -> LabelSet:
    """Labels with their annotation guidelines, from a JSON object of names and texts, in its order.

    Raises:
        CommandError: no such file, or invalid content.
    """
    try:
        value = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise CommandError(f"--descriptions {path}: {error.strerror}; check the path") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"--descriptions {path} is not JSON ({error})") from error
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise CommandError(
            f'--descriptions {path} should be one object of labels and texts: {{"PER": "names of people"}}'
        )
    try:
        return LabelSet(Label(name, description=text) for name, text in value.items())
    except ValueError as error:
        raise CommandError(f"--descriptions {path}: {error}") from error
