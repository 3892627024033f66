"""The people section of the Settings page: members, roles, workflow and assignment of documents."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import Message, _, pgettext
from app.services.errors import AppError
from app.services.rights import check, may, needs, place
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class
from app.ui.set_choice import WHOLE, documents_in, set_choices
from app.ui.widgets.shifting_choice import ShiftingDropdown
from core.store.project import assignments, members
from core.store.project.assignments import Dealt
from core.store.project.members import ROLE_NAMES, ROLES, WORKFLOWS
from core.store.review import decisions

COLUMN_NAMES = {
    "name": pgettext("person", "name"),
    "role": _("role"),
    "handed": pgettext("number", "documents"),
    "done": _("done"),
}

CATEGORY_NAMES = {
    "boundary": _("boundary"),
    "type": _("type"),
    "missed": _("missed"),
    "spurious": _("spurious"),
    "guideline_unclear": _("guideline unclear"),
}

WORKFLOW_NAMES = {
    "together": _("together: one annotation"),
    "separate": _("separately: individual versions, then adjudication"),
}


@dataclass
class PeopleComponents:
    """Members, then the workflow; the second part is for managers."""

    summary: gr.Markdown
    name: gr.Textbox
    role: gr.Dropdown
    put: gr.Button
    remove: gr.Button
    plan: gr.Column
    workflow: gr.Radio
    overlap: gr.Number
    save_plan: gr.Button
    people: gr.CheckboxGroup
    again: gr.Checkbox
    work_set: gr.Dropdown
    preview: gr.Button
    hand_out: gr.Button
    categories: gr.Textbox
    save_categories: gr.Button
    message: gr.Markdown

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [
            self.summary, self.plan, self.workflow, self.overlap, self.people, self.work_set, self.categories,
        ]  # fmt: skip


def layout(frame: Frame) -> PeopleComponents:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("People"))
    texts.bind(
        gr.Markdown(elem_classes=["ll-how", needs_class("manage")]),
        value=_("If you work alone you do not need this: without members everybody may do everything."),
    )
    message = gr.Markdown(elem_id="settings-people-message")
    with gr.Row(equal_height=False):
        with gr.Column(min_width=300):
            summary = gr.Markdown(elem_id="settings-people")
            with gr.Column(elem_classes=needs_class("manage")):
                name = texts.bind(
                    gr.Textbox(max_lines=1, max_length=100, elem_id="settings-member"),
                    label=pgettext("person", "Name"),
                    info=_(
                        "Exactly the name with which the person logs in, or that the person enters in "
                        "Settings."
                    ),
                )
                role = texts.bind(
                    gr.Dropdown(elem_id="settings-role"), label=_("Role"), chosen="annotator",
                    choices=[(ROLE_NAMES[name], name) for name in ROLES],
                )  # fmt: skip
                with gr.Row(elem_classes="ll-buttons"):
                    put = texts.button(_("Add or change"), elem_id="settings-put-member")
                    remove = texts.button(_("Remove"), elem_id="settings-remove-member")
        with gr.Column(
            min_width=300, visible=False, elem_id="settings-plan", elem_classes=needs_class("manage")
        ) as plan:
            parts = _layout_plan(frame)
    return PeopleComponents(summary, name, role, put, remove, plan, *[*parts, message])


def _layout_plan(frame: Frame) -> list[Any]:
    texts = frame.texts
    workflow = texts.bind(
        gr.Radio(elem_id="settings-workflow"), label=_("How to annotate"), chosen="together",
        choices=[(WORKFLOW_NAMES[name], name) for name in WORKFLOWS],
    )  # fmt: skip
    overlap = texts.bind(
        gr.Number(
            value=1, minimum=1, maximum=assignments.MOST_OVERLAP, precision=0, elem_id="settings-overlap"
        ),
        label=_("People per document"),
    )
    save_plan = texts.button(_("Save"), elem_id="settings-save-plan")
    people = texts.bind(gr.CheckboxGroup([], elem_id="settings-hand-to"), label=_("Assign documents to"))
    again = texts.bind(gr.Checkbox(elem_id="settings-again"), label=_("Reassign documents nobody has begun"))
    work_set = texts.bind(
        ShiftingDropdown([WHOLE], value=WHOLE, visible=False, elem_id="settings-hand-set"),
        label=_("Documents"),
    )
    with gr.Row(elem_classes="ll-buttons"):
        hand_out = texts.button(_("Assign"), variant="primary", elem_id="settings-hand-out")
        preview = texts.button(_("Preview"), elem_id="settings-preview-hands")
    categories = texts.bind(
        gr.Textbox(lines=2, max_lines=6, elem_id="settings-categories"),
        label=_("Error categories of the review"),
        info=_("Separated by commas or lines; empty restores the defaults."),
    )
    save = texts.button(_("Save the categories"), elem_id="settings-save-categories")
    return [workflow, overlap, save_plan, people, again, work_set, preview, hand_out, categories, save]


def show(session: Session) -> dict[str, Any]:
    """Fill the section."""
    workspace, project_id = session.workspace, session.project_id
    people = members.of(workspace, project_id)
    plan = assignments.plan(workspace, project_id)
    names = [member.user for member in people] if may(session, "manage") else []
    annotators = [member.user for member in people if member.role == "annotator" and member.user in names]
    return {
        "summary": summary_text(session),
        "plan": gr.update(visible=bool(people) and may(session, "manage")),
        "workflow": plan.workflow,
        "overlap": plan.overlap,
        "people": gr.update(choices=names, value=annotators),
        "work_set": set_choices(session, _("all documents")),
        "categories": ", ".join(
            _category_name(session, name) for name in decisions.categories(workspace, project_id)
        ),
    }


def summary_text(session: Session) -> str:
    """Members and their progress; without members, what adding the first one does."""
    workspace, project_id = session.workspace, session.project_id
    people = members.of(workspace, project_id)
    if not people:
        return session._("No members yet. Whoever adds the first one becomes the manager.")
    lines = []
    if (role := members.role_of(workspace, project_id, session.user)) is not None:
        name = code_span(session.user)
        lines = [session._("You are **{user}**: {role}.", user=name, role=session._(ROLE_NAMES[role])), ""]
    if not session.logged_in:
        lines += [
            session._(
                "Without a login roles do not protect anything: whoever opens the page can choose any name."
                " Start with `--auth` to require a login."
            ),
            "",
        ]
    if role is None:
        return "\n".join(lines)
    heads = [session._(COLUMN_NAMES[column]) for column in ("name", "role", "handed", "done")]
    lines += ["| " + " | ".join(heads) + " |", "|---|---|--:|--:|"]
    loads = {load.user: load for load in assignments.loads(workspace, project_id)}
    roles = {member.user: session._(ROLE_NAMES[member.role]) for member in people}
    roles |= {user: "" for user in loads if user not in roles}  # has left; finished documents still count
    for user, role_name in roles.items():
        load = loads.get(user)
        counts = (load.handed, load.done) if load else (0, 0)
        lines.append(f"| {code_span(user, in_table=True)} | {role_name} | {counts[0]} | {counts[1]} |")
    return "\n".join(lines)


def put_member(session: Session, name: str, role: str) -> dict[str, Any]:
    """Add somebody or change their role; who may see what has changed with it.

    Raises:
        NotAllowed, PeopleError, PayloadError: as ``members.put``.
    """
    members.put(session.workspace, session.project_id, name, role, by=session.user)
    done = session._(
        "{user} is now {role}.", user=code_span(" ".join(name.split())), role=session._(ROLE_NAMES[role])
    )
    return {"message": done, "name": "", "moved": place(session)}


def remove_member(session: Session, name: str) -> dict[str, Any]:
    """Remove a out; who may see what has changed with it.

    Raises:
        NotAllowed, PeopleError, NotFound: as ``members.remove``.
    """
    cleaned = " ".join(name.split())
    members.remove(session.workspace, session.project_id, cleaned, by=session.user)
    return {
        "message": session._(
            "{user} is no longer a member. Their annotations stay.", user=code_span(cleaned)
        ),
        "name": "",
        "moved": place(session),
    }


@needs("manage")
def save_plan(session: Session, workflow: str, overlap: float | None) -> dict[str, Any]:
    """Keep how the project is annotated."""
    number = int(overlap) if isinstance(overlap, (int, float)) and overlap == int(overlap) else 0
    assignments.set_plan(session.workspace, session.project_id, workflow, number, by=session.user)
    return {"message": session._("Saved."), **show(session)}


@needs("manage")
def preview(session: Session, people: Sequence[str], again: bool, work_set: str = WHOLE) -> str:
    """Preview the assignment."""
    return _said(
        session,
        _("Documents: {documents}. To be assigned: {added}, withdrawn: {removed}. Per person: {loads}."),
        _deal(session, people, again, work_set, only_preview=True),
        _seed(session),
    )


@needs("manage")
def hand_out(session: Session, people: Sequence[str], again: bool, work_set: str = WHOLE) -> dict[str, Any]:
    """Assign documents, all or those of a work set."""
    seed = _seed(session)
    dealt = _deal(session, people, again, work_set, only_preview=False)
    session.memory.pop("deal-seed", None)
    return {
        "message": _said(
            session,
            _(
                "Documents: {documents}. Assigned: {added}, withdrawn: {removed}. Per person: {loads}. "
                "Seed {seed}."
            ),
            dealt,
            seed,
        ),
        **show(session),
    }


@needs("manage")
def save_categories(session: Session, text: str) -> dict[str, Any]:
    """Keep the review's error categories."""
    by_name = {_category_name(session, name): name for name in decisions.CATEGORIES}
    names = [" ".join(name.split()) for name in re.split(r"[,，、\n]", text)]
    decisions.set_categories(
        session.workspace, session.project_id, [by_name.get(name, name) for name in names], by=session.user
    )
    return {"message": session._("Categories saved."), **show(session)}


