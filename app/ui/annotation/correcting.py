"""Server functions that correct a tagged sentence where it stands, on the pages that show what a tagger says.

A sentence that is no document yet becomes one with its first correction; one that is the text of a document
is corrected there, from what stands there. What is saved is saved as on the Annotate page, against the run
whose spans are shown, and so it stands in the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from app.services import in_project, rights
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.ui.annotation.saving import Action, Edit, document_object, label_objects, save_edit
from app.ui.frame import Frame
from app.ui.payload import Count, EditId, Payload, Spans
from app.ui.server_function import Reply
from app.ui.widgets.sentence import span_object
from core.store.annotation import working
from core.store.annotation.annotations import Annotation
from core.store.annotation.corrections import Claim
from core.store.document import documents, texts, trash
from core.store.document.documents import GOLD
from core.store.label import labels
from core.store.project import nesting
from core.store.run import ledger, predictions
from core.text import Document, Span

LONGEST_TEXT = 100_000


@dataclass(frozen=True)
class Tagged:
    """A sentence that a page shows with the spans a run predicts in it.

    Args:
        sentence: its id becomes the name of the document that it may become.
        document: the document of the project it comes from, if any. start: where it begins in that.
    """

    run: str
    sentence: Document
    document: int | None = None
    start: int = 0


@dataclass(frozen=True)
class Source:
    """Where a page has its sentences.

    Args:
        read: the sentence of a row; raises AppError where there is none any more.
        adopt: told that a row's sentence has become this document, or with None that it is none any more.
    """

    read: Callable[[Session, int], Tagged]
    adopt: Callable[[Session, int, int | None], None]


class Row(Payload):
    """A row of the page, and the text the browser shows there."""

    row: Count
    text: Annotated[str, Field(max_length=LONGEST_TEXT)]


class Correction(Row):
    """The annotation after one action, in offsets of the document.

    Args:
        base_revision, client_edit: as of `Edit`.
        discard: whether the document goes out of the project again, as this undoes what added it.
    """

    base_revision: Count
    client_edit: EditId
    action: Action
    spans: Spans
    rejected: Spans
    discard: bool = False


def may_correct(session: Session, document: int | None) -> bool:
    """Whether the person may correct a sentence of this document, or one that is none yet."""
    return rights.may(session, "annotate") and (document is not None or rights.may(session, "import"))


def server_functions(frame: Frame, source: Source) -> list[Callable[[Any], Reply]]:
    """``read_tagged`` and ``save_correction`` over the sentences of a page, for `sentence_view`."""

    @needs("annotate")
    def read_tagged(session: Session, asked: Row) -> Reply:
        """The sentence's ``document`` (None if it is none yet), where it begins in that (``start``), whether
        the project is ``nested``, its ``labels``, and what the run is called (``run``). ``standing``: where
        the page does not know yet that the sentence is a document which is annotated, its ``name`` and by
        whom and when that was, if known.

        Raises:
            AppError: the page shows another text by now. NotAllowed: it is not the person's to correct.
        """
        tagged, is_known = _tagged(session, source, asked)
        annotation = (
            None
            if tagged.document is None
            else working.current(session.workspace, tagged.document, session.user)
        )
        return {
            "standing": None if annotation is None or is_known else _standing(session, annotation),
            "document": annotation and document_object(annotation),
            "start": tagged.start,
            "nested": nesting.is_nested(session.workspace, session.project_id),
            "labels": label_objects(labels.get(session.workspace, session.project_id)),
            "run": in_project.run_title(session, tagged.run),
        }

    @needs("annotate")
    def save_correction(session: Session, asked: Correction) -> Reply:
        """Save the annotation after one action; a sentence that is no document yet is added first.

        Returns:
            ``revision`` and ``at``; ``document``, and whether it was ``added`` by this or ``discarded``; the
            ledger's ``claims`` on it against the run; and whether it is the project's annotation (``gold``)
            or the person's own version, which makes no corrections until it is merged.

        Raises:
            ServerError: as `save_edit`. AppError, NotAllowed: as ``read_tagged``.
        """
        if asked.discard:
            rights.check(session, "remove_documents")
        tagged, is_known = _tagged(session, source, asked)
        fresh: Sequence[int] = ()
        number = tagged.document
        if number is None:
            number, fresh = _add(session, tagged)
        try:
            _keep_prediction(session, tagged, number)
            base = asked.base_revision
            if tagged.document is None and not fresh:
                base = _untouched(session, number) or base
            saved = save_edit(session, _edit(asked, number, tagged.run, base))
        except Exception:
            # No sentence is left in the project by a correction that was not saved.
            trash.discard_import(session.workspace, session.project_id, fresh, user=session.user)
            raise
        if asked.discard:
            trash.trash_documents(session.workspace, session.project_id, [number])
        kept = None if asked.discard else number
        if kept != tagged.document or not is_known:
            source.adopt(session, asked.row, kept)
        return saved | {
            "document": number,
            "added": tagged.document is None,
            "discarded": asked.discard,
            **({"claims": [], "gold": True} if asked.discard else _recorded(session, number, tagged.run)),
        }

    return [frame.server(read_tagged), frame.server(save_correction)]


def _tagged(session: Session, source: Source, asked: Row) -> tuple[Tagged, bool]:
    """The sentence in the row, which must be the one the browser shows, with the document that has its text;
    and whether the page knows of that document, or there is none."""
    tagged = source.read(session, asked.row)
    if tagged.sentence.text != asked.text:
        raise AppError("The page now shows another text. Reload the page, and correct it there.")
    in_project.run(session, tagged.run)
    if tagged.document is not None:
        in_project.check_document(session, tagged.document)
        return tagged, True
    found = texts.document_with(session.workspace, session.project_id, tagged.sentence.text)
    return replace(tagged, document=found), found is None


def _standing(session: Session, annotation: Annotation) -> Reply | None:
    """Of a document found by its text: its name, and who annotated it when; None where nobody has."""
    if not annotation.document.spans and not annotation.rejected and annotation.status == "new":
        return None
    events = working.history(session.workspace, annotation.document_id, session.user)
    last = events[-1] if events and events[-1].action != "import" else None
    return {"name": annotation.document.id, "user": last.user if last else "", "at": last.at if last else 0}


def _add(session: Session, tagged: Tagged) -> tuple[int, Sequence[int]]:
    """Make the sentence a document without spans, or find it: its number, and the numbers of new ones."""
    rights.check(session, "import")
    limits = session.workbench.limits
    limits.check_texts([tagged.sentence.text])
    limits.check_documents(documents.count(session.workspace, session.project_id)["all"] + 1)
    bare = tagged.sentence.with_spans(())
    added = documents.add(session.workspace, session.project_id, [bare], user=session.user)
    return added.ids[0], added.new_ids


def _untouched(session: Session, number: int) -> int | None:
    """The revision of a document found in the project, if nothing is annotated there that could be lost."""
    current = working.current(session.workspace, number, session.user)
    return None if current.document.spans or current.rejected else current.revision


def _edit(asked: Correction, number: int, run: str, base: int) -> Edit:
    # Its parts have been checked already.
    return Edit.model_construct(
        document=number,
        base_revision=base,
        client_edit=asked.client_edit,
        action=asked.action,
        spans=asked.spans,
        rejected=asked.rejected,
        run=run,
    )


def _keep_prediction(session: Session, tagged: Tagged, number: int) -> None:
    """Store what the run predicts, as on the Annotate page: a correction is a difference from that."""
    stored = predictions.get(session.workspace, tagged.run, number)
    text = documents.get(session.workspace, number).text
    if text == tagged.sentence.text:
        shown = tagged.sentence.spans
        if stored is None or {span.key for span in stored} != {span.key for span in shown}:
            predictions.put_one(session.workspace, tagged.run, number, shown)
    elif stored is None:
        session.workbench.taggers.predict(session.project_id, tagged.run, [number])


def _recorded(session: Session, number: int, run: str) -> Reply:
    found = ledger.claims_on(session.workspace, number, run)
    gold = working.annotator(session.workspace, number, session.user) == GOLD
    return {"claims": [_claim_object(claim) for claim in found], "gold": gold}


def _claim_object(claim: Claim) -> Reply:
    return {"kind": claim.kind, "before": _span(claim.before), "after": _span(claim.after)}


def _span(span: Span | None) -> Reply | None:
    return None if span is None else span_object(span)
