"""jieba's dictionary, read from its package without running the package."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from core.lexicon.dictionary import Dictionary
from core.lexicon.entry import LexiconError


def package_folder() -> Path:
    """The folder of the jieba package, found without importing it.

    Raises:
        LexiconError: it is not installed.
    """
    spec = find_spec("jieba")
    if spec is None or not spec.submodule_search_locations:
        raise LexiconError("the jieba package is not installed; install the requirements and start again")
    return Path(spec.submodule_search_locations[0])


def read(cache: Path | None = None) -> Dictionary:
    """All words of ``dict.txt`` with frequency and part of speech.

    Raises:
        LexiconError: the package or its dictionary is missing or damaged.
    """
    path = package_folder() / "dict.txt"
    try:
        table = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise LexiconError(
            "jieba's dictionary cannot be read ({reason}); install jieba again", reason=error
        ) from None
    try:
        return Dictionary.of_table(table if table.endswith("\n") else table + "\n", " ", cache)
    except LexiconError as error:
        raise LexiconError(
            "jieba's dictionary is damaged: {reason}; install jieba again", reason=error
        ) from None