def _deal(
    session: Session, people: Sequence[str], again: bool, work_set: str, *, only_preview: bool
) -> Dealt:
    check(session, "manage")
    if assignments.plan(session.workspace, session.project_id).workflow != "separate":
        raise AppError(
            "Documents are assigned where everybody annotates separately. Choose that above and save."
        )
    return assignments.hand_out(
        session.workspace, session.project_id, people, by=session.user, again=bool(again),
        seed=_seed(session), only_preview=only_preview, among=documents_in(session, work_set),
    )  # fmt: skip


def _seed(session: Session) -> int:
    """The seed of the next assignment, shared by preview and assignment."""
    seed = session.memory.setdefault("deal-seed", secrets.randbelow(10**6))
    return seed if isinstance(seed, int) else 0


def _said(session: Session, message: Message, dealt: Dealt, seed: int) -> str:
    if not dealt.documents:
        return session._("There is no document to assign.")
    loads = session._(", ").join(
        session._("{user} {count}", user=code_span(user), count=count) for user, count in dealt.loads.items()
    )
    return session._(
        message, documents=dealt.documents, added=dealt.added, removed=dealt.removed, loads=loads, seed=seed
    )


def _category_name(session: Session, name: str) -> str:
    return session._(CATEGORY_NAMES[name]) if name in decisions.CATEGORIES else name


def wire(components: PeopleComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    frame.on([c.put.click, c.name.submit], put_member, [c.name, c.role], [c.message, c.name, frame.moved])
    frame.on([c.remove.click], remove_member, [c.name], [c.message, c.name, frame.moved])
    frame.on([c.save_plan.click], save_plan, [c.workflow, c.overlap], [c.message, *c.shown])
    frame.on([c.preview.click], preview, [c.people, c.again, c.work_set], [c.message])
    frame.on([c.hand_out.click], hand_out, [c.people, c.again, c.work_set], [c.message, *c.shown])
    frame.on([c.save_categories.click], save_categories, [c.categories], [c.message, *c.shown])
