"""The variants of a sentence with the outcome of the entity in focus, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import Language, _, text
from app.inspect.widgets.effect_rows import STYLES, signed
from app.ui.widgets.page_code import page_widget
from app.ui.widgets.sentence import span_object
from core.text import LabelSet, Span

if TYPE_CHECKING:
    from core.inspection.what_if.variants import Variant

    Tried = tuple[Variant, tuple[Span, ...]]

VARIANT_NAMES = {
    "swapped": _("another name"),
    "traditional": _("to traditional"),
    "simplified": _("to simplified"),
    "spaced": _("spaces inside"),
    "emoji": _("emoji before it"),
    "full_width": _("full-width letters"),
    "half_width": _("half-width letters"),
    "unpunctuated": _("no final punctuation"),
}

OUTCOME_NAMES = {
    "kept": _("kept"),
    "label": _("other label"),
    "boundary": _("moved boundary"),
    "lost": _("lost"),
}

COLUMN_NAMES = {"variant": _("variant"), "sentence": _("sentence and prediction"), "outcome": _("outcome")}


def variant_rows(elem_id: str) -> gr.HTML:
    """An empty table; give it ``variants_value(...)``. Its ``choose`` event carries the ``text`` clicked."""
    return page_widget(
        "widgets/variant_rows.js",
        '<div class="lla-root"><div class="ll-variants" role="status"></div></div>',
        events=("choose",),
        styles=STYLES,
        value={},
        elem_id=elem_id,
    )


def variants_value(
    line: str,
    note: str,
    labels: LabelSet,
    language: Language,
    tried: Sequence[Tried] = (),
    score: float | None = None,
) -> dict[str, Any]:
    """What the table draws.

    Args:
        line: above the table. note: smaller, below the line.
        tried: every variant with its prediction. score: of the entity before, to tell changes from.
    """
    return {
        "line": line,
        "note": note,
        "rows": [_row(variant, spans, score, language) for variant, spans in tried],
        "colours": {label.name: label.colour for label in labels},
        "words": {
            "use": text(_("use"), language),
            **{name: text(COLUMN_NAMES[name], language) for name in ("variant", "sentence", "outcome")},
        },
    }


def _row(variant: Variant, spans: Sequence[Span], score: float | None, language: Language) -> dict[str, Any]:
    from core.inspection.what_if.variants import outcome

    effect = outcome(variant, spans, score)
    kind, change = effect.kind, effect.change if effect.kind == "kept" else None
    return {
        "variant": variant.name,
        "name": text(VARIANT_NAMES[variant.name], language),
        "text": variant.text,
        "marks": [span_object(span, "tagger") for span in spans],
        "kind": "held" if kind == "kept" else kind,
        "outcome": text(OUTCOME_NAMES[kind], language),
        "change": signed(change),
        "fell": (change or 0.0) < 0,
    }
