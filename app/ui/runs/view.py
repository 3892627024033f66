"""The Train page's view of a run: progress, curves, log, scores, verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import gradio as gr

from app.i18n import _, pgettext
from app.i18n.terms import RUN_STATES, SPLIT_NAMES
from app.services import in_project
from app.services.session import Session
from app.services.training.training_runs import sentence_in, sentence_of, state_of, told_of
from app.ui.figures.scores import label_scores
from app.ui.figures.training_curves import training_curves
from app.ui.numbers import date, percent, whole_percent
from app.ui.progress import bar, time_left
from app.ui.window.status_bar import headline_f1
from core.store.run import runs
from core.store.run.runs import Run
from core.training.run.run_folder import RunFolder
from core.training.run.run_state import RunState

COLUMN_NAMES = {
    "run": _("run"),
    "status": _("status"),
    "dev": _("dev F1"),
    "test": _("test F1"),
    "epochs": _("epochs"),
    "seconds": _("s per epoch"),
    "parent": pgettext("run", "after"),
    "created": _("started"),
    "note": pgettext("run", "note"),
    "label": _("label"),
    "precision": _("precision"),
    "recall": _("recall"),
    "f1": _("F1"),
    "gold": pgettext("column", "gold"),
    "predicted": _("predicted"),
}

MOST_COMPARED = 5


def progress_html(
    session: Session, run: Run, state: RunState, events: Sequence[Mapping[str, Any]] = ()
) -> str:
    """One line and a bar: step, progress, time left, and with its ``events`` the seconds an epoch takes."""
    line = told_of(session, run.title, state, sentence_of(state.error or state.message, session))
    return job_bar(session, line, state, events)


def job_bar(session: Session, line: str, state: RunState, events: Sequence[Mapping[str, Any]] = ()) -> str:
    """The bar of a job under ``line``; see `progress_html`."""
    fraction = 1.0 if state.status == "finished" else state.fraction
    left = time_left(state.remaining_seconds, session.language) if state.active else ""
    epochs = [event["seconds"] for event in events if event.get("event") == "epoch" and "seconds" in event]
    rate = session._("{seconds} s an epoch", seconds=f"{epochs[-1]:.1f}") if epochs and state.active else ""
    done = f"{whole_percent(fraction)}% {left}".strip()
    return bar(fraction, line, " · ".join(part for part in (done, rate) if part))


def events_of(run: Run) -> list[dict[str, Any]]:
    """All events of the run."""
    return RunFolder(run.folder).events()


def have_epochs(session: Session, names: Sequence[str]) -> bool:
    """Whether one of these runs was trained in epochs, and so has a curve."""
    events = (event for name in names for event in events_of(in_project.run(session, name)))
    return any(event.get("event") in ("epoch", "step") for event in events)


def curves(session: Session, names: Sequence[str]) -> Any:
    """The curves of these runs, the current one first."""
    shown = [in_project.run(session, name) for name in names[: MOST_COMPARED + 1]]
    events = {run.title: events_of(run) for run in shown}
    return training_curves(events, session.language)


def log_html(session: Session, events: Sequence[Mapping[str, Any]]) -> str:
    """The run's log, newest line last."""
    lines = [line for event in events if (line := log_line(session, event))]
    if not lines:
        nothing = session._("No log: this run was not trained here, or has not started.")
        return f'<p class="ll-how">{escape(nothing)}</p>'
    return '<ol class="ll-log-lines">' + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ol>"


