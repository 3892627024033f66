"""The classes of characters that the PU encoder tells apart, without torch."""

from __future__ import annotations

import unicodedata

# Row 0 is padding. These replace the casing features of the published code.
KINDS = ("upper", "lower", "letter", "han", "digit", "blank", "other")


def kind_of(character: str) -> int:
    """The row of a character's class."""
    category = unicodedata.category(character)
    if "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff":
        name = "han"
    elif category in ("Lu", "Lt"):
        name = "upper"
    elif category == "Ll":
        name = "lower"
    elif category[0] == "L":
        name = "letter"
    elif category[0] == "N":
        name = "digit"
    else:
        name = "blank" if category[0] == "Z" or character in "\t\n\r" else "other"
    return KINDS.index(name) + 1
