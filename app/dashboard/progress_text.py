"""What the Dashboard says in words: progress so far, and what the next hour of work would gain."""

from __future__ import annotations

from app.dashboard.overview import Overview
from app.i18n import counted
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.numbers import percent, share


def numbers(session: Session, overview: Overview) -> str:
    """Progress in three lines."""
    counts, now = overview.counts, overview.now
    documents = session.ngettext(
        "**{done}** of **{count}** document done ({share}); {progress} in progress, {new} untouched.",
        "**{done}** of **{count}** documents done ({share}); {progress} in progress, {new} untouched.",
        count=counts["all"],
        done=f"{counts['done']:,}",
        share=share(counts["done"], counts["all"]),
        progress=f"{counts['in_progress']:,}",
        new=f"{counts['new']:,}",
    )
    if counts["brought"]:
        documents += session.ngettext(
            " Of the untouched, {count} was imported with labels: it is used for training and can be "
            "checked.",
            " Of the untouched, {count} were imported with labels: they are used for training and can be "
            "checked.",
            count=counts["brought"],
        )
    if counts["to_check"]:
        documents += session.ngettext(
            " {count} is to be checked.", " {count} are to be checked.", count=counts["to_check"]
        )
    if counts["ignored"]:
        documents += session.ngettext(
            " {count} is ignored.", " {count} are ignored.", count=counts["ignored"]
        )
    lines = [
        documents,
        session.ngettext(
            "**{count}** gold span; the project has {labels}.",
            "**{count}** gold spans; the project has {labels}.",
            count=sum(overview.spans.values()),
            labels=counted.labels(len(overview.spans)),
        ),
    ]
    if overview.separate:
        lines.insert(
            1,
            session.ngettext(
                "**{count}** version assigned, **{done}** finished, with {spans}.",
                "**{count}** versions assigned, **{done}** finished, with {spans}.",
                done=f"{overview.handed.done:,}",
                count=overview.handed.handed,
                spans=counted.spans(sum(overview.handed.spans.values())),
            ),
        )
    if now.documents_per_hour is None or now.spans_per_hour is None:
        lines.append(session._("Not enough work yet to estimate speed."))
    else:
        lines.append(
            session._(
                "**{documents}** and **{spans}** an hour of work, over the last {hours} at "
                "work (pauses of more than 5 minutes left out).",
                documents=counted.documents(rounded(now.documents_per_hour)),
                spans=counted.spans(rounded(now.spans_per_hour)),
                hours=counted.hours(round(now.hours, 1)),
            )
        )
    return "\n\n".join(lines)


def next_hour(session: Session, overview: Overview) -> str:
    """Expected gain of the next hour: documents, and F1 by the learning curve."""
    speed = overview.now.documents_per_hour
    parts = [f"## {session._('The next hour of work')}"]
    left = overview.left
    if speed is None:
        parts.append(session._("Not enough work yet to estimate speed."))
    elif not left:
        waiting = overview.counts["all"] - overview.counts["done"] - overview.counts["ignored"]
        parts.append(
            session.ngettext(
                "All assigned versions are done; {count} document is not reviewed yet.",
                "All assigned versions are done; {count} documents are not reviewed yet.",
                count=waiting,
            )
            if overview.separate and waiting
            else session._("Every document is done.")
        )
    else:
        parts.append(
            session.ngettext(
                "At the current speed an hour of work gives about **{count}** document; the rest takes "
                "about {hours}.",
                "At the current speed an hour of work gives about **{count}** documents; the rest takes "
                "about {hours}.",
                count=rounded(min(speed, left)),
                hours=counted.hours(rounded(left / speed)),
            )
        )
    if not overview.curves:
        return "\n\n".join(
            [*parts, session._("Its effect on F1 is unknown until a run has been trained here.")]
        )
    for tagger, (runs, law) in overview.curves.items():
        if law is None:
            sizes = len({run.documents for run in runs})
            parts.append(
                session.ngettext(
                    "{tagger}: runs on {count} number of documents; a curve needs three or more.",
                    "{tagger}: runs on {count} different numbers of documents; a curve needs three or more.",
                    tagger=code_span(tagger),
                    count=sizes,
                )
            )
            continue
        low, high = law.slope_interval
        slope = {"slope": f"{law.slope:.2f}", "low": f"{low:.2f}", "high": f"{high:.2f}"}
        if not law.rises:
            parts.append(
                session.ngettext(
                    "{tagger}: the {count} run does not show that more documents help (slope "
                    "{slope}, 95% interval {low} to {high}).",
                    "{tagger}: the {count} runs do not show that more documents help (slope "
                    "{slope}, 95% interval {low} to {high}).",
                    tagger=code_span(tagger),
                    count=law.points,
                    **slope,
                )
            )
            continue
        today = runs[-1].documents
        more = min(speed or 0, left)
        before, (after, worst, best) = law.f1(today)[0], law.f1(today + more)
        if not more:
            parts.append(
                session._(
                    "{tagger}: at {today} its curve is at F1 {before} and still rises (slope "
                    "{slope}, 95% interval {low} to {high}, from {points}).",
                    tagger=code_span(tagger),
                    points=counted.runs(law.points),
                    today=counted.documents(today),
                    before=percent(before),
                    **slope,
                )
            )
            continue
        parts.append(
            session.ngettext(
                "{tagger}: with {count} more document than today's {today}, F1 would go from "
                "{before} to about **{after}** (95% interval {worst} to {best}; slope "
                "{slope}, {low} to {high}, from {points}).",
                "{tagger}: with {count} more documents than today's {today}, F1 would go from "
                "{before} to about **{after}** (95% interval {worst} to {best}; slope "
                "{slope}, {low} to {high}, from {points}).",
                tagger=code_span(tagger),
                points=counted.runs(law.points),
                today=f"{today:,}",
                before=percent(before),
                count=rounded(more),
                after=percent(after),
                worst=percent(worst),
                best=percent(best),
                **slope,
            )
        )
    return "\n\n".join(parts)


def rounded(value: float) -> float:
    """A number of things: whole from ten on, else with one decimal."""
    return round(value) if value >= 10 else round(value, 1)
