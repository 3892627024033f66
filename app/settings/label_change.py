"""Rename, merge or delete a label with the spans that have it, and undo that: on the Settings page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _, counted, ngettext
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.settings.label_editor import page_update
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.lacking import needs_class
from app.ui.numbers import date
from app.ui.widgets.plain_table import plain_table, table_value
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.label.changes import LabelChange
from core.store.project import journal, members
from core.text import Label, LabelSet

DID_NAMES = {
    "rename": _("{old} renamed to {new}"),
    "merge": _("{old} merged into {new}"),
    "delete": _("{old} deleted"),
}

DONE_NAMES = {
    "rename": _("{old} is now called {new}, on {spans} in {documents}."),
    "merge": _("{old} was merged into {new}: {spans} in {documents}."),
    "delete": _("{old} was deleted, with {spans} in {documents}."),
}

COLUMNS = (_("when"), _("who"), _("what"), _("spans"), _("state"))

STATE_NAMES = {"open": _("can be undone"), "later": _("undo a later change first"), "undone": _("undone")}

PREVIEW_NAMES = {
    "rename": _(
        "This renames the label of {spans} in {documents}, {copies} in annotators' versions, {predictions},"
        " {patterns} and {comments}."
    ),
    "merge": _(
        "This relabels {spans} in {documents}, {copies} in annotators' versions, {predictions}, {patterns} "
        "and {comments}."
    ),
    "delete": ngettext(
        "This deletes {spans} in {documents}, {copies} in annotators' versions, those of {predictions}, and"
        " {patterns}; {count} comment stays on the text.",
        "This deletes {spans} in {documents}, {copies} in annotators' versions, those of {predictions}, and"
        " {patterns}; {count} comments stay on the text.",
    ),
}

APPLY_NAMES = {"rename": _("Rename"), "merge": _("Merge"), "delete": _("Delete it with its spans")}

KIND_NAMES = {"rename": _("rename"), "merge": _("merge"), "delete": _("delete")}

KINDS = tuple(KIND_NAMES)
OPENED = "label-change-opened"  # in the session's memory: whether changes are in sight
ASKED = "label-change-asked"  # the newest question for a preview


@dataclass
class ChangeComponents:
    """One change at a time, and the changes that were made."""

    box: gr.Accordion
    label: gr.Dropdown
    kind: gr.Radio
    new_name: gr.Textbox
    into: gr.Dropdown
    preview: gr.Markdown
    apply: gr.Button
    made: gr.Column
    history: gr.Dataframe
    change: gr.Dropdown
    undo: gr.Button

    @property
    def asked(self) -> list[Any]:
        """What a preview and a change read."""
        return [self.label, self.kind, self.new_name, self.into]

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``, but for the table."""
        return [self.label, self.into, self.made, self.history, self.change]

    @property
    def planned(self) -> list[Any]:
        """The outputs of ``choose_kind``."""
        return [self.new_name, self.into, self.apply, self.preview]


def layout(frame: Frame) -> ChangeComponents:
    """Build the form, with the history of changes below it."""
    texts = frame.texts
    with texts.bind(
        gr.Accordion(open=False, elem_id="settings-change-label", elem_classes=needs_class("change_labels")),
        label=_("Rename, merge or delete a label, and undo that"),
    ) as box:
        with gr.Row(equal_height=True):
            label = texts.bind(gr.Dropdown([], elem_id="settings-old-name"), label=_("Label"))
            kind = texts.bind(
                gr.Radio(elem_id="settings-change-kind"),
                chosen="rename",
                label=_("Change"),
                choices=[(KIND_NAMES[kind], kind) for kind in KINDS],
            )
            new = texts.bind(gr.Textbox(max_lines=1, elem_id="settings-new-name"), label=_("New name"))
            into = texts.bind(
                gr.Dropdown([], visible=False, elem_id="settings-merge-into"), label=_("Merge into")
            )
        preview_text = gr.Markdown(elem_id="settings-change-preview", elem_classes="ll-how")
        with gr.Row(elem_classes="ll-buttons"):
            apply = gr.Button(elem_id="settings-change-apply")
        with gr.Column(visible=False, elem_id="settings-label-changes") as made:
            history = plain_table(
                "settings-label-history", height=260, wrap=True, elem_classes="compare-table"
            )
            with gr.Row(elem_classes="ll-buttons", equal_height=True):
                change = texts.bind(
                    gr.Dropdown([], elem_id="settings-undo-choice", container=False, min_width=220),
                    label=_("Which change"),
                )
                undo_button = texts.button(_("Undo this change"), elem_id="settings-undo-change")
    return ChangeComponents(
        box, label, kind, new, into, preview_text, apply, made, history, change, undo_button
    )


