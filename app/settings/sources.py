"""Sources of suggestions on the Settings page: add, change, try, run over the raw documents, delete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from app.i18n import _
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.services.sources import asking
from app.services.sources.asking import Report, Reporting
from app.services.sources.opening import checked, settings_of, source_key
from app.settings import source_form
from app.settings.source_form import NEW, SourceForm
from app.settings.source_report import last_run, source_rows, trial_line
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.widgets.plain_table import plain_table, table_value
from app.ui.widgets.sentence import sentence_value, sentence_view
from app.ui.work import WorkView, on_work, work_view
from core.sources import ASKED_FOR, SourceSettings, open_source, proposed
from core.sources.keys import delete_key, write_key
from core.store.label import labels
from core.store.suggest import sources

LONGEST_TRIAL = 2_000
COLUMNS = (_("Name"), _("Kind"), _("right so far"), _("documents"), _("suggestions"), _("cost"))
MODES = {
    "in_progress": _("labels, the rest of the text stays open"),
    "done": _("labels, and nothing else is an entity"),
}


@dataclass
class SourcesComponents:
    """The list of sources, the form of one, and what can be done with it."""

    message: gr.Markdown
    table: gr.Dataframe
    listed: gr.Column
    source: gr.Dropdown
    form: SourceForm
    save: gr.Button
    delete: gr.Button
    acts: gr.Column
    facts: gr.Markdown
    text: gr.Textbox
    try_it: gr.Button
    said: gr.Markdown
    sentence: gr.HTML
    run: gr.Button
    again: gr.Button
    add_labels: gr.Button
    least: gr.Number
    mode: gr.Dropdown
    label: gr.Button
    work: WorkView

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [
            self.table, self.listed, self.source, *self.form.fields, *self.form.parts, self.delete, self.acts,
            self.facts, self.add_labels,
        ]  # fmt: skip


def layout(frame: Frame) -> SourcesComponents:
    """Build the section."""
    texts, parts = frame.texts, dict[str, Any]()
    section_heading(texts, _("Sources of suggestions"))
    texts.hint(
        _(
            "Other taggers, and language models, suggest spans in Annotate before you have trained a "
            "tagger. LAC, spaCy and Hugging Face models run on this machine and send nothing. A language "
            "model is sent texts only when you press a button here."
        )
    )
    with gr.Column(visible=False) as parts["listed"]:
        parts["table"] = plain_table(
            "settings-sources-table", height=260, wrap=True, elem_classes="compare-table"
        )
    with gr.Row(equal_height=True):
        parts["source"] = texts.bind(
            gr.Dropdown([], elem_id="settings-source-choice", min_width=220), label=_("Which source")
        )
    parts["form"] = source_form.layout(frame)
    with gr.Row(elem_classes="ll-buttons"):
        parts["save"] = texts.button(_("Save source"), elem_id="settings-source-save", variant="primary")
        parts["delete"] = texts.button(
            _("Delete"), visible=False, elem_id="settings-source-delete", elem_classes="ll-danger"
        )
    parts["message"] = gr.Markdown(elem_id="settings-sources-message")
    with gr.Column(visible=False, elem_id="settings-source-acts") as parts["acts"]:
        parts |= _layout_acts(frame)
    parts["work"] = work_view(frame, "settings-source-work")
    return SourcesComponents(**parts)


def _layout_acts(frame: Frame) -> dict[str, Any]:
    texts, parts = frame.texts, dict[str, Any]()
    parts["text"] = texts.bind(
        gr.Textbox(lines=2, max_length=LONGEST_TRIAL, elem_id="settings-source-text"),
        label=_("Try it on a sentence"),
    )
    with gr.Row(elem_classes="ll-buttons"):
        parts["try_it"] = texts.button(_("Try"), elem_id="settings-source-try")
    parts["said"] = gr.Markdown(elem_id="settings-source-said")
    parts["sentence"] = sentence_view(elem_id="settings-source-sentence")
    parts["facts"] = gr.Markdown(elem_classes="ll-how", elem_id="settings-source-facts")
    with gr.Row(elem_classes="ll-buttons"):
        parts["run"] = texts.button(
            _("Run on the raw documents"), elem_id="settings-source-run", variant="primary"
        )
        parts["again"] = texts.button(_("Run again on all"), elem_id="settings-source-again")
        parts["add_labels"] = texts.button(
            _("Add its labels to the project"), visible=False, elem_id="settings-source-labels"
        )
    texts.hint(
        _(
            "Suggestions wait in Annotate until somebody accepts or rejects them. Or make them labels of the "
            "raw documents at once, to train a tagger on them: one step, which the Dictionary page undoes."
        )
    )
    with gr.Row(equal_height=True):
        parts["least"] = texts.bind(
            gr.Number(0.5, minimum=0, maximum=1, step=0.05, elem_id="settings-source-least"),
            label=_("From this confidence on"),
        )
        parts["mode"] = texts.bind(
            gr.Dropdown(elem_id="settings-source-mode", min_width=220), label=_("Save suggestions as"),
            chosen="in_progress", choices=[(name, key) for key, name in MODES.items()],
        )  # fmt: skip
    with gr.Row(elem_classes="ll-buttons"):
        parts["label"] = texts.button(_("Label the raw documents"), elem_id="settings-source-label")
    return parts


def show(session: Session, chosen: int | None = None) -> dict[str, Any]:
    """Fill the section, with the form of a source or of a new one."""
    held = sources.of(session.workspace, session.project_id) if may(session, "manage") else []
    agreement = sources.agreement(session.workspace, session.project_id) if held else {}
    known = {source.id: source for source in held}
    number = chosen if chosen in known else (held[-1].id if held and chosen is None else NEW)
    stored = known.get(number)
    settings = SourceSettings.from_json(stored.settings) if stored else source_form.fresh(session)
    report = Report.from_json(stored.report) if stored else Report()
    return {
        "table": table_value(session, COLUMNS, source_rows(session, held, agreement)),
        "listed": gr.update(visible=bool(held)),
        "source": gr.update(
            choices=[
                *((source.settings["name"], source.id) for source in held),
                (session._("a new one"), NEW),
            ],
            value=number,
        ),
        **source_form.filled(session, settings, is_new=stored is None),
        "delete": gr.update(visible=stored is not None),
        "acts": gr.update(visible=stored is not None),
        "facts": last_run(session, number, settings, report) if stored else "",
        "add_labels": gr.update(visible=bool(report.unknown)),
    }


@needs("manage")
def choose(session: Session, number: int | None) -> dict[str, Any]:
    """Show a source in the form."""
    return {
        **show(session, NEW if number is None else number),
        "message": "",
        "said": "",
        "sentence": _NOTHING,
    }


@needs("manage")
def save(session: Session, number: int | None, *values: Any) -> dict[str, Any]:
    """Add a source, or change the chosen one. The labels of a new one are matched with the project's.

    Raises:
        AppError, SourceError: a value does not fit, or the person may not name this. PayloadError: too many.
    """
    before = settings_of(session, number) if number else None
    settings, key = source_form.read(values, keeps_key=before is not None and before.key == "file")
    settings = checked(session, settings)
    workspace, project_id = session.workspace, session.project_id
    folder = workspace.folder
    if not number or before is None:
        settings = _with_labels(session, settings)
        stored = sources.add(workspace, project_id, settings.to_json(), user=session.user)
    else:
        if before.key == settings.key == "file" and before.address != settings.address and not key:
            # A key must not go to an address that another person has entered.
            raise AppError("The address has changed: enter the key again, so that it is sent there.")
        stored = sources.change(workspace, project_id, number, settings.to_json(), user=session.user)
    if settings.key != "file":
        delete_key(folder, stored.id)
    elif key:
        write_key(folder, stored.id, key)
    done = session._("{name} is saved. Try it on a sentence before you ask about many.",
                     name=code_span(settings.name))  # fmt: skip
    return {"message": done, **show(session, stored.id)}


@needs("manage")
def delete(session: Session, number: int | None) -> dict[str, Any]:
    """Delete a source with its suggestions and its key; accepted spans stay."""
    settings = settings_of(session, _chosen(number))
    sources.delete(session.workspace, session.project_id, _chosen(number), user=session.user)
    delete_key(session.workspace.folder, _chosen(number))
    done = session._(
        "{name} is deleted with what it suggested. What was accepted stays.", name=code_span(settings.name)
    )
    return {"message": done, **show(session)}


@needs("manage")
def try_it(session: Session, number: int | None, text: str) -> dict[str, Any]:
    """Ask about one sentence.

    Raises:
        AppError, SourceError: no sentence, or the source cannot be asked.
    """
    if not text.strip():
        raise AppError("Enter a sentence to try.")
    chosen = _chosen(number)
    trial = asking.tried(session, settings_of(session, chosen), chosen, text[:LONGEST_TRIAL])
    label_set = labels.get(session.workspace, session.project_id)
    drawn = sentence_value(trial.text, trial.spans, label_set, source=source_key(chosen))
    return {"said": trial_line(session, trial), "sentence": drawn}


@needs("manage")
def ask_about_all(session: Session, report: Reporting, number: int | None) -> dict[str, Any]:
    """Ask about the raw documents that it was not asked about."""
    made = asking.ask_about_all(session, report, _chosen(number))
    if not made.documents and not made.unanswered:
        said = session._("It has already been run on every raw document.")
    else:
        said = session._("Done. Its suggestions wait in Annotate.")
    return {"message": said, **show(session, number)}


@needs("manage")
def ask_anew(session: Session, report: Reporting, number: int | None) -> dict[str, Any]:
    """Forget what it said, then ask about all raw documents."""
    sources.forget(session.workspace, session.project_id, _chosen(number))
    return ask_about_all(session, report, number)


@needs("manage")
def label_raw(
    session: Session, report: Reporting, number: int | None, least: float, mode: str
) -> dict[str, Any]:
    """Make the suggestions labels of the raw documents."""
    batch = asking.label_raw(session, report, _chosen(number), least, mode)
    if not batch.documents:
        said = session._("There is nothing to label yet: run it on the raw documents first.")
    else:
        said = session._(
            "{spans} labels in {documents} documents. The Dictionary page lists the batch and undoes it.",
            spans=f"{batch.spans:,}",
            documents=f"{batch.documents:,}",
        )
    return {"message": said, **show(session, number)}


@needs("change_labels")
def add_labels(session: Session, number: int | None) -> dict[str, Any]:
    """Add the labels that the source gave and the project lacks; it is then asked anew."""
    stored = sources.get(session.workspace, session.project_id, _chosen(number))
    unknown = Report.from_json(stored.report).unknown
    label_set = labels.get(session.workspace, session.project_id)
    labels.put(session.workspace, session.project_id, label_set.extended(unknown))
    said = session._("Labels added. Press “Run again on all” to get their suggestions.")
    return {"message": said, **show(session, number)}


_NOTHING: Mapping[str, Any] = {"sentences": [], "labels": []}


def _chosen(number: int | None) -> int:
    if not number:
        raise AppError("Choose a source first.")
    return number


def _with_labels(session: Session, settings: SourceSettings) -> SourceSettings:
    """With the project's label for each of the source's labels that has one, where none are given."""
    if settings.labels or settings.kind in ASKED_FOR:
        return settings
    from core.sources import Context

    theirs = open_source(settings, Context()).labels
    ours = labels.get(session.workspace, session.project_id).names
    return replace(settings, labels={a: b for a, b in proposed(theirs, ours).items() if a != b})


def wire(components: SourcesComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    shown = c.shown
    frame.on_show("settings", show, shown)
    source_form.wire(c.form, frame)
    frame.on([c.source.input], choose, [c.source], [*shown, c.message, c.said, c.sentence])
    frame.on([c.save.click], save, [c.source, *c.form.fields], [c.message, *shown], show_progress="minimal")
    frame.on([c.delete.click], delete, [c.source], [c.message, *shown])
    frame.on([c.try_it.click], try_it, [c.source, c.text], [c.said, c.sentence], show_progress="minimal")
    frame.on([c.add_labels.click], add_labels, [c.source], [c.message, *shown])
    for button, fn in ((c.run, ask_about_all), (c.again, ask_anew)):
        on_work(
            frame, c.work, [button.click], fn, [c.source], [c.message, *shown],
            doing=_("asking a source"), done=_("source asked"), kept=True,
        )  # fmt: skip
    on_work(
        frame, c.work, [c.label.click], label_raw, [c.source, c.least, c.mode], [c.message, *shown],
        doing=_("labelling raw documents"), done=_("raw documents labelled"),
    )  # fmt: skip
