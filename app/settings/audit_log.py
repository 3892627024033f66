"""The audit log on the Settings page: who did what, filtered, and as a file of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from app.i18n import _, pgettext
from app.services.errors import AppError
from app.services.rights import manages_everything, may, needs
from app.services.session import Session
from app.services.storage.scratch import scratch_folder
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.numbers import date
from app.ui.widgets.plain_table import plain_table, table_value
from core.store.db import audit
from core.store.db.audit import Entry, Wanted
from core.store.db.clock import DAY, now
from core.store.project import projects
from core.store.project.members import ROLE_NAMES

KIND_NAMES = {
    "signed_in": _("signed in"),
    "sign_in.failed": _("could not sign in"),
    "signed_out": _("signed out"),
    "session.ended": _("session ended"),
    "password.changed": _("password changed"),
    "password.reset": _("password reset"),
    "project.created": _("project created"),
    "project.trashed": _("project moved to the trash"),
    "project.restored": _("project restored"),
    "project.deleted": _("project deleted for good"),
    "documents.imported": _("documents imported"),
    "documents.exported": _("documents exported"),
    "documents.trashed": _("documents moved to the trash"),
    "documents.restored": _("documents restored"),
    "documents.deleted": _("documents deleted for good"),
    "run.started": _("training started"),
    "run.registered": _("run registered"),
    "run.active": _("active tagger changed"),
    "run.exported": _("model exported"),
    "dataset.pushed": _("data set pushed to a hub"),
    "member.role": _("role given"),
    "member.removed": _("member removed"),
    "token.made": _("access token created"),
    "token.revoked": _("access token revoked"),
    "token.deleted": _("access token deleted"),
    "webhook.made": _("webhook added"),
    "webhook.deleted": _("webhook deleted"),
    "backup.made": _("backup made"),
    "backup.restored": _("backup restored"),
    "workspace.repaired": _("workspace repaired"),
}
VIA_NAMES = {
    "page": pgettext("audit", "page"),
    "api": pgettext("audit", "API"),
    "command": pgettext("audit", "command line"),
    "program": pgettext("audit", "program"),
}
DETAIL_NAMES = {
    "documents": pgettext("audit", "documents: {value}"),
    "format": pgettext("audit", "format: {value}"),
    "split": pgettext("audit", "split: {value}"),
    "run": pgettext("audit", "run: {value}"),
    "runs": pgettext("audit", "runs: {value}"),
    "tagger": pgettext("audit", "tagger: {value}"),
    "parent": pgettext("audit", "after: {value}"),
    "before": pgettext("audit", "before: {value}"),
    "member": pgettext("audit", "member: {value}"),
    "role": pgettext("audit", "role: {value}"),
    "token": pgettext("audit", "token: {value}"),
    "name": pgettext("audit", "name: {value}"),
    "webhook": pgettext("audit", "webhook: {value}"),
    "host": pgettext("audit", "host: {value}"),
    "file": pgettext("audit", "file: {value}"),
    "findings": pgettext("audit", "findings: {value}"),
    "about": pgettext("audit", "of: {value}"),
    "method": pgettext("audit", "by: {value}"),
    "reason": pgettext("audit", "reason: {value}"),
}
COLUMNS = (
    _("when"),
    pgettext("audit", "who"),
    pgettext("audit", "what"),
    _("details"),
    _("project"),
    pgettext("audit", "through"),
)
TIMES = {"": _("any time"), "1": _("last 24 hours"), "7": _("last 7 days"), "30": _("last 30 days")}
PROJECT, WORKSPACE = "project", "workspace"
SCOPES = {PROJECT: _("this project"), WORKSPACE: _("the whole workspace")}
SHOWN = 200
PART_MS = 60_000  # between two parts of an import


@dataclass
class AuditComponents:
    """The filter, the table, and the file."""

    scope: gr.Dropdown
    who: gr.Dropdown
    kind: gr.Dropdown
    time: gr.Dropdown
    message: gr.Markdown
    table: gr.Dataframe
    export: gr.Button
    file: gr.File

    @property
    def filter(self) -> list[Any]:
        """The inputs of ``show``."""
        return [self.scope, self.who, self.kind, self.time]

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [self.scope, self.who, self.message, self.table, self.file]


def layout(frame: Frame) -> AuditComponents:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("Audit log"))
    texts.hint(
        _(
            "Who signed in, imported, exported, trained, changed roles or deleted. Nobody can change or "
            "delete an entry, and no text of a document is in it."
        )
    )
    with gr.Row(equal_height=True):
        scope = texts.bind(
            gr.Dropdown(elem_id="settings-audit-scope", min_width=160), label=_("Show"), chosen=PROJECT,
            choices=[(name, key) for key, name in SCOPES.items()],
        )  # fmt: skip
        who = texts.bind(
            gr.Dropdown(elem_id="settings-audit-who", min_width=160),
            label=_("Person"), chosen="", choices=[(_("everybody"), "")],
        )  # fmt: skip
        kind = texts.bind(
            gr.Dropdown(elem_id="settings-audit-kind", min_width=160), label=_("Action"), chosen="",
            choices=[(_("every action"), ""), *((name, key) for key, name in KIND_NAMES.items())],
        )  # fmt: skip
        time = texts.bind(
            gr.Dropdown(elem_id="settings-audit-time", min_width=160), label=_("Time"), chosen="",
            choices=[(name, key) for key, name in TIMES.items()],
        )  # fmt: skip
    message = gr.Markdown(elem_id="settings-audit-message")
    table = plain_table("settings-audit-table", height=360, wrap=True, elem_classes="compare-table")
    with gr.Row(elem_classes="ll-buttons"):
        export = texts.button(_("Export as JSON lines"), elem_id="settings-audit-export")
    file = texts.bind(gr.File(interactive=False, visible=False), label=_("Your file"))
    return AuditComponents(scope, who, kind, time, message, table, export, file)


def show(session: Session, scope: str, who: str | None, kind: str, time: str) -> dict[str, Any]:
    """Fill the section; who does not manage every project sees their project alone."""
    if not may(session, "manage"):
        return {"table": {"headers": [], "data": []}, "message": "", "file": _no_file()}
    everywhere = manages_everything(session)
    project = None if everywhere and scope == WORKSPACE else session.project_id
    people = audit.people(session.workspace, project)
    chosen = who if who in people else ""
    found = audit.entries(session.workspace, project, _wanted(chosen, kind, time), limit=SHOWN + 1)
    if not found:
        told = session._("Nothing of this kind has happened yet. Choose another filter to see more.")
    elif len(found) > SHOWN:
        told = session._("The latest {shown} entries. The export has them all.", shown=SHOWN)
    else:
        told = ""
    names = {each.id: each.name for each in projects.all_projects(session.workspace)}
    return {
        "scope": gr.update(visible=everywhere),
        "who": gr.update(
            choices=[(session._(_("everybody")), ""), *((name, name) for name in people)], value=chosen
        ),
        "message": told,
        "table": table_value(
            session, COLUMNS, [_row(session, entry, names) for entry in _imports_together(found[:SHOWN])]
        ),
        "file": _no_file(),
    }


@needs("manage")
def export(session: Session, scope: str, who: str | None, kind: str, time: str) -> Any:
    """Write the entries of the filter, the oldest first, one JSON object a line.

    Raises:
        AppError: there are none.
    """
    project = None if scope == WORKSPACE and manages_everything(session) else session.project_id
    found = audit.entries(session.workspace, project, _wanted(who or "", kind, time))
    if not found:
        raise AppError("No entry matches this filter, so there is nothing to export.")
    path = scratch_folder("audit") / "audit.jsonl"
    lines = (json.dumps(audit.as_json(entry), ensure_ascii=False) for entry in reversed(found))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return gr.update(value=str(path), visible=True)


def _wanted(who: str, kind: str, time: str) -> Wanted:
    since = now() - int(time) * DAY if time in TIMES and time else None
    return Wanted((kind,) if kind else (), who or None, since)


def _imports_together(entries: Sequence[Entry]) -> list[Entry]:
    """An import is recorded in parts, each with its transaction; those that follow each other are one row."""
    rows: list[Entry] = []
    for entry in entries:
        later = rows[-1] if rows else None
        if later is not None and _is_next_part(entry, later):
            total = sum(int(part.detail.get("documents") or 0) for part in (entry, later))
            rows[-1] = replace(later, at=entry.at, detail={"documents": total})
        else:
            rows.append(entry)
    return rows


def _is_next_part(entry: Entry, later: Entry) -> bool:
    same = [(each.kind, each.user, each.via, each.project_id) for each in (entry, later)]
    return entry.kind == "documents.imported" and same[0] == same[1] and later.at - entry.at < PART_MS


def _no_file() -> Any:
    return gr.update(value=None, visible=False)


def _row(session: Session, entry: Entry, names: dict[int, str]) -> list[str]:
    project = entry.project_id
    return [
        date(entry.at, seconds=True),
        entry.user or "–",
        session._(KIND_NAMES[entry.kind]) if entry.kind in KIND_NAMES else entry.kind,
        "; ".join(_told(session, name, value) for name, value in entry.detail.items()),
        "–" if project is None else names.get(project, str(project)),
        session._(VIA_NAMES[entry.via]) if entry.via in VIA_NAMES else entry.via,
    ]


def _told(session: Session, name: str, value: str | int | None) -> str:
    said = session._(ROLE_NAMES[value]) if value in ROLE_NAMES else value
    return session._(DETAIL_NAMES[name], value=said) if name in DETAIL_NAMES else f"{name}: {value}"


def wire(components: AuditComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    frame.on_show("settings", show, c.shown, c.filter)
    frame.on([each.input for each in c.filter], show, c.filter, c.shown)
    frame.on([c.export.click], export, c.filter, [c.file], show_progress="minimal")
