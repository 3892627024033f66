"""The effects of an edit on the predicted spans, as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import Language, _, text
from app.ui.widgets.page_code import page_widget
from core.text import Span

if TYPE_CHECKING:
    from core.inspection.what_if.edit_effects import Effect

EFFECT_NAMES = {
    "kept": _("confidence"),
    "label": _("other label"),
    "boundary": _("moved boundary"),
    "lost": _("lost"),
    "deleted": _("text deleted"),
    "new": _("new"),
    "words": _("matched words"),
}

MOST_WORDS = 12
STYLES = ("annotator", "effects")  # of this list and of the table of variants


def effect_rows(elem_id: str) -> gr.HTML:
    """An empty list; give it ``effects_value(...)``. Texts travel as data, never through a template."""
    return page_widget(
        "widgets/effect_rows.js",
        '<div class="lla-root"><div class="ll-effects" role="status"></div></div>',
        styles=STYLES,
        value={},
        elem_id=elem_id,
    )


def effects_value(
    effects: Sequence[Effect],
    before: str,
    after: str,
    language: Language,
    *,
    empty: str,
    words: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> dict[str, Any]:
    """The value of the list: all visible effects.

    Args:
        before, after: the two texts. empty: text for an empty list.
        words: matched only after, and only before.
    """
    rows = [_row(effect, before, after, language) for effect in effects if effect.is_noticed]
    if any(words):
        rows.append({"kind": "words", "name": text(_("matched words"), language), "note": _words(*words)})
    return {"rows": rows, "empty": empty}


def signed(change: float | None) -> str:
    """A change of confidence as ``−.31``; empty if negligible."""
    if change is None or abs(change) < 0.005:
        return ""
    return ("−" if change < 0 else "+") + f"{abs(change):.2f}".removeprefix("0")


def _row(effect: Effect, before: str, after: str, language: Language) -> dict[str, Any]:
    return {
        "kind": effect.kind,
        "name": text(EFFECT_NAMES[effect.kind], language),
        "before": _side(before, effect.before),
        "after": _side(after, effect.after),
        "change": signed(effect.change),
        "fell": (effect.change or 0.0) < 0,
    }


def _side(whole: str, span: Span | None) -> dict[str, Any] | None:
    if span is None:
        return None
    return {"label": span.label, "surface": whole[span.start : span.end], "score": span.score}


def _words(come: Sequence[str], gone: Sequence[str]) -> str:
    """As ``+ 青禾 大学 − 岭南``, the first dozen of each."""
    parts = []
    for sign, words in (("+", come), ("−", gone)):
        if words:
            more = " …" if len(words) > MOST_WORDS else ""
            parts.append(f"{sign} {' '.join(words[:MOST_WORDS])}{more}")
    return "  ".join(parts)
