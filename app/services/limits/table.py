"""The limits of one person and of the server, for each way of running it: one table.

`docs/team.md` has it for operators. None is no limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.i18n import _, counted
from app.services.limits.buckets import Rate
from app.services.limits.refusals import OverLimit
from app.services.storage.scratch import KEPT_SECONDS

MEGABYTE = 2**20
GIGABYTE = 2**30
DAY = 86_400.0
VISITOR_REQUESTS = Rate(600, 60.0)
VISITOR_SENT = Rate(100 * MEGABYTE, DAY)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits; the defaults are those of a demo, of which the page shows some.

    Args:
        demo: whether every visitor has a copy of their own, with no part in what belongs to the server.
        requests: of a person, token or visitor. sent: bytes of a person, with uploads, in a day.
        upload: bytes of one file.
        characters: of one text that is tagged, inspected or, in a demo, imported.
        documents: of all projects of a workspace. disk: bytes of a workspace, runs included.
        jobs: trainings of one person that run or wait. all_jobs: of a workspace.
        works: other long work of one page at once.
        training_seconds: maximum time of a run. trainings: at once, for all visitors.
        questions: to taggers, of one person, that are worked on or wait. all_questions: of everybody.
        taggers: uses of a tagger at once, of all visitors.
        sessions: pages of one person that are remembered; of a visitor, copies.
        idle_seconds: until an unused copy is deleted. visitors: copies at once.
    """

    demo: bool = True
    requests: Rate | None = VISITOR_REQUESTS
    sent: Rate | None = VISITOR_SENT
    upload: int = 5 * MEGABYTE
    characters: int | None = 5000
    documents: int | None = 6000
    disk: int | None = 500 * MEGABYTE
    jobs: int | None = 3
    all_jobs: int | None = None
    works: int | None = 3
    training_seconds: float | None = 600.0
    trainings: int = 1
    questions: int | None = 6
    all_questions: int | None = 24
    taggers: int = 2
    sessions: int | None = 4
    idle_seconds: float = 1800.0
    visitors: int = 60

    @classmethod
    def of_people(cls) -> Limits:
        """Those of people who share a server: generous."""
        return cls(
            demo=False,
            requests=Rate(3000, 60.0),
            sent=Rate(10 * GIGABYTE, DAY),
            upload=500 * MEGABYTE,
            characters=200_000,
            documents=None,
            disk=100 * GIGABYTE,
            jobs=10,
            all_jobs=50,
            works=8,
            training_seconds=None,
            questions=12,
            sessions=64,
        )

    @classmethod
    def alone(cls) -> Limits:
        """Those of one person on their own machine: none but Gradio's, of one file."""
        return cls(
            demo=False,
            requests=None,
            sent=None,
            upload=500 * MEGABYTE,
            characters=None,
            documents=None,
            disk=None,
            jobs=None,
            works=None,
            training_seconds=None,
            questions=None,
            all_questions=None,
            sessions=None,
        )

    @property
    def kept_seconds(self) -> float:
        """How long uploads and files to download are kept: a day, or as long as an unused copy."""
        return self.idle_seconds if self.demo else KEPT_SECONDS

    def check_texts(self, texts: Iterable[str]) -> None:
        """Refuse a text that is too long.

        Raises:
            OverLimit: says the limit and the length.
        """
        self.check_length(max((len(text) for text in texts), default=0))

    def check_length(self, longest: int) -> None:
        """As `check_texts`, of the longest of some texts."""
        if self.characters is None or longest <= self.characters:
            return
        if self.demo:
            raise OverLimit(
                "characters",
                _(
                    "The demo takes texts of at most {limit}; this one has {count}. Shorten it, or "
                    "run LatticeLens on your own machine."
                ),
                limit=counted.characters(self.characters),
                count=longest,
            )
        raise OverLimit(
            "characters",
            _("This server takes texts of at most {limit} here; this one has {count}. Cut it into parts."),
            limit=counted.characters(self.characters),
            count=longest,
        )

    def check_documents(self, count: int) -> None:
        """Refuse a workspace of ``count`` documents if that is too many.

        Raises:
            OverLimit: says the limit and the number.
        """
        if self.documents is not None and count > self.documents:
            raise OverLimit(
                "documents",
                _(
                    "The demo holds at most {limit} and there would be {count}. Leave some out, or "
                    "run LatticeLens on your own machine."
                ),
                limit=counted.documents(self.documents),
                count=count,
            )


ALONE = Limits.alone()
