"""Data of the Dashboard, cached in the session until something changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

import numpy as np

from app.services.session import Session
from core.agreement import AgreementReport, AnnotatedDocument, ReliabilityData, Result, agreement
from core.agreement.alpha import nominal_alpha
from core.agreement.characters import characters
from core.agreement.span_f1 import SpanMatches, span_f1
from core.agreement.tallies import Resampling
from core.corpus.errors import CorpusError
from core.corpus.snapshot import read_manifest
from core.inspection.corpus.power_law import PowerLaw, fit
from core.store.document import documents
from core.store.label import labels
from core.store.project import assignments, members
from core.store.review import activity
from core.store.review.activity import FinishedVersions, Handed, Saves
from core.store.review.pace import DAY, Pace, pace
from core.store.run import runs

MEMORY = "dashboard"
RESAMPLES = 300  # of the intervals on the page; python -m core agree takes more
AT_ONCE = 1_500  # versions up to which agreement is computed without asking
MOST_GROUPS = 8  # number of intervals of agreement over time
LEAST_IN_GROUP = 5  # documents
RECENT_DAYS = 7  # working days used for the current pace
EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Trained:
    """A finished run: number of training documents and held-out F1."""

    name: str
    tagger: str
    documents: int
    f1: float
    part: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """Agreement on documents finished consecutively; ``until``: time of the last one."""

    until: date
    documents: int
    span_f1: Result
    alpha: Result


@dataclass(frozen=True)
class Overview:
    """Data of the page; slow parts are computed lazily."""

    counts: Mapping[str, int]
    spans: Mapping[str, int]
    colours: Mapping[str, str]
    saves: Saves
    by_day: Mapping[int, Mapping[str, int]]
    several: bool
    handed: Handed
    separate: bool
    versions: tuple[FinishedVersions, ...]
    trained: tuple[Trained, ...]
    offset: int

    @cached_property
    def days(self) -> np.ndarray:
        """``[N]``, the day of every save in the server's time zone, in days since 1970."""
        day_numbers: np.ndarray = (self.saves.at + 1000 * self.offset) // DAY
        return day_numbers

    @property
    def left(self) -> int:
        """Number of documents neither done nor ignored; with individual versions, of versions not done."""
        if self.separate:
            return max(0, self.handed.handed - self.handed.done)
        return self.counts["all"] - self.counts["done"] - self.counts["ignored"]

    @property
    def marked(self) -> Mapping[str, int]:
        """Gold spans by label, or those of the annotators' versions while there are no gold spans."""
        has_gold = any(self.spans.values()) or not self.handed.spans
        return self.spans if has_gold else {**dict.fromkeys(self.spans, 0), **self.handed.spans}

    @cached_property
    def by_date(self) -> dict[date, Pace]:
        """The pace of every day with work."""
        return {day_of(day): pace(self.saves, self.days == day) for day in np.unique(self.days)}

    @cached_property
    def people(self) -> dict[str, Pace]:
        """The pace of every person, by name."""
        return {
            user: pace(self.saves, self.saves.user == place) for place, user in enumerate(self.saves.users)
        }

    @cached_property
    def now(self) -> Pace:
        """The current pace: of the last working days."""
        return pace(self.saves, np.isin(self.days, np.unique(self.days)[-RECENT_DAYS:]))

    @cached_property
    def curves(self) -> dict[str, tuple[tuple[Trained, ...], PowerLaw | None]]:
        """By tagger: its runs by training documents, and the power law through them."""
        by_tagger: dict[str, tuple[tuple[Trained, ...], PowerLaw | None]] = {}
        for tagger in dict.fromkeys(run.tagger for run in self.trained):
            mine = tuple(
                sorted((run for run in self.trained if run.tagger == tagger), key=lambda run: run.documents)
            )
            by_tagger[tagger] = mine, fit([run.documents for run in mine], [run.f1 for run in mine])
        return by_tagger

    @cached_property
    def data(self) -> ReliabilityData:
        """The finished versions as data of agreement."""
        return ReliabilityData(
            tuple(
                AnnotatedDocument(document.name, document.length, document.versions)
                for document in self.versions
            )
        )

    @property
    def compared(self) -> int:
        """Number of versions that agreement would compare."""
        return sum(len(document.versions) for document in self.versions)

    @property
    def is_agreement_ready(self) -> bool:
        """Whether agreement is computed, or quick to compute."""
        return "report" in self.__dict__ or self.compared <= AT_ONCE

    @cached_property
    def report(self) -> AgreementReport:
        """Agreement over everybody, by pair and by label."""
        return agreement(self.data, resamples=RESAMPLES)

    def compare(self, tell: Callable[[int, int], None]) -> None:
        """Compute ``report``.

        Args:
            tell: called with the number of resamples done and of all; what it raises ends the work.
        """
        tell(0, RESAMPLES)
        found = agreement(self.data, resamples=RESAMPLES, progress=lambda done: tell(done, RESAMPLES))
        self.__dict__["report"] = found  # as the property would

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """Agreement over time: equal numbers of documents in the order in which they were finished."""
        groups = min(MOST_GROUPS, len(self.versions) // LEAST_IN_GROUP)
        if groups < 2:
            return ()
        parts = np.array_split(np.arange(len(self.versions)), groups)
        return tuple(self._stretch(part.tolist()) for part in parts)

    def _stretch(self, places: list[int]) -> Stretch:
        chosen = ReliabilityData(tuple(self.data.documents[at] for at in places), self.data.annotators)
        tallies = [
            span_f1(SpanMatches.of(chosen), range(len(chosen.pairs))),
            nominal_alpha(characters(chosen)),
        ]
        drawn = Resampling(len(chosen.shared), RESAMPLES).intervals(tallies)
        f1, alpha = (tally.result(interval) for tally, interval in zip(tallies, drawn, strict=True))
        last = self.versions[places[-1]].at
        return Stretch(day_of((last + 1000 * self.offset) // DAY), len(places), f1, alpha)


def overview_of(session: Session) -> Overview:
    """The overview of the session's project, cached."""
    workspace, project = session.workspace, session.project_id
    seen = activity.stamp(workspace, project)
    kept = session.memory.get(MEMORY)
    if isinstance(kept, tuple) and kept[0] == seen:
        cached: Overview = kept[1]
        return cached
    offset = -(time.altzone if time.localtime().tm_isdst else time.timezone)
    saves = activity.saves(workspace, project)
    separate = assignments.plan(workspace, project).workflow == "separate"
    overview = Overview(
        documents.count(workspace, project),
        labels.span_counts(workspace, project),
        {label.name: label.colour for label in labels.get(workspace, project)},
        saves,
        activity.labelled_by_day(workspace, project, offset),
        len(saves.users) > 1 or separate or len(members.of(workspace, project)) > 1,
        activity.handed(workspace, project),
        separate,
        tuple(activity.finished_versions(workspace, project)),
        _trained(session),
        offset,
    )
    session.memory[MEMORY] = (seen, overview)
    return overview


def day_of(number: int) -> date:
    """The date of a day since 1970."""
    return EPOCH + timedelta(days=int(number))


def _trained(session: Session) -> tuple[Trained, ...]:
    """The finished runs with a snapshot and a score, oldest first; test scores before dev scores."""
    trained = []
    for run in runs.all_runs(session.workspace, session.project_id, "finished"):
        try:
            count = read_manifest(run.folder / "snapshot").documents("train")
        except (CorpusError, OSError):
            continue  # a run that was registered from elsewhere has no snapshot
        for part in ("test", "dev"):
            scores = run.scores.get(part)
            f1 = scores.get("f1") if isinstance(scores, dict) else None
            if isinstance(f1, (int, float)) and 0 <= f1 <= 1 and count > 0:
                trained.append(Trained(run.title, run.tagger, count, float(f1), part))
                break
    return tuple(trained)
