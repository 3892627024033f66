"""The Learn tab: train a tagger from the dictionary's typed words and raw documents."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from app.dictionary import distant_learning
from app.dictionary.distant_learning import Preview
from app.i18n import _
from app.i18n.terms import SPLIT_NAMES
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.services.training.training_runs import state_of
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.numbers import percent, share
from app.ui.runs import view as run_view
from app.ui.runs.decision import make_active
from app.ui.runs.job_in_view import JobInView
from core.store.run.runs import Run
from core.training.run.run_folder import RunFolder

LACKING = {
    "no_words": _(
        "No word of this project has a type yet. Add words with types under “Words”, or import a list."
    ),
    "no_raw": _("There is no unlabelled text left to learn from: import texts on the Data page."),
    "no_match_at_all": _(
        "None of the typed words occurs in the raw documents, so there is nothing to "
        "learn from: add words that occur in them, or other texts."
    ),
    "no_right": _("Your role in this project does not allow training."),
}

METHOD_NAMES = {
    "pu": _("PU learning (bnPU)"),
    "adapu": _("AdaPU: the list grows in rounds"),
    "bagging": _("PU bagging"),
    "two_step": _("two steps, reliable negatives"),
    "partial_crf": _("partial CRF"),
    "direct": _("direct: text without a match counts as no entity"),
}

PRIOR_NAMES = {
    "estimated": _("{share}, if the list covers half of the entities"),
    "given": _("{share}, given"),
}

COLUMN_NAMES = {
    "type": _("type"),
    "words": _("words in the list"),
    "places": _("occurrences found"),
    "found": _("different words found"),
    "share": _("share of characters"),
    "prior": _("assumed true share (prior)"),
}

NAME = "learn"
# The list in the settings would load torch with the page; a test keeps the two equal. The first is the
# default: without any label it found most entities (docs/results.md).
METHODS = ("partial_crf", "pu", "adapu", "bagging", "two_step", "direct")
# Taggers whose encoder may be used, by title; the first is the method's own small one.
AUTO = distant_learning.AUTO
ENCODERS = {
    AUTO: "",
    "flat": "FLAT",
    "soft_lexicon": "SoftLexicon",
    "bilstm_crf": "BiLSTM-CRF",
    "lattice_lstm": "Lattice LSTM",
    "lr_cnn": "LR-CNN",
    "bert": "BERT",
    "elmo_crf": "ELMo-CRF",
}
TICK_SECONDS = 1.5
IN_VIEW = JobInView("dictionary", "learn")
MOST_WORDS = 12  # new words shown by name


@dataclass
class LearnComponents:
    """The training data, the button, and the started run."""

    plan: gr.HTML
    method: gr.Dropdown
    over: gr.Dropdown
    prior: gr.Textbox
    epochs: gr.Number
    start: gr.Button
    why: gr.Markdown
    run: gr.State
    progress: gr.HTML
    cancel: gr.Button
    resume: gr.Button
    result: gr.HTML
    activate: gr.Button
    see: gr.Button
    message: gr.Markdown
    timer: gr.Timer

    @property
    def planned(self) -> list[Any]:
        """The outputs of ``plan``."""
        return [self.plan, self.start, self.why]

    @property
    def view(self) -> list[Any]:
        """The outputs of ``follow``."""
        return [
            self.run, self.progress, self.cancel, self.resume, self.result, self.activate, self.see,
            self.message, self.timer,
        ]  # fmt: skip


def layout(frame: Frame) -> LearnComponents:
    """Build the tab."""
    texts = frame.texts
    texts.hint(
        _(
            "Train a tagger from words with types and raw text, without labelling by hand. It learns "
            "how such words are used, and so finds names the list does not have."
        )
    )
    plan = gr.HTML(elem_id="learn-plan", min_height=120)
    with gr.Row(elem_classes="ll-fields"):
        method = texts.bind(
            gr.Dropdown(list(METHODS), value=METHODS[0], elem_id="learn-method"),
            label=_("Method"),
            info=_("How a tagger is trained from incomplete labels."),
        )
        over = texts.bind(
            gr.Dropdown(
                [(title or "–", name) for name, title in ENCODERS.items()], value=AUTO, elem_id="learn-over"
            ),
            label=_("What reads the text"),
            info=_("A tagger’s encoder; a partial CRF is then that tagger itself."),
        )
        prior = texts.bind(
            gr.Textbox("", max_lines=1, elem_id="learn-prior"),
            label=_("Prior"),
            info=_(
                "For PU learning and bagging: share of all characters that are of a type; "
                "Enter shows it above."
            ),
            placeholder=_("0.05, or PER=0.04, LOC=0.02"),
        )
        epochs = texts.bind(
            gr.Number(distant_learning.EPOCHS, precision=0, elem_id="learn-epochs"),
            label=_("Epochs"),
            info=_("The best epoch is chosen on held-out words, not on labels."),
        )
    with gr.Row(elem_classes="ll-buttons"):
        start = texts.button(
            _("Train from these words"), variant="primary", elem_id="learn-start", elem_classes="ll-long"
        )
        cancel = texts.button(_("Cancel"), visible=False, elem_id="learn-cancel")
        resume = texts.button(_("Resume this run"), visible=False, elem_id="learn-resume")
        why = gr.Markdown(elem_classes="ll-how", elem_id="learn-why")
    progress = gr.HTML(elem_id="learn-progress", min_height=36)
    result = gr.HTML(elem_id="learn-result")
    with gr.Row(elem_classes="ll-buttons"):
        activate = texts.button(_("Make active"), visible=False, variant="primary", elem_id="learn-activate")
        see = texts.button(_("See its suggestions"), visible=False, elem_id="learn-see")
    message = gr.Markdown(elem_id="learn-message")
    return LearnComponents(
        plan, method, over, prior, epochs, start, why, gr.State(None), progress, cancel, resume, result,
        activate, see, message, gr.Timer(TICK_SECONDS, active=False),
    )  # fmt: skip


def show(session: Session, prior: str) -> dict[str, Any]:
    """What a run would learn from and by, and the last run."""
    run = distant_learning.latest(session)
    choices = [(session._(METHOD_NAMES[name]), name) for name in METHODS]
    small = session._("a small BiLSTM")
    encoders = [(title or small, name) for name, title in ENCODERS.items()]
    return {
        **plan(session, prior),
        "method": gr.update(choices=choices),
        "over": gr.update(choices=encoders),
        **follow(session, run.name if run else None),
    }


def plan(session: Session, prior: str) -> dict[str, Any]:
    """The training data of a run, whether it can start, and why not.

    Raises:
        ConfigError: the prior does not read.
    """
    if not may(session, "see_documents"):
        return {
            "plan": "",
            "start": gr.update(interactive=False),
            "why": session._("Your role in this project does not allow training."),
        }
    preview = distant_learning.preview(session, prior)
    lacking = preview.lacking or (None if may(session, "train") else "no_right")
    why = session._(LACKING[lacking]) if lacking else ""
    return {"plan": _plan_html(session, preview), "start": gr.update(interactive=lacking is None), "why": why}


def _plan_html(session: Session, preview: Preview) -> str:
    sentences = session.ngettext(
        "{count} raw document and {judged} annotated ones, whose labels and rejections count as certain.",
        "{count} raw documents and {judged} annotated ones, whose labels and rejections count as certain.",
        count=preview.raw,
        judged=preview.judged,
    )
    if preview.begun:
        sentences += " " + session.ngettext(
            "{count} document is not done: its labels are used for training, and text outside its "
            "reviewed regions counts as unlabelled.",
            "{count} documents are not done: their labels are used for training, and text outside "
            "their reviewed regions counts as unlabelled.",
            count=preview.begun,
        )
    if preview.read < preview.raw:
        sentences += " " + session._(
            "Counted here in the first {read} of them; the run counts all.", read=preview.read
        )
    if preview.skipped:
        sentences += " " + session.ngettext(
            "{count} word of several types gives no label.",
            "{count} words of several types give no label.",
            count=preview.skipped,
        )
    table = _table(session, preview) if preview.rows and preview.read else ""  # it counts in raw documents
    return f'<p class="ll-how">{escape(sentences)}</p>{table}'


def _table(session: Session, preview: Preview) -> str:
    columns = ("type", "words", "places", "found", "share", "prior")
    head = "".join(f"<th>{escape(session._(COLUMN_NAMES[name]))}</th>" for name in columns)
    rows = []
    for row in preview.rows:
        if row.prior is None:
            prior = session._("no match: not learned")
        else:
            how = "given" if row.given else "estimated"
            prior = session._(PRIOR_NAMES[how], share=share(row.prior))
        cells = (row.name, row.words, row.places, row.found, share(row.share), prior)
        rows.append("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>")
    body = "".join(rows)
    return f'<table class="ll-plain-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


@needs("train")
def begin(
    session: Session, method: str | None, over: str | None, prior: str, epochs: float | None
) -> dict[str, Any]:
    """Start the run.

    Raises:
        AppError: there is nothing to learn from. ConfigError, TrainingError: a value does not fit.
    """
    values: dict[str, Any] = {"method": method or METHODS[0]}
    if prior.strip():
        values["prior"] = prior.strip()
    if epochs is None or epochs != int(epochs):
        raise AppError("Epochs is a whole number of 1 or more.")
    run = distant_learning.start(session, values, int(epochs), over or AUTO)
    return {**plan(session, prior), **follow(session, run.name)}


def follow(session: Session, name: str | None) -> dict[str, Any]:
    """The current state of the run."""
    IN_VIEW.turn_to(session, name)
    hidden = gr.update(visible=False)
    if name is None:
        return {
            "run": None,
            "progress": "",
            "cancel": hidden,
            "resume": hidden,
            "result": "",
            "activate": hidden,
            "see": hidden,
            "message": "",
            "timer": gr.Timer(active=False),
        }
    return _view(session, in_project.run(session, name))


def tick(session: Session, name: str | None) -> dict[str, Any]:
    """The same, if anything has changed."""

    def news(name: str) -> dict[str, Any]:
        run = in_project.run(session, name)
        return _view(session, run) if IN_VIEW.has_moved(session, state_of(session, run), run.status) else {}

    return IN_VIEW.tick(session, name, news)


def _view(session: Session, run: Run) -> dict[str, Any]:
    state = state_of(session, run)
    stored = run.status == "finished"
    active = session.workbench.active_run(session.project_id) == run.name
    message = ""
    if active:
        message = session._(
            "{run} is active: its predictions are suggestions on the Annotate page. Accept or correct "
            "some, then train again, or train a partial CRF.",
            run=code_span(run.title),
        )
    elif stored:
        message = session._(
            "{run} is trained. Make it active, and its predictions become suggestions on the Annotate page.",
            run=code_span(run.title),
        )
    allowed = may(session, "train")
    return {
        "run": run.name,
        "progress": run_view.progress_html(session, run, state),
        "cancel": gr.update(visible=state.active and allowed),
        "resume": gr.update(visible=state.resumable and allowed),
        "result": result_html(session, run, stored),
        "activate": gr.update(visible=stored and not active and may(session, "promote")),
        "see": gr.update(visible=stored),
        "message": message,
        # One more look after the end: the supervisor stores the results a moment later.
        "timer": gr.Timer(active=state.active or (state.status == "finished" and not stored)),
    }


def result_html(session: Session, run: Run, stored: bool) -> str:
    """What the run has reported so far, and its results once it is done."""
    lines = [line for event in run_view.events_of(run) if (line := _line(session, event))]
    if stored:
        result = run.scores.get("distant") or {}
        added = result.get("added") or []
        if added:
            words = ", ".join(f"{entry['word']} ({entry['type']})" for entry in added[:MOST_WORDS])
            lines.append(
                session.ngettext(
                    "{count} word was added to the list: {words}.",
                    "{count} words were added to the list: {words}.",
                    count=len(added),
                    words=words,
                )
            )
        part = run_view.part_of(run)
        if part is not None:
            scores = run.scores[part]["micro"]
            figures = {key: percent(scores[key]) for key in ("precision", "recall", "f1")}
            lines.append(
                session._(
                    "On {part}: precision {precision}, recall {recall}, F1 {f1}.",
                    part=session._(SPLIT_NAMES[part]),
                    **figures,
                )
            )
    # A resumed run repeats what it reported before.
    items = "".join(f"<li>{escape(line)}</li>" for line in dict.fromkeys(lines))
    return f'<ol class="ll-log-lines">{items}</ol>' if items else ""


def _line(session: Session, event: dict[str, Any]) -> str:
    """A sentence for a training that begins, or a message. The progress bar shows the epochs."""
    return run_view.log_line(session, event) if event.get("event") in ("round", "log", "failed") else ""


@needs("train")
def cancel(session: Session, name: str | None) -> dict[str, Any]:
    """Cancel the run."""
    session.workbench.jobs.cancel(_own(session, name).name)
    return follow(session, name)


@needs("train")
def resume(session: Session, name: str | None) -> dict[str, Any]:
    """Resume the run."""
    session.workbench.check_room()
    session.workbench.jobs.resume(_own(session, name).name)
    return follow(session, name)


def activate(session: Session, name: str | None) -> dict[str, Any]:
    """Activate the run: from now on it suggests annotations."""
    make_active(session, _own(session, name).name)
    return follow(session, name)


def _own(session: Session, name: str | None) -> Run:
    """The run shown, which must be one of this tab."""
    if name is None:
        raise AppError("Choose a run first.")
    run = in_project.run(session, name)
    if RunFolder(run.folder).read_request().kind != distant_learning.KIND:
        raise AppError("Choose a run first.")
    return run


def see(session: Session) -> dict[str, Any]:
    """Go to the Annotate page, which shows the suggestions."""
    return gr.update(selected="annotate")


def wire(components: LearnComponents, frame: Frame) -> None:
    """Connect the tab's events."""
    c = components
    frame.on_show("dictionary", show, [*c.planned, c.method, c.over, *c.view], [c.prior])
    frame.on(c.prior.submit, plan, [c.prior], c.planned)
    frame.on(c.start.click, begin, [c.method, c.over, c.prior, c.epochs], [*c.planned, *c.view])
    for button, fn in ((c.cancel, cancel), (c.resume, resume), (c.activate, activate)):
        frame.on(button.click, fn, [c.run], c.view)
    frame.on(c.see.click, see, [], [frame.tabs])
    frame.on(c.timer.tick, tick, [c.run], c.view)


def refresh_on(tab: gr.Tab, components: LearnComponents, frame: Frame) -> None:
    """Count again when the tab is opened: words may have been added since the page was shown."""
    frame.on(tab.select, plan, [components.prior], components.planned)
