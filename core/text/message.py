"""What a person is told before it is in their language: an English template and the values that fill it in.

English is the key, as gettext has it: `Message.told` looks the template up in a catalogue and fills it in.
The functions below and the errors that derive from `Told` mark what is to be translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from gettext import NullTranslations

ENGLISH = NullTranslations()
FRACTION = 2  # gettext chooses a form by a whole number; "1.0 hours" takes that of several


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence or a word for people; ``str()`` gives it in English (command line, logs).

    Args:
        template: English, with ``{name}`` where ``values`` has ``name``; from the code, never from a person.
        plural: the template for any count but one; ``values["count"]`` then chooses.
        context: what sets it apart from another message of the same English.
        values: what fills the template in; a message or an error among them is translated with it, a list of
            them too, joined by commas.
    """

    template: str
    plural: str = ""
    context: str = ""
    values: Mapping[str, object] = field(default_factory=dict)

    def given(self, **values: object) -> Message:
        """The message with these values besides its own."""
        return replace(self, values={**self.values, **values}) if values else self

    def told(self, catalogue: NullTranslations) -> str:
        """The message in the language of ``catalogue``.

        Raises:
            KeyError: a value is missing.
        """
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
        values = {name: _told(value, catalogue) for name, value in self.values.items()}
        if self.plural:
            values["count"] = f"{self.values['count']:,}"
        return translated.format_map(values)

    def __str__(self) -> str:
        return self.told(ENGLISH)


class Told(Exception):
    """Mixin of every error that reaches a person: ``FormatError("{name} is empty", name=name)``."""

    def __init__(self, template: str | Message, /, **values: object) -> None:
        self.message = _(template, **values)
        super().__init__(self.message)

    def __str__(self) -> str:
        return str(self.message)


def _(template: str | Message, /, **values: object) -> Message:
    """A message to be translated once its reader is known."""
    message = Message(template) if isinstance(template, str) else template
    return message.given(**values)


def ngettext(singular: str, plural: str, /, **values: object) -> Message:
    """A message whose ``count`` says which form it takes; the count may be `given` later."""
    return Message(singular, plural, "", values)


def pgettext(context: str, template: str, /, **values: object) -> Message:
    """A message whose English another message has in another sense."""
    return Message(template, "", context, values)


def _told(value: object, catalogue: NullTranslations) -> object:
    if isinstance(value, Told):
        return value.message.told(catalogue)
    if isinstance(value, Message):
        return value.told(catalogue)
    if isinstance(value, BaseException):
        return str(value)
    if isinstance(value, (list, tuple)):
        return catalogue.gettext(", ").join(str(_told(item, catalogue)) for item in value)
    return value
