"""From an exception to a sentence a person can act on."""

from __future__ import annotations

import logging

from app.i18n import LANGUAGES, Language, Message, _, text
from core.runtime.message import Told, message_of, refusal_of

log = logging.getLogger("latticelens")


class AppError(Told):
    """An error of the interface; it is worded in the language of the session that hits it."""


def sentence(error: BaseException, language: Language | None = "en") -> str:
    """The sentence to show for ``error``; in every language if the page's is unknown (None)."""
    message = message_for(error)
    if language is None:
        return " ".join(dict.fromkeys(text(message, each) for each in LANGUAGES))
    return text(message, language)


def message_for(error: BaseException) -> Message:
    """The message for ``error``.

    Anything but a `Told`, an `OSError` or a wrong value is a bug: it is logged with its traceback.
    """
    if isinstance(error, Told):
        return error.message
    if isinstance(error, OSError):
        log.warning("the system refused: %s", error)
        return _(
            "Cannot read or write {place}: {reason}. Check that the disk has space and that you may "
            "write there, then try again.",
            reason=refusal_of(error),
            place=error.filename or _("the workspace"),
        )
    if isinstance(error, (ValueError, LookupError)) and type(error) not in (KeyError, IndexError):
        return message_of(error)  # a value that no page of ours sends
    log.error("unexpected error", exc_info=error)
    return _(
        "Something went wrong inside LatticeLens. Nothing that was saved is lost: reload the page "
        "and try again. The terminal shows the details."
    )