def show(session: Session) -> dict[str, Any]:
    """Fill the section, with the table of labels."""
    label_set = known_labels(session)
    names = list(label_set.names)
    is_open = members.is_open(session.workspace, session.project_id, session.user)
    made = label_changes.history(session.workspace, session.project_id) if is_open else []
    open_ = [change for change in made if change.undone is None and change.blocked_by is None]
    return {
        "table": page_update(session, label_set),
        "label": gr.update(choices=names, value=next(iter(names), None)),
        "into": gr.update(choices=names, value=None),
        "made": gr.update(visible=bool(made)),
        "history": table_value(session, COLUMNS, [_history_row(session, change) for change in made]),
        "change": gr.update(
            choices=[(described(session, change), change.id) for change in open_],
            value=open_[0].id if open_ else None,
        ),
    }


def known_labels(session: Session) -> LabelSet:
    """The project's labels; empty if the user may not open the project."""
    if not members.is_open(session.workspace, session.project_id, session.user):
        return LabelSet()
    return labels.get(session.workspace, session.project_id)


def described(session: Session, change: LabelChange) -> str:
    """A change in a few words."""
    return session._(DID_NAMES[change.kind], old=change.old, new=change.new or "")


def _history_row(session: Session, change: LabelChange) -> list[str]:
    state = "undone" if change.undone is not None else "later" if change.blocked_by is not None else "open"
    return [
        date(change.at),
        change.user,
        described(session, change),
        session.ngettext(
            "{spans} in {count} document",
            "{spans} in {count} documents",
            spans=f"{change.spans:,}",
            count=change.documents,
        ),
        session._(STATE_NAMES[state]),
    ]


def choose_kind(
    session: Session, label: str | None, kind: str, new: str | None, into: str | None
) -> dict[str, Any]:
    """Show the fields of a kind of change, and preview it."""
    return {**_fields(session, kind), "preview": preview(session, label, kind, new, into)}


def _fields(session: Session, kind: str) -> dict[str, Any]:
    return {
        "new_name": gr.update(visible=kind == "rename"),
        "into": gr.update(visible=kind == "merge"),
        "apply": gr.update(
            value=session._(APPLY_NAMES.get(kind, APPLY_NAMES["rename"])),
            elem_classes="ll-danger" if kind == "delete" else "",
        ),
    }


def show_kind(
    session: Session, label: str | None, kind: str, new: str | None, into: str | None
) -> dict[str, Any]:
    """Fill the fields; a preview looks through all predictions, which is done for changes in sight alone."""
    if session.memory.get(OPENED):
        return choose_kind(session, label, kind, new, into)
    return {**_fields(session, kind), "preview": ""}


def unfold(session: Session, label: str | None, kind: str, new: str | None, into: str | None) -> Any:
    """Preview the change that is in sight from now on."""
    session.memory[OPENED] = True
    return preview(session, label, kind, new, into)


def fold(session: Session) -> dict[str, Any]:
    """Preview nothing any more."""
    session.memory[OPENED] = False
    return {}


def preview(session: Session, label: str | None, kind: str, new: str | None, into: str | None) -> Any:
    """Preview a change; once another one is asked about, this one is no longer shown."""
    asked = session.memory[ASKED] = object()
    told = _preview(session, label, kind, new, into)
    return told if session.memory.get(ASKED) is asked else gr.skip()


