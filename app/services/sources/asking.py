"""Ask a source: about one sentence, about one document, about all raw documents."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from app.services.background.tasks import Task
from app.services.session import Session
from app.services.sources.opening import opened, settings_of
from core.sources import Answer, SourceSettings, Usage, map_labels
from core.store.db.clock import now
from core.store.label import labels
from core.store.suggest import distant, sources
from core.store.suggest.distant import DistantBatch, DistantLabels
from core.text import Document, Span

CHUNK = 100  # documents a source is given at a time
SECONDS = 2.0  # after which answers are stored, however few


class Reporting(Protocol):
    """Work that a person follows and can cancel; see `app.ui.work`."""

    task: Task[Any]

    def __call__(self, done: int, total: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Trial:
    """What a source said about one text; ``unknown``: labels that the project lacks, with their spans."""

    text: str
    spans: tuple[Span, ...]
    unknown: Mapping[str, int]
    answer: Answer
    seconds: float
    cost: float


@dataclass
class Report:
    """What came of asking about the raw documents: kept with the source, as JSON.

    Args:
        unknown: spans left out, by a label the project lacks. dropped: statements that are no suggestion.
        unanswered: documents without an answer, by reason. read, written: tokens. at: when, UTC ms.
    """

    documents: int = 0
    spans: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    unanswered: Counter[str] = field(default_factory=Counter)
    read: int = 0
    written: int = 0
    asked: int = 0
    cached: int = 0
    characters: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    at: int = 0

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Report:
        """Inverse of `to_json`; what another version wrote counts as empty."""
        try:
            counted = {name: Counter(value[name]) for name in ("unknown", "dropped", "unanswered")}
            return cls(**{**value, **counted})
        except (KeyError, TypeError):
            return cls()

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        # Not dataclasses.asdict: it would count the items of a Counter.
        return {
            name: dict(value) if isinstance(value, Counter) else value for name, value in vars(self).items()
        }


def tried(session: Session, settings: SourceSettings, number: int, text: str) -> Trial:
    """Ask a source about one text; nothing is stored but a language model's answer in its cache.

    Raises:
        AppError, SourceError: it cannot be asked.
    """
    began = time.monotonic()
    (answer,) = opened(session, settings, number).suggest([text])
    label_names = labels.get(session.workspace, session.project_id).names
    mapped = map_labels(answer.spans, settings.labels, label_names)
    usage = answer.usage
    seconds = time.monotonic() - began
    return Trial(
        text, mapped.spans, mapped.unknown, answer, seconds, settings.cost(usage.read, usage.written)
    )


def ask_about(session: Session, number: int, document_id: int, text: str) -> None:
    """Ask a source about one document and store what it says.

    Raises:
        AppError, SourceError: it cannot be asked.
    """
    settings = settings_of(session, number)
    trial = tried(session, settings, number, text)
    if trial.answer.problem is None:
        sources.put(session.workspace, session.project_id, number, [(document_id, trial.spans)])


def ask_about_all(session: Session, report: Reporting, number: int, *, to_teach: bool = False) -> Report:
    """Ask a source about every raw document it was not asked about; what was answered until a stop is kept.

    Args:
        to_teach: leave out dev and test, from which no run learns.

    Raises:
        AppError, SourceError: it cannot be asked.
    """
    workspace, project_id = session.workspace, session.project_id
    settings = settings_of(session, number)
    total, _characters = sources.count_unasked(workspace, project_id, number, to_teach=to_teach)
    report(0, max(1, total))
    label_names = labels.get(workspace, project_id).names
    source = opened(session, settings, number, report.task.pause)
    made, began = Report(at=now()), time.monotonic()
    waiting: list[tuple[int, tuple[Span, ...]]] = []
    stored_at = began

    def store() -> None:
        nonlocal stored_at
        if waiting:
            sources.put(workspace, project_id, number, waiting)
            waiting.clear()
        stored_at = time.monotonic()

    try:
        documents = iter(list(sources.unasked(workspace, project_id, number, to_teach=to_teach)))
        while chunk := list(islice(documents, CHUNK)):
            answers = source.suggest([document.text for _, document in chunk])
            for (id_, document), answer in zip(chunk, answers, strict=True):
                mapped = map_labels(answer.spans, settings.labels, label_names)
                _count(made, document, answer, mapped.spans, mapped.unknown)
                if answer.problem is None:
                    waiting.append((id_, mapped.spans))
                if len(waiting) >= sources.AT_ONCE or time.monotonic() - stored_at > SECONDS:
                    store()
                report(made.documents + sum(made.unanswered.values()), max(1, total))
    finally:
        store()
        made.seconds = round(time.monotonic() - began, 3)
        made.cost = settings.cost(made.read, made.written)
        sources.write_report(workspace, project_id, number, made.to_json())
    return made


def label_raw(session: Session, report: Reporting, number: int, least: float, mode: str) -> DistantBatch:
    """Make a source's suggestions distant labels of the raw documents, as one batch that can be undone.

    Args:
        least: of the confidence; suggestions without one count as certain. mode: of `distant.MODES`.

    Raises:
        AppError: no suggestion is left. NotFound: the project has no such source.
    """
    workspace, project_id = session.workspace, session.project_id
    settings = settings_of(session, number)
    labelled = [
        DistantLabels(id_, spans, {})
        for id_, document in sources.of_source(workspace, project_id, number)
        if (spans := [span for span in document.spans if span.score is None or span.score >= least])
    ]
    total = max(1, len(labelled))
    report(0, total)
    return distant.put(
        workspace, project_id, labelled, mode,
        version=0, direction="", ambiguous="", labeller=settings.name, user=session.user,
        progress=lambda done: report(done, total),
    )  # fmt: skip


def _count(
    made: Report, document: Document, answer: Answer, spans: tuple[Span, ...], unknown: Mapping[str, int]
) -> None:
    usage: Usage = answer.usage
    made.read += usage.read
    made.written += usage.written
    made.asked += usage.asked
    made.cached += usage.cached
    made.dropped.update(answer.dropped)
    made.unknown.update(unknown)
    if answer.problem is not None:
        made.unanswered[str(answer.problem)] += 1
        return
    made.documents += 1
    made.spans += len(spans)
    made.characters += len(document.text) if usage.asked else 0
