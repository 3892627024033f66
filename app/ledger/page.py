"""The Ledger page: every past correction under each run, below the verdict on the judged one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _, pgettext
from app.i18n.terms import KIND_NAMES, STATE_NAMES
from app.ledger import verdict as ledger_verdict
from app.ledger.rows import ledger_rows, rows_value
from app.services import in_project
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.lacking import needs_class, who_may
from app.ui.runs.naming import run_choices
from app.ui.widgets.shifting_choice import ShiftingDropdown
from app.ui.window.navigation import open_document
from app.ui.work import WorkView, on_work, work_view
from core.store.annotation.corrections import KINDS
from core.store.label import labels
from core.store.project import projects
from core.store.run import ledger, runs
from core.store.run.ledger import STATES

PAGE = 20
ANY = "any"


@dataclass
class LedgerComponents:
    """The verdict and its buttons, the filters, the rows."""

    empty: gr.Column
    correct: gr.Button
    board: gr.Column
    candidate: gr.Dropdown
    summary: gr.Markdown
    active: gr.Markdown
    changes: gr.Markdown
    activate: gr.Button
    keep: gr.Button
    roll_back: gr.Button
    answer: gr.Button
    work: WorkView
    message: gr.Markdown
    kind: gr.Dropdown
    label: gr.Dropdown
    state: gr.Dropdown
    rows: gr.HTML
    nothing: gr.Markdown
    previous: gr.Button
    range: gr.Markdown
    next: gr.Button
    offset: gr.State


def layout(frame: Frame) -> LedgerComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    texts.purpose(_("Every correction is a regression test for each later tagger."))
    with gr.Column(visible=False, elem_classes="ll-empty", elem_id="ledger-empty") as empty:
        texts.bind(
            gr.Markdown(),
            value=_(
                "No corrections yet. Correct the tagger's predictions on the Annotate page; every "
                "correction is listed here."
            ),
        )
        correct = texts.button(_("Correct predictions"), variant="primary", elem_id="ledger-correct")
    with gr.Column(visible=False, elem_id="ledger-board") as board:
        summary = gr.Markdown(elem_id="ledger-summary", elem_classes="ll-section")
        active = gr.Markdown(elem_id="ledger-active", elem_classes="ll-how")
        changes = gr.Markdown(elem_id="ledger-changes")
        who_may(texts, "promote")
        with gr.Row(elem_classes=["ll-buttons", needs_class("promote")], equal_height=True):
            activate = texts.button(_("Make active"), variant="primary", elem_id="ledger-activate")
            keep = texts.button(_("Keep the active run"), elem_id="ledger-keep")
            roll_back = texts.button(_("Roll back"), elem_id="ledger-roll-back")
            answer = gr.Button(visible=False, elem_id="ledger-answer")
        work = work_view(frame, "ledger-work")
        message = gr.Markdown(elem_id="ledger-message")
        with gr.Row(elem_id="ledger-filters"):
            candidate = texts.bind(ShiftingDropdown(elem_id="ledger-candidate"), label=_("Run"))
            kind = texts.bind(
                ShiftingDropdown(elem_id="ledger-kind"), label=_("Kind"), chosen=ANY,
                choices=[(_("all"), ANY), *((KIND_NAMES[kind], kind) for kind in KINDS)],
            )  # fmt: skip
            label = texts.bind(ShiftingDropdown(elem_id="ledger-label"), label=_("Label"))
            state = texts.bind(
                ShiftingDropdown(elem_id="ledger-state"), label=_("State"), chosen=ANY,
                choices=[(_("all"), ANY), *((STATE_NAMES[state], state) for state in STATES)],
            )  # fmt: skip
        texts.hint(
            _(
                "Dashed: predicted. Solid: corrected. F fixed, W still wrong, B newly broken, · holds, ? "
                "not predicted."
            )
        )
        rows = ledger_rows("ledger-rows")
        nothing = gr.Markdown(visible=False, elem_classes="ll-empty")
        with gr.Row(elem_classes="ll-buttons", equal_height=True):
            previous = texts.button(_("Previous"), size="sm", elem_id="ledger-previous")
            range_text = gr.Markdown(elem_id="ledger-range")
            next_button = texts.button(_("Next"), size="sm", elem_id="ledger-next")
    return LedgerComponents(
        empty, correct, board, candidate, summary, active, changes, activate, keep, roll_back, answer, work,
        message, kind, label, state, rows, nothing, previous, range_text, next_button, gr.State(0),
    )  # fmt: skip


def show(session: Session, judged: str | None, kind: str, label: str | None, state: str) -> dict[str, Any]:
    """Fill the page with the verdict on this run, or on the latest one with predictions."""
    workspace, project_id = session.workspace, session.project_id
    columns = ledger.columns(workspace, project_id)
    finished = [run.name for run in runs.all_runs(workspace, project_id, "finished")]
    run_names = list(dict.fromkeys([*finished, *columns]))
    if judged not in run_names:
        judged = columns[-1] if columns else (run_names[-1] if run_names else None)
    names = labels.get(workspace, project_id).names
    chosen_label = label if label in names else ANY
    kind, state = (kind if kind in KINDS else ANY), (state if state in STATES else ANY)
    is_empty = ledger.page(workspace, project_id, runs=[], limit=0).total == 0
    return {
        "empty": gr.update(visible=is_empty),
        "board": gr.update(visible=not is_empty),
        "candidate": gr.update(choices=run_choices(session, run_names), value=judged),
        "kind": kind,
        "state": state,
        "label": gr.update(
            choices=[(session._("all"), ANY), *zip(names, names, strict=True)], value=chosen_label
        ),
        "message": "",
        **ledger_verdict.show(session, judged),
        **show_rows(session, judged, kind, chosen_label, state, 0),
    }


def show_rows(
    session: Session, judged: str | None, kind: str, label: str | None, state: str, offset: int
) -> dict[str, Any]:
    """One page of corrections."""
    workspace, project_id = session.workspace, session.project_id
    columns = ledger.columns(workspace, project_id)
    shown = columns if judged is None or judged in columns else [judged, *columns[1:]]
    page = ledger.page(
        workspace, project_id, runs=shown, kind=_chosen(kind), label=_chosen(label), state=_chosen(state),
        state_run=judged, offset=offset, limit=PAGE,
    )  # fmt: skip
    if offset and not page.rows:
        return show_rows(session, judged, kind, label, state, max(0, offset - PAGE))
    active = projects.get(workspace, project_id).active_run
    label_set = labels.get(workspace, project_id)
    last = offset + len(page.rows)
    return {
        "rows": rows_value(
            page.rows,
            page.runs,
            label_set,
            session.language,
            judged=judged,
            active=active,
            titles=runs.titles(workspace, project_id),
        ),
        "nothing": gr.update(visible=not page.rows, value=session._("No correction matches this filter.")),
        "previous": gr.update(interactive=offset > 0),
        "range": session._(
            pgettext("rows", "{first}–{last} of {total}"), first=offset + 1, last=last, total=page.total
        )
        if page.rows
        else "",
        "next": gr.update(interactive=last < page.total),
        "offset": offset,
    }


def first_rows(
    session: Session, judged: str | None, kind: str, label: str | None, state: str
) -> dict[str, Any]:
    """The first page for other filters."""
    return show_rows(session, judged, kind, label, state, 0)


def step_back(
    session: Session, judged: str | None, kind: str, label: str | None, state: str, offset: int
) -> dict[str, Any]:
    """The page before."""
    return show_rows(session, judged, kind, label, state, max(0, offset - PAGE))


def step_on(
    session: Session, judged: str | None, kind: str, label: str | None, state: str, offset: int
) -> dict[str, Any]:
    """The page after."""
    return show_rows(session, judged, kind, label, state, offset + PAGE)


def judge(session: Session, judged: str | None, kind: str, label: str | None, state: str) -> dict[str, Any]:
    """Show the verdict on another run."""
    return {
        "message": "",
        **ledger_verdict.show(session, judged),
        **show_rows(session, judged, kind, label, state, 0),
    }


def open_correction(session: Session, event: gr.EventData) -> dict[str, Any]:
    """Open the clicked correction's document on the Annotate page."""
    document_id = event.document
    if isinstance(document_id, bool) or not isinstance(document_id, int):
        return gr.skip()
    in_project.check_document(session, document_id)
    open_document(session, document_id)
    return gr.update(selected="annotate")


