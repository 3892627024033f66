"""A coefficient, or the reason why it is undefined."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a coefficient is undefined: one plain sentence in English and Chinese, and a short code."""

    code: str
    en: str
    zh: str

    def __str__(self) -> str:
        return self.en


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
            return {"value": None, "undefined": self.reason.code, "why": self.reason.en}
        return {"value": self.value} | ({"interval": list(self.interval)} if self.interval else {})


ONE_ANNOTATOR = Reason(
    "one_annotator",
    "Only one person has annotated; agreement needs at least two.",
    "只有一个人标注过；一致性至少需要两个人。",
)
NOTHING_SHARED = Reason(
    "nothing_shared",
    "No document was annotated by two of these people.",
    "这些人没有共同标注过的文档。",
)
NO_UNITS = Reason(
    "no_units",
    "Nobody marked anything of this kind in the documents they share.",
    "在共同标注的文档中，没有人标出这类片段。",
)
NO_CHARACTERS = Reason(
    "no_characters",
    "The documents they share hold no text.",
    "共同标注的文档没有文字。",
)
NO_VARIATION = Reason(
    "no_variation",
    "Every character got the same category from everybody; without variation chance agreement is complete "
    "and nothing is left to measure.",
    "所有人给每个字的类别都相同；没有变化时，偶然一致率为 1，无从衡量。",
)
NOT_INSTALLED = Reason(
    "not_installed",
    "γ needs the package pygamma-agreement, which is not installed; pip install pygamma-agreement adds it.",
    "γ 需要 pygamma-agreement 软件包，目前未安装；可用 pip install pygamma-agreement 安装。",
)
