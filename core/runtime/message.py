"""Messages for people before translation: an English template and the values that fill it in.

The English is the gettext key: `Message.translated` looks the template up in a catalogue and fills it in. The
functions below and the errors that derive from `Told` mark what is to be translated.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from gettext import NullTranslations
from itertools import chain
from numbers import Integral, Real
from string import Formatter
from typing import Any

ENGLISH = NullTranslations()  # of ``str()``; pages in English have a catalogue of their own
FRACTION = 2  # gettext needs a whole number; fractions such as "1.0 hours" take the plural
LONGEST_SPEC = 4  # characters of a format spec, such as .2f in {rate:.2f}


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence or a word for people; ``str()`` gives it in English (command line, logs).

    Args:
        template: English, with a placeholder ``{name}`` for every name in ``values``; never user input.
        plural: the template for any count but one; ``values["count"]`` is the count.
        context: distinguishes it from another message with the same English.
        values: for the placeholders; messages and errors among them are translated too, lists of them joined
            by commas.
        option: of the title of a field in a form: the name of its option, which stands for it in ``str()``.
    """

    template: str
    plural: str = ""
    context: str = ""
    values: Mapping[str, object] = field(default_factory=dict)
    option: str = ""

    def __post_init__(self) -> None:
        # An error would keep its traceback and all local variables of its frames alive.
        object.__setattr__(
            self, "values", {name: _without_error(value) for name, value in self.values.items()}
        )

    def with_values(self, **values: object) -> Message:
        """The message with these values added."""
        return replace(self, values={**self.values, **values}) if values else self

    def translated(self, catalogue: NullTranslations) -> str:
        """The message in the language of ``catalogue``.

        Raises:
            KeyError: a value is missing.
        """
        if not self.template:
            return ""  # the translation of an empty text is the catalogue's header
        if self.option and catalogue is ENGLISH:
            return self.option
        if self.plural:
            count = self.values["count"]
            whole = count if isinstance(count, int) else FRACTION
            translated = (
                catalogue.npgettext(self.context, self.template, self.plural, whole)
                if self.context
                else catalogue.ngettext(self.template, self.plural, whole)
            )
        elif self.context:
            translated = catalogue.pgettext(self.context, self.template)
        else:
            translated = catalogue.gettext(self.template)
        values = {name: _translated(value, catalogue) for name, value in self.values.items()}
        if self.plural:
            values["count"] = f"{self.values['count']:,}"
        return translated.format_map(values)

    def to_json(self) -> dict[str, Any]:
        """The message as JSON, for another process; values that are not JSON become text."""
        values = {name: _to_json(value) for name, value in self.values.items()}
        parts = {"plural": self.plural, "context": self.context, "values": values, "option": self.option}
        return {"template": self.template, **{name: part for name, part in parts.items() if part}}

    @classmethod
    def from_json(cls, value: Any) -> Message:
        """Inverse of `to_json`.

        Raises:
            ValueError: it is no message, or its template has other placeholders than the names of its values.
        """
        if not isinstance(value, dict) or not isinstance(value.get("values", {}), dict):
            raise ValueError("a message must be an object with a template and values")
        parts = [value.get("template")] + [value.get(name, "") for name in ("plural", "context", "option")]
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) < len(parts):
            raise ValueError("the template of a message must be a text")
        template, plural, context, option = texts
        values = {name: _from_json(item) for name, item in value.get("values", {}).items()}
        for _text, place, spec, _conversion in chain(Formatter().parse(template), Formatter().parse(plural)):
            if place is not None and (place not in values or len(spec or "") > LONGEST_SPEC):
                raise ValueError(f"a message cannot fill in {place!r:.40}")
        message = cls(template, plural, context, values, option)
        try:
            str(message)
        except (LookupError, TypeError) as error:
            raise ValueError("the values of a message do not fit its template") from error
        return message

    def __str__(self) -> str:
        return self.translated(ENGLISH)


class Told(Exception):
    """Mixin of all errors that people see: ``FormatError("{name} is empty", name=name)``."""

    def __init__(self, template: str | Message, /, **values: object) -> None:
        self.message = _(template, **values)
        super().__init__(self.message)

    def __str__(self) -> str:
        return str(self.message)


class ToldValueError(Told, ValueError):
    """An invalid value; the message says what, where and what to do."""


