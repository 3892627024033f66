"""The projects section of the Settings page: create, rename, trash, restore, delete permanently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.services.errors import AppError
from app.services.rights import needs, place
from app.services.session import Session
from app.services.training import job_folders, pretraining
from app.ui.code_span import code_span, code_spans
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class, who_may
from app.ui.window.navigation import NEW_PROJECT, project_choices
from core.store.db.errors import NotFound
from core.store.document import trash
from core.store.project import members, nesting, projects

NESTING_NAMES = {"flat": _("flat: spans do not overlap"), "nested": _("nested: spans may overlap")}


@dataclass
class ProjectsComponents:
    """The project on the screen above, the trash below."""

    name: gr.Textbox
    create: gr.Button
    rename: gr.Button
    nesting: gr.Radio
    trash: gr.Button
    bin: gr.Column
    trashed: gr.Dropdown
    restore: gr.Button
    confirm: gr.Textbox
    purge: gr.Button
    message: gr.Markdown

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [self.name, self.nesting, self.bin, self.trashed, self.confirm]


def layout(frame: Frame) -> ProjectsComponents:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("Projects"))
    who_may(texts, "manage")
    manager = needs_class("manage")
    name = texts.bind(
        gr.Textbox(max_lines=1, elem_id="settings-project-name", elem_classes=manager), label=_("Name")
    )
    with gr.Row(elem_classes="ll-buttons"):
        rename = texts.button(
            _("Rename this project"), elem_id="settings-rename-project", elem_classes=manager
        )
        create = texts.button(_("New project"), elem_id="settings-create")
    spans = texts.bind(
        gr.Radio(elem_id="settings-nesting"),
        label=_("Spans of this project"),
        info=_(
            "Flat: accepting all suggestions keeps the longest of overlapping ones, and labelling "
            "over another span asks first. Nested: spans may lie inside others."
        ),
        chosen="flat",
        choices=[(shown, name) for name, shown in NESTING_NAMES.items()],
    )
    trash_button = texts.button(
        _("Move this project to the trash"),
        elem_id="settings-trash-project",
        elem_classes=["ll-danger", manager],
    )
    with gr.Column(visible=False, elem_id="settings-bin") as bin_:
        trashed = texts.bind(gr.Dropdown([], elem_id="settings-trashed"), label=_("In the trash"))
        restore = texts.button(_("Restore project"), elem_id="settings-restore-project")
        confirm = texts.bind(
            gr.Textbox(max_lines=1, elem_id="settings-purge-name"),
            label=_("Delete for good"),
            info=_(
                "Type the project's name to delete its documents, history and trained models permanently."
            ),
        )
        purge = texts.button(_("Delete permanently"), elem_id="settings-purge", elem_classes="ll-danger")
    message = gr.Markdown(elem_id="settings-projects-message")
    return ProjectsComponents(
        name, create, rename, spans, trash_button, bin_, trashed, restore, confirm, purge, message
    )


def show(session: Session) -> dict[str, Any]:
    """Fill the section."""
    workspace, user = session.workspace, session.user
    is_open = members.is_open(workspace, session.project_id, user)
    gone = [
        (name, id_)
        for id_, name in trash.trashed_projects(workspace)
        if members.is_open(workspace, id_, user)
    ]
    return {
        # Not the value: a late response must not overwrite a name being typed.
        "name": gr.update(placeholder=projects.get(workspace, session.project_id).name if is_open else ""),
        "nesting": gr.update(
            value="nested" if is_open and nesting.is_nested(workspace, session.project_id) else "flat",
            interactive=members.may(workspace, session.project_id, user, "manage"),
        ),
        "bin": gr.update(visible=bool(gone)),
        "trashed": gr.update(choices=gone, value=gone[0][1] if gone else None),
        "confirm": "",
    }


@needs("manage")
def rename_project(session: Session, name: str) -> dict[str, Any]:
    """Another name for the project on the screen."""
    project = projects.rename(session.workspace, session.project_id, name)
    done = session._("The project is now called {name}.", name=code_span(project.name))
    return {"message": done, "project": project_choices(session), "moved": place(session)}


@needs("manage")
def set_nesting(session: Session, choice: str) -> str:
    """Make the project flat or nested, and say so."""
    nesting.choose(session.workspace, session.project_id, choice == "nested")
    done = {
        "flat": session._("Spans of this project do not overlap."),
        "nested": session._("Spans of this project may overlap."),
    }
    return done[choice]


@needs("manage")
def trash_project(session: Session) -> dict[str, Any]:
    """Put the project into the trash and open another one.

    Raises:
        AppError: there is no other one.
    """
    project = projects.get(session.workspace, session.project_id)
    open_projects = members.open_projects(session.workspace, session.user)
    others = [other for other in open_projects if other.id != project.id]
    if not others:
        raise AppError("This is the only project. Create another one first.")
    trash.trash_project(session.workspace, project.id)
    session.turn_to(others[0].id)
    done = session._(
        "Project {name} is in the trash; you can restore it below.", name=code_span(project.name)
    )
    return {"message": done, "project": project_choices(session), "moved": place(session)}


def restore_project(session: Session, project_id: int) -> dict[str, Any]:
    """Bring a project back and open it.

    Raises:
        NotAllowed: the person is no manager of it.
    """
    members.check(session.workspace, project_id, session.user, "manage")
    project = trash.restore_project(session.workspace, project_id)
    session.turn_to(project.id)
    done = session._("Project {name} was restored.", name=code_span(project.name))
    return {"message": done, "project": project_choices(session), "moved": place(session)}


def purge_project(session: Session, project_id: int | None, typed: str) -> dict[str, Any]:
    """Delete a project of the trash for good, once its name is typed.

    Raises:
        AppError: the typed name is not the project's. NotFound: it is not in the trash any more.
        NotAllowed: the person is no manager of it.
    """
    names = dict(trash.trashed_projects(session.workspace))
    if project_id not in names:
        raise NotFound("project", str(project_id))
    members.check(session.workspace, project_id, session.user, "manage")
    name = names[project_id]
    if typed.strip() != name:
        raise AppError(
            "Nothing was deleted. To delete the project for good, type its name exactly: {name}", name=name
        )
    job_folders.check_none_runs(session, project_id)
    pretraining.check_none_runs(session, project_id)
    left = trash.empty_project(session.workspace, project_id)
    job_folders.delete_all(session, project_id)
    pretraining.delete_all(session, project_id)
    done = session._("Project {name} is deleted.", name=code_span(name))
    if left:
        done += " " + session._(
            "These unused folders could not be deleted: {folders}", folders=code_spans(left)
        )
    return {"message": done, **show(session)}


def wire(components: ProjectsComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    moving = [c.message, frame.project, frame.moved]
    c.create.click(None, js=NEW_PROJECT, api_visibility="private")
    frame.on([c.rename.click], rename_project, [c.name], moving)
    frame.on([c.nesting.input], set_nesting, [c.nesting], [c.message])
    frame.on([c.trash.click], trash_project, [], moving)
    frame.on([c.restore.click], restore_project, [c.trashed], moving)
    frame.on([c.purge.click, c.confirm.submit], purge_project, [c.trashed, c.confirm], [c.message, *c.shown])
