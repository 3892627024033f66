"""The Data page's table of documents: search, page through, split, trash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.data import bulk
from app.data import filter as data_filter
from app.data.document_table import document_table
from app.data.filter import FilterComponents, Narrowing, narrowing, with_view
from app.i18n import _
from app.i18n.terms import SPLIT_NAMES, STATUS_NAMES
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class
from app.ui.widgets.sentence import sentence_value, sentence_view
from app.ui.widgets.shifting_choice import ShiftingDropdown
from app.ui.window.navigation import open_document
from core.store.document import splits, trash
from core.store.label import labels
from core.store.project.projects import checked_id
from core.store.queue import queue, work_sets

PAGE = 25
SHOWN = ("all", "train", "dev", "test", "none", "trash")


@dataclass
class DocumentsComponents:
    """The table and what can be done with a row of it."""

    search: gr.Textbox
    show: gr.Dropdown
    more: FilterComponents
    table: gr.HTML
    empty: gr.Markdown
    range: gr.Markdown
    previous: gr.Button
    next: gr.Button
    offset: gr.State
    detail: gr.Column
    sentence: gr.HTML
    chosen: gr.State
    annotate: gr.Button
    split: gr.Dropdown
    trash: gr.Button
    restore: gr.Button
    empty_trash: gr.Button
    message: gr.Markdown
    dev_share: gr.Number
    test_share: gr.Number
    only_unassigned: gr.Checkbox
    deal: gr.Button


def layout(frame: Frame) -> DocumentsComponents:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("Documents"))
    with gr.Row():
        search = texts.bind(gr.Textbox(elem_id="data-search", scale=3), label=_("Search"))
        show = texts.bind(
            ShiftingDropdown(elem_id="data-show", scale=1),
            label=_("Show"),
            chosen="all",
            choices=[(SPLIT_NAMES[name], name) for name in SHOWN],
        )
    more = data_filter.layout(frame)
    empty = gr.Markdown(visible=False, elem_classes="ll-empty")
    table = document_table([frame.server(fn) for fn in bulk.FUNCTIONS], elem_id="data-table")
    with gr.Row(elem_classes="ll-buttons", equal_height=True):
        previous = texts.bind(gr.Button(size="sm", elem_id="data-previous"), value=_("Previous"))
        range_text = gr.Markdown(elem_id="data-range")
        next_button = texts.bind(gr.Button(size="sm", elem_id="data-next"), value=_("Next"))
        empty_trash = texts.bind(
            gr.Button(
                size="sm",
                visible=False,
                elem_classes=["ll-danger", needs_class("remove_documents")],
            ),
            value=_("Empty the trash for good"),
        )
    message = gr.Markdown(elem_id="data-message")
    with gr.Column(visible=False, elem_id="data-detail") as detail:
        sentence = sentence_view(elem_id="data-sentence")
        with gr.Row(elem_classes="ll-buttons", equal_height=True):
            annotate = texts.bind(
                gr.Button(variant="primary", elem_id="data-annotate"), value=_("Annotate this")
            )
            split = texts.bind(
                gr.Dropdown(
                    elem_id="data-set-split",
                    elem_classes=needs_class("import"),
                    container=False,
                    min_width=120,
                ),
                label=_("Split"),
                choices=[(SPLIT_NAMES[name], name) for name in ("train", "dev", "test", "none")],
            )
            removing = needs_class("remove_documents")
            trash_button = texts.bind(
                gr.Button(elem_id="data-trash", elem_classes=removing), value=_("Move to trash")
            )
            restore = texts.bind(
                gr.Button(visible=False, elem_id="data-restore", elem_classes=removing), value=_("Restore")
            )
    with texts.bind(
        gr.Accordion(open=False, elem_id="data-deal-box", elem_classes=needs_class("import")),
        label=_("Split into train, dev and test"),
    ):
        texts.bind(
            gr.Markdown(elem_classes="ll-how"),
            value=_("Splits the labelled documents at random, reproducibly for a seed."),
        )
        with gr.Row():
            dev_share = texts.bind(gr.Number(10, minimum=0, maximum=99, precision=0), label=_("Dev share, %"))
            test_share = texts.bind(
                gr.Number(10, minimum=0, maximum=99, precision=0), label=_("Test share, %")
            )
            only_unassigned = texts.bind(gr.Checkbox(True), label=_("Only documents without a split"))
        deal = texts.bind(gr.Button(elem_id="data-deal"), value=_("Split documents"))
    return DocumentsComponents(
        search, show, more, table, empty, range_text, previous, next_button, gr.State(0), detail, sentence,
        gr.State(None), annotate, split, trash_button, restore, empty_trash, message, dev_share, test_share,
        only_unassigned, deal,
    )  # fmt: skip


def show_page(session: Session, search: str, which: str, offset: int) -> dict[str, Any]:
    """One page of the table."""
    which_filter = shown_filter(session, search, which)
    page = queue.page(
        session.workspace, session.project_id, which_filter,
        offset=offset, limit=PAGE, run=narrowing(session).run,
    )  # fmt: skip
    if offset and not page.rows:
        return show_page(session, search, which, max(0, offset - PAGE))
    body = [
        {
            "id": row.id, "name": row.name, "text": " ".join(row.excerpt.split()),
            "split": session._(SPLIT_NAMES[row.split]), "state": row.status, "reason": row.reason,
            "status": session._(STATUS_NAMES[row.status]), "spans": row.spans, "length": row.length,
        }
        for row in page.rows
    ]  # fmt: skip
    # What the widget sends back to say which documents it means.
    table = {
        "rows": body, "total": page.total, "more": page.more, "trash": which == "trash",
        "filter": work_sets.to_json(which_filter),
        "run": narrowing(session).run, "project": session.project_id, "language": session.language,
    }  # fmt: skip
    is_narrowed = search or which != "all" or narrowing(session) != Narrowing()
    nothing = (
        _("No matching documents.")
        if is_narrowed
        else _("This project has no documents yet. Choose a file or paste text above, or start with samples.")
        if may(session, "import")
        else _("This project has no documents yet.")
    )
    last = offset + len(page.rows)
    return {
        "table": gr.update(value=table),
        "empty": gr.update(value=session._(nothing), visible=not body),
        "range": session._("{first}–{last} of {total}", first=offset + 1, last=last, total=_many(page))
        if body
        else "",
        "previous": gr.update(interactive=offset > 0, visible=bool(body)),
        "next": gr.update(interactive=page.more or last < page.total, visible=bool(body)),
        "offset": offset,
        "empty_trash": gr.update(visible=which == "trash" and bool(body)),
        "detail": gr.update(visible=False),
        "chosen": None,
    }


def _many(page: queue.Page) -> str:
    """The number of documents; of a large project not all are counted."""
    return f"{page.total:,}+" if page.more else f"{page.total}"


def first_page(session: Session, search: str, which: str) -> dict[str, Any]:
    """The first page for a new search."""
    return show_page(session, search, which, 0)


def show_asked(session: Session, search: str, which: str) -> dict[str, Any]:
    """The first page for the search and the split of the address; the other filters are read before."""
    which = which if which in SHOWN else "all"
    return {**first_page(session, search, which), "search": search, "show": which}


def step_back(session: Session, search: str, which: str, offset: int) -> dict[str, Any]:
    """The page before."""
    return show_page(session, search, which, max(0, offset - PAGE))


def step_on(session: Session, search: str, which: str, offset: int) -> dict[str, Any]:
    """The page after."""
    return show_page(session, search, which, offset + PAGE)


def choose(session: Session, which: str, event: gr.EventData) -> dict[str, Any]:
    """Show the document of a row with its spans."""
    number = checked_id(event.document)
    in_trash = which == "trash"
    value: Any = gr.skip()
    split: Any = gr.skip()
    if not in_trash:
        document = in_project.document(session, number)
        label_set = labels.get(session.workspace, session.project_id)
        value = sentence_value(document.text, document.spans, label_set, source="person", id=document.id)
        split = gr.update(value=document.meta.get("split", "none"), visible=True)
    else:
        split = gr.update(visible=False)
        value = sentence_value("", (), labels.get(session.workspace, session.project_id))
    return {
        "detail": gr.update(visible=True),
        "sentence": value,
        "chosen": number,
        "split": split,
        "annotate": gr.update(visible=not in_trash),
        "trash": gr.update(visible=not in_trash),
        "restore": gr.update(visible=in_trash),
        "message": "",
    }


@needs("remove_documents")
def to_trash(session: Session, chosen: int | None, search: str, which: str, offset: int) -> dict[str, Any]:
    """Move the chosen document to the trash; the page and a message follow."""
    name = in_project.document(session, _chosen(chosen)).id
    trash.trash_documents(session.workspace, session.project_id, [_chosen(chosen)])
    return {
        **show_page(session, search, which, offset),
        "message": session._("Document {name} is in the trash.", name=code_span(name)),
    }


@needs("remove_documents")
def from_trash(session: Session, chosen: int | None, search: str, which: str, offset: int) -> dict[str, Any]:
    """Bring the chosen document back; the page and a message follow."""
    trash.restore_documents(session.workspace, session.project_id, [_chosen(chosen)])
    name = in_project.document(session, _chosen(chosen)).id
    return {
        **show_page(session, search, which, offset),
        "message": session._("Document {name} was restored.", name=code_span(name)),
    }


@needs("remove_documents")
def empty_trash(session: Session, search: str, which: str) -> dict[str, Any]:
    """Delete what is in the trash for good; the page and a message follow."""
    count = trash.empty(session.workspace, session.project_id)
    return {
        **show_page(session, search, which, 0),
        "message": session.ngettext(
            "{count} document was deleted for good.", "{count} documents were deleted for good.", count=count
        ),
    }


@needs("import")
def set_split(session: Session, chosen: int | None, split: str) -> None:
    """Put the chosen document into a split."""
    splits.set_split(session.workspace, session.project_id, [_chosen(chosen)], split)


@needs("import")
def deal(session: Session, dev: float, test: float, only_unassigned: bool) -> str:
    """Deal the labelled documents into the splits."""
    dealt = splits.assign_splits(
        session.workspace,
        session.project_id,
        dev=(dev or 0) / 100,
        test=(test or 0) / 100,
        only_unassigned=only_unassigned,
    )
    return session.ngettext(
        "{count} document to train, {dev} to dev, {test} to test.",
        "{count} documents to train, {dev} to dev, {test} to test.",
        count=dealt["train"],
        dev=dealt["dev"],
        test=dealt["test"],
    )


def _chosen(chosen: int | None) -> int:
    if chosen is None:
        raise AppError("Select a document in the table first.")
    return chosen


def shown_filter(session: Session, search: str, which: str) -> queue.Filter:
    """What passes the search and the choices above the table."""
    return with_view(narrowing(session).others, search, which)


def annotate_this(session: Session, chosen: int | None) -> Any:
    """Turn to the Annotate page with the chosen document in front."""
    open_document(session, _chosen(chosen))
    return gr.update(selected="annotate")


def wire_filter(components: DocumentsComponents, frame: Frame) -> list[Any]:
    """Connect the choices; gives the events after which table and export are read again."""
    more = components.more
    triggers = [
        more.status.input, more.label.input, more.person.input, more.run.input, more.error.input,
        more.least.submit, more.least.blur, more.most.submit, more.most.blur, more.commented.input,
        more.meta.input,
    ]  # fmt: skip
    shown = [*more.inputs, more.work_set, more.place]
    return [
        frame.on(triggers, data_filter.choose, more.inputs, [more.place]),
        frame.on([more.clear.click], data_filter.clear, [components.search, components.show], shown),
        frame.on(
            [more.work_set.input], data_filter.open_set, [more.work_set],
            [*shown, more.set_name, components.search, components.show],
        ),
    ]  # fmt: skip


def wire(
    components: DocumentsComponents, frame: Frame, refreshing: Sequence[Any], narrowings: Sequence[Any]
) -> None:
    """Connect the section's events; after ``refreshing`` and ``narrowings`` the table is read again."""
    c = components
    page = [c.table, c.empty, c.range, c.previous, c.next, c.offset, c.empty_trash, c.detail, c.chosen]
    view = [c.search, c.show]
    more = c.more
    frame.address("data", search=c.search, show=c.show, filter=more.place)
    chosen = [*more.inputs, more.work_set, more.place, more.said, more.box]
    frame.on_show("data", data_filter.show_asked, chosen, [more.place, *view])
    frame.on_show("data", show_asked, [*page, *view], view)
    named = [more.work_set, more.set_name, more.said]
    saving = [more.set_name, c.search, c.show]
    frame.on([more.save_set.click, more.set_name.submit], data_filter.save_set, saving, named)
    frame.on([more.rename_set.click], data_filter.rename_set, [more.work_set, more.set_name], named)
    frame.on([more.remove_set.click], data_filter.remove_set, [more.work_set], named)
    frame.on([c.search.submit, c.show.input], first_page, view, page)
    for event in narrowings:
        frame.then(event, first_page, view, page)
    for event in refreshing:
        frame.then(event, first_page, view, page)
    frame.on([c.previous.click], step_back, [*view, c.offset], page)
    frame.on([c.next.click], step_on, [*view, c.offset], page)
    detail = [c.detail, c.sentence, c.chosen, c.split, c.annotate, c.trash, c.restore, c.message]
    frame.on(c.table.open, choose, [c.show], detail)
    frame.on(c.table.changed, show_page, [*view, c.offset], page)
    frame.on([c.trash.click], to_trash, [c.chosen, *view, c.offset], [*page, c.message])
    frame.on([c.restore.click], from_trash, [c.chosen, *view, c.offset], [*page, c.message])
    frame.on([c.empty_trash.click], empty_trash, view, [*page, c.message])
    frame.on([c.split.input], set_split, [c.chosen, c.split], [])
    dealt = frame.on([c.deal.click], deal, [c.dev_share, c.test_share, c.only_unassigned], [c.message])
    frame.then(dealt, first_page, view, page)
    frame.on([c.annotate.click], annotate_this, [c.chosen], [frame.tabs])
