"""From an exception to a sentence a person can act on."""

from __future__ import annotations

import logging

from app.i18n import LANGUAGES, Language, text
from app.reasons import reason_in
from core.corpus.errors import DiskFullError
from core.lexicon import WordListError
from core.store.db.errors import PeopleError, StoreError
from core.training.run.message import Message, TrainingError

log = logging.getLogger("latticelens")

SHOWN = 5  # lines of a refused word list


class AppError(Exception):
    """An error of the interface, by key: it is worded in the language of the session that hits it."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values

    def __str__(self) -> str:
        return text(self.key, "en", **self.values)


def sentence(error: BaseException, language: Language | None = "en") -> str:
    """What to show for ``error``; in every language where nobody knows whose page it is (None).

    The rooms of core raise ``ValueError``, ``KeyError`` subclasses and ``OSError`` with messages made for
    people; anything else is a fault of ours: it goes to the log with its traceback.
    """
    if language is None:
        return " ".join(dict.fromkeys(sentence(error, one) for one in LANGUAGES))
    if isinstance(error, AppError):
        values = {
            name: sentence(value, language) if isinstance(value, Exception) else value
            for name, value in error.values.items()
        }
        return text(error.key, language, **values)
    if isinstance(error, DiskFullError):
        return reason_in(str(error), language)
    if isinstance(error, OSError):
        log.warning("the system refused: %s", error)
        place = error.filename or text("frame.error.workspace", language)
        return text("frame.error.system", language, reason=error.strerror or error, place=place)
    if isinstance(error, TrainingError):
        return told(error.message, language)
    if isinstance(error, PeopleError):
        return people_sentence(error, language)
    if isinstance(error, WordListError):
        return problems_sentence(error, language)
    if isinstance(error, (StoreError, ValueError, LookupError)) and type(error) not in (KeyError, IndexError):
        return reason_in(str(error), language)
    log.error("unexpected error", exc_info=error)
    return text("frame.error.unexpected", language, kind=type(error).__name__, reason=error)


def told(message: Message, language: Language) -> str:
    """What a training says; a message that has English only is looked up."""
    return reason_in(message.zh, language) if language == "zh" else message.en


def problems_sentence(error: WordListError, language: Language) -> str:
    """The first lines of a word list that were refused, and how many more were."""
    shown = [reason_in(str(problem), language) for problem in error.problems[:SHOWN]]
    if len(error.problems) > SHOWN:
        shown.append(text("dictionary.error.more_lines", language, count=len(error.problems) - SHOWN))
    return f"{error.name}: {'; '.join(shown)}" if language == "en" else f"{error.name}：{'；'.join(shown)}"


def people_sentence(error: PeopleError, language: Language) -> str:
    """A refusal among people in the person's language; roles and rights by their names on the page."""
    values = dict(error.values)
    for name in ("role", "right"):
        if name in values:
            values[name] = text(f"people.{name}.{values[name]}", language)
    return text(f"people.error.{error.key}", language, **values)
