"""A person's own word list, in the forms such lists come in.

Told apart line by line, so a list may mix them; blank lines and lines beginning with ``#`` are skipped:

* ``word``
* ``word<TAB>frequency`` or ``word frequency``
* ``word<TAB>frequency<TAB>type`` or ``word frequency pos`` (jieba)
* ``word<TAB>type`` (an INCEpTION gazetteer)

A word may hold blanks inside (``New York``) as long as no number ends the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.lexicon.entry import Entry, LexiconError, WordListError, WordListProblem

_SPACED = re.compile(r"(?P<word>.*\S)\s+(?P<frequency>-?\d+)(?:\s+(?P<type>[A-Za-z]\w*))?")
_NUMBER = re.compile(r"-?\d+")
MAXIMUM_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class WordList:
    """What a word list held.

    Args:
        entries: the good words, each once, in order; a word listed again keeps its highest frequency.
        problems: the refused lines. repeated: how many lines only repeated a word.
    """

    entries: tuple[Entry, ...]
    problems: tuple[WordListProblem, ...] = ()
    repeated: int = 0


def read_word_list(path: Path) -> WordList:
    """Read a UTF-8 word list; a BOM and CRLF line ends are fine.

    Raises:
        WordListError: the file as a whole is unreadable: missing, a folder, too large, or no UTF-8 text.
    """
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            raise WordListError(
                path.name, [WordListProblem(0, f"a word list has at most {MAXIMUM_BYTES} bytes")]
            )
        raw = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise WordListError(path.name, [WordListProblem(0, f"cannot be read: {reason}")]) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = WordListProblem(line, "is not UTF-8 text; save the list as UTF-8 and read it again")
        raise WordListError(path.name, [problem]) from None
    return parse_word_list(text.replace("\r\n", "\n").split("\n"))


def parse_word_list(lines: Iterable[str]) -> WordList:
    """Words of these lines; bad lines are named in ``problems`` and the others kept."""
    entries: dict[str, Entry] = {}
    problems: list[WordListProblem] = []
    repeated = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            entry = _parse(line)
        except LexiconError as error:
            problems.append(WordListProblem(number, str(error)))
            continue
        known = entries.get(entry.word)
        repeated += known is not None
        if known is None or entry.frequency > known.frequency:
            entries[entry.word] = entry
    return WordList(tuple(entries.values()), tuple(problems), repeated)


def _parse(line: str) -> Entry:
    if "\t" in line:
        return _tabbed([part.strip() for part in line.rstrip().split("\t")])
    match = _SPACED.fullmatch(line.strip())
    if match is None:
        return Entry(line.strip())
    return Entry(match["word"], _frequency(match["frequency"]), match["type"] or "")


def _tabbed(parts: list[str]) -> Entry:
    if not parts[0]:
        raise LexiconError("the word before the tab is missing")
    if len(parts) > 3:
        raise LexiconError(f"has {len(parts)} columns, a word list has word, frequency and type at most")
    word, *rest = parts
    numbers = [part for part in rest if _NUMBER.fullmatch(part)]
    types = [part for part in rest if part and not _NUMBER.fullmatch(part)]
    if len(numbers) > 1 or len(types) > 1:
        raise LexiconError(f"has two columns of one kind after the word: {', '.join(rest)}")
    return Entry(word, _frequency(numbers[0]) if numbers else 1, types[0] if types else "")


def _frequency(digits: str) -> int:
    # int() of a hostile 10,000-digit number is slow and, from Python 3.11 on, an error of its own.
    if len(digits) > 18:
        raise LexiconError(f"the frequency {digits[:18]}… is too large")
    return int(digits)
