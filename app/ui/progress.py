"""A progress bar of constant height, and what it says of rate and time left."""

from __future__ import annotations

from html import escape
from typing import Any

from app.i18n import Language, _, text
from app.services.background.tasks import Task
from app.ui.numbers import whole_percent


def bar(fraction: float, left: str, right: str = "") -> str:
    """The bar as HTML: ``fraction`` done, with a text over its left and right end; both are escaped."""
    return (
        '<div class="ll-progress-line">'
        f"<span>{escape(left)}</span><span>{escape(right)}</span></div>"
        f'<div class="ll-progress" role="progressbar" aria-label="{escape(left)}" '
        f'aria-valuenow="{whole_percent(fraction)}" aria-valuemin="0" aria-valuemax="100">'
        f'<div style="width:{100 * min(1.0, max(0.0, fraction)):.2f}%"></div></div>'
    )


def progress_text(language: Language, task: Task[Any]) -> str:
    """How far a task is: ``1,250 of 3,000 · 42 a second · 0:41 left``."""
    parts = [f"{whole_percent(task.fraction)}%"]
    if task.total:
        parts[0] = text(_("{done} of {total}"), language, done=f"{task.done:,}", total=f"{task.total:,}")
    if task.rate is not None:
        parts.append(
            text(_("{count} a second"), language, count=f"{task.rate:,.{0 if task.rate >= 10 else 1}f}")
        )
    parts.append(time_left(task.remaining, language))
    return " · ".join(part for part in parts if part)


def time_left(seconds: float | None, language: Language) -> str:
    """``0:21 left``; empty if unknown."""
    if seconds is None:
        return ""
    return text(_("{time} left"), language, time=clock(seconds))


def clock(seconds: float) -> str:
    """Minutes and seconds, with hours where there are any: ``0:21``, ``1:02:03``."""
    whole = max(0, round(seconds))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
