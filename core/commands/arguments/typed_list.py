"""A word list named on the command line, with every type of its words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.commands.arguments.corpus_files import check_file
from core.commands.terminal.errors import CommandError
from core.lexicon import Entry, LexiconError, read_word_list


def read_words(path: str, type_: str = "") -> list[Entry]:
    """The entries of a list; a word with two types has two.

    Args:
        type_: of the words that have none.

    Raises:
        CommandError: it cannot be read, one of its lines cannot, or it has no word.
    """
    check_file(path)
    try:
        words = read_word_list(Path(path))
    except LexiconError as error:
        raise CommandError(str(error)) from None
    if words.problems:
        first = words.problems[0]
        raise CommandError(
            f"{path}: {len(words.problems)} lines cannot be read, the first is {first}; "
            "see 'python -m core lexicon check FILE' for all of them"
        )
    if not words.entries:
        raise CommandError(f"{path} holds no word; write one a line")
    entries = [*words.entries, *words.others]
    return [replace(entry, type=type_) if type_ and not entry.type else entry for entry in entries]


def typed_words(path: str, type_: str = "") -> list[Entry]:
    """`read_words`, where at least one word must have a type.

    Raises:
        CommandError: as `read_words`, or no word has one.
    """
    entries = read_words(path, type_)
    if not any(entry.type for entry in entries):
        raise CommandError(f"no word of {path} has a type; write WORD, tab, TYPE, or give --type")
    return entries
