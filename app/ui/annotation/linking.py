"""Server function of the dialog that links a span to a knowledge base, on every page that has it."""

from __future__ import annotations

from app.services import in_project
from app.services.linking import candidates
from app.services.rights import needs
from app.services.session import Session
from app.ui.payload import Count, Payload, TextOrEmpty
from app.ui.server_function import Reply
from core.linking.candidates import Candidate
from core.store.knowledge import bases
from core.text.knowledge_entry import folded

SHOWN = 200  # characters of a description


class EntryQuery(Payload):
    """A place in a document, and what to search for; "" for its own text."""

    document: Count
    start: Count
    end: Count
    text: TextOrEmpty = ""


@needs("annotate")
def find_entries(session: Session, asked: EntryQuery) -> Reply:
    """Return ``entries``, the best first, and how many knowledge ``bases`` the project has."""
    known = bases.listed(session.workspace, session.project_id)
    text = in_project.annotation(session, asked.document).document
    found = candidates(session, asked.document, text, asked.start, asked.end, asked.text) if known else []
    wanted = folded(asked.text.strip() or text.text[asked.start : asked.end])
    return {"entries": [_entry_object(one, wanted) for one in found], "bases": len(known)}


FUNCTIONS = (find_entries,)


def _entry_object(found: Candidate, wanted: str) -> Reply:
    """With the ``alias`` that was found, where the name itself does not say why."""
    entry = found.entry
    aliases = (alias for alias in entry.aliases if wanted in folded(alias))
    return {
        "id": entry.id,
        "name": entry.name,
        "alias": "" if wanted in folded(entry.name) else next(aliases, ""),
        "type": entry.type,
        "description": entry.description[:SHOWN],
        "source": found.source,
        "score": found.score,
        "parts": {"name": found.name, "context": found.context, "earlier": found.earlier},
    }
