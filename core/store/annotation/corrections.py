"""Corrections: differences between a person's annotation and a run's prediction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from core.store.db.span_json import Names, dump_span, load_span, load_spans, spans_of
from core.store.label.ids import LabelIds, label_ids
from core.text import Span, SpanKey, sort_spans

Kind = Literal["missed", "spurious", "boundary", "type", "confirmed"]
KINDS: tuple[Kind, ...] = ("missed", "spurious", "boundary", "type", "confirmed")


@dataclass(frozen=True, slots=True)
class Claim:
    """The run's span (``before``) and the person's (``after``); None for no span."""

    kind: Kind
    before: Span | None
    after: Span | None


@dataclass(frozen=True, slots=True)
class Standing:
    """The head of a document's gold annotation as a save leaves it; ``rejected`` is the stored column."""

    document_id: int
    project_id: int
    rejected: str
    status: str


def compare(
    predicted: Iterable[Span],
    annotated: Iterable[Span],
    rejected: Iterable[Span],
    *,
    decided: Collection[SpanKey],
    done: bool,
) -> list[Claim]:
    """Compare an annotation with a prediction.

    A decided span is matched first with the predicted span of the same offsets (type), then with the one of
    the same label that overlaps most (boundary); each predicted span is matched once.

    Args:
        decided: keys of annotated spans that the person set while this prediction was shown.
        done: whether the document is done, which decides every span and every gap.
    """
    annotated = [_bare(span) for span in sort_spans(annotated)]
    open_predictions = {span.key: _bare(span) for span in sort_spans(predicted)}
    claims: list[Claim] = []
    wrong: list[Span] = []
    for span in annotated:
        is_decided = done or span.key in decided
        if open_predictions.pop(span.key, None) is None:
            wrong += [span] if is_decided else []
        elif is_decided:
            claims.append(Claim("confirmed", span, span))
    claims += _matched(wrong, open_predictions)
    refused = {span.key for span in rejected}
    spurious = [span for key, span in open_predictions.items() if done or key in refused]
    return claims + [Claim("spurious", span, None) for span in spurious]


def refresh(
    db: sqlite3.Connection,
    standing: Standing,
    run: str | None,
    user: str,
    at: int,
    label_map: LabelIds | None = None,
) -> None:
    """Update a document's corrections within the transaction of a save.

    Corrections of ``run`` are recomputed; those of earlier runs stay while the annotation still agrees with
    them. Each claim is recorded once, for the first run. Claims with deleted labels are left alone.

    Args:
        label_map: the labels of the project, if they have been read.
    """
    document_id = standing.document_id
    rows = db.execute(
        "SELECT * FROM corrections WHERE document_id = ? ORDER BY id", (document_id,)
    ).fetchall()
    if not rows and run is None:
        return
    label_map = label_map or label_ids(db, standing.project_id)
    names = label_map.names
    state = _State(db, standing, run, names)
    told_before = ((row["id"], row["run"], claim_of(row, names)) for row in rows)
    old = {id_: (erred, claim) for id_, erred, claim in told_before if claim is not None}
    predicted = _prediction(db, document_id, run, names)
    told: list[Claim] = []
    if predicted is not None:
        told = compare(predicted, state.spans, state.rejected, decided=state.decided, done=state.done)
    kept: list[Claim] = []
    for id_, (erred, claim) in old.items():
        holds = claim in told if erred == run and predicted is not None else state.holds(claim)
        if holds:
            kept.append(claim)
        else:
            db.execute("DELETE FROM corrections WHERE id = ?", (id_,))
    said = {(claim.before, claim.after) for claim in kept}
    settled = {claim.after for claim in kept}
    for claim in told:
        # A span corrected earlier is not counted again when a later run gets it right.
        is_settled = claim.kind == "confirmed" and claim.after in settled
        if (claim.before, claim.after) not in said and not is_settled:
            db.execute(
                "INSERT INTO corrections (document_id, run, kind, before, after, user, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    document_id,
                    run,
                    claim.kind,
                    dump_span(claim.before, label_map.ids),
                    dump_span(claim.after, label_map.ids),
                    user,
                    at,
                ),
            )


class _State:
    """The current annotation of a document; ``decided``: spans that a person set while ``run`` was shown."""

    def __init__(self, db: sqlite3.Connection, standing: Standing, run: str | None, names: Names) -> None:
        rows = db.execute(
            "SELECT s.start, s.\"end\", s.label, e.run = ? AND e.action <> 'import' FROM spans s "
            "LEFT JOIN events e ON e.document_id = s.document_id AND e.annotator = s.annotator "
            "AND e.revision = s.revision WHERE s.document_id = ? AND s.annotator = ''",
            (run, standing.document_id),
        ).fetchall()
        self.spans = spans_of((row[:3] for row in rows), names)
        self.decided = {
            (start, end, name)
            for start, end, label, is_decided in rows
            if is_decided and (name := names[label]) is not None
        }
        self.rejected = load_spans(standing.rejected, names)
        self.done = standing.status == "done"

    def holds(self, claim: Claim) -> bool:
        """Whether the annotation still agrees with the claim."""
        stand = set(self.spans)
        if claim.kind == "confirmed":
            return claim.after in stand
        if claim.before in stand:
            return False
        if claim.after is None:
            return self.done or claim.before in self.rejected
        return claim.after in stand


def _matched(wrong: list[Span], open_predictions: dict[SpanKey, Span]) -> list[Claim]:
    """Claims for spans missing in the prediction; removes the spans they replace from
    ``open_predictions``."""
    claims: list[Claim] = []
    by_extent = {(span.start, span.end): key for key, span in open_predictions.items()}
    unmatched: list[Span] = []
    for span in wrong:
        key = by_extent.pop((span.start, span.end), None)
        if key is None:
            unmatched.append(span)
        else:
            claims.append(Claim("type", open_predictions.pop(key), span))
    pairs = [
        (min(a.end, b.end) - max(a.start, b.start), a, b.key)
        for a in unmatched
        for b in open_predictions.values()
        if a.label == b.label and a.overlaps(b)
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1].key, pair[2]))
    for _, span, key in pairs:
        if span in unmatched and key in open_predictions:
            unmatched.remove(span)
            claims.append(Claim("boundary", open_predictions.pop(key), span))
    return claims + [Claim("missed", None, span) for span in unmatched]


def _prediction(
    db: sqlite3.Connection, document_id: int, run: str | None, names: Names
) -> tuple[Span, ...] | None:
    predicted = db.execute(
        "SELECT spans FROM predictions WHERE run = ? AND document_id = ?", (run, document_id)
    )
    row = predicted.fetchone()
    return None if row is None else load_spans(row["spans"], names)


def claim_of(row: sqlite3.Row, names: Names) -> Claim | None:
    """The claim of a row of ``corrections``; None if nothing of it is left.

    A deleted label removes its side of the claim. After merging two labels, confusing them is no longer an
    error.
    """
    before, after = load_span(row["before"], names), load_span(row["after"], names)
    if row["kind"] == "confirmed":
        return None if after is None else Claim("confirmed", before, after)
    if before == after:
        return None
    if before is None:
        return Claim("missed", None, after)
    return Claim("spurious", before, None) if after is None else Claim(row["kind"], before, after)


def _bare(span: Span) -> Span:
    return span if span.score is None else Span(*span.key)
