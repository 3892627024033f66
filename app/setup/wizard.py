"""The dialog *New project*: three steps in the browser, and what they ask the server.

The draft stays in the browser; nothing is written before the last step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import gradio as gr
from pydantic import Field

from app.i18n import _
from app.services.background.tasks import Row, Task
from app.services.errors import AppError
from app.services.importing.words import name_objects
from app.services.named_files import uploaded
from app.services.rights import place
from app.services.session import Session
from app.setup import creation
from app.setup.creation import NewProject
from app.setup.templates import template_objects
from app.setup.text import LONGEST_PATH, TextSource, format_choices, preview_object, read_text
from app.setup.words import list_object
from app.ui.frame import Frame
from app.ui.label_rows import editor_choices
from app.ui.payload import Payload
from app.ui.server_function import Reply
from app.ui.widgets.page_code import page_widget
from app.ui.window.navigation import NEW_PROJECT, project_choices
from core.formats import FormatError
from core.lexicon import WordListError
from core.store.project import members, projects

Kind = Literal["read", "words", "create"]
QUICK_SECONDS = 0.5  # what ends within this is answered at once


class WordFile(Payload):
    """An uploaded word list."""

    path: Annotated[str, Field(max_length=LONGEST_PATH)]


class Work(Payload):
    """A kind of work in the background."""

    kind: Kind


@dataclass
class SetupComponents:
    """The button beside the project picker, and the dialog."""

    open: gr.Button
    dialog: gr.HTML


def layout(frame: Frame) -> SetupComponents:
    """Build the button and the dialog, which is closed."""
    button = frame.texts.button(_("New project"), elem_id="ll-new-project", size="sm")
    functions = [frame.server(fn) for fn in FUNCTIONS]
    dialog = page_widget(
        "setup/wizard.js",
        '<div class="lla-root ll-setup-root"></div>',
        events=("created",),
        functions=functions,
        styles=("annotator", "annotator_tools", "labels", "setup"),
        elem_id="ll-setup",
    )
    return SetupComponents(button, dialog)


def wire(components: SetupComponents, frame: Frame) -> None:
    """Connect the events."""
    components.open.click(None, js=NEW_PROJECT, api_visibility="private")
    frame.on(components.dialog.created, enter, [], [frame.project, frame.moved])


def enter(session: Session, event: gr.EventData) -> dict[str, Any]:
    """Turn to the project that was made.

    Raises:
        NotFound: it is not there any more. NotAllowed: it is closed to the person.
    """
    project = projects.get(session.workspace, event.project).id
    members.check(session.workspace, project, session.user, "annotate")
    session.turn_to(project)
    return {"project": project_choices(session), "moved": place(session)}


def setup_begin(session: Session) -> Reply:
    """What the dialog offers: a free ``name``, ``templates``, ``formats``, the editor's choices.

    All of it is in ``language``. ``work`` is the state of a project that is being made, as after a reload.
    """
    return {
        "language": session.language,
        "name": projects.free_name(session.workspace, session._("New project")),
        "templates": template_objects(session._),
        "formats": format_choices(session),
        "work": _state(session, "create"),
        **editor_choices(),
    }


def setup_read(session: Session, source: TextSource) -> Reply:
    """Begin to read the text; the ``result`` is `preview_object`, with a free ``name``."""

    def work(task: Task[Row]) -> Row:
        read = read_text(session, source, lambda share: task.progress("read", share))
        preview = preview_object(session, read)
        return preview | {"name": preview["name"] and projects.free_name(session.workspace, preview["name"])}

    return _start(session, "read", work)


def setup_words(session: Session, asked: WordFile) -> Reply:
    """Begin to read a word list; the ``result`` is `list_object`."""

    def work(task: Task[Row]) -> Row:
        return list_object(session, uploaded(asked.path), lambda share: task.progress("words", share))

    return _start(session, "words", work)


def setup_names(session: Session) -> Reply:
    """The names of the base dictionary by kind."""
    return {"kinds": name_objects()}


def setup_create(session: Session, asked: NewProject) -> Reply:
    """Begin to make the project; the ``result`` is that of `creation.begin`'s work."""
    return _start(session, "create", creation.begin(session, asked))


def setup_state(session: Session, asked: Work) -> Reply:
    """The state of the latest work of a kind, as `Task.state`, with its ``result``."""
    return _state(session, asked.kind)


def setup_stop(session: Session, asked: Work) -> Reply:
    """Ask it to end; a project that is being made is removed again."""
    task = session.workbench.tasks.latest(_key(session, asked.kind))
    if task is not None:
        task.stop()
    return _state(session, asked.kind)


FUNCTIONS = (setup_begin, setup_read, setup_words, setup_names, setup_create, setup_state, setup_stop)


def _key(session: Session, kind: str) -> tuple[str, str, str]:
    return "setup", kind, session.token


def _start(session: Session, kind: Kind, work: Callable[[Task[Row]], Row]) -> Reply:
    tasks = session.workbench.tasks
    before = tasks.latest(_key(session, kind))
    if before is not None:
        before.stop()  # of a draft that has changed meanwhile

    def told(task: Task[Row]) -> Row:
        try:
            return work(task)
        except (FormatError, WordListError) as error:  # of the person's file: nothing for the log
            raise AppError(error.message) from error

    tasks.start(_key(session, kind), told, kind).wait(QUICK_SECONDS)
    return _state(session, kind)


def _state(session: Session, kind: Kind) -> Reply:
    task = session.workbench.tasks.latest(_key(session, kind))
    if task is None:
        return {"number": 0, "running": False}
    state = task.state(session.language)
    return state | {"result": None if state["running"] else task.result}
