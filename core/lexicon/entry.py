"""One word of a lexicon, and its errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_WORD = 100
LARGEST_FREQUENCY = 10**15


class LexiconError(ValueError):
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
            raise LexiconError(f"a word needs characters and no blanks around them, got {self.word!r}")
        if len(self.word) > LONGEST_WORD:
            raise LexiconError(
                f"{self.word[:20]!r}… has {len(self.word)} characters, at most {LONGEST_WORD} fit"
            )
        for name, value in (("word", self.word), ("type", self.type)):
            # Line breaks of any kind would tear the saved list; lone surrogates cannot be written at all.
            if "\t" in value or len(value.splitlines()) > 1 or value.splitlines()[:1] not in ([], [value]):
                raise LexiconError(f"the {name} {value!r} holds a tab or a line break")
            if any("\ud800" <= character <= "\udfff" or character == "\0" for character in value):
                raise LexiconError(f"the {name} {value!r} holds a character that is no text")
        if not 0 <= self.frequency <= LARGEST_FREQUENCY:
            raise LexiconError(
                f"the frequency of {self.word!r} must be 0 to {LARGEST_FREQUENCY}, got {self.frequency}"
            )


@dataclass(frozen=True, slots=True)
class WordListProblem:
    """A line of a word list that was refused, and why; line 0 stands for the whole file.

    Args:
        content: the line itself, its first 200 characters.
    """

    line: int
    reason: str
    content: str = ""

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}" if self.line else self.reason


class WordListError(LexiconError):
    """The word list ``name`` has lines that cannot be read; ``problems`` holds all of them."""

    def __init__(self, name: str, problems: Sequence[WordListProblem]) -> None:
        shown = "; ".join(str(problem) for problem in problems[:5])
        more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
        super().__init__(f"{name}: {shown}{more}")
        self.name, self.problems = name, tuple(problems)
