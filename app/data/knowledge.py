"""The knowledge base section of the Data page: import, list, search, delete, undo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from app.data.preview import rows, table_of
from app.i18n import Message, _
from app.i18n.counted import entries as counted_entries
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class, who_may
from app.ui.work import Report, WorkView, on_work, work_view
from core.linking.knowledge_file import Refused, read_entries
from core.store.knowledge import bases, search
from core.store.knowledge.bases import Imported
from core.store.project import journal
from core.text.knowledge_entry import KnowledgeEntry

REPLACE, MERGE = "replace", "merge"
SHOWN_REFUSALS = 200
STEP = "data.knowledge.step"  # where a session remembers its last step, to undo it


@dataclass
class KnowledgeComponents:
    """What is imported and how, the list, the search."""

    about: gr.Markdown
    table: gr.Dataframe
    file: gr.File
    name: gr.Textbox
    mode: gr.Radio
    bring: gr.Button
    words: gr.Button
    work: WorkView
    result: gr.Markdown
    refusals: gr.Dataframe
    undo: gr.Button
    chosen: gr.Dropdown
    delete: gr.Button
    search_row: gr.Row
    search: gr.Textbox
    found: gr.Dataframe
    nothing: gr.Markdown


def layout(frame: Frame) -> KnowledgeComponents:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("Knowledge base"))
    about = gr.Markdown(elem_id="knowledge-about")
    table = table_of(elem_id="knowledge-bases")
    with gr.Row(visible=False, elem_id="knowledge-search-row") as search_row:
        search_box = texts.bind(
            gr.Textbox(max_lines=1, elem_id="knowledge-search"), label=_("Search entries by name or id")
        )
        chosen = texts.bind(
            gr.Dropdown(visible=False, elem_id="knowledge-chosen", elem_classes=needs_class("import")),
            label=_("Knowledge base"),
            choices=[],
        )
    nothing = gr.Markdown(elem_id="knowledge-nothing")
    found = table_of(elem_id="knowledge-found")
    who_may(texts, "import")
    with texts.bind(
        gr.Accordion(open=False, elem_id="knowledge-import", elem_classes=needs_class("import")),
        label=_("Import a knowledge base"),
    ):
        texts.hint(
            _(
                "A table (CSV, TSV) whose first row names the columns, or JSON Lines: `id` and `name`, "
                "and, if there are any, `aliases` (between `|` in a table), `type` and `description`."
            )
        )
        with gr.Row():
            file = texts.bind(gr.File(type="filepath", elem_id="knowledge-file", height=120), label=_("File"))
            with gr.Column():
                name = texts.bind(
                    gr.Textbox(max_lines=1, elem_id="knowledge-name"),
                    label=_("Name of the knowledge base"),
                    placeholder=_("for example Wikidata; links carry it as their source"),
                )
                mode = texts.bind(
                    gr.Radio(elem_id="knowledge-mode"),
                    label=_("If there is one of this name"),
                    chosen=REPLACE,
                    choices=[(_("replace it"), REPLACE), (_("add to it and update its entries"), MERGE)],
                )
        with gr.Row(elem_classes="ll-buttons"):
            bring = texts.button(_("Import"), variant="primary", elem_id="knowledge-bring")
            words = texts.button(_("Use the words of the dictionary"), elem_id="knowledge-words")
    work = work_view(frame, "knowledge-work")
    result = gr.Markdown(elem_id="knowledge-result")
    refusals = table_of(elem_id="knowledge-refusals")
    with gr.Row(elem_classes=["ll-buttons", needs_class("import")]):
        undo = texts.button(_("Undo"), visible=False, elem_id="knowledge-undo")
        delete = texts.button(_("Delete the knowledge base"), visible=False, elem_id="knowledge-delete")
    return KnowledgeComponents(
        about, table, file, name, mode, bring, words, work, result, refusals, undo, chosen, delete,
        search_row, search_box, found, nothing,
    )  # fmt: skip


def show(session: Session) -> dict[str, Any]:
    """The knowledge bases of the project."""
    known = bases.listed(session.workspace, session.project_id)
    headers = [session._(title) for title in (_("Name"), _("Entries"), _("File"), _("Imported by"))]
    about = (
        _("Spans can be linked to the entries below: select a span on the Annotate page and press `l`.")
        if known
        else _(
            "No knowledge base yet. Import one, and spans can be linked to its entries (entity linking): "
            "select a span on the Annotate page and press `l`."
        )
    )
    choices = [(base.name, base.id) for base in known]
    return {
        "about": session._(about),
        "table": rows(headers, [[base.name, f"{base.entries:,}", base.file, base.user] for base in known]),
        "search_row": gr.update(visible=bool(known)),
        "chosen": gr.update(choices=choices, value=choices[0][1] if choices else None, visible=bool(known)),
        "delete": gr.update(visible=bool(known)),
        "found": gr.update(visible=False),
        "nothing": "",
        "undo": gr.update(visible=isinstance(session.memory.get(STEP), int)),
    }


@needs("import")
def bring(session: Session, report: Report, path: str | None, name: str, mode: str) -> dict[str, Any]:
    """Import a file as one step that can be undone."""
    if not path:
        raise AppError("Choose a file first.")
    file = Path(path)
    refused: list[Refused] = []
    counts = {"read": 0, "refused": 0}
    size = max(1, file.stat().st_size)

    def entries() -> Iterator[tuple[int, KnowledgeEntry]]:
        for item in read_entries(file):
            if isinstance(item, Refused):
                counts["refused"] += 1
                if len(refused) < SHOWN_REFUSALS:
                    refused.append(item)
                continue
            counts["read"] += 1
            yield item

    def progress(done: int) -> None:
        # How many lines follow is not known before they are read; a line has about 100 bytes.
        report(done, max(done, size // 100))

    made = bases.put(
        session.workspace, session.project_id, name.strip() or file.stem, entries(), user=session.user,
        file=file.name, merge=mode == MERGE, progress=progress,
    )  # fmt: skip
    said = session._("Refused lines: {count}.", count=counts["refused"]) if counts["refused"] else ""
    lines = [(one.line, session._(one.message)) for one in refused]
    return {**_done(session, made, said, lines), "file": None}


@needs("import")
def bring_words(session: Session, report: Report, name: str) -> dict[str, Any]:
    """Import the words of the dictionary as they are now."""
    title = name.strip() or session._("dictionary")
    return _done(session, bases.put_words(session.workspace, session.project_id, title, user=session.user))


@needs("import")
def delete(session: Session, base: int | None) -> dict[str, Any]:
    """Delete a knowledge base; links to it stay."""
    if base is None:
        raise AppError("Choose a knowledge base first.")
    session.memory[STEP] = bases.delete(session.workspace, session.project_id, base, user=session.user)
    told = session._("Deleted. Links to its entries stay as they are. *Undo* brings it back.")
    return {**show(session), "result": told, "refusals": gr.update(visible=False)}


@needs("import")
def undo(session: Session) -> dict[str, Any]:
    """Take back the last import or deletion of this session."""
    step = session.memory.pop(STEP, None)
    if not isinstance(step, int):
        raise AppError("There is nothing left to undo.")
    journal.undo(session.workspace, session.project_id, step, user=session.user, kinds=[bases.KIND])
    return {**show(session), "result": session._("Undone."), "refusals": gr.update(visible=False)}


def find(session: Session, text: str) -> dict[str, Any]:
    """The first entries that fit."""
    found = search.search(session.workspace, session.project_id, text)
    titles: tuple[Message, ...] = (_("Id"), _("Name"), _("Aliases"), _("Type"), _("Description"), _("Source"))
    body = [
        [one.entry.id, one.entry.name, " | ".join(one.entry.aliases), one.entry.type, one.entry.description,
         one.source]
        for one in found
    ]  # fmt: skip
    none = session._("No entry has this in its name or as its id.") if text.strip() and not found else ""
    return {"found": rows([session._(title) for title in titles], body), "nothing": none}


def _done(
    session: Session, made: Imported, more: str = "", refused: list[tuple[int, str]] | None = None
) -> dict[str, Any]:
    """What an import did, with the lines that were refused."""
    session.memory[STEP] = made.step
    told = session._(
        "Imported {entries} into {name}.", entries=counted_entries(made.read), name=code_span(made.base.name)
    )
    if made.kept:
        told += " " + session._("Kept from before: {entries}.", entries=counted_entries(made.kept))
    repeated = session._("the id stands in an earlier line")
    lines = [*(refused or []), *((line, f"{repeated}: {id_}") for line, id_ in made.repeated)]
    headers = [session._(_("Line")), session._(_("Why it was refused"))]
    return {
        **show(session),
        "result": f"{told} {more}".strip(),
        "refusals": rows(headers, sorted(lines)[:SHOWN_REFUSALS]),
        "name": "",
    }


def wire(components: KnowledgeComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    listed = {
        "about": c.about, "table": c.table, "search_row": c.search_row, "chosen": c.chosen,
        "delete": c.delete, "found": c.found, "nothing": c.nothing, "undo": c.undo,
    }  # fmt: skip
    did = {**listed, "result": c.result, "refusals": c.refusals}
    frame.on_show("data", show, listed)
    on_work(
        frame, c.work, [c.bring.click], bring, [c.file, c.name, c.mode],
        {**did, "name": c.name, "file": c.file},
        doing=_("importing a knowledge base"), done=_("knowledge base imported"),
    )  # fmt: skip
    on_work(
        frame, c.work, [c.words.click], bring_words, [c.name], {**did, "name": c.name},
        doing=_("importing a knowledge base"), done=_("knowledge base imported"),
    )  # fmt: skip
    frame.on([c.delete.click], delete, [c.chosen], did, show_progress="minimal")
    frame.on([c.undo.click], undo, [], did, show_progress="minimal")
    frame.on([c.search.submit, c.search.change], find, [c.search], {"found": c.found, "nothing": c.nothing})
