"""What a training would read: documents and spans by split and label, or what is missing."""

from __future__ import annotations

from html import escape

from app.i18n import _, counted
from app.services.session import Session
from app.services.training.training_runs import NOTHING_LABELLED
from app.ui.window.navigation import link
from core.store.document import documents
from core.store.label import labels
from core.store.project import nesting
from core.store.run import snapshot

FACT_NAMES = {
    "train": _("train"),
    "dev": _("dev (chooses the best epoch)"),
    "test": _("test (held out to the end)"),
    "corrections": _("with corrections"),
    "value": _("{documents}, {spans}"),
}
PARTS = ("train", "dev", "test", "corrections")


def material_html(session: Session) -> str:
    """Sizes of a snapshot taken now, by split and label."""
    counts = snapshot.counts(session.workspace, session.project_id)
    session.memory["train-documents"] = counts["train"].documents
    facts = []
    for part in PARTS:
        if part == "corrections" and not counts[part].documents:
            continue
        value = session._(
            "{documents}, {spans}",
            documents=counted.documents(counts[part].documents),
            spans=counted.spans(counts[part].spans),
        )
        facts.append(f"<div><dt>{escape(session._(FACT_NAMES[part]))}</dt><dd>{escape(value)}</dd></div>")
    if not counts["train"].spans:
        nothing = NOTHING_LABELLED
        ways = [(_("Label documents"), "annotate"), (_("Import documents"), "data")]
        if not documents.count(session.workspace, session.project_id)["all"]:
            nothing, ways = _("There is nothing to learn from: the project has no documents yet."), ways[1:]
        links = "".join(
            f'<a href="{escape(link(session, page))}">{escape(session._(name))}</a>' for name, page in ways
        )
        return (
            f'<dl class="ll-facts">{"".join(facts)}</dl><p class="ll-how">{escape(session._(nothing))}</p>'
            f'<p class="ll-ways">{links}</p>'
        )
    notes = []
    if not counts["dev"].documents:
        notes.append(
            session._("There is no dev document: a random tenth of the training documents will be held out.")
        )
    if nesting.is_nested(session.workspace, session.project_id):
        notes.append(
            session._(
                "This project is nested: span scores and BERT-MRC learn spans inside others, the other "
                "taggers only the longest of overlapping spans."
            )
        )
    note = "".join(f'<p class="ll-how">{escape(sentence)}</p>' for sentence in notes)
    by_label = labels.span_counts(session.workspace, session.project_id)
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{count}</dd></div>" for name, count in by_label.items())
    heading = f'<p class="ll-how">{escape(session._("Spans by label"))}</p>'
    return f'<dl class="ll-facts">{"".join(facts)}</dl>{note}{heading}<dl class="ll-facts">{items}</dl>'
