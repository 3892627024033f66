"""How many documents a source was not asked about yet, and what asking will cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from app.i18n import Message, _
from app.services.session import Session
from app.services.sources.asking import Report
from app.services.sources.opening import examples_of
from core.sources import SourceSettings
from core.sources.language_model.expected_usage import MOST_EXAMPLES, expected_usage
from core.store.label import labels
from core.store.suggest import sources

SAMPLE = 200  # documents from which the tokens are reckoned


def unasked(
    session: Session, number: int, settings: SourceSettings, report: Report, *, to_teach: bool = False
) -> str:
    """What is still to be asked, with the tokens and the cost of a language model.

    Args:
        number: of the stored source. report: of its last run. to_teach: dev and test are left out.
    """
    workspace, project_id = session.workspace, session.project_id
    left, characters = sources.count_unasked(workspace, project_id, number, to_teach=to_teach)
    told = [
        session.ngettext(
            "{count} raw document has not been processed yet ({characters} characters).",
            "{count} raw documents have not been processed yet ({characters} characters).",
            count=left,
            characters=f"{characters:,}",
        )
    ]
    if left and settings.kind == "language_model":
        texts = sources.unasked(workspace, project_id, number, to_teach=to_teach)
        sample = [document.text for _id, document in islice(texts, SAMPLE)]
        told.append(session._(_cost(session, settings, report, sample, left, characters)))
    return session.paragraph(*told)


def _cost(
    session: Session,
    settings: SourceSettings,
    report: Report,
    sample: Sequence[str],
    left: int,
    characters: int,
) -> Message:
    if report.characters:
        share = characters / report.characters
        cost = f"{report.cost * share:.2g}" if report.cost else ""
        return _(
            "At the rate of the last run they take about {tokens} tokens, {seconds} s{cost}.",
            tokens=f"{round((report.read + report.written) * share):,}",
            seconds=f"{report.seconds * share:,.0f}",
            cost=f", {cost}" if cost else "",
        )
    examples = examples_of(session, MOST_EXAMPLES) if settings.examples else []
    label_set = labels.get(session.workspace, session.project_id)
    expected = expected_usage(settings, label_set, examples, sample, left, characters)
    price = settings.cost(expected.read, expected.written)
    return _(
        "Very roughly, it reads {read} tokens and writes {written}{cost}; trying a sentence shows more.",
        read=f"{expected.read:,}",
        written=f"{expected.written:,}",
        cost=f", {price:.2g}" if price else "",
    )
