"""The Words tab of the Dictionary page: a project's word list in a table, and lists on their way into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import gradio as gr

from app.dictionary import predicted as answers
from app.dictionary import word_list_import as word_list_bringing
from app.dictionary import work as dictionary_work
from app.dictionary.widgets.word_bench import word_bench
from app.services.errors import AppError
from app.services.rights import check, may, needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.payload import InvalidPayload, read_text

NAME = "words"
MOST_CHOICES = 1_000
LONGEST_NAME = 100
_visits = count(1)


@dataclass
class WordsComponents:
    """A widget that asks the server itself, and the place where a list is put."""

    bench: gr.HTML
    file: gr.File


def layout(frame: Frame) -> WordsComponents:
    """Build the tab."""
    functions = [
        frame.server(fn)
        for fn in (
            answers.dictionary_page, answers.dictionary_documents, answers.dictionary_look,
            answers.dictionary_add, answers.dictionary_edit, answers.dictionary_change,
            answers.dictionary_undo, answers.dictionary_export, dictionary_list, dictionary_bring,
            dictionary_drop, dictionary_refused, dictionary_names, dictionary_bring_names,
            dictionary_work_state, dictionary_stop, answers.dictionary_count,
        )
    ]  # fmt: skip
    bench = word_bench(functions, elem_id="dictionary-words")
    file = gr.File(type="filepath", height=110, elem_id="dictionary-file")
    return WordsComponents(bench, frame.texts.bind(file, label="dictionary.file"))


def wire(components: WordsComponents, frame: Frame) -> None:
    """Read the list again whenever the page is shown, and take what is put into the file's place."""
    frame.on_show("dictionary", show, [components.bench])
    frame.on(components.file.upload, take_file, [components.file], [components.bench, components.file])


def show(session: Session) -> dict[str, Any]:
    """Point the widget at the session's project; it then asks for the words itself."""
    page = {"language": session.language, "project": session.project_id, "visit": next(_visits)}
    return gr.update(page=page | {"may_change": may(session, "change_dictionary")})


@needs("change_dictionary")
def take_file(session: Session, file: str | None) -> tuple[Any, Any]:
    """Begin to read a list that was put on the page; the widget watches it and shows what it would do."""
    if not file:
        raise AppError("dictionary.error.no_file")
    path = Path(file)
    word_list_bringing.read(session, path, path.name[:LONGEST_NAME])
    return show(session), None


def dictionary_list(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The list that waits to be brought, or None."""
    found = word_list_bringing.waiting(session)
    return {"list": None if found is None else word_list_bringing.list_object(session, found)}


@needs("change_dictionary")
def dictionary_bring(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Begin to take the waiting list in."""
    choices = payload.get("choices", {})
    if not isinstance(choices, Mapping) or len(choices) > MOST_CHOICES:
        raise InvalidPayload(f"choices must be at most {MOST_CHOICES} words with their choice")
    return word_list_bringing.bring(session, payload.get("list"), read_text(payload, "choice"), choices)


def dictionary_drop(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Forget the waiting list."""
    word_list_bringing.drop(session)
    return {}


def dictionary_refused(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The refused lines of the waiting list as a file to mend."""
    found = word_list_bringing.waiting(session)
    if found is None:
        raise AppError("dictionary.error.no_list")
    return {"text": word_list_bringing.refused_lines(found)}


def dictionary_names(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """jieba's names by kind."""
    return {"kinds": word_list_bringing.names(session), "labels": answers.label_names(session)}


@needs("change_dictionary")
def dictionary_bring_names(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Begin to take jieba's names in, each kind under the label chosen for it."""
    labels = payload.get("labels")
    if not isinstance(labels, Mapping) or len(labels) > len(word_list_bringing.gazetteer.KINDS):
        raise InvalidPayload("labels must name a label for each kind of names")
    chosen = {str(kind): answers.read_type(label) for kind, label in labels.items()}
    return word_list_bringing.bring_names(session, chosen, read_text(payload, "choice"))


def dictionary_work_state(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """What long work is under way, or how the last one ended."""
    return dictionary_work.state(session)


def dictionary_stop(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Stop it; nothing of it is written."""
    check(session, "change_dictionary")
    return dictionary_work.stop(session)
