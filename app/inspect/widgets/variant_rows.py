"""The variants of a sentence with what became of the entity in question, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import Language, text
from app.inspect.widgets.effect_rows import STYLES, signed
from app.ui.widgets.page_code import page_script, page_styles
from app.ui.widgets.sentence import span_object
from core.text import LabelSet, Span

if TYPE_CHECKING:
    from core.inspection.what_if.variants import Variant

    Tried = tuple[Variant, tuple[Span, ...]]


def variant_rows(elem_id: str) -> gr.HTML:
    """An empty table; give it ``variants_value(...)``. Its ``choose`` event carries the ``text`` clicked."""
    return gr.HTML(
        value={},
        html_template='<div class="lla-root"><div class="ll-variants" role="status"></div></div>',
        js_on_load=page_script("widgets/variant_rows.js", events=("choose",)),
        elem_id=elem_id,
        elem_classes=page_styles(*STYLES),
        container=False,
        padding=False,
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
        line: what is said above it. note: quieter, under that.
        tried: every variant with its prediction. score: of the entity before, to tell changes from.
    """
    return {
        "line": line,
        "note": note,
        "rows": [_row(variant, spans, score, language) for variant, spans in tried],
        "colours": {label.name: label.colour for label in labels},
        "words": {
            "use": text("inspect_what_if.use", language),
            **{
                name: text(f"inspect_what_if.column.{name}", language)
                for name in ("variant", "sentence", "outcome")
            },
        },
    }


def _row(variant: Variant, spans: Sequence[Span], score: float | None, language: Language) -> dict[str, Any]:
    from core.inspection.what_if.variants import outcome

    effect = outcome(variant, spans, score)
    kind, change = effect.kind, effect.change if effect.kind == "kept" else None
    return {
        "variant": variant.name,
        "name": text(f"inspect_what_if.variant.{variant.name}", language),
        "text": variant.text,
        "marks": [span_object(span, "tagger") for span in spans],
        "kind": "held" if kind == "kept" else kind,
        "outcome": text(f"inspect_what_if.outcome.{kind}", language),
        "change": signed(change),
        "fell": (change or 0.0) < 0,
    }