def go_and_correct(session: Session) -> dict[str, Any]:
    """Turn to the Annotate page."""
    return gr.update(selected="annotate")


def wire(components: LedgerComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    filters = [c.kind, c.label, c.state]
    verdict = [c.summary, c.active, c.activate, c.keep, c.roll_back, c.answer, c.changes]
    rows = [c.rows, c.nothing, c.previous, c.range, c.next, c.offset]
    everything = [c.empty, c.board, c.candidate, *filters, c.message, *verdict, *rows]
    frame.address("ledger", {"label": ANY}, run=c.candidate, kind=c.kind, label=c.label, state=c.state)
    frame.on_show("ledger", show, everything, [c.candidate, *filters])
    frame.on([c.candidate.input], judge, [c.candidate, *filters], [c.message, *verdict, *rows])
    frame.on([control.input for control in filters], first_rows, [c.candidate, *filters], rows)
    frame.on([c.previous.click], step_back, [c.candidate, *filters, c.offset], rows)
    frame.on([c.next.click], step_on, [c.candidate, *filters, c.offset], rows)
    for button, decide, inputs in (
        (c.activate, ledger_verdict.activate, [c.candidate]),
        (c.keep, ledger_verdict.keep, [c.candidate]),
        (c.roll_back, ledger_verdict.roll_back, []),
    ):
        decided = frame.on([button.click], decide, inputs, [c.message, c.candidate])
        frame.then(decided, show_again, [c.candidate, *filters], [c.candidate, *verdict, *rows])
    answered = on_work(
        frame, c.work, [c.answer.click], ledger_verdict.answer, [c.candidate], [c.message],
        doing=_("tagging documents of the ledger"), done=_("documents of the ledger tagged"), kept=True,
    )  # fmt: skip
    frame.then(answered, show_again, [c.candidate, *filters], [c.candidate, *verdict, *rows])
    frame.on(c.rows.choose, open_correction, [], [frame.tabs])
    frame.on([c.correct.click], go_and_correct, [], [frame.tabs])


def show_again(
    session: Session, judged: str | None, kind: str, label: str | None, state: str
) -> dict[str, Any]:
    """Update candidate, verdict and rows after a decision; keep the filters and the message."""
    shown = show(session, judged, kind, label, state)
    kept = ("empty", "board", "kind", "label", "state", "message")
    return {name: value for name, value in shown.items() if name not in kept}


def _chosen(value: str | None) -> str | None:
    return None if value in (None, ANY) else value
