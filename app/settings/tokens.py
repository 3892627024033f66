"""Access tokens on the Settings page: make one, see when it was last used, revoke and delete it."""

from __future__ import annotations

from dataclasses import dataclass
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
from core.store.project import tokens
from core.store.project.members import ROLE_NAMES, ROLES
from core.store.project.tokens import Token

COLUMNS = (
    pgettext("token", "name"),
    _("role"),
    _("created by"),
    pgettext("token", "created"),
    _("last used"),
    _("state"),
)


@dataclass
class TokensComponents:
    """A form for a new token, its text while it is shown, and the tokens there are."""

    name: gr.Textbox
    role: gr.Dropdown
    make: gr.Button
    text: gr.Textbox
    message: gr.Markdown
    made: gr.Column
    table: gr.Dataframe
    token: gr.Dropdown
    revoke: gr.Button
    delete: gr.Button

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [self.text, self.made, self.table, self.token]


def layout(frame: Frame) -> TokensComponents:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("Access tokens"))
    texts.hint(
        _(
            "With a token a program uses this project over HTTP: `/api/v1`, described at "
            "[/api/v1/docs](/api/v1/docs), and as a machine learning backend of Label Studio. It may do "
            "what its role may, and never more than you. Whoever has it has that access: give every "
            "program its own."
        )
    )
    with gr.Row(equal_height=True):
        name = texts.bind(
            gr.Textbox(max_lines=1, max_length=tokens.LONGEST_NAME, elem_id="settings-token-name"),
            label=_("What it is for"),
        )
        role = texts.bind(
            gr.Dropdown(elem_id="settings-token-role"), label=_("Role"), chosen="annotator",
            choices=[(ROLE_NAMES[name], name) for name in ROLES],
        )  # fmt: skip
    with gr.Row(elem_classes="ll-buttons"):
        make = texts.button(_("Create token"), elem_id="settings-token-make")
    text = texts.bind(
        gr.Textbox(
            visible=False, interactive=False, max_lines=1, buttons=["copy"], elem_id="settings-token-text"
        ),
        label=_("The token, shown this once: copy it now"),
    )
    message = gr.Markdown(elem_id="settings-tokens-message")
    with gr.Column(visible=False, elem_id="settings-tokens") as made:
        table = plain_table("settings-tokens-table", height=260, wrap=True, elem_classes="compare-table")
        with gr.Row(elem_classes="ll-buttons", equal_height=True):
            token = texts.bind(
                gr.Dropdown([], elem_id="settings-token-choice", container=False, min_width=220),
                label=_("Which token"),
            )
            revoke_button = texts.button(_("Revoke"), elem_id="settings-token-revoke")
            delete_button = texts.button(
                _("Delete"), elem_id="settings-token-delete", elem_classes="ll-danger"
            )
    return TokensComponents(name, role, make, text, message, made, table, token, revoke_button, delete_button)


def show(session: Session) -> dict[str, Any]:
    """Fill the section; a token that was shown is hidden."""
    held = tokens.of(session.workspace, session.project_id) if may(session, "manage") else []
    return {
        "text": gr.update(value="", visible=False),
        "made": gr.update(visible=bool(held)),
        "table": table_value(session, COLUMNS, [_row(session, token) for token in held]),
        "token": gr.update(
            choices=[(f"{token.name} ({token.id})", token.id) for token in held],
            value=held[0].id if held else None,
        ),
    }


@needs("manage")
def make(session: Session, name: str, role: str) -> dict[str, Any]:
    """Make a token and show its text, this once.

    Raises:
        AppError: this is the demo, which has no API. PayloadError: no name, or too many tokens.
    """
    if session.workbench.limits.demo:
        raise AppError("The demo has no HTTP API. Run LatticeLens on your own machine for that.")
    token, text = tokens.make(session.workspace, session.project_id, name, role, user=session.user)
    done = session._(
        "Token {name} was created. It cannot be shown again; if it is lost, revoke it and create another.",
        name=code_span(token.name),
    )
    shown = {**show(session), "text": gr.update(value=text, visible=True)}
    return {"message": done, "name": "", **shown}


@needs("manage")
def revoke(session: Session, token: int | None) -> dict[str, Any]:
    """Revoke a token: the next call with it is refused."""
    revoked = tokens.revoke(session.workspace, session.project_id, _chosen(token), user=session.user)
    done = session._("Token {name} is revoked.", name=code_span(revoked.name))
    return {"message": done, **show(session)}


@needs("manage")
def delete(session: Session, token: int | None) -> dict[str, Any]:
    """Delete a token and its row; it opens nothing any more."""
    tokens.delete(session.workspace, session.project_id, _chosen(token), user=session.user)
    return {"message": session._("The token is deleted."), **show(session)}


def _chosen(token: int | None) -> int:
    if token is None:
        raise AppError("Choose a token first.")
    return token


def _row(session: Session, token: Token) -> list[str]:
    return [
        token.name,
        session._(ROLE_NAMES[token.role]),
        token.user,
        date(token.created),
        date(token.used) if token.used is not None else session._("never"),
        session._(pgettext("token", "active")) if token.revoked is None else session._(_("revoked")),
    ]


def wire(components: TokensComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    frame.on_show("settings", show, c.shown)
    frame.on([c.make.click, c.name.submit], make, [c.name, c.role], [c.message, c.name, *c.shown])
    frame.on([c.revoke.click], revoke, [c.token], [c.message, *c.shown])
    frame.on([c.delete.click], delete, [c.token], [c.message, *c.shown])
