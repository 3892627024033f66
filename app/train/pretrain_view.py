"""HTML of a pretraining: progress, messages, and the table of all results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from app.i18n import _, counted, pgettext
from app.i18n.terms import RUN_STATES
from app.services.session import Session
from app.services.training.pretraining import Pretrained
from app.services.training.training_runs import sentence_in, sentence_of, told_of
from app.train.figures.pretraining_curves import UNIT_NAMES
from app.ui.numbers import date
from app.ui.runs import view as run_view
from core.store.run import snapshot

KIND_NAMES = {"vectors": _("vectors"), "mlm": _("masked LM"), "bilm": _("biLM")}

USE_NAMES = {
    "vectors": _(
        "Choose it to initialise the vectors of characters, pairs and words when you train a tagger."
    ),
    "mlm": _("Choose it as the encoder when you train BERT, or any tagger that takes a transformer."),
    "bilm": _("Choose it as the encoder when you train ELMo."),
}

COLUMN_NAMES = {
    "name": _("name"),
    "method": _("kind"),
    "characters": pgettext("column", "characters"),
    "perplexity": _("perplexity"),
    "status": _("status"),
    "when": _("when"),
}


def material_html(session: Session) -> str:
    """Amount of text available now."""
    counts = snapshot.count_texts(session.workspace, session.project_id)
    key = (
        _("{documents}, {characters}. Documents of the dev and test split are left out.")
        if counts.characters
        else _(
            "There is no text yet: import documents on the Data page. The dev and test split are left out."
        )
    )
    message = session._(
        key, documents=counted.documents(counts.documents), characters=counted.characters(counts.characters)
    )
    return f'<p class="ll-how">{escape(message)}</p>'


def progress_html(session: Session, item: Pretrained, events: Sequence[Mapping[str, Any]]) -> str:
    """One line and a bar, as of a training."""
    state = item.state
    message = "" if item.finished else sentence_of(state.error or state.message, session)
    return run_view.job_bar(session, told_of(session, item.name, state, message), state, events)


def about_html(session: Session, item: Pretrained, events: Sequence[Mapping[str, Any]]) -> str:
    """The run's messages, and nearest neighbours of vectors."""
    lines = [sentence_in(event, "message", session) for event in events if event.get("event") == "log"]
    for unit in item.scores.get("units", ()):
        name = session._(UNIT_NAMES[unit["unit"]])
        lines.append(
            session.ngettext(
                "{unit}: {count} has a vector",
                "{unit}: {count} have a vector",
                unit=name,
                count=unit["tokens"],
            )
        )
    messages = "".join(f"<li>{escape(line)}</li>" for line in lines if line)
    near = "".join(
        f"<div><dt>{escape(neighbour['token'])}</dt>"
        f"<dd>{escape(' · '.join(token for token, _ in neighbour['near']))}</dd></div>"
        for neighbour in item.scores.get("neighbours", ())
    )
    heading = (
        '<p class="ll-how">'
        + escape(
            session._(
                "Nearest neighbours of frequent words; with little text, words of the same sentence "
                "are close."
            )
        )
        + "</p>"
        if near
        else ""
    )
    how = f'<p class="ll-how">{escape(session._(USE_NAMES[item.method]))}</p>' if item.finished else ""
    listed = f'<ol class="ll-log-lines">{messages}</ol>' if messages else ""
    return f'{how}{listed}{heading}<dl class="ll-facts">{near}</dl>' if near else f"{how}{listed}"


def table_html(session: Session, results: Sequence[Pretrained]) -> str:
    """Everything that was pretrained in this project; empty where nothing was."""
    if not results:
        return ""
    columns = ("name", "method", "characters", "perplexity", "status", "when")
    head = "".join(f"<th>{escape(session._(COLUMN_NAMES[name]))}</th>" for name in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _row(session, item)) + "</tr>"
        for item in results
    )
    return f'<table class="ll-plain-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(session: Session, item: Pretrained) -> list[str]:
    scores, state = item.scores, item.state
    perplexity = scores.get("perplexity")
    return [
        item.name,
        session._(KIND_NAMES[item.method]),
        f"{scores['characters']:,}" if "characters" in scores else "–",
        f"{perplexity:.1f}" if perplexity is not None else "–",
        session._(RUN_STATES[state.status]),
        date(int(1000 * state.queued_at)) if state.queued_at else "–",
    ]
