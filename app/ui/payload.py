"""The fields of what a script in the browser sends, checked one by one: every one of them is hostile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MAX_TEXT = 200
MAX_WORDS = 500


class InvalidPayload(ValueError):
    """A message from the browser does not have the form the page sends; the message names the field."""


def read_object(payload: Any) -> Mapping[str, Any]:
    """``payload`` itself where it is an object with string keys.

    Raises:
        InvalidPayload: it is anything else.
    """
    if not isinstance(payload, dict):
        raise InvalidPayload(f"expected an object, got {type(payload).__name__}")
    return payload


def read_text(fields: Mapping[str, Any], name: str, *, optional: bool = False) -> str:
    """A string of at most 200 characters; non-empty unless ``optional``.

    Raises:
        InvalidPayload: it is none.
    """
    value = fields.get(name)
    if value is None and optional:
        return ""
    if not isinstance(value, str) or len(value) > MAX_TEXT or not (value or optional):
        raise InvalidPayload(f"{name} must be a text of at most {MAX_TEXT} characters, got {shown(value)}")
    return value


def read_count(fields: Mapping[str, Any], name: str, *, optional: bool = False) -> int:
    """A whole number from 0 to 2**53, what a browser can hold exactly.

    Raises:
        InvalidPayload: it is none.
    """
    value = fields.get(name)
    if value is None and optional:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 2**53:
        raise InvalidPayload(f"{name} must be a whole number, not negative, got {shown(value)}")
    return value


def read_words(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """A list of at most 500 words of at most 200 characters.

    Raises:
        InvalidPayload: it is none.
    """
    words = fields.get(name)
    if not isinstance(words, list) or len(words) > MAX_WORDS:
        raise InvalidPayload(f"{name} must be a list of at most {MAX_WORDS} words, got {shown(words)}")
    return tuple(read_text({name: word}, name) for word in words)


def read_choice(fields: Mapping[str, Any], name: str, allowed: Sequence[str]) -> Any:
    """One of ``allowed``, or None where the field is missing or empty.

    Raises:
        InvalidPayload: it is something else.
    """
    value = fields.get(name)
    if value is None or value == "":
        return None
    if value not in allowed:
        raise InvalidPayload(f"{name} must be one of {', '.join(allowed)}, got {shown(value)}")
    return value


def shown(value: Any) -> str:
    """``value`` as an error quotes it, at most 60 characters."""
    quoted = repr(value)
    return quoted if len(quoted) <= 60 else f"{quoted[:57]}…"
