"""The Words tab of the Dictionary page: the project's word list as a table, and the import of lists."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import gradio as gr
from pydantic import Field

from app.dictionary import word_list_import, word_table
from app.dictionary.panel import list_work, stop_list_work
from app.dictionary.widgets.word_bench import word_bench
from app.i18n import _
from app.services.errors import AppError
from app.services.importing.words import name_objects
from app.services.rights import check, may, needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.lacking import needs_class, who_may
from app.ui.payload import Count, Payload, Text
from app.ui.server_function import Reply
from core.lexicon import gazetteer
from core.store.lexicon.entries import checked_type

NAME = "words"
MOST_CHOICES = 1_000
LONGEST_NAME = 100
_visits = count(1)


@dataclass
class WordsComponents:
    """A widget with its own server functions, and the upload of a list."""

    bench: gr.HTML
    file: gr.File


def layout(frame: Frame) -> WordsComponents:
    """Build the tab."""
    functions = [
        frame.server(fn)
        for fn in (
            word_table.dictionary_page, word_table.dictionary_documents, word_table.dictionary_look,
            word_table.dictionary_add, word_table.dictionary_edit, word_table.dictionary_change,
            word_table.dictionary_undo, word_table.dictionary_export, dictionary_list, dictionary_bring,
            dictionary_drop, dictionary_refused, dictionary_names, dictionary_bring_names,
            dictionary_work_state, dictionary_stop, word_table.dictionary_count,
        )
    ]  # fmt: skip
    bench = word_bench(functions, elem_id="dictionary-words")
    who_may(frame.texts, "change_dictionary")
    file = gr.File(
        type="filepath", height=110, elem_id="dictionary-file", elem_classes=needs_class("change_dictionary")
    )
    return WordsComponents(bench, frame.texts.bind(file, label=_("Import a word list")))


def wire(components: WordsComponents, frame: Frame) -> None:
    """Refresh the list whenever the page is shown, and read uploaded files."""
    frame.on_show("dictionary", show, [components.bench])
    frame.on(components.file.upload, take_file, [components.file], [components.bench, components.file])


def show(session: Session) -> dict[str, Any]:
    """Tell the widget which project to show; it then requests the words itself."""
    page = {"language": session.language, "project": session.project_id, "visit": next(_visits)}
    return gr.update(page=page | {"may_change": may(session, "change_dictionary")})


@needs("change_dictionary")
def take_file(session: Session, file: str | None) -> dict[str, Any]:
    """Begin to read an uploaded list; the widget follows the progress and shows the preview."""
    if not file:
        raise AppError("Choose a word list first.")
    path = Path(file)
    word_list_import.read(session, path, path.name[:LONGEST_NAME])
    return {"bench": show(session), "file": None}


class Import(Payload):
    """The waiting list by its number; what is done with words that are known, and with single ones."""

    list: Count
    choice: Text
    choices: dict[str, str] = Field(default_factory=dict, max_length=MOST_CHOICES)


class ImportNames(Payload):
    """The label for each kind of jieba's names that is to be imported."""

    labels: Annotated[dict[str, str], Field(max_length=len(gazetteer.KINDS))]
    choice: Text


def dictionary_list(session: Session) -> Reply:
    """The list waiting to be imported, or None."""
    waiting_list = word_list_import.waiting(session)
    return {"list": None if waiting_list is None else word_list_import.list_object(session, waiting_list)}


@needs("change_dictionary")
def dictionary_bring(session: Session, asked: Import) -> Reply:
    """Begin to import the waiting list."""
    return word_list_import.import_list(session, asked.list, asked.choice, asked.choices)


def dictionary_drop(session: Session) -> Reply:
    """Discard the waiting list."""
    word_list_import.drop(session)
    return {}


def dictionary_refused(session: Session) -> Reply:
    """The rejected lines of the waiting list, as a file to correct."""
    waiting_list = word_list_import.waiting(session)
    if waiting_list is None:
        raise AppError("This list is no longer there; choose the file again.")
    return {"text": word_list_import.refused_lines(waiting_list)}


def dictionary_names(session: Session) -> Reply:
    """jieba's names by kind."""
    return {"kinds": name_objects(), "labels": word_table.label_names(session)}


@needs("change_dictionary")
def dictionary_bring_names(session: Session, asked: ImportNames) -> Reply:
    """Begin to import jieba's names, each kind with the label chosen for it."""
    chosen = {kind: checked_type(label) for kind, label in asked.labels.items()}
    return word_list_import.bring_names(session, chosen, asked.choice)


def dictionary_work_state(session: Session) -> Reply:
    """The state of the current or last background work on the list."""
    return list_work(session)


def dictionary_stop(session: Session) -> Reply:
    """Stop it; nothing is written."""
    check(session, "change_dictionary")
    return stop_list_work(session)
