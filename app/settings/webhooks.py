"""Webhooks on the Settings page: make and delete them, and the log of their deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import gradio as gr

from app.i18n import _, pgettext
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.numbers import date
from app.ui.widgets.plain_table import plain_table, table_value
from core.store.project import webhooks
from core.store.project.webhooks import KINDS, Delivery

KIND_NAMES = {
    "document.done": _("a document is done"),
    "run.finished": _("a run has finished"),
    "run.active": _("another run is active"),
}
COLUMNS = (_("when"), pgettext("webhook", "event"), _("address"), _("attempts"), _("state"))
ERROR_NAMES = {
    "address": _("the address is not allowed, or has no host"),
    "timeout": _("no answer in time"),
    "unreachable": _("not reached"),
    "refused": _("answered {status}"),
}
SHOWN = 50  # deliveries


@dataclass
class WebhooksComponents:
    """A form for a new webhook, its secret while it is shown, the webhooks and their deliveries."""

    url: gr.Textbox
    kinds: gr.CheckboxGroup
    make: gr.Button
    secret: gr.Textbox
    message: gr.Markdown
    made: gr.Column
    webhook: gr.Dropdown
    delete: gr.Button
    log: gr.Dataframe

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [self.secret, self.made, self.webhook, self.log]


def layout(frame: Frame) -> WebhooksComponents:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("Webhooks"))
    texts.hint(
        _(
            "A webhook tells another server of what happens in this project, signed with its secret. "
            "Addresses of private networks are not called, unless the operator allows the host."
        )
    )
    url = texts.bind(
        gr.Textbox(max_lines=1, max_length=webhooks.LONGEST_URL, elem_id="settings-webhook-url"),
        label=_("Address"),
    )
    kinds = texts.bind(
        gr.CheckboxGroup(value=list(KINDS), elem_id="settings-webhook-kinds"), label=_("Notify it when"),
        choices=[(KIND_NAMES[kind], kind) for kind in KINDS],
    )  # fmt: skip
    with gr.Row(elem_classes="ll-buttons"):
        make_button = texts.button(_("Add a webhook"), elem_id="settings-webhook-make")
    secret = texts.bind(
        gr.Textbox(
            visible=False, interactive=False, max_lines=1, buttons=["copy"],
            elem_id="settings-webhook-secret",
        ),
        label=_("The secret that signs what is sent, shown this once: copy it now"),
    )  # fmt: skip
    message = gr.Markdown(elem_id="settings-webhooks-message")
    with gr.Column(visible=False, elem_id="settings-webhooks") as made:
        with gr.Row(elem_classes="ll-buttons", equal_height=True):
            webhook = texts.bind(
                gr.Dropdown([], elem_id="settings-webhook-choice", container=False, min_width=320),
                label=_("Which webhook"),
            )
            delete_button = texts.button(
                _("Delete"), elem_id="settings-webhook-delete", elem_classes="ll-danger"
            )
        log = plain_table("settings-webhook-log", height=260, wrap=True, elem_classes="compare-table")
    return WebhooksComponents(url, kinds, make_button, secret, message, made, webhook, delete_button, log)


def show(session: Session) -> dict[str, Any]:
    """Fill the section; a secret that was shown is hidden."""
    sees = may(session, "manage")
    held = webhooks.of(session.workspace, session.project_id) if sees else []
    log = webhooks.deliveries(session.workspace, session.project_id, SHOWN) if held else []
    return {
        "secret": gr.update(value="", visible=False),
        "made": gr.update(visible=bool(held)),
        "webhook": gr.update(
            choices=[(f"{hook.url} ({hook.id})", hook.id) for hook in held],
            value=held[0].id if held else None,
        ),
        "log": table_value(session, COLUMNS, [_row(session, delivery) for delivery in log]),
    }


@needs("manage")
def make(session: Session, url: str, kinds: Sequence[str]) -> dict[str, Any]:
    """Make a webhook and show its secret, this once.

    Raises:
        AppError: the address may not be called, or this is the demo. PayloadError: no kind, or too many.
    """
    if session.workbench.limits.demo:
        raise AppError("The demo has no webhooks. Run LatticeLens on your own machine for that.")
    session.workbench.webhooks.check(url.strip())
    hook = webhooks.make(session.workspace, session.project_id, url, kinds, user=session.user)
    done = session._("{address} will be notified from now on.", address=code_span(hook.url))
    shown = {**show(session), "secret": gr.update(value=hook.secret, visible=True)}
    return {"message": done, "url": "", **shown}


@needs("manage")
def delete(session: Session, webhook: int | None) -> dict[str, Any]:
    """Delete a webhook with its log; nothing more is sent."""
    if webhook is None:
        raise AppError("Choose a webhook first.")
    webhooks.delete(session.workspace, session.project_id, webhook, user=session.user)
    return {"message": session._("The webhook is deleted."), **show(session)}


def _row(session: Session, delivery: Delivery) -> list[str]:
    return [
        date(delivery.event.at, seconds=True),
        session._(KIND_NAMES.get(delivery.event.kind, delivery.event.kind)),
        delivery.url,
        str(delivery.attempts),
        _state(session, delivery),
    ]


def _state(session: Session, delivery: Delivery) -> str:
    if delivery.delivered:
        return session._("delivered")
    if not delivery.attempts:
        return session._("waiting")
    why = session._(ERROR_NAMES.get(delivery.error, ERROR_NAMES["unreachable"]), status=delivery.status)
    if delivery.due is None:
        return session._("given up: {reason}", reason=why)
    next_time = f"{datetime.fromtimestamp(delivery.due / 1000):%H:%M:%S}"
    return session._("{reason}; again at {time}", reason=why, time=next_time)


def wire(components: WebhooksComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    frame.on_show("settings", show, c.shown)
    frame.on([c.make.click, c.url.submit], make, [c.url, c.kinds], [c.message, c.url, *c.shown])
    frame.on([c.delete.click], delete, [c.webhook], [c.message, *c.shown])
