"""Which entries of a knowledge base a span may mean, scored by its surface, its context and earlier links.

A score is a weighted sum of three parts in ``[0, 1]``, whose weights add up to 1:

* name: 1 for a name or an alias equal to the surface (case and width aside), else how much of the longer one
  the shorter covers (``len(surface) / len(name)``), and 0 if neither contains the other;
* context: BM25 of the text around the span against the entry's description, type, and the contexts of earlier
  spans with the entry, divided by the highest of all candidates;
* earlier: the share of the earlier spans with the same surface that have this entry.

The features are the classical ones: name match, context similarity, and the popularity of a surface's
entries (Shen, Wang and Han, Entity Linking with a Knowledge Base, TKDE 2015, sections 3 and 4.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.retrieval import Bm25Index
from core.text.knowledge_entry import KnowledgeEntry, folded

NAME, CONTEXT, EARLIER = 0.5, 0.3, 0.2


class Target(NamedTuple):
    """An entry, and the knowledge base it is of."""

    entry: KnowledgeEntry
    source: str


class Candidate(NamedTuple):
    """An entry that a span may mean; ``score`` and its three parts are in ``[0, 1]``."""

    entry: KnowledgeEntry
    source: str
    score: float
    name: float
    context: float
    earlier: float


def rank(
    surface: str,
    context: str,
    targets: Sequence[Target],
    *,
    contexts: Mapping[tuple[str, str], Sequence[str]],
    links: Mapping[tuple[str, str], int],
) -> list[Candidate]:
    """The targets by falling score; of equal ones that with the shorter name, then the lower id, is first.

    Args:
        surface: of the span. context: the text around it, without it.
        contexts: by source and id, texts around earlier spans with that entry.
        links: by source and id, how many earlier spans with this surface have that entry.
    """
    near = _context_scores(context, targets, contexts)
    total = sum(links.values())
    found = []
    for at, (entry, source) in enumerate(targets):
        name = max(name_score(surface, name) for name in entry.names)
        earlier = links.get((source, entry.id), 0) / total if total else 0.0
        score = NAME * name + CONTEXT * near[at] + EARLIER * earlier
        found.append(Candidate(entry, source, score, name, near[at], earlier))
    return sorted(found, key=lambda one: (-one.score, len(one.entry.name), one.source, one.entry.id))


def name_score(surface: str, name: str) -> float:
    """How far a name is the surface: 1 if equal, the covered share if one contains the other, else 0."""
    short, long = sorted((folded(surface), folded(name)), key=len)
    return len(short) / len(long) if short and short in long else 0.0


def _context_scores(
    context: str, targets: Sequence[Target], contexts: Mapping[tuple[str, str], Sequence[str]]
) -> list[float]:
    index: Bm25Index[int] = Bm25Index()
    for at, (entry, source) in enumerate(targets):
        index.add(at, "\n".join((entry.type, entry.description, *contexts.get((source, entry.id), ()))))
    index.apply_pending()
    scores = [0.0] * len(targets)
    for hit in index.search(context, len(targets)):
        scores[hit.key] = float(hit.score)
    highest = max(scores, default=0.0)
    return [score / highest for score in scores] if highest else scores
