"""From an exception to a sentence a person can act on."""

from __future__ import annotations

import logging

from app.i18n import Language, text
from app.refusal_reasons import reason_in
from core.formats.format import FormatError
from core.store.errors import PeopleError, StoreError
from core.training.message import TrainingError

log = logging.getLogger("latticelens")


class AppError(Exception):
    """An error of the interface, by key: it is worded in the language of the session that hits it."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values

    def __str__(self) -> str:
        return text(self.key, "en", **self.values)


def sentence(error: BaseException, language: Language = "en") -> str:
    """What to show for ``error``.

    The rooms of core raise ``ValueError``, ``KeyError`` subclasses and ``OSError`` with messages made for
    people; anything else is a fault of ours: it goes to the log with its traceback.
    """
    if isinstance(error, AppError):
        return text(error.key, language, **error.values)
    if isinstance(error, OSError):
        log.warning("the system refused: %s", error)
        place = error.filename or text("frame.error.workspace", language)
        return text("frame.error.system", language, reason=error.strerror or error, place=place)
    if isinstance(error, TrainingError):
        return error.message.zh if language == "zh" else error.message.en
    if isinstance(error, PeopleError):
        return people_sentence(error, language)
    if isinstance(error, FormatError):
        return reason_in(str(error), language)
    if isinstance(error, StoreError):
        return str(error)
    if isinstance(error, (ValueError, LookupError)) and type(error) not in (KeyError, IndexError):
        return str(error)
    log.error("unexpected error", exc_info=error)
    return text("frame.error.unexpected", language, kind=type(error).__name__, reason=error)


def people_sentence(error: PeopleError, language: Language) -> str:
    """A refusal among people in the person's language; roles and rights by their names on the page."""
    values = dict(error.values)
    for name in ("role", "right"):
        if name in values:
            values[name] = text(f"people.{name}.{values[name]}", language)
    return text(f"people.error.{error.key}", language, **values)
