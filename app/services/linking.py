"""Candidates for the link of a span: found by name or id in the knowledge bases, ranked by context."""

from __future__ import annotations

from collections import Counter

from app.services.session import Session
from core.linking.candidates import Candidate, Target, rank
from core.store.knowledge import earlier_links, search
from core.text import Document, EntityLink

MOST = 20
CONTEXT = 200  # characters on either side of the span


def candidates(
    session: Session, document: int, text: Document, start: int, end: int, typed: str = ""
) -> list[Candidate]:
    """The entries that the span may mean, the best first, at most ``MOST``.

    Args:
        document: its id. typed: what the person searches for; empty: the span's own surface, and what earlier
            spans with that surface are linked to.
    """
    surface = text.text[start:end]
    wanted = (typed.strip() or surface)[: search.LONGEST_SEARCH]
    place = session.workspace, session.project_id
    earlier = earlier_links.on_surface(*place, surface, annotator=session.user, but=document)
    counts: Counter[tuple[str, str]] = Counter()
    for link, count in earlier.items():
        counts[link.source, link.id] += count
    found = search.search(*place, wanted, limit=search.MOST)
    if not typed.strip():
        found += search.by_ids(*place, counts)
    targets = list({(one.source, one.entry.id): Target(one.entry, one.source) for one in found}.values())
    links = [EntityLink(entry.id, source=source) for entry, source in targets]
    contexts = earlier_links.contexts(*place, links, annotator=session.user, but=document)
    around = f"{text.text[max(0, start - CONTEXT) : start]}\n{text.text[end : end + CONTEXT]}"
    return rank(wanted, around, targets, contexts=contexts, links=counts)[:MOST]
