"""A progress bar of constant height."""

from __future__ import annotations

from html import escape


def bar(fraction: float, left: str, right: str = "") -> str:
    """The bar as HTML: ``fraction`` done, with a text over its left and right end; both are escaped."""
    percent = 100 * min(1.0, max(0.0, fraction))
    return (
        '<div class="ll-progress-line">'
        f"<span>{escape(left)}</span><span>{escape(right)}</span></div>"
        f'<div class="ll-progress" role="progressbar" aria-label="{escape(left)}" '
        f'aria-valuenow="{percent:.0f}" aria-valuemin="0" aria-valuemax="100">'
        f'<div style="width:{percent:.2f}%"></div></div>'
    )
