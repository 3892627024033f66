"""From an exception to a sentence a person can act on."""

from __future__ import annotations

import logging

from app.i18n import LANGUAGES, Language, _, pgettext, text
from app.i18n.terms import RIGHT_NAMES, ROLE_NAMES
from app.reasons import reason_in
from core.corpus.errors import DiskFullError
from core.lexicon import WordListError
from core.store.db.errors import PeopleError, StoreError
from core.text.message import Told
from core.training.run.message import Message, TrainingError

log = logging.getLogger("latticelens")

PEOPLE = {
    "not_a_member": _(
        "This project has members and “{user}” is none of them. Ask {managers} to add "
        "you, or choose your name in Settings."
    ),
    "not_allowed": _("Your role here is {role}; {right} is not part of it. Ask {managers}."),
    "not_handed": _(
        "Document {document} is not handed to {user}. Open one from the queue, or ask {managers}."
    ),
    "last_manager": _("{user} would be the last manager to go: make somebody else a manager first."),
    "no_members": _("Nobody is a member of this project yet. Add the people who annotate first."),
    "too_few_people": _(
        "{overlap} people cannot label each document: only {people} take part. Add "
        "people, or choose a smaller number."
    ),
    "no_people": _("Nobody was chosen to hand documents to. Choose at least one person."),
    "stale_review": _(
        "{users} changed their annotation while you were reviewing. Nothing was "
        "written: look at the new differences."
    ),
    "no_versions": _("Nobody has finished document {document}. There is nothing to review yet."),
    "nothing_to_undo": _("There is nothing left to take back."),
}
SHOWN = 5  # lines of a refused word list


class AppError(Told):
    """An error of the interface; it is worded in the language of the session that hits it."""


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
            for name, value in error.message.values.items()
        }
        return text(error.message, language, **values)
    if isinstance(error, DiskFullError):
        return reason_in(str(error), language)
    if isinstance(error, OSError):
        log.warning("the system refused: %s", error)
        place = error.filename or text(_("the workspace"), language)
        return text(
            _(
                "The system refused at {place}: {reason}. Check that the disk has space and "
                "that you may write there, then try again."
            ),
            language,
            reason=error.strerror or error,
            place=place,
        )
    if isinstance(error, TrainingError):
        return told(error.message, language)
    if isinstance(error, PeopleError):
        return people_sentence(error, language)
    if isinstance(error, WordListError):
        return problems_sentence(error, language)
    if isinstance(error, (StoreError, ValueError, LookupError)) and type(error) not in (KeyError, IndexError):
        return reason_in(str(error), language)
    log.error("unexpected error", exc_info=error)
    return text(
        _(
            "Something went wrong inside LatticeLens ({kind}: {reason}). Nothing that was "
            "saved is lost. The terminal shows the details."
        ),
        language,
        kind=type(error).__name__,
        reason=error,
    )


def told(message: Message, language: Language) -> str:
    """What a training says; a message that has English only is looked up."""
    return reason_in(message.zh, language) if language == "zh" else message.en


def problems_sentence(error: WordListError, language: Language) -> str:
    """The first lines of a word list that were refused, and how many more were."""
    shown = [reason_in(str(problem), language) for problem in error.problems[:SHOWN]]
    if len(error.problems) > SHOWN:
        shown.append(text(pgettext("lines", "and {count} more"), language, count=len(error.problems) - SHOWN))
    return f"{error.name}: {'; '.join(shown)}" if language == "en" else f"{error.name}：{'；'.join(shown)}"


def people_sentence(error: PeopleError, language: Language) -> str:
    """A refusal among people in the person's language; roles and rights by their names on the page."""
    values = dict(error.values)
    for name, names in (("role", ROLE_NAMES), ("right", RIGHT_NAMES)):
        if name in values:
            values[name] = names[str(values[name])]
    return text(PEOPLE[error.key], language, **values)
