"""Below the export: the documents chosen there as a data set of the hub, to download or to push."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.services.exporting import dataset as dataset_export
from app.services.exporting.dataset import Wanted
from app.services.exporting.documents import Choice, how_many
from app.services.rights import needs
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.lacking import needs_class, who_may
from app.ui.work import Report, WorkView, on_work, work_view

# Identifiers of licences of data, as the hub spells them; others can be typed.
LICENCES = ("other", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc0-1.0", "odc-by", "apache-2.0", "mit")
FILE_NAMES = {"jsonl": _("JSON lines"), "parquet": _("Parquet")}


@dataclass
class DatasetComponents:
    """How it is written, the folder to download, and where it is pushed to."""

    files: gr.Dropdown
    licence: gr.Dropdown
    named: gr.Checkbox
    write: gr.Button
    work: WorkView
    file: gr.File
    repository: gr.Textbox
    token: gr.Textbox
    public: gr.Checkbox
    push: gr.Button
    push_work: WorkView
    pushed: gr.Markdown


def layout(frame: Frame) -> DatasetComponents:
    """Build the section, closed."""
    texts = frame.texts
    with texts.bind(
        gr.Accordion(open=False, elem_id="dataset-box", elem_classes=needs_class("export")),
        label=_("As a data set for the Hugging Face hub"),
    ):
        texts.hint(
            _(
                "The documents chosen above, a file for each split, with a card that has labels, guideline "
                "and licence; the library datasets loads the folder as it is."
            )
        )
        with gr.Row(equal_height=True):
            files = texts.bind(
                gr.Dropdown(elem_id="dataset-files"),
                label=_("Files"),
                chosen="jsonl",
                choices=[(title, name) for name, title in FILE_NAMES.items()],
            )
            licence = texts.bind(
                gr.Dropdown(
                    list(LICENCES), value=LICENCES[0], allow_custom_value=True, elem_id="dataset-licence"
                ),
                label=_("Licence"),
            )
            named = texts.bind(
                gr.Checkbox(False, elem_id="dataset-named"),
                label=_("With names of annotators, times and comments"),
            )
        with gr.Row(elem_classes="ll-buttons"):
            write = texts.button(_("Prepare the folder"), elem_id="dataset-write")
        work = work_view(frame, "dataset-work")
        file = texts.bind(
            gr.File(interactive=False, visible=False, elem_id="dataset-file"), label=_("Your file")
        )
        who_may(texts, "manage", "push")
        with gr.Row(equal_height=True, elem_classes=needs_class("manage")):
            repository = texts.bind(
                gr.Textbox(elem_id="dataset-repository", max_length=200),
                label=_("Repository"),
                placeholder=_("owner/name; created if there is none"),
            )
            token = texts.bind(
                gr.Textbox(type="password", elem_id="dataset-token", max_length=500, autofocus=False),
                label=_("Token with write access"),
                placeholder=_("used once, not kept"),
            )
            public = texts.bind(
                gr.Checkbox(False, elem_id="dataset-public"), label=_("Everybody may read it")
            )
        with gr.Row(elem_classes=["ll-buttons", needs_class("manage")]):
            push_button = texts.button(_("Push to the hub"), elem_id="dataset-push")
        push_work = work_view(frame, "dataset-push-work")
        pushed = gr.Markdown(elem_id="dataset-pushed")
    return DatasetComponents(
        files, licence, named, write, work, file, repository, token, public, push_button, push_work, pushed
    )


def wire(
    components: DatasetComponents, frame: Frame, choice: Sequence[Any], choice_of: Callable[..., Choice]
) -> None:
    """Connect the section's events.

    Args:
        choice: the fields that choose the documents. choice_of: ``choice_of(session, *choice)`` reads them.
    """
    c = components

    @needs("export")
    def write(session: Session, report: Report, files: str, licence: str, named: bool, *chosen: Any) -> Any:
        wanted = Wanted(choice_of(session, *chosen), files, licence or "", named)
        path = dataset_export.packed(session, wanted, _ticking(session, report, wanted))
        return gr.update(value=str(path), visible=True)

    @needs("manage")
    def push(
        session: Session, report: Report, repository: str, token: str, public: bool,
        files: str, licence: str, named: bool, *chosen: Any,
    ) -> dict[str, Any]:  # fmt: skip
        wanted = Wanted(choice_of(session, *chosen), files, licence or "", named)
        total = how_many(session.workspace, session.project_id, wanted.choice)
        address = dataset_export.push(
            session, wanted, repository or "", token or "", public=public,
            tick=_ticking(session, report, wanted), look=lambda: report(total, total),
        )  # fmt: skip
        return {"pushed": said(session, repository.strip(), address), "token": ""}

    written_as = [c.files, c.licence, c.named]
    on_work(
        frame, c.work, [c.write.click], write, [*written_as, *choice], [c.file],
        doing=_("exporting documents"), done=_("documents exported"),
    )  # fmt: skip
    on_work(
        frame, c.push_work, [c.push.click], push,
        [c.repository, c.token, c.public, *written_as, *choice], {"pushed": c.pushed, "token": c.token},
        doing=_("pushing the data set"), done=_("data set pushed"),
    )  # fmt: skip


def said(session: Session, repository: str, address: str) -> str:
    """That it was pushed, with a link to the commit if it is an address that Markdown can hold."""
    name = code_span(repository)
    if re.fullmatch(r"https?://[\w.:/-]+", address):
        return session._(
            "Pushed to {repository}: [see what was uploaded]({address}).", repository=name, address=address
        )
    return session._("Pushed to {repository}.", repository=name)


def _ticking(session: Session, report: Report, wanted: Wanted) -> Callable[[int], None]:
    total = how_many(session.workspace, session.project_id, wanted.choice)
    report(0, total)

    def tick(done: int) -> None:
        report(min(done, total), total)

    return tick
