"""The Words tab of the Dictionary page: the words of a project's lexicon."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from app.code_span import code_span, code_spans
from app.errors import AppError
from app.frame import Frame
from app.rights import may, needs
from app.session import Session
from core.lexicon import Entry, Lexicon, WordList, read_word_list
from core.store import lexicon_changes, predictions, queue

NAME = "words"
MOST_SHOWN = 500
MOST_MATCHES = 50
EVERY = 1_000_000


@dataclass
class WordsComponents:
    """Look up and change a word, the project's changes, a list to bring."""

    summary: gr.Markdown
    word: gr.Textbox
    type: gr.Textbox
    search: gr.Button
    add: gr.Button
    remove: gr.Button
    undo: gr.Button
    message: gr.Markdown
    matches: gr.Dataframe
    empty: gr.Markdown
    changes: gr.Dataframe
    file: gr.File
    bring: gr.Button
    refused: gr.Dataframe


def layout(frame: Frame) -> WordsComponents:
    """Build the tab."""
    texts = frame.texts
    summary = gr.Markdown(elem_classes="ll-how", elem_id="dictionary-summary")
    with gr.Row(equal_height=False):
        with gr.Column(scale=3, min_width=320):
            texts.bind(gr.Markdown(elem_classes="ll-section"), value="dictionary.look")
            with gr.Row():
                word = texts.bind(
                    gr.Textbox(max_lines=1, elem_id="dictionary-word", scale=3),
                    label="dictionary.word",
                    placeholder="dictionary.word_hint",
                )
                type_box = texts.bind(
                    gr.Textbox(max_lines=1, elem_id="dictionary-type", scale=2),
                    label="dictionary.type",
                    placeholder="dictionary.type_hint",
                )
            with gr.Row(elem_classes="ll-buttons"):
                search = texts.bind(gr.Button(elem_id="dictionary-search"), value="dictionary.search")
                add = texts.bind(
                    gr.Button(variant="primary", elem_id="dictionary-add"), value="dictionary.add"
                )
                remove = texts.bind(gr.Button(elem_id="dictionary-remove"), value="dictionary.remove")
                undo = texts.bind(gr.Button(elem_id="dictionary-undo"), value="dictionary.undo")
            message = gr.Markdown(elem_id="dictionary-message")
            matches = _table("dictionary-matches")
        with gr.Column(scale=2, min_width=280):
            texts.bind(gr.Markdown(elem_classes="ll-section"), value="dictionary.list")
            texts.bind(gr.Markdown(elem_classes="ll-how"), value="dictionary.list_how")
            file = texts.bind(
                gr.File(type="filepath", height=120, elem_id="dictionary-file"), label="dictionary.file"
            )
            bring = texts.bind(gr.Button(elem_id="dictionary-import"), value="dictionary.import")
            refused = _table("dictionary-refused")
    texts.bind(gr.Markdown(elem_classes="ll-section"), value="dictionary.changes")
    empty = texts.bind(gr.Markdown(elem_classes="ll-empty"), value="dictionary.empty")
    changes = _table("dictionary-changes")
    return WordsComponents(
        summary,
        word,
        type_box,
        search,
        add,
        remove,
        undo,
        message,
        matches,
        empty,
        changes,
        file,
        bring,
        refused,
    )


def _table(elem_id: str) -> gr.Dataframe:
    return gr.Dataframe(
        datatype="str", interactive=False, show_label=False, max_height=360, visible=False, buttons=[],
        max_chars=90, elem_id=elem_id,
    )  # fmt: skip


def show(session: Session) -> tuple[Any, ...]:
    """Where the project's word list stands: summary, empty, changes."""
    changes = lexicon_changes.current(session.workspace, session.project_id)
    summary = session.text(
        "dictionary.base", count=len(Lexicon.jieba()), added=len(changes.added), removed=len(changes.removed)
    )
    rows = [[word, "added", type_] for word, type_ in changes.added.items()]
    rows += [[word, "removed", ""] for word in changes.removed]
    rows = rows[:MOST_SHOWN]
    body = [
        [word, session.text(f"dictionary.change.{change}"), type_, str(documents_with(session, word))]
        for word, change, type_ in rows
    ]
    headers = [session.text(f"dictionary.column.{name}") for name in ("word", "change", "type", "documents")]
    return (
        summary,
        gr.update(visible=not body),
        gr.update(value={"headers": headers, "data": body}, visible=bool(body)),
    )


def documents_with(session: Session, word: str) -> int:
    """How many documents of the project hold these characters."""
    return queue.page(session.workspace, session.project_id, queue.Filter(search=word), limit=0).total


