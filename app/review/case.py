"""One document under adjudication: versions, differences with decisions, and the merge strategy's proposal.

The tagger's vote is blind: its opinion on a difference is included only after the reviewer's decision.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from app.services.session import Session
from app.ui.numbers import whole_percent
from app.ui.payload import Payload
from app.ui.widgets.sentence import span_object
from core.agreement import merging
from core.agreement.merging import Candidate, Difference, Strategy
from core.store.annotation import annotations as store_annotations
from core.store.document import documents
from core.store.knowledge import bases
from core.store.label import labels
from core.store.project import projects
from core.store.review import adjudications, decisions, link_choices
from core.store.review import versions as store_versions
from core.store.review.decisions import Decision
from core.store.review.link_choices import LinkChoice
from core.store.review.versions import Version
from core.store.run import predictions, runs
from core.text import Document, EntityLink, LabelSet, Span, SpanKey, sort_spans

TAGGER = "\0tagger"  # the tagger as a voter; no user can have this name
SEEN_REGIONS = "\0regions"  # key of the hash of annotated regions in ``shown``


class Options(Payload):
    """The reviewer's options: strategy, threshold, unfinished versions, a vote for the tagger."""

    strategy: Strategy = "majority"
    threshold: Annotated[int, Field(ge=1)] = 2
    unfinished: bool = False
    tagger_votes: bool = False


@dataclass
class Case:
    """A document as a reviewer sees it.

    Args:
        revision: of the gold annotation, which finishing replaces.
        linked: links that a reviewer chose, in place of the one that most gave.
        predicted: spans of the active tagger; None without a prediction.
        run: the active run, if any.
    """

    document: Document
    document_id: int
    revision: int
    versions: Sequence[Version]
    decided: Mapping[SpanKey, Decision]
    linked: Mapping[SpanKey, LinkChoice]
    predicted: Sequence[Span] | None
    run: str | None
    labels: LabelSet
    options: Options
    people: list[merging.Version] = field(init=False)

    def __post_init__(self) -> None:
        self.people = [
            merging.Version(version.user, version.spans, version.annotated) for version in self.versions
        ]

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """All marked or decided spans, grouped by overlap."""
        return merging.differences(self.people, [decision.span for decision in self.decided.values()])

    @cached_property
    def open(self) -> tuple[Difference, ...]:
        """The undecided differences."""
        return tuple(
            difference
            for difference in self.differences
            if difference.kind != "unanimous" and not self.is_decided(difference)
        )

    def is_decided(self, difference: Difference) -> bool:
        """Whether every span of the difference is decided."""
        return all(candidate.span.key in self.decided for candidate in difference.candidates)

    @property
    def shown(self) -> dict[str, int]:
        """The state shown to the reviewer: ``seen``, the gold annotation's revision, and a hash of the
        annotated regions, which have no revision."""
        regions = json.dumps([version.annotated for version in self.versions])
        return {**self.seen, "": self.revision, SEEN_REGIONS: zlib.crc32(regions.encode())}

    @cached_property
    def unseen(self) -> int:
        """Number of characters nobody has annotated."""
        length = len(self.document.text)
        return sum(end - start for start, end in merging.unseen(self.people, length)) if self.people else 0

    @property
    def seen(self) -> dict[str, int]:
        """Revisions of the versions, by annotator."""
        return {version.user: version.revision for version in self.versions}

    def tagger_says(self, span: Span) -> bool | None:
        """Whether the tagger predicts the span; None without a prediction."""
        return None if self.predicted is None else span.key in {predicted.key for predicted in self.predicted}

    def proposal(self, *, with_tagger: bool) -> dict[SpanKey, bool]:
        """The merge strategy's verdict on every candidate. Unanimous spans are always accepted.

        Args:
            with_tagger: count the tagger's vote, if enabled.
        """
        voices = list(self.people)
        if with_tagger and self.options.tagger_votes and self.predicted is not None:
            # Only on spans somebody marked: the tagger adds no candidates.
            voices.append(merging.Version(TAGGER, tuple(self.predicted)))
        threshold = min(self.options.threshold, len(voices))
        taken = {span.key for span in merging.merge(voices, self.options.strategy, threshold)}
        return {
            candidate.span.key: group.kind == "unanimous" or candidate.span.key in taken
            for group in self.differences
            for candidate in group.candidates
        }

    def verdicts(self, *, with_tagger: bool) -> dict[SpanKey, bool]:
        """The reviewer's decisions, else the strategy's verdicts."""
        decided = {key: decision.verdict == "accepted" for key, decision in self.decided.items()}
        return self.proposal(with_tagger=with_tagger) | decided

    def merged(self, *, with_tagger: bool) -> tuple[Span, ...]:
        """The spans that finishing would write."""
        taken = self.verdicts(with_tagger=with_tagger)
        return sort_spans(Span(*key, link=self.link_of(key)) for key, wanted in taken.items() if wanted)

    def link_of(self, key: SpanKey) -> EntityLink | None:
        """The link of the span in the merge: the reviewer's choice, else the one that most gave it."""
        if key in self.linked:
            return self.linked[key].span.link
        return merging.agreed_link(self.people, key)

    @cached_property
    def links_to_choose(self) -> list[tuple[Span, list[tuple[str, EntityLink | None]]]]:
        """The spans that several people have and do not link alike, and those with a reviewer's choice, each
        with its link in the merge and everybody's."""
        keys = [candidate.span.key for group in self.differences for candidate in group.candidates]
        told = [(key, merging.links_of(self.people, key)) for key in keys]
        return [
            (Span(*key, link=self.link_of(key)), links)
            for key, links in told
            if key in self.linked or not _alike([link for _, link in links])
        ]


