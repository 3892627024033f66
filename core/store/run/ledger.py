"""The ledger: whether a run gets past corrections right."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from core.corpus.corrected_case import CorrectedCase
from core.store.annotation.corrections import KINDS, Claim, claim_of
from core.store.db.errors import NotFound
from core.store.db.payload import checked_choice
from core.store.db.span_json import Names, load_keys, spans_of
from core.store.db.workspace import Workspace
from core.store.document.documents import built, document_row
from core.store.label.ids import label_ids, read_names
from core.store.project import nesting
from core.store.project.projects import row_of
from core.store.run.runs import project_of
from core.text import Document, SpanKey
from core.text.outermost import outermost

FIXED, STILL_WRONG, NEWLY_BROKEN, HOLDS, UNKNOWN = "F", "W", "B", "·", "?"
STATES = (FIXED, STILL_WRONG, NEWLY_BROKEN, HOLDS, UNKNOWN)
COLUMNS = 4  # number of latest runs shown by default
# Documents where a span at least as long overlaps the span of one of these corrections.
_CROWDED = """
    WITH claimed(document_id, start, "end", label) AS MATERIALIZED (
        SELECT document_id, json_extract(after, '$[0]'), json_extract(after, '$[1]'),
               json_extract(after, '$[2]')
        FROM corrections WHERE id IN (SELECT value FROM json_each(?)))
    SELECT s.document_id FROM claimed c JOIN spans s ON s.document_id = c.document_id AND s.annotator = ''
    WHERE s.start < c."end" AND c.start < s."end" AND s."end" - s.start >= c."end" - c.start
        AND (s.start, s."end", s.label) <> (c.start, c."end", c.label)"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Counts of the corrections under a candidate run, compared with the active run.

    ``unknown``: corrections on documents the candidate has not predicted. ``confirmed``: how many of all are
    predictions that a person confirmed.
    """

    candidate: str
    active: str | None
    fixed: int = 0
    still_wrong: int = 0
    newly_broken: int = 0
    holds: int = 0
    unknown: int = 0
    confirmed: int = 0

    @property
    def total(self) -> int:
        """Number of corrections and confirmations."""
        return self.fixed + self.still_wrong + self.newly_broken + self.holds + self.unknown


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction: the claim, the corrected run, user and time (UTC ms), and its state under each run."""

    id: int
    document_id: int
    claim: Claim
    run: str
    user: str
    at: int
    split: str
    states: dict[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """A correction with its document (current spans)."""

    correction: Correction
    document: Document


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """Some rows, the total number, and the runs of their states, oldest first."""

    rows: tuple[Row, ...]
    total: int
    runs: tuple[str, ...]


def verdict(workspace: Workspace, candidate_run: str, active_run: str | None) -> Verdict:
    """Count the states of all corrections under ``candidate_run``.

    Raises:
        NotFound: no such run.
    """
    with workspace.reading() as db:
        project_id = project_of(db, candidate_run)
        corrections = _corrections(db, project_id)
        states = _states(db, corrections, candidate_run, active_run)
    counts = Counter(states.values())
    return Verdict(
        candidate_run, active_run, counts[FIXED], counts[STILL_WRONG], counts[NEWLY_BROKEN], counts[HOLDS],
        counts[UNKNOWN], sum(correction.claim.kind == "confirmed" for correction in corrections),
    )  # fmt: skip


def columns(workspace: Workspace, project_id: int) -> list[str]:
    """The latest runs with predictions on corrected documents, oldest first."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT name FROM runs r WHERE project_id = ? AND EXISTS "
            "(SELECT 1 FROM corrections c CROSS JOIN predictions p ON p.document_id = c.document_id "
            "AND p.run = r.name) ORDER BY created DESC, name DESC LIMIT ?",
            (project_id, COLUMNS),
        ).fetchall()
    return [row["name"] for row in reversed(rows)]


def page(
    workspace: Workspace,
    project_id: int,
    *,
    runs: Sequence[str] | None = None,
    kind: str | None = None,
    label: str | None = None,
    state: str | None = None,
    state_run: str | None = None,
    offset: int = 0,
    limit: int = 50,
) -> LedgerPage:
    """One page of the ledger, newest correction first.

    Args:
        runs: whose states to show (default: ``columns``). kind, label: only these corrections.
        state: only corrections in this state under ``state_run`` (default: the last of ``runs``).

    Raises:
        PayloadError: unknown kind or state. NotFound: unknown run.
    """
    shown = tuple(columns(workspace, project_id) if runs is None else runs)
    with workspace.reading() as db:
        corrections = [x for x in _corrections(db, project_id) if _passes(x.claim, kind, label)]
        for run in shown:
            if project_of(db, run) != project_id:
                raise NotFound("run", run)
            states = _states(db, corrections, run, _baseline(db, run))
            for correction in corrections:
                correction.states[run] = states[correction.id]
        if state is not None:
            checked_choice(state, STATES, "state")
            judge = state_run or (shown[-1] if shown else None)
            corrections = [x for x in corrections if judge is not None and x.states.get(judge) == state]
        rows = _with_documents(db, corrections[max(0, offset) : max(0, offset) + max(0, limit)])
    return LedgerPage(tuple(rows), len(corrections), shown)


def claims_on(workspace: Workspace, document_id: int, run: str) -> list[Claim]:
    """The corrections of what ``run`` predicted on a document, oldest first."""
    with workspace.reading() as db:
        project_id = document_row(db, document_id)["project_id"]
        rows = db.execute(
            "SELECT * FROM corrections WHERE document_id = ? AND run = ? ORDER BY id", (document_id, run)
        ).fetchall()
        names = read_names(db, project_id)
    found = (claim_of(row, names) for row in rows)
    return [claim for claim in found if claim is not None]


def baseline_of(workspace: Workspace, run: str) -> str | None:
    """The baseline of ``run``: the run it replaced, else the active one, else its parent.

    A run older than the active one is compared with its parent, as it was no candidate to replace it.

    Raises:
        NotFound: no such run.
    """
    with workspace.reading() as db:
        return _baseline(db, run)


def unpredicted(workspace: Workspace, run: str) -> list[int]:
    """Documents with corrections that ``run`` has not predicted, in order.

    Raises:
        NotFound: no such run.
    """
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT DISTINCT c.document_id FROM corrections c JOIN documents d ON d.id = c.document_id "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND d.status <> 'ignored' AND c.document_id NOT IN "
            "(SELECT document_id FROM predictions WHERE run = ?) ORDER BY 1",
            (project_of(db, run), run),
        ).fetchall()
    return [row[0] for row in rows]


def _baseline(db: sqlite3.Connection, run: str) -> str | None:
    row = db.execute("SELECT * FROM runs WHERE name = ?", (run,)).fetchone()
    if row is None:
        raise NotFound("run", run)
    active = row_of(db, row["project_id"]).active_run
    if row["replaced"] is not None:
        return str(row["replaced"])
    if active is not None and active != run:
        chosen = db.execute("SELECT created FROM runs WHERE name = ?", (active,)).fetchone()
        if chosen is not None and chosen["created"] <= row["created"]:
            return active
    return None if row["parent"] is None else str(row["parent"])


def is_right(
    claim: Claim, predicted: Set[SpanKey], in_place: Mapping[SpanKey, frozenset[SpanKey]] | None = None
) -> bool:
    """Whether a prediction (span keys) is right: it has ``after`` and not ``before``.

    Args:
        in_place: of a flat project, spans that lie in longer ones of the annotation, with these: no flat
            tagger predicts both, so a right prediction has the longer ones.
    """
    return _case(claim, in_place or {}).is_right(predicted)


def corrected_cases(db: sqlite3.Connection, project_id: int) -> dict[int, list[CorrectedCase]]:
    """What predictions must have and must not have to get the project's corrections right, by document."""
    corrections, names = _corrections(db, project_id), read_names(db, project_id)
    in_place = _longer_spans(db, project_id, corrections, names)
    cases: dict[int, list[CorrectedCase]] = {}
    for correction in reversed(corrections):
        document_id = correction.document_id
        case = _case(correction.claim, in_place.get(document_id, {}))
        cases.setdefault(document_id, []).append(case)
    return cases


def _case(claim: Claim, in_place: Mapping[SpanKey, frozenset[SpanKey]]) -> CorrectedCase:
    expected = frozenset[SpanKey]()
    if claim.after is not None:
        expected = in_place.get(claim.after.key, frozenset([claim.after.key]))
    return CorrectedCase(expected, None if claim.before is None else claim.before.key)


def _states(
    db: sqlite3.Connection, corrections: Sequence[Correction], run: str, active: str | None
) -> dict[int, str]:
    names = read_names(db, project_of(db, run))
    now_said = _answers(db, run, corrections, names)
    said = _answers(db, active, corrections, names) if active and active != run else {}
    in_place = _longer_spans(db, project_of(db, run), corrections, names)
    return {
        correction.id: _state(
            correction,
            run,
            now_said.get(correction.document_id),
            said.get(correction.document_id),
            in_place.get(correction.document_id),
        )
        for correction in corrections
    }


def _state(
    correction: Correction,
    run: str,
    now_said: frozenset[SpanKey] | None,
    active_said: frozenset[SpanKey] | None,
    in_place: Mapping[SpanKey, frozenset[SpanKey]] | None,
) -> str:
    claim = correction.claim
    if now_said is None:
        return UNKNOWN
    if is_right(claim, now_said, in_place):
        return HOLDS if claim.kind == "confirmed" else FIXED
    if claim.kind == "confirmed":
        return NEWLY_BROKEN
    # The corrected run had nothing right before it.
    if run == correction.run or active_said is None or not is_right(claim, active_said, in_place):
        return STILL_WRONG
    return NEWLY_BROKEN


def _longer_spans(
    db: sqlite3.Connection, project_id: int, corrections: Sequence[Correction], names: Names
) -> dict[int, dict[SpanKey, frozenset[SpanKey]]]:
    """By document of a flat project: annotated spans of corrections that lie in longer ones, with these."""
    if nesting.reads_nested(db, project_id):
        return {}
    # Few corrections have a span beside them that may be kept in their place: only there spans are read.
    claimed = json.dumps([x.id for x in corrections if x.claim.after is not None])
    crowded: dict[int, list[tuple[int, int, int]]] = {}
    for document_id, *item in db.execute(
        'SELECT document_id, start, "end", label FROM spans '  # noqa: S608 - ours
        f"WHERE annotator = '' AND document_id IN ({_CROWDED})",
        (claimed,),
    ):
        crowded.setdefault(document_id, []).append((item[0], item[1], item[2]))
    longer: dict[int, dict[SpanKey, frozenset[SpanKey]]] = {}
    for document_id, items in crowded.items():
        kept, left_out = outermost(spans_of(items, names))
        longer[document_id] = {
            span.key: frozenset(other.key for other in kept if other.overlaps(span)) for span in left_out
        }
    return longer


def _answers(
    db: sqlite3.Connection, run: str, corrections: Sequence[Correction], names: Names
) -> dict[int, frozenset[SpanKey]]:
    rows = db.execute(
        "SELECT document_id, spans FROM predictions WHERE run = ? "
        "AND document_id IN (SELECT value FROM json_each(?))",
        (run, json.dumps(sorted({x.document_id for x in corrections}))),
    )
    return {row["document_id"]: load_keys(row["spans"], names) for row in rows}


def _corrections(db: sqlite3.Connection, project_id: int) -> list[Correction]:
    rows = db.execute(
        "SELECT c.*, d.split FROM corrections c CROSS JOIN documents d ON d.id = c.document_id "
        "WHERE d.project_id = ? AND d.trashed IS NULL AND d.status <> 'ignored' ORDER BY c.id DESC",
        (project_id,),
    )
    label_map = label_ids(db, project_id)
    corrections = [
        Correction(row["id"], row["document_id"], claim, row["run"], row["user"], row["at"], row["split"], {})
        for row in rows
        if (claim := claim_of(row, label_map.names)) is not None
    ]
    if not label_map.has_merged:
        return corrections
    # Corrections that became equal by a merge of labels count once, as the first of them.
    first = {
        (correction.document_id, correction.claim.before, correction.claim.after): correction
        for correction in corrections
    }
    return sorted(first.values(), key=lambda correction: correction.id, reverse=True)


def _passes(claim: Claim, kind: str | None, label: str | None) -> bool:
    if kind is not None and claim.kind != checked_choice(kind, KINDS, "kind"):
        return False
    return label is None or label in {span.label for span in (claim.before, claim.after) if span is not None}


def _with_documents(db: sqlite3.Connection, corrections: Sequence[Correction]) -> list[Row]:
    rows = db.execute(
        "SELECT * FROM documents WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted({x.document_id for x in corrections})),),
    ).fetchall()
    documents = dict(zip((row["id"] for row in rows), built(db, rows), strict=True))
    return [Row(correction, documents[correction.document_id]) for correction in corrections]