def log_line(session: Session, event: Mapping[str, Any]) -> str:
    """An event as a sentence; empty for internal events."""
    kind = event.get("event")
    if kind == "started":
        why = sentence_in(event, "why", session)
        line = session._("Computing on {device}: {why}", device=event.get("device", ""), why=why)
        resumed = int(event.get("resumed_from") or 0)
        return line + (
            " "
            + session.ngettext(
                "Resuming after {count} complete epoch.",
                "Resuming after {count} complete epochs.",
                count=resumed,
            )
            if resumed
            else ""
        )
    if kind == "round":
        return session._(
            "Training {number} of at most {most}: {title}.",
            number=event["round"],
            most=event["of"],
            title=sentence_in(event, "title", session),
        )
    if kind == "epoch":
        dev = event.get("dev")
        return session._(
            "Epoch {epoch} of {epochs}: loss {loss}, dev F1 {f1}, {seconds} s{best}",
            epoch=event["epoch"],
            epochs=event["epochs"],
            loss=f"{event['loss']:.3f}",
            f1=percent(dev["f1"] if dev else None),
            seconds=f"{event['seconds']:.1f}",
            best=session._(", the best so far") if event.get("best") else "",
        )
    if kind == "finished":
        return session._("Finished.")
    if kind in ("log", "failed", "cancelled"):
        return sentence_in(event, "message", session)
    return ""


def part_of(run: Run) -> str | None:
    """The split whose scores count: test, else dev, else none."""
    return next((part for part in ("test", "dev") if isinstance(run.scores.get(part), dict)), None)


def scores_rows(session: Session, run: Run) -> list[list[Any]]:
    """Rows of the table of scores, all labels together first; ratios in percent."""
    part = part_of(run)
    if part is None:
        return []
    scores = run.scores[part]
    rows = [(session._(pgettext("labels", "all")), scores["micro"]), *sorted(scores["per_label"].items())]
    return [
        [
            name,
            *(percent(s[key]) for key in ("precision", "recall", "f1")),
            str(s["gold"]),
            str(s["predicted"]),
        ]
        for name, s in rows
    ]


def scores_updates(session: Session, run: Run, compared: Sequence[str]) -> dict[str, Any]:
    """The scores by label; hidden without a dev or test split."""
    part = part_of(run)
    if part is None:
        return {
            "caption": gr.update(visible=False),
            "scores": gr.update(visible=False),
            "bars": gr.update(visible=False),
        }
    headers = [
        session._(COLUMN_NAMES[name]) for name in ("label", "precision", "recall", "f1", "gold", "predicted")
    ]
    others = [in_project.run(session, name) for name in compared[:MOST_COMPARED]]
    shown = {one.title: one.scores[part] for one in (run, *others) if one.scores.get(part)}
    by_label = any(scores.get("per_label") for scores in shown.values())
    caption = session.ngettext(
        "On {part}: {count} document.",
        "On {part}: {count} documents.",
        part=session._(SPLIT_NAMES[part]),
        count=run.scores[part].get("documents", 0),
    )
    return {
        "caption": gr.update(value=caption, visible=True),
        "scores": gr.update(value={"headers": headers, "data": scores_rows(session, run)}, visible=True),
        "bars": gr.update(
            value=label_scores(shown, session.language) if by_label else None, visible=bool(by_label)
        ),
    }


def runs_rows(session: Session) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of the table of all runs, the newest first."""
    names = ("run", "status", "dev", "test", "epochs", "seconds", "parent", "created", "note")
    headers = [session._(COLUMN_NAMES[name]) for name in names]
    all_runs = runs.all_runs(session.workspace, session.project_id)
    titles = {run.name: run.title for run in all_runs}
    return headers, [_run_row(session, run, titles) for run in reversed(all_runs)]


def _run_row(session: Session, run: Run, titles: Mapping[str, str]) -> list[str]:
    scores = run.scores
    return [
        run.title,
        session._(RUN_STATES[state_of(session, run).status]),
        percent(headline_f1({"dev": scores.get("dev")})),
        percent(headline_f1({"test": scores.get("test")})),
        str(scores.get("epochs", "–")),
        str(scores.get("seconds_per_epoch", "–")),
        titles.get(run.parent, run.parent) if run.parent else "–",
        date(run.created),
        run.note,
    ]
