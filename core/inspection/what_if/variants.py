"""Variants of a sentence that should not change the label of one of its spans."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_letters, digits

from core.inspection.what_if.edit_effects import Effect, effects
from core.runtime.optional_packages import is_installed
from core.text import Span

EMOJI = "🙂"
# Unicode has a full-width form of every ASCII character, at a fixed offset.
_TO_FULL_WIDTH = {ord(character): ord(character) + 0xFEE0 for character in ascii_letters + digits}
_TO_HALF_WIDTH = {wide: narrow for narrow, wide in _TO_FULL_WIDTH.items()}


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of the sentence.

    Args:
        name: one of ``VARIANTS``. text: the changed sentence. span: the span in question in it.
    """

    name: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Subject:
    """The original sentence and the span in question.

    Args:
        text: the sentence. span: one of its spans.
        surfaces: other surfaces of that label, for the swap; the ``turn``-th is used, cyclically.
    """

    text: str
    span: Span
    surfaces: Sequence[str] = ()
    turn: int = 0

    @property
    def parts(self) -> tuple[str, str, str]:
        """The text before, in and after the span."""
        start, end = self.span.start, self.span.end
        return self.text[:start], self.text[start:end], self.text[end:]


def make_variant(name: str, subject: Subject) -> Variant | None:
    """A variant of the sentence, or None if there is nothing to change.

    Raises:
        KeyError: unknown variant.
    """
    made = _MAKERS[name](subject)
    if made is None or "".join(made) == subject.text:
        return None
    before, surface, after = made
    label = subject.span.label
    return Variant(name, before + surface + after, Span(len(before), len(before) + len(surface), label))


def make_variants(subject: Subject) -> list[Variant]:
    """All variants of a sentence, in the order of ``VARIANTS``."""
    made = [make_variant(name, subject) for name in VARIANTS]
    return [variant for variant in made if variant is not None]


def outcome(variant: Variant, predicted: Sequence[Span], score: float | None = None) -> Effect:
    """The effect of the variant on the span in question.

    Args:
        score: its confidence in the original sentence.
    """
    before = Span(*variant.span.key, score)
    return next(effect for effect in effects([before], predicted) if effect.before is not None)


def _swapped(subject: Subject) -> tuple[str, str, str] | None:
    before, surface, after = subject.parts
    others = [other for other in subject.surfaces if other and other != surface]
    return (before, others[subject.turn % len(others)], after) if others else None


def _spaced(subject: Subject) -> tuple[str, str, str]:
    before, surface, after = subject.parts
    pairs = zip(surface, [*surface[1:], ""], strict=True)
    apart = [a + " " if b and not a.isspace() and not b.isspace() else a for a, b in pairs]
    return before, "".join(apart), after


def _with_emoji(subject: Subject) -> tuple[str, str, str]:
    before, surface, after = subject.parts
    return before + EMOJI, surface, after


def _unpunctuated(subject: Subject) -> tuple[str, str, str] | None:
    before, surface, after = subject.parts
    kept = after.rstrip()
    if not kept or not unicodedata.category(kept[-1]).startswith("P"):
        return None
    return before, surface, kept[:-1]


def _converted(config: str) -> Callable[[Subject], tuple[str, str, str] | None]:
    def convert(subject: Subject) -> tuple[str, str, str] | None:
        span = subject.span
        if not is_installed("opencc"):
            return None
        try:
            whole = _converter(config)(subject.text)
        except UnicodeEncodeError:  # a lone surrogate
            return None
        if len(whole) == len(subject.text):
            return whole[: span.start], whole[span.start : span.end], whole[span.end :]
        # Some phrases change their length: converting the parts separately keeps the span's offsets exact,
        # but misses phrases across its boundaries.
        before, surface, after = map(_converter(config), subject.parts)
        return before, surface, after

    return convert


@lru_cache(maxsize=4)
def _converter(config: str) -> Callable[[str], str]:
    import opencc

    convert: Callable[[str], str] = opencc.OpenCC(config).convert
    return convert


def _translated(table: dict[int, int]) -> Callable[[Subject], tuple[str, str, str]]:
    def translate(subject: Subject) -> tuple[str, str, str]:
        before, surface, after = (part.translate(table) for part in subject.parts)
        return before, surface, after

    return translate


_MAKERS: dict[str, Callable[[Subject], tuple[str, str, str] | None]] = {
    "swapped": _swapped,
    "traditional": _converted("s2t"),
    "simplified": _converted("t2s"),
    "spaced": _spaced,
    "emoji": _with_emoji,
    "full_width": _translated(_TO_FULL_WIDTH),
    "half_width": _translated(_TO_HALF_WIDTH),
    "unpunctuated": _unpunctuated,
}
VARIANTS = tuple(_MAKERS)