def search(session: Session, word: str) -> tuple[Any, ...]:
    """Whether the lexicon has the word, and where it occurs: message, matches.

    Where it occurs is for those who may see every document.
    """
    wanted = _word(word)
    changes = lexicon_changes.current(session.workspace, session.project_id)
    if wanted in changes.removed:
        key = "dictionary.taken_out"
    elif wanted in changes.added or wanted in Lexicon.jieba():
        key = "dictionary.in_lexicon"
    else:
        key = "dictionary.not_in_lexicon"
    line = session.text(key, word=code_span(wanted))
    if not may(session, "see_documents"):
        return line, gr.update(visible=False)
    found = queue.page(session.workspace, session.project_id, queue.Filter(search=wanted), limit=MOST_MATCHES)
    line += " " + session.text("dictionary.touches", count=found.total)
    body = [[row.name, " ".join(row.excerpt.split())] for row in found.rows]
    headers = [session.text("dictionary.matches"), ""]
    return line, gr.update(value={"headers": headers, "data": body}, visible=bool(body))


@needs("change_dictionary")
def add(session: Session, word: str, type_: str) -> tuple[Any, ...]:
    """Add the word: message, matches, then what ``show`` gives."""
    entry = Entry(_word(word), type=type_.strip())
    lexicon_changes.add(session.workspace, session.project_id, {entry.word: entry.type}, user=session.user)
    _ask_again(session, [entry.word])
    return _after(session, session.text("dictionary.added", count=1), entry.word)


@needs("change_dictionary")
def remove(session: Session, word: str) -> tuple[Any, ...]:
    """Take the word out: message, matches, then what ``show`` gives."""
    wanted = _word(word)
    lexicon_changes.remove(session.workspace, session.project_id, [wanted], user=session.user)
    _ask_again(session, [wanted])
    return _after(session, session.text("dictionary.removed", count=1), wanted)


@needs("change_dictionary")
def undo(session: Session) -> tuple[Any, ...]:
    """Undo the last change: message, matches, then what ``show`` gives."""
    undone = lexicon_changes.undo(session.workspace, session.project_id)
    _ask_again(session, (change.word for change in undone))
    words = code_spans(change.word for change in undone[:10])
    return (
        session.text("dictionary.undone", words=words),
        gr.update(visible=False),
        *show(session),
    )


@needs("change_dictionary")
def bring(session: Session, file: str | None) -> tuple[Any, ...]:
    """Add the words of a list: message, refused, file, then what ``show`` gives.

    Raises:
        AppError: no file, or no word in it. WordListError: the file cannot be read at all.
    """
    if not file:
        raise AppError("dictionary.error.no_file")
    words = read_word_list(Path(file))
    if not words.entries and not words.problems:
        raise AppError("dictionary.error.empty_list")
    if words.entries:
        typed = {entry.word: entry.type for entry in words.entries}
        lexicon_changes.add(session.workspace, session.project_id, typed, user=session.user)
        _ask_again(session, typed)
    return imported_text(session, words), _refused(session, words), None, *show(session)


def imported_text(session: Session, words: WordList) -> str:
    """What became of a list's lines."""
    return session.text(
        "dictionary.imported", count=len(words.entries), repeated=words.repeated, refused=len(words.problems)
    )


def _refused(session: Session, words: WordList) -> Any:
    headers = [session.text("dictionary.column.line"), session.text("dictionary.column.reason")]
    body = [[str(problem.line), problem.reason] for problem in words.problems[:MOST_SHOWN]]
    return gr.update(value={"headers": headers, "data": body}, visible=bool(body))


def _ask_again(session: Session, words: Iterable[str]) -> None:
    """Forget what the serving tagger said about documents with these words: it may say something else now."""
    run = session.workbench.serving_run(session.project_id)
    if run is None:
        return
    for word in list(words)[:MOST_SHOWN]:
        which = queue.Filter(search=word, predicted=True)
        page = queue.page(session.workspace, session.project_id, which, limit=EVERY, run=run)
        predictions.drop(session.workspace, run, [row.id for row in page.rows])


def _after(session: Session, done: str, word: str) -> tuple[Any, ...]:
    line, matches = search(session, word)
    return f"{done} {line}", matches, *show(session)


def _word(word: str) -> str:
    cleaned = word.strip()
    if not cleaned:
        raise AppError("dictionary.error.no_word")
    return cleaned


def wire(components: WordsComponents, frame: Frame) -> None:
    """Connect the tab's events."""
    c = components
    standing = [c.summary, c.empty, c.changes]
    frame.on_show("dictionary", show, standing)
    frame.on([c.search.click, c.word.submit], search, [c.word], [c.message, c.matches])
    frame.on([c.add.click], add, [c.word, c.type], [c.message, c.matches, *standing])
    frame.on([c.remove.click], remove, [c.word], [c.message, c.matches, *standing])
    frame.on([c.undo.click], undo, [], [c.message, c.matches, *standing])
    frame.on([c.bring.click], bring, [c.file], [c.message, c.refused, c.file, *standing])
