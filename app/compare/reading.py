"""The comparison of the selected runs, computed once for all lists and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.services import in_project
from app.services.evaluation.held_out import documents_of
from app.services.session import Session
from app.ui.runs.changes import Changes
from core.inspection.corpus.comparison import Outcome, SideChange, count_tables, outcome, side_changes
from core.inspection.corpus.significance import Measurement, measure
from core.inspection.corpus.span_changes import grouped, span_changes
from core.store.run import predicted

MEMORY = "compare"


@dataclass(frozen=True)
class Disagreement:
    """A document on which the two runs differ.

    Args:
        document_id: the document's id. outcome: who is right. labels: of its changed spans.
    """

    document_id: int
    outcome: Outcome
    labels: frozenset[str]


@dataclass(frozen=True)
class Comparison:
    """The runs in view.

    Args:
        runs: the base first. other: the run compared with the base in detail. parts: the chosen splits, see
            `documents_of`.
        answered, labelled: numbers of documents predicted by all runs, and of those with gold.
        whole, by_label: scores; None and empty without labelled documents.
        changes: from the base to ``other``. documents, sides: differences in the splits.
    """

    runs: tuple[str, ...]
    other: str
    parts: tuple[str, ...]
    predicted: int
    labelled: int
    whole: Measurement | None
    by_label: dict[str, Measurement]
    changes: Changes
    documents: tuple[Disagreement, ...]
    sides: tuple[SideChange, ...]

    @property
    def base(self) -> str:
        return self.runs[0]


def read(session: Session, runs: Sequence[str], other: str, parts: Sequence[str]) -> Comparison:
    """Compute the comparison and store it in the session.

    Raises:
        PayloadError: no such split. NotFound: no such run in this project.
    """
    workspace, project_id = session.workspace, session.project_id
    numbers = frozenset(documents_of(session, runs, parts))
    shared = predicted.compared_documents(workspace, project_id, runs, ids=numbers)
    whole, by_label = count_tables(shared, len(runs))
    total, differing = predicted.differing(workspace, project_id, runs[0], other)
    in_view = [document for document in differing if document.document_id in numbers]
    comparison = Comparison(
        tuple(runs),
        other,
        tuple(parts),
        len(shared),
        whole.documents,
        measure(whole) if whole.documents else None,
        {label: measure(table) for label, table in by_label.items()},
        Changes(runs[0], other, total, len(differing), tuple(grouped(differing))),
        tuple(
            Disagreement(
                document.document_id,
                outcome(document),
                frozenset(
                    label
                    for change in span_changes(document.predicted[0], document.predicted[1])
                    for label in change.labels
                ),
            )
            for document in in_view
        ),
        tuple(side for document in in_view for side in side_changes(document)),
    )
    session.memory[MEMORY] = comparison
    return comparison


def base_first(session: Session, runs: Sequence[str]) -> list[str]:
    """What the runs are called in a comparison: the first one is the base."""
    titles = [in_project.run_title(session, run) for run in runs]
    return [title if place else session._("{run} (base)", run=title) for place, title in enumerate(titles)]


def in_view(session: Session) -> Comparison | None:
    """The current comparison, or None."""
    kept = session.memory.get(MEMORY)
    return kept if isinstance(kept, Comparison) else None
