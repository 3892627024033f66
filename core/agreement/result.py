"""A coefficient, or the reason why it is undefined."""

from __future__ import annotations

from dataclasses import dataclass

from core.runtime.message import Message, _


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a coefficient is undefined: one plain sentence, and a short code."""

    code: str
    message: Message

    def __str__(self) -> str:
        return str(self.message)


@dataclass(frozen=True, slots=True)
class Result:
    """A coefficient with its interval, or the reason why it has no value.

    Args:
        value: None if undefined; then ``reason`` says why.
        interval: bounds of the bootstrap interval; None if not requested, or if the coefficient is undefined
            for too many resamples.
    """

    value: float | None
    reason: Reason | None = None
    interval: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if (self.value is None) != (self.reason is not None):
            raise ValueError("a result has a value or a reason, and not both")

    def to_json(self) -> dict[str, object]:
        """``value``, and ``interval`` or ``undefined`` if there is one."""
        if self.reason is not None:
            return {"value": None, "undefined": self.reason.code, "why": str(self.reason)}
        return {"value": self.value} | ({"interval": list(self.interval)} if self.interval else {})


ONE_ANNOTATOR = Reason("one_annotator", _("Only one person has annotated; agreement needs at least two."))
NOTHING_SHARED = Reason("nothing_shared", _("No document was annotated by two of these people."))
NO_UNITS = Reason("no_units", _("Nobody marked anything of this kind in the documents they share."))
NO_LINKS = Reason("no_links", _("None of the spans that they share has a link."))
NO_CHARACTERS = Reason("no_characters", _("The documents they share hold no text."))
NO_VARIATION = Reason(
    "no_variation",
    _(
        "Every character got the same category from everybody; without variation chance agreement is "
        "complete and nothing is left to measure."
    ),
)
NOT_INSTALLED = Reason(
    "not_installed",
    _(
        "γ needs the package pygamma-agreement, which is not installed; pip install pygamma-agreement adds "
        "it."
    ),
)
