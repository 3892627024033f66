"""The server function behind the drawer: it explains one span in the background, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from app.services import in_project, rights
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.evaluation.reliability import reliability
from app.services.indexes.similar_sentences import SimilarSentences, similar_in_document, similar_in_text
from app.services.session import Session
from app.ui.payload import Count, CountOrNone, Payload, Text, TextOrEmpty
from app.ui.server_function import Reply
from app.ui.why import parts
from core.inspection.sentence.span_prediction import predict_span, window_around
from core.store.project import projects
from core.text import Span

if TYPE_CHECKING:
    from core.inspection.sentence.span_prediction import SpanPrediction
    from core.taggers.base.tagger import Tagger

KEY = "why"
AT_ONCE = 0.1  # seconds in which most first parts are there
ASK_AGAIN = 0.5  # seconds between looks at an index that is being built
MOST_RIVALS = 3
MOST_SIMILAR = 3
LONGEST_TEXT = 20_000


class SpanQuestion(Payload):
    """A span to explain, of a document of the project or of any ``text``.

    Args:
        run: the tagger's; "" for the active one.
        thorough: whether to compute what is slow with a large tagger.
        task: 0 to begin, afterwards the number of the first reply. given: number of parts received so far.
        stop: whether the rest is no longer wanted.
    """

    document: Count | None = None
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    start: Count
    end: Count
    label: Text
    run: TextOrEmpty = ""
    thorough: bool = False
    task: CountOrNone = 0
    given: CountOrNone = 0
    stop: bool = False


@dataclass(frozen=True)
class Place:
    """Where the span stands.

    Args:
        document: of the project; None for a text of its own. text: the whole one.
        left: where the ``sentence`` begins in it, as much as the tagger reads at once. span: in the sentence.
    """

    document: int | None
    text: str
    left: int
    sentence: str
    span: Span


def explain_span(session: Session, asked: SpanQuestion) -> Reply:
    """Begin to explain a span, or go on: ``task``, further ``parts`` (see `app.ui.why.parts`), whether it is
    ``running``, and ``trouble``, a sentence if it failed. In the first reply ``inspect`` is what the address
    of the Inspect page needs, None if the person may not see that page.

    A new question ends the one before.

    Raises:
        NotFound: no such document or run in this project. NotAllowed: it is closed to the person.
        AppError: the span does not fit the text.
    """
    latest = session.workbench.tasks.latest((KEY, session.token))
    if not asked.task:
        return _begin(session, asked, latest)
    if latest is None or latest.number != asked.task:
        return {"task": asked.task, "parts": [], "running": False, "trouble": ""}
    if asked.stop:
        latest.stop()
    return _reply(session, latest, asked.given)


FUNCTIONS = (explain_span,)


def _begin(session: Session, asked: SpanQuestion, latest: Task[Any] | None) -> Reply:
    run = asked.run or projects.get(session.workspace, session.project_id).active_run
    usual = None
    if run is not None:
        in_project.run(session, run)
        usual = session.workbench.taggers.usual_length(session.project_id, run)
    place = _place(session, asked, usual)
    if latest is not None:
        latest.stop()
    work = partial(_explain, session, place, run, asked.thorough)
    task: Task[None] = session.workbench.tasks.start((KEY, session.token), work)
    task.wait(AT_ONCE)
    return {**_reply(session, task, 0), "inspect": _address(session, place, run)}


def _reply(session: Session, task: Task[Any], given: int) -> Reply:
    state = task.state(session.language)  # first: parts may be added after it
    running, trouble = state["running"], state["error"]
    return {"task": task.number, "parts": task.rows[given:], "running": running, "trouble": trouble}


def _place(session: Session, asked: SpanQuestion, usual: int | None) -> Place:
    if asked.document is None:
        rights.check(session, "try_tagger")
        text = asked.text
    else:
        text = in_project.annotation(session, asked.document).document.text
    if not asked.start < asked.end <= len(text):
        raise AppError("The text has changed since this span was drawn. Reload the page.")
    left, right = window_around(text, asked.start, asked.end, usual=usual)
    span = Span(asked.start - left, asked.end - left, asked.label)
    return Place(asked.document, text, left, text[left:right], span)


def _address(session: Session, place: Place, run: str | None) -> Reply | None:
    if run is None or not rights.may(session, "see_documents"):
        return None
    if place.document is None:
        return {"run": run, "sentence": place.sentence, "span": f"{place.span.start}-{place.span.end}"}
    start, end = place.left + place.span.start, place.left + place.span.end
    return {"run": run, "document": str(place.document), "span": f"{start}-{end}"}


def _explain(session: Session, place: Place, run: str | None, thorough: bool, task: Task[None]) -> None:
    """Add the parts, those that are quick first."""
    if run is None:
        task.add(parts.no_run(session))
    else:
        for part in _by_tagger(session, place, run, thorough, task):
            task.add(part)
    if place.document is not None or rights.may(session, "see_documents"):
        task.add(parts.similar(session, _similar(session, place, task)))


def _by_tagger(
    session: Session, place: Place, run: str, thorough: bool, task: Task[None]
) -> Iterator[parts.Part]:
    from core.inspection.sentence.evidence import is_slow, methods_of

    # Lent for one part after the other: whoever tags need not wait for all of them.
    with session.workbench.taggers.tagger(session.project_id, run) as tagger:
        task.pause()
        said = predict_span(tagger, place.sentence, place.span)
        methods = methods_of(tagger) if said.is_known else ()
        slow = is_slow(tagger, place.sentence)
    yield parts.prediction(session, run, said)
    if said.is_predicted and said.span.score is not None:
        yield parts.calibrated(session, reliability(session, run, said.span.score))
    yield from _rivals(session, said)
    for method in methods:
        if method == "occlusion" and slow and not thorough:
            yield parts.offer(session)
        elif method in parts.EVIDENCE_NAMES:
            with session.workbench.taggers.tagger(session.project_id, run) as tagger:
                task.pause()
                part = _evidence(session, tagger, said, method)
            yield part


def _rivals(session: Session, said: SpanPrediction) -> Iterator[parts.Part]:
    from core.inspection.sentence.crf_paths import crf_paths, rivals

    if said.trace.crf is None:
        return
    units = said.trace.units
    paths = rivals(said.trace.crf, said.span, MOST_RIVALS, units)
    margin = crf_paths(said.trace.crf, said.span, 1, units).margin
    if paths and margin is not None and margin.terms:
        yield parts.rival_paths(session, said, margin, paths)


def _evidence(session: Session, tagger: Tagger, said: SpanPrediction, method: Any) -> parts.Part:
    from core.inspection.sentence.evidence import find_evidence

    found = find_evidence(tagger, said.trace, said.span, method)
    return parts.evidence(session, found, said, tagger.has_span_probabilities)


def _similar(session: Session, place: Place, task: Task[None]) -> SimilarSentences:
    at = place.left + place.span.start
    while True:
        if place.document is None:
            found = similar_in_text(session, place.text, at, MOST_SIMILAR)
        else:
            found = similar_in_document(session, place.document, at, MOST_SIMILAR)
        if found.rows is not None:
            return found
        task.pause(ASK_AGAIN)