def _(template: str | Message, /, **values: object) -> Message:
    """A message, to be translated when its reader is known."""
    message = Message(template) if isinstance(template, str) else template
    return message.with_values(**values)


def ngettext(singular: str, plural: str, /, **values: object) -> Message:
    """A message with two forms, chosen by ``count``, which may be added later (`Message.with_values`)."""
    return Message(singular, plural, "", values)


def pgettext(context: str, template: str, /, **values: object) -> Message:
    """A message whose English has another meaning in another context."""
    return Message(template, "", context, values)


def message_of(error: BaseException) -> Message:
    """The message of an error: its own, or what the system or a parser means by it; else its text."""
    if isinstance(error, Told):
        return error.message
    return _of_library(error) or Message("{error}", values={"error": str(error)})


def refusal_of(error: OSError) -> Message:
    """Why the system refused, in words for people where the cause is a common one."""
    return _REFUSALS.get(error.errno or 0) or Message(
        "{error}", values={"error": error.strerror or str(error)}
    )


def damage_of(error: BaseException) -> Message:
    """Why a file cannot be read; the words of a library that reads it would help nobody to mend it."""
    known = error.message if isinstance(error, Told) else _of_library(error)
    return known or _("its content is not as it was written")


def json_fault(error: json.JSONDecodeError) -> Message:
    """What is wrong with a JSON text, without the place."""
    return next(
        (message for beginning, message in _JSON_FAULTS.items() if error.msg.startswith(beginning)),
        _("it does not follow the rules of JSON"),
    )


def _of_library(error: BaseException) -> Message | None:
    if isinstance(error, OSError) and error.errno is not None:
        return refusal_of(error)
    if isinstance(error, json.JSONDecodeError):
        return _(
            "line {line}, column {column}: {fault}",
            line=error.lineno,
            column=error.colno,
            fault=json_fault(error),
        )
    if isinstance(error, UnicodeDecodeError):
        return _(
            "byte {place} is not {encoding} text", place=error.start + 1, encoding=error.encoding.upper()
        )
    return _("it is nested too deeply") if isinstance(error, RecursionError) else None


_REFUSALS = {
    errno.ENOENT: _("there is no such file or folder"),
    errno.EACCES: _("permission is missing"),
    errno.EPERM: _("permission is missing"),
    errno.EROFS: _("the disk can only be read"),
    errno.ENOSPC: _("the disk is full"),
    errno.EDQUOT: _("the disk quota is used up"),
    errno.EEXIST: _("the name is taken already"),
    errno.EISDIR: _("it is a folder"),
    errno.ENOTDIR: _("a part of the path is a file"),
    errno.ENAMETOOLONG: _("the name is too long"),
    errno.EIO: _("the disk reports an error"),
    errno.EMFILE: _("too many files are open"),
}

# By the beginning of what Python's parser says.
_JSON_FAULTS = {
    "Expecting value": _("a value is missing, or a text has no quotes"),
    "Expecting property name": _("a field name in double quotes is missing"),
    "Expecting ':'": _("a colon is missing"),
    "Expecting ','": _("a comma is missing"),
    "Illegal trailing comma": _("a comma stands after the last item"),
    "Extra data": _("more text follows the end"),
    "Unterminated string": _("a closing quote is missing"),
    "Invalid control character": _("a text holds a line break or another control character"),
    "Invalid \\": _("a backslash stands before a character that needs none"),
}


def _without_error(value: object) -> object:
    if isinstance(value, BaseException):
        return message_of(value)
    return [_without_error(item) for item in value] if isinstance(value, (list, tuple)) else value


def _to_json(value: object) -> object:
    if isinstance(value, Message):
        return value.to_json()
    if isinstance(value, (list, tuple)):
        return [_to_json(item) for item in value]
    if isinstance(value, Real) and not isinstance(value, (bool, int, float)):  # a numpy number
        return int(value) if isinstance(value, Integral) else float(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def _from_json(value: Any) -> object:
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    return Message.from_json(value) if isinstance(value, dict) else value


def _translated(value: object, catalogue: NullTranslations) -> object:
    if isinstance(value, Message):
        return value.translated(catalogue)
    if isinstance(value, list):
        return catalogue.gettext(", ").join(str(_translated(item, catalogue)) for item in value)
    return value
