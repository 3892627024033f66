"""One word of a lexicon, and its errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from core.runtime.message import Message, ToldValueError, _, pgettext

LONGEST_WORD = 100
LARGEST_FREQUENCY = 10**15
SHOWN = 5  # problems of a word list that an error lists
_WORD, _TYPE = _("word"), _("type")


class LexiconError(ToldValueError):
    """A word or a saved lexicon cannot be used; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A word with its frequency and type.

    Args:
        word: one to 100 characters, no tab or line break, no blanks around it.
        frequency: occurrences, 0 or more.
        type: entity type of a gazetteer, or part of speech of a jieba-style list; may be empty.

    Raises:
        LexiconError: a field is invalid.
    """

    word: str
    frequency: int = 1
    type: str = ""

    def __post_init__(self) -> None:
        if not self.word or self.word != self.word.strip():
            raise LexiconError(
                "a word needs characters and no blanks around them, got {word}", word=repr(self.word)
            )
        if len(self.word) > LONGEST_WORD:
            raise LexiconError(
                "{word}… has {length} characters, at most {longest} fit",
                word=repr(self.word[:20]),
                length=len(self.word),
                longest=LONGEST_WORD,
            )
        for name, value in ((_WORD, self.word), (_TYPE, self.type)):
            # Line breaks of any kind would corrupt the saved list; lone surrogates cannot be written.
            if "\t" in value or len(value.splitlines()) > 1 or value.splitlines()[:1] not in ([], [value]):
                raise LexiconError(
                    "the {name} {value} holds a tab or a line break", name=name, value=repr(value)
                )
            if any("\ud800" <= character <= "\udfff" or character == "\0" for character in value):
                raise LexiconError(
                    "the {name} {value} holds a character that is no text", name=name, value=repr(value)
                )
        if not 0 <= self.frequency <= LARGEST_FREQUENCY:
            raise LexiconError(
                "the frequency of {word} must be 0 to {largest}, got {frequency}",
                word=repr(self.word),
                largest=LARGEST_FREQUENCY,
                frequency=self.frequency,
            )


@dataclass(frozen=True, slots=True)
class WordListProblem:
    """A refused line of a word list, and why; line 0 is the whole file.

    Args:
        content: the first 200 characters of the line.
    """

    line: int
    message: Message
    content: str = ""

    @property
    def reason(self) -> str:
        """Why, in English."""
        return str(self.message)

    @property
    def located(self) -> Message:
        """The message with the line number, if there is one."""
        return _("line {line}: {reason}", line=self.line, reason=self.message) if self.line else self.message

    def __str__(self) -> str:
        return str(self.located)


class WordListError(LexiconError):
    """The word list ``name`` has lines that cannot be read; ``problems`` holds all of them."""

    def __init__(self, name: str, problems: Sequence[WordListProblem]) -> None:
        shown = [problem.located for problem in problems[:SHOWN]]
        if len(problems) > SHOWN:
            shown.append(pgettext("lines", "and {count} more", count=len(problems) - SHOWN))
        super().__init__(
            "{name}: {reason}",
            name=name,
            reason=reduce(lambda before, after: _("{one}; {after}", one=before, after=after), shown),
        )
        self.name, self.problems = name, tuple(problems)


def can_be_a_word(surface: str) -> bool:
    """Whether a word list can hold it."""
    try:
        Entry(surface)
    except LexiconError:
        return False
    return True
