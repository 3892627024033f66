"""The comparison of the selected runs, computed once for all lists and figures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.services import in_project
from app.services.evaluation.held_out import documents_held
from app.services.session import Session
from app.ui.runs.changes import Changes
from core.inspection.corpus.comparison import Outcome, SideChange, count_tables, outcome, side_changes
from core.inspection.corpus.significance import CountTable, Measurement, draws, measure
from core.inspection.corpus.span_changes import grouped, span_changes
from core.store.db.workspace import Workspace
from core.store.run import predicted, predictions
from core.store.run.predicted import ComparedDocument

MEMORY = "compare"  # the comparison in view
KEPT = "compare-kept"  # the latest ones
MOST_KEPT = 4

# Rough shares of the time.
SHARES = {"reading": 0.15, "scoring": 0.45, "finding": 0.05, "differing": 0.35}
# Called with units done, their total, the step and the share done of the whole; may raise to stop.
Report = Callable[[int, int, str, float], None]


def _silent(done: int, total: int, step: str, fraction: float) -> None:
    pass


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
        missing: documents of the splits that a run has not predicted.
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
    missing: tuple[int, ...]

    @property
    def base(self) -> str:
        return self.runs[0]


@dataclass(frozen=True)
class Asked:
    """What is to be compared.

    Args:
        runs: the base first. other: the run compared with the base in detail. parts: the chosen splits.
    """

    runs: tuple[str, ...]
    other: str
    parts: tuple[str, ...]


def read(session: Session, asked: Asked, report: Report = _silent) -> Comparison:
    """The comparison, computed unless this session has done so and nothing has changed since.

    Raises:
        PayloadError: no such split. NotFound: no such run in this project.
    """
    workspace, project_id = session.workspace, session.project_id
    kept = session.memory.setdefault(KEPT, {})
    assert isinstance(kept, dict)
    folders = [in_project.run(session, run).folder for run in asked.runs]
    key = asked, *(predicted.stamp(workspace, project_id, run) for run in asked.runs)
    if key not in kept:
        comparison = compute(workspace, project_id, folders, asked, report)
        while len(kept) >= MOST_KEPT:
            kept.pop(next(iter(kept)), None)
        kept[key] = comparison
    found: Comparison = kept[key]
    return found


def compute(
    workspace: Workspace, project_id: int, folders: Sequence[Path], asked: Asked, report: Report = _silent
) -> Comparison:
    """Compute the comparison; ``report`` may raise to stop it.

    Args:
        folders: of the runs.

    Raises:
        PayloadError: no such split.
    """
    step = _Steps(report)
    runs, base, other = asked.runs, asked.runs[0], asked.other
    numbers = frozenset(documents_held(workspace, project_id, folders, asked.parts))
    disagreements: list[Disagreement] = []
    sides: list[SideChange] = []

    def judged(documents: Iterable[ComparedDocument]) -> Iterator[ComparedDocument]:
        for document in documents:
            if document.document_id in numbers:
                changes = span_changes(document.predicted[0], document.predicted[1])
                labels = frozenset(label for change in changes for label in change.labels)
                disagreements.append(Disagreement(document.document_id, outcome(document), labels))
                sides.extend(side_changes(document))
            yield document

    shared = predicted.compared_documents(
        workspace, project_id, runs, ids=numbers, progress=step.begin("reading")
    )
    whole, by_label = count_tables(shared, len(runs))
    measured = _measured(whole, by_label, step)
    total, differing = predicted.differing(
        workspace, project_id, base, other, scanned=step.begin("finding"), progress=step.begin("differing")
    )
    groups = grouped(judged(differing))
    missing = _missing(workspace, project_id, runs, numbers)
    return Comparison(
        runs,
        other,
        asked.parts,
        len(numbers) - len(missing),
        whole.documents,
        *measured,
        Changes(base, other, total, len(differing.ids), tuple(groups)),
        tuple(disagreements),
        tuple(sides),
        tuple(missing),
    )


class _Steps:
    """The steps of a comparison, each with its units and its share of the whole.

    Args:
        report: told of the units of a step, its name and the share done of the whole.
    """

    def __init__(self, report: Report) -> None:
        self._report = report

    def begin(self, name: str) -> Callable[[int, int], None]:
        """What reports the units done of this step, and their total."""
        names = list(SHARES)
        before = sum(SHARES[earlier] for earlier in names[: names.index(name)])

        def tell(done: int, total: int) -> None:
            self._report(done, total, name, before + SHARES[name] * done / max(1, total))

        return tell


def _measured(
    whole: CountTable, by_label: Mapping[str, CountTable], step: _Steps
) -> tuple[Measurement | None, dict[str, Measurement]]:
    """The scores over all labels, and by label; none without labelled documents."""
    if not whole.documents:
        return None, {}
    tell, drawn, total = step.begin("scoring"), 0, (1 + len(by_label)) * draws(whole.rows.shape[1])

    def more(count: int) -> None:
        nonlocal drawn
        drawn += count
        tell(drawn, total)

    return measure(whole, progress=more), {
        label: measure(table, progress=more) for label, table in by_label.items()
    }


def _missing(
    workspace: Workspace, project_id: int, runs: Sequence[str], numbers: Collection[int]
) -> list[int]:
    """Documents of the splits without a prediction of at least one run."""
    unpredicted = {number for run in runs for number in predictions.missing(workspace, run)}
    return sorted(unpredicted.intersection(numbers))


def base_first(session: Session, runs: Sequence[str]) -> list[str]:
    """What the runs are called in a comparison: the first one is the base."""
    titles = [in_project.run_title(session, run) for run in runs]
    return [title if place else session._("{run} (base)", run=title) for place, title in enumerate(titles)]


def in_view(session: Session) -> Comparison | None:
    """The current comparison, or None."""
    kept = session.memory.get(MEMORY)
    return kept if isinstance(kept, Comparison) else None
