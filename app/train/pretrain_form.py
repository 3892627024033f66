"""The form of a pretraining: the fields of a kind, without those that have no effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gradio as gr

from app.services.session import Session
from app.services.training.pretraining import Offers, starts_for
from app.train import form as train_form

FORM = "pretrain"  # begins the ids of its components


def build(session: Session, method: str, listen: Callable[..., Any], missed: gr.Textbox) -> dict[str, Any]:
    """Draw the fields of a kind: those that matter, the rest under "more".

    Args:
        listen: ``Frame.on``. missed: see `train_form.remember`.
    """
    from core.learning.pretraining.pretraining import CONFIGS, DECIDERS, MODEST
    from core.taggers.base.config_fields import config_fields

    drawing = train_form.begin_drawing(session, FORM)
    fields = [field for config in CONFIGS[method] for field in config_fields(config)]
    kept = {**MODEST[method], **train_form.fitting(fields, train_form.typed_values(session, FORM))}
    offers = starts_for(session, method)
    options: dict[str, Any] = {"offers": offers, "form": FORM, "idle": idle_now(method, kept, offers)}
    with gr.Row(elem_classes="ll-fields"):
        basic = [field for field in fields if field.basic]
        drawn = train_form.draw(basic, kept, session.language, **options)
    more = gr.Accordion(session._("More settings"), open=False, elem_id="pretrain-more")
    with more, gr.Row(elem_classes="ll-fields"):
        rest = [field for field in fields if not field.basic]
        drawn |= train_form.draw(rest, kept, session.language, **options)
    deciding = [name for name in DECIDERS[method] if name in drawn]
    others = [name for name in drawn if name not in deciding]
    train_form.remember({name: drawn[name] for name in others}, drawing, listen, missed, FORM)
    # One callback stores these and shows the others: two on one field would trigger each other.
    listen(
        [drawn[name].input for name in deciding],
        decide(method, deciding, others),
        [drawn[name] for name in deciding],
        {name: drawn[name] for name in others},
    )
    return drawn


def idle_now(method: str, values: Mapping[str, Any], offers: Offers) -> frozenset[str]:
    """The fields that have no effect with these values.

    Args:
        offers: results of the project to start from, by field.
    """
    from core.learning.pretraining.pretraining import idle_fields

    starts_from_result = any(
        values.get(name) in [path for _, path in paths] for name, paths in offers.items()
    )
    return idle_fields(method, values, trained_here=starts_from_result)


def decide(method: str, deciding: Sequence[str], others: Sequence[str]) -> Callable[..., dict[str, Any]]:
    """The callback of fields that decide which others have an effect: store them, show the others."""

    def show(session: Session, *values: Any) -> dict[str, Any]:
        given = dict(zip(deciding, values, strict=True))
        train_form.typed_values(session, FORM).update(given)
        idle = idle_now(method, given, starts_for(session, method))
        return {name: gr.update(visible=name not in idle) for name in others}

    return show
