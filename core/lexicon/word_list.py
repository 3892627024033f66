"""Reads word list files in the usual forms.

The form is recognised line by line, so a list may mix forms; blank lines, lines that begin with ``#`` and a
header line are skipped:

* ``word``
* ``word<TAB>frequency`` or ``word frequency``
* ``word<TAB>frequency<TAB>type`` or ``word frequency pos`` (jieba)
* ``word<TAB>type`` (an INCEpTION gazetteer)

A word may contain blanks (``New York``) if the line does not end with a number. A word listed with two types
has both. A word that begins with ``#`` is escaped by a backslash.

Two forms are ambiguous in a single line and are recognised by the majority of lines
(`core.lexicon.list_layout`): columns separated by commas, and ``word frequency type`` with a Chinese type.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.corpus.encodings import reads_as_chinese
from core.corpus.foreign_files import foreign_file
from core.lexicon.entry import Entry, LexiconError, WordListError, WordListProblem
from core.lexicon.list_layout import Layout, comma_cells, layout_of
from core.runtime.message import _, message_of

_SPACED = re.compile(r"(?P<word>.*\S)\s+(?P<frequency>-?\d+)(?:\s+(?P<type>[A-Za-z]\w*))?")
_SPACED_ANY = re.compile(r"(?P<word>.*\S)\s+(?P<frequency>-?\d+)(?:\s+(?P<type>[^\W\d]\w*))?")
_ESCAPED = re.compile(r"\\+#")  # a word beginning with #, or backslashes and #, escaped by `line_of`
_NUMBER = re.compile(r"-?\d+")
MAXIMUM_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class WordList:
    """The content of a word list.

    Args:
        entries: the valid words, each once, in order; a repeated word has its highest frequency.
        problems: the refused lines. repeated: number of lines that only repeat a word.
        others: further types of words in ``entries``.
    """

    entries: tuple[Entry, ...]
    problems: tuple[WordListProblem, ...] = ()
    repeated: int = 0
    others: tuple[Entry, ...] = ()

    @property
    def by_word(self) -> dict[str, list[Entry]]:
        """Every word with its entries, the most frequent first."""
        entries = {entry.word: [entry] for entry in self.entries}
        for entry in self.others:
            entries[entry.word].append(entry)
        return entries

    def differing_in_case(self) -> int:
        """The number of words that differ from another one only in case; each is a word of its own."""
        folded: dict[str, int] = {}
        for entry in self.entries:
            if entry.word != entry.word.lower() or not entry.word.isascii() or entry.word.isalpha():
                key = entry.word.casefold()
                folded[key] = folded.get(key, 0) + 1
        return sum(number for number in folded.values() if number > 1)


def read_word_list(path: Path, progress: Callable[[float], None] | None = None) -> WordList:
    """Read a word list in UTF-8, GB18030 (which includes GBK), or UTF-16 with a byte order mark.

    A BOM and CRLF line ends are allowed.

    Args:
        progress: called now and then with the fraction of lines read; may raise to stop.

    Raises:
        WordListError: the file as a whole is unreadable: missing, a folder, too large, an archive or an
            office document, or in another encoding.
    """
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            raise WordListError(
                path.name, [WordListProblem(0, _("a word list has at most {most} bytes", most=MAXIMUM_BYTES))]
            )
        foreign = foreign_file(path, archives=False)
        raw = path.read_bytes()
    except OSError as error:
        raise WordListError(
            path.name, [WordListProblem(0, _("cannot be read: {reason}", reason=error))]
        ) from None
    if foreign is not None:
        problem = WordListProblem(
            0,
            _("is {kind}, not a word list: {advice} and try again", kind=foreign.kind, advice=foreign.advice),
        )
        raise WordListError(path.name, [problem])
    text = _decoded(path.name, raw)
    return parse_word_list(text.replace("\r\n", "\n").split("\n"), progress)


def _decoded(name: str, raw: bytes) -> str:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return raw.decode("utf-16")
        except UnicodeDecodeError:
            problem = WordListProblem(
                0, _("begins like UTF-16 and is not; save the list as UTF-8 and read it again")
            )
            raise WordListError(name, [problem]) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
    with suppress(UnicodeDecodeError):
        chinese = raw.decode("gb18030")
        # A UTF-8 list with one broken line can decode too, into other Han.
        if reads_as_chinese(chinese) and not _mostly_utf8(raw):
            return chinese
    problem = WordListProblem(
        line, _("is neither UTF-8 nor GB18030 text; save the list as UTF-8 and read it again")
    )
    raise WordListError(name, [problem])


def _mostly_utf8(raw: bytes) -> bool:
    lines = [line for line in raw.splitlines() if not line.isascii()]
    good = 0
    for line in lines:
        with suppress(UnicodeDecodeError):
            line.decode("utf-8")
            good += 1
    return 2 * good >= len(lines)


def parse_word_list(lines: Sequence[str], progress: Callable[[float], None] | None = None) -> WordList:
    """The words of these lines; bad lines are listed in ``problems``."""
    words: dict[str, dict[str, Entry]] = {}
    problems: list[WordListProblem] = []
    repeated = 0
    layout = layout_of(lines)
    for number, line in enumerate(lines, start=1):
        if progress is not None and number % 50_000 == 0:
            progress(number / len(lines))
        if not line.strip() or line.lstrip().startswith("#") or number == layout.heading:
            continue
        try:
            entry = _parse(line, layout)
        except LexiconError as error:
            problems.append(WordListProblem(number, message_of(error), line[:200]))
            continue
        typed = words.get(entry.word)
        if typed is None:
            words[entry.word] = {entry.type: entry}
        else:
            repeated += not _add_type(typed, entry)
    ranked = [_ranked(of_word) for of_word in words.values()]
    others = tuple(entry for of_word in ranked for entry in of_word[1:])
    return WordList(tuple(of_word[0] for of_word in ranked), tuple(problems), repeated, others)


def _add_type(typed: dict[str, Entry], entry: Entry) -> bool:
    """Add another entry of a word; returns whether it has a further, non-empty type."""
    same = typed.get(entry.type)
    if same is not None or not entry.type:
        kept = same or max(typed.values(), key=lambda other: other.frequency)
        if entry.frequency > kept.frequency:
            typed[kept.type] = Entry(entry.word, entry.frequency, kept.type)
        return False
    untyped = typed.pop("", None)
    frequency = max(entry.frequency, untyped.frequency) if untyped else entry.frequency
    typed[entry.type] = Entry(entry.word, frequency, entry.type)
    return untyped is None


def _ranked(of_word: dict[str, Entry]) -> list[Entry]:
    # sorted is stable, so ties stay in file order.
    return sorted(of_word.values(), key=lambda entry: -entry.frequency)


def line_of(entry: Entry) -> str:
    """An entry as a line that reads back unchanged: word, tab, frequency, and a tab and the type if any."""
    word = f"\\{entry.word}" if entry.word.lstrip("\\").startswith("#") else entry.word
    return f"{word}\t{entry.frequency}" + (f"\t{entry.type}\n" if entry.type else "\n")


def _parse(line: str, layout: Layout) -> Entry:
    if _ESCAPED.match(line):
        line = line[1:]
    if "\t" in line:
        return _columns([part.strip() for part in line.rstrip().split("\t")])
    if layout.commas and "," in line:
        return _columns(comma_cells(line))
    match = (_SPACED_ANY if layout.any_type else _SPACED).fullmatch(line.strip())
    if match is None:
        return Entry(line.strip())
    return Entry(match["word"], _frequency(match["frequency"]), match["type"] or "")


def _columns(parts: list[str]) -> Entry:
    if not parts[0]:
        raise LexiconError("the word before the tab is missing")
    if len(parts) > 3:
        raise LexiconError(
            "has {columns} columns, a word list has word, frequency and type at most", columns=len(parts)
        )
    word, *rest = parts
    numbers = [part for part in rest if _NUMBER.fullmatch(part)]
    types = [part for part in rest if part and not _NUMBER.fullmatch(part)]
    if len(numbers) > 1 or len(types) > 1:
        raise LexiconError("has two columns of one kind after the word: {rest}", rest=rest)
    return Entry(word, _frequency(numbers[0]) if numbers else 1, types[0] if types else "")


def _frequency(digits: str) -> int:
    # int() of a 10,000-digit number is slow and raises another error from Python 3.11 on.
    if len(digits) > 18:
        raise LexiconError("the frequency {digits}… is too large", digits=digits[:18])
    return int(digits)
