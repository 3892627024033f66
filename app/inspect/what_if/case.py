"""Keeping an edited sentence as a test: a finished document that the ledger checks in every later run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from app.inspect.panel import Look
from app.inspect.what_if.trial import MEMORY, Trial, current, name_of
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.window.navigation import open_document
from core.store.db.errors import NotFound
from core.store.document import documents
from core.store.run import cases
from core.text import Document, Span, sort_spans


def offered(session: Session, trial: Trial) -> dict[str, Any]:
    """The spans to choose from: those of the changed sentence, ticked, and lost ones, unticked."""
    from core.inspection.what_if.alignment import Alignment
    from core.inspection.what_if.edit_effects import effects

    changed = trial.changed
    changes = effects(
        trial.original.spans, changed.spans, Alignment.between(trial.original.text, changed.text)
    )
    earlier = {
        effect.place.key
        for effect in changes
        if effect.place is not None and effect.kind in ("lost", "boundary", "label")
    } - {span.key for span in changed.spans}
    spans = sort_spans([*changed.spans, *(Span(*key) for key in earlier)])
    choices = []
    for span in spans:
        name = name_of(changed.text, span) + ("" if span.score is None else f" {span.score:.2f}")
        if span.key in earlier:
            name = session._("{name} (found before the change)", name=name)
        choices.append((name, key_of(span)))
    return gr.update(choices=choices, value=[key_of(span) for span in changed.spans])


def key_of(span: Span) -> str:
    """A span as the value of a checkbox."""
    return f"{span.start}-{span.end}-{span.label}"


@needs("review")
def keep(session: Session, text: str | None, ticked: Sequence[object] | None) -> dict[str, Any]:
    """Store the changed sentence with its gold spans as a test case.

    Raises:
        AppError: the spans belong to another sentence, nothing is claimed, or it is more than the demo takes.
        StoreError, UnknownLabelError: see `cases.keep`.
    """
    look, trial = current(session)
    if text != trial.text:
        raise AppError(
            "The sentence has changed since these spans were predicted. Check them again, then save the case."
        )
    expected = tuple(_span(value) for value in ticked or ())
    _check_limits(session, trial.text)
    predicted = _own_answer(session, look, trial.text)
    if not expected and not predicted:
        raise AppError("Nothing to save: there is neither a gold nor a predicted span. Tick a span first.")
    case = cases.Case(trial.text, expected, look.run, predicted, _name_of_document(session, look))
    try:
        number = cases.keep(session.workspace, session.project_id, case, user=session.user)
    except cases.CaseExists as there:
        message, number = (
            session._("The project already has this text. Open it to change its labels."),
            there.document_id,
        )
    else:
        name = in_project.document(session, number).id
        message = session._(
            "Saved as {name}. The Ledger includes it from now on; correct its labels on the Annotate page "
            "if needed.",
            name=code_span(name),
        )
    session.memory[MEMORY] = replace(trial, kept=number)
    return {"message": gr.update(value=message, visible=True), "open": gr.update(visible=True)}


def open_kept(session: Session) -> dict[str, Any]:
    """Open the saved case on the Annotate page."""
    _, trial = current(session)
    if trial.kept is None:
        return gr.skip()
    open_document(session, trial.kept)
    return gr.update(selected="annotate")


def _own_answer(session: Session, look: Look, text: str) -> tuple[Span, ...]:
    """The run's plain prediction, without the trial's words and queries."""
    if not text.strip():
        return ()
    tagged = session.workbench.taggers.tag(session.project_id, [Document("case", text)], look.run)
    return tagged[0].spans


def _span(value: object) -> Span:
    """The span of a ticked box.

    Raises:
        AppError: it is not one of the boxes.
    """
    try:
        start, end, label = str(value).split("-", 2)
        return Span(int(start), int(end), label)
    except ValueError as error:
        raise AppError(
            "The sentence has changed since these spans were predicted. Check them again, then save the case."
        ) from error


def _check_limits(session: Session, text: str) -> None:
    limits = session.workbench.limits
    limits.check_texts([text])
    limits.check_documents(documents.count(session.workspace, session.project_id)["all"] + 1)


def _name_of_document(session: Session, look: Look) -> str | None:
    if look.document is None:
        return None
    try:
        return in_project.document(session, look.document).id
    except NotFound:  # deleted in the meantime
        return None