def _preview(session: Session, label: str | None, kind: str, new: str | None, into: str | None) -> str:
    names = known_labels(session).names
    if label not in names:  # the page is being filled, or another session has just changed the labels
        label, into = next(iter(names), None), None
    if not label:
        return ""
    merging = kind == "merge" and into is not None and into != label
    scope = label_changes.scope(session.workspace, session.project_id, label, into if merging else None)
    parts = [
        session._(
            PREVIEW_NAMES.get(kind, PREVIEW_NAMES["rename"]),
            spans=counted.spans(scope.spans),
            documents=counted.documents(scope.documents),
            copies=counted.spans(scope.versions),
            predictions=counted.predictions(scope.predictions),
            patterns=counted.patterns(scope.patterns),
            comments=counted.comments(scope.comments),
            count=scope.comments,
        )
    ]
    if merging and scope.coinciding:
        parts.append(
            session.ngettext(
                "{count} of the spans coincides with one of the other label; the two become one.",
                "{count} of the spans coincide with one of the other label; such pairs become one.",
                count=scope.coinciding,
            )
        )
    return session.paragraph(*parts, session._("You can undo this below."))


@needs("change_labels")
def change_label(
    session: Session, label: str | None, kind: str, new: str | None, into: str | None
) -> dict[str, Any]:
    """Rename, merge or delete.

    Raises:
        AppError: something was not chosen. UnknownLabelError, NameTaken, ValueError: as the store says.
    """
    if not label:
        raise AppError("Choose a label first.")
    place = session.workspace, session.project_id, label
    if kind == "merge":
        if not into:
            raise AppError("Choose the label to merge into.")
        change = label_changes.merge(*place, into, user=session.user)
    elif kind == "delete":
        change = label_changes.delete(*place, user=session.user)
    else:
        name = (new or "").strip()
        if not name:
            raise AppError("Enter the new name first.")
        renamed = label_changes.rename(*place, Label(name).name, user=session.user)
        if renamed is None:
            return {"message": session._("It already has that name."), "new_name": "", **show(session)}
        change = renamed
    done = session._(
        DONE_NAMES[change.kind],
        old=code_span(change.old),
        new=code_span(change.new),
        spans=counted.spans(change.spans),
        documents=counted.documents(change.documents),
    )
    return {"message": done, "new_name": "", **show(session)}


@needs("change_labels")
def undo(session: Session, change_id: int | None) -> dict[str, Any]:
    """Take a change back.

    Raises:
        AppError: none was chosen. ChangeBlocked, NameTaken, NotFound: as the store says.
    """
    if change_id is None:
        raise AppError("Choose a change to undo.")
    undone = journal.undo(
        session.workspace, session.project_id, change_id, user=session.user, kinds=label_changes.KINDS
    )
    done = session._("Undone: {what}.", what=code_span(described(session, undone)))
    return {"message": done, **show(session)}


def wire(components: ChangeComponents, frame: Frame, table: gr.HTML, message: gr.Markdown) -> None:
    """Connect the events; a change fills ``table`` anew, and says in ``message`` what it did."""
    c = components
    shown = [table, *c.shown]
    frame.on_show("settings", show, shown)
    frame.on_show("settings", show_kind, c.planned, c.asked)
    frame.on([c.box.expand], unfold, c.asked, [c.preview])
    frame.on([c.box.collapse], fold, [], [])
    # Only the kind shows and hides fields: drawn anew, a list that was just opened would close.
    frame.on([c.kind.input], choose_kind, c.asked, c.planned)
    frame.on([c.label.input, c.into.input], preview, c.asked, [c.preview])
    changed = frame.on(
        [c.apply.click, c.new_name.submit], change_label, c.asked, [message, c.new_name, *shown],
        show_progress="minimal",
    )  # fmt: skip
    frame.then(changed, preview, c.asked, [c.preview])
    undone = frame.on([c.undo.click], undo, [c.change], [message, *shown], show_progress="minimal")
    frame.then(undone, preview, c.asked, [c.preview])
