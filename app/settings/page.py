"""The Settings page: labels, projects, backup, the person's name, about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.services.errors import AppError
from app.services.rights import place
from app.services.session import Session
from app.settings import audit_log as settings_audit_log
from app.settings import backups as settings_backups
from app.settings import guideline as settings_guideline
from app.settings import labels as settings_labels
from app.settings import logins as settings_logins
from app.settings import people as settings_people
from app.settings import projects as settings_projects
from app.settings import sources as settings_sources
from app.settings import tokens as settings_tokens
from app.settings import webhooks as settings_webhooks
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class
from app.ui.navigation import project_choices
from app.ui.widgets.plain_line import plain_line
from core import __version__


@dataclass
class SettingsComponents:
    """Sections, each with its own message."""

    labels: settings_labels.LabelsComponents
    guideline: settings_guideline.GuidelineComponents
    sources: settings_sources.SourcesComponents
    projects: settings_projects.ProjectsComponents
    people: settings_people.PeopleComponents
    tokens: settings_tokens.TokensComponents
    webhooks: settings_webhooks.WebhooksComponents
    audit_log: settings_audit_log.AuditComponents
    backups: settings_backups.BackupsComponents
    logins: settings_logins.LoginsComponents
    user: gr.Textbox
    save_user: gr.Button
    user_message: gr.Markdown
    about: gr.HTML


def layout(frame: Frame) -> SettingsComponents:
    """Build the page inside its tab."""
    frame.texts.bind(gr.Markdown(elem_classes="ll-purpose"), value=_("Labels, projects, backups and you."))
    parts: dict[str, Any] = {"labels": settings_labels.layout(frame)}
    parts["guideline"] = settings_guideline.layout(frame)
    parts["sources"] = settings_sources.layout(frame)
    with gr.Row(equal_height=False):
        with gr.Column(min_width=300):
            parts["projects"] = settings_projects.layout(frame)
        with gr.Column(min_width=300, elem_classes=needs_class("manage")):
            parts["backups"] = settings_backups.layout(frame)
        with gr.Column(min_width=300):
            parts |= _layout_you(frame)
    parts["logins"] = settings_logins.layout(frame)
    parts["people"] = settings_people.layout(frame)
    parts["tokens"] = settings_tokens.layout(frame)
    parts["webhooks"] = settings_webhooks.layout(frame)
    parts["audit_log"] = settings_audit_log.layout(frame)
    return SettingsComponents(**parts)


def _layout_you(frame: Frame) -> dict[str, Any]:
    texts = frame.texts
    section_heading(frame.texts, _("You"))
    user = texts.bind(
        gr.Textbox(max_lines=1, max_length=40, elem_id="settings-user"),
        label=_("Your name"),
        info=_("Every edit you make is recorded with it."),
    )
    save = texts.bind(gr.Button(elem_id="settings-save-user"), value=_("Save name"))
    message = gr.Markdown(elem_id="settings-user-message")
    section_heading(frame.texts, _("About"))
    about = plain_line("settings-about")
    return {"user": user, "save_user": save, "user_message": message, "about": about}


def show(session: Session) -> dict[str, Any]:
    """Fill the page, but for its labels."""
    info = session.workbench.device.info
    about = session._(
        "LatticeLens {version}. Workspace: {folder}. Device: {device}",
        version=__version__,
        folder="–" if session.workbench.limits.demo else session.workspace.folder,
        device=info.why(session.language) if info else "…",
    )
    return {
        **settings_projects.show(session),
        **settings_people.show(session),
        "user": session.user,
        "about": about,
    }


def save_user(session: Session, name: str) -> dict[str, Any]:
    """Sign edits with this name from now on; other projects may be open to it.

    Raises:
        AppError: no name, or the person is logged in under another one.
    """
    cleaned = " ".join(name.split())[:40]
    if not cleaned:
        raise AppError("Enter a name first.")
    if session.logged_in and cleaned != session.user:
        raise AppError(
            "You are logged in as {name}; your edits are recorded under that name.", name=session.user
        )
    session.user = cleaned
    done = session._("From now on your edits are recorded as {name}.", name=code_span(cleaned))
    return {"user_message": done, "project": project_choices(session), "moved": place(session)}


def wire(components: SettingsComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    frame.on_show("settings", show, [*c.projects.shown, *c.people.shown, c.user, c.about])
    settings_projects.wire(c.projects, frame)
    settings_people.wire(c.people, frame)
    settings_tokens.wire(c.tokens, frame)
    settings_webhooks.wire(c.webhooks, frame)
    settings_audit_log.wire(c.audit_log, frame)
    settings_logins.wire(c.logins, frame)
    settings_labels.wire(c.labels, frame)
    settings_guideline.wire(c.guideline, frame)
    settings_sources.wire(c.sources, frame)
    settings_backups.wire(c.backups, frame)
    named = [c.user_message, frame.project, frame.moved]
    frame.on([c.save_user.click, c.user.submit], save_user, [c.user], named)