def read_case(session: Session, document_id: int, options: Options) -> Case:
    """Read the case of a document for this reviewer.

    Raises:
        NotAllowed: the person may not review. NotFound: no such document.
    """
    workspace, user = session.workspace, session.user
    people = store_versions.versions(workspace, document_id, by=user, finished_only=not options.unfinished)
    decided = decisions.current(workspace, document_id, by=user)
    project_id = documents.project_of(workspace, document_id)
    run = projects.get(workspace, project_id).active_run
    current = store_annotations.current(workspace, document_id)
    return Case(
        document=current.document,
        document_id=document_id,
        revision=current.revision,
        versions=people,
        decided={decision.span.key: decision for decision in decided},
        linked=link_choices.current(workspace, document_id, by=user),
        predicted=predictions.get(workspace, run, document_id) if run else None,
        run=runs.get(workspace, run).title if run else None,
        labels=labels.get(workspace, project_id),
        options=options,
    )


def finish(session: Session, case: Case) -> int:
    """Save the merged spans as the gold annotation; returns the batch.

    Raises:
        PeopleError, StaleRevision: no version is done, or a version or the gold annotation was saved since
            the case was read; nothing was written.
    """
    word = case.proposal(with_tagger=True) if case.people else {}
    asked = [candidate.span.key for group in case.open for candidate in group.candidates]
    resolved = {key: word[key] for key in asked if key not in case.decided}
    return adjudications.finish(
        session.workspace, case.document_id, case.merged(with_tagger=True) if case.people else (),
        by=session.user, strategy=case.options.strategy, seen=case.seen, resolved=resolved,
        base_revision=case.revision,
    )  # fmt: skip


def case_object(session: Session, case: Case) -> dict[str, Any]:
    """The case as JSON for the page, with the tagger's vote only on decided differences."""
    blind = bool(case.open)
    proposal = case.proposal(with_tagger=False) if case.people else {}
    left = sum(
        candidate.span.key not in case.decided for group in case.open for candidate in group.candidates
    )
    return {
        "id": case.document_id,
        "name": case.document.id,
        "text": case.document.text,
        "labels": case.labels.to_json(),
        "versions": [_version_object(version, len(case.document.text)) for version in case.versions],
        "unseen": 100 - whole_percent(len(case.document.text) - case.unseen, len(case.document.text)),
        "differences": [_difference_object(case, difference, proposal) for difference in case.differences],
        "open": len(case.open),
        "left": left,
        "merged": [_span(span) for span in case.merged(with_tagger=not blind)] if case.people else [],
        "tagger": {"run": case.run, "answered": case.predicted is not None},
        "only_tagger": [] if blind else _only_tagger(case),
        "linkable": _is_linkable(session, case),
        "links": [_link_object(case, span, links) for span, links in case.links_to_choose],
    }


def _version_object(version: Version, length: int) -> dict[str, Any]:
    seen = length if version.annotated is None else sum(end - start for start, end in version.annotated)
    return {
        "user": version.user, "status": version.status, "updated": version.updated,
        "spans": [_span(span) for span in version.spans],
        "annotated": None if version.annotated is None else [list(region) for region in version.annotated],
        "seen": whole_percent(seen, length),
    }  # fmt: skip


def _difference_object(case: Case, group: Difference, proposal: Mapping[SpanKey, bool]) -> dict[str, Any]:
    is_decided = case.is_decided(group)
    return {
        "kind": group.kind,
        "decided": is_decided,
        "candidates": [
            _candidate_object(case, candidate, proposal, is_decided) for candidate in group.candidates
        ],
    }


def _candidate_object(
    case: Case, candidate: Candidate, proposal: Mapping[SpanKey, bool], is_decided: bool
) -> dict[str, Any]:
    decision = case.decided.get(candidate.span.key)
    return _span(Span(*candidate.span.key, link=case.link_of(candidate.span.key))) | {
        "voters": list(candidate.voters),
        "silent": list(candidate.silent),
        "proposed": proposal.get(candidate.span.key, False),
        "verdict": decision.verdict if decision else None,
        "category": decision.category if decision else "",
        "note": decision.note if decision else "",
        "by": decision.user if decision else "",
        "tagger": case.tagger_says(candidate.span) if is_decided else None,
    }


def _is_linkable(session: Session, case: Case) -> bool:
    """Whether links are a matter in this project: it has a knowledge base, or somebody linked a span here."""
    linked = any(span.link for version in case.versions for span in version.spans)
    return linked or bool(bases.listed(session.workspace, session.project_id))


def _link_object(case: Case, span: Span, links: Sequence[tuple[str, EntityLink | None]]) -> dict[str, Any]:
    choice = case.linked.get(span.key)
    return _span(span) | {
        "given": [{"user": user, "link": _link(link)} for user, link in links],
        "chosen_by": choice.user if choice else "",
    }


def _only_tagger(case: Case) -> list[dict[str, Any]]:
    candidates = {candidate.span.key for group in case.differences for candidate in group.candidates}
    return [
        _span(span)
        for span in case.predicted or ()
        if span.key not in candidates and span.label in case.labels
    ]


def _alike(links: Sequence[EntityLink | None]) -> bool:
    first = links[0] if links else None
    return all(link is None if first is None else link is not None and first.same(link) for link in links)


def _link(link: EntityLink | None) -> dict[str, str] | None:
    return None if link is None else link.to_json()


def _span(span: Span) -> dict[str, Any]:
    return span_object(span)
