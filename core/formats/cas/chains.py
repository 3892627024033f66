"""Chains (coreference) in a CAS: linked lists, as DKPro Core and WebAnno type them.

Layout: DKPro Core's type system, package coref (CoreferenceChain with ``first``; CoreferenceLink with
``next``, ``referenceType`` and ``referenceRelation``); custom layers have the same features and names ending
in Chain and Link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.formats.framework.attachments import Chain, Link, one_line
from core.formats.framework.errors import RecordError
from core.formats.framework.source import legal_text

CHAIN = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceChain"
LINK = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
_TYPE, _RELATION, _NEXT = "referenceType", "referenceRelation", "next"


def create_types(types: Any) -> None:
    """Add the two types to a type system."""
    link = types.create_type(LINK, "uima.tcas.Annotation")
    types.create_feature(link, _NEXT, LINK)
    for feature in (_TYPE, _RELATION):
        types.create_feature(link, feature, "uima.cas.String")
    types.create_feature(types.create_type(CHAIN, "uima.cas.AnnotationBase"), "first", LINK)


def add_chains(cas: Any, chains: Sequence[Chain], clean: Callable[[str], str]) -> int:
    """Add chains to a CAS that has the types; returns how many of them ``clean`` changed."""
    link_type, chain_type = cas.typesystem.get_type(LINK), cas.typesystem.get_type(CHAIN)
    changed = 0
    for chain in chains:
        following = None
        for link in reversed(chain.links):
            words = {_TYPE: clean(link.type) or None, _RELATION: clean(link.relation) or None}
            following = link_type(begin=link.start, end=link.end, next=following, **words)
            cas.add(following)
        cas.add(chain_type(first=following))
        changed += any(clean(word) != word for link in chain.links for word in (link.type, link.relation))
    return changed


def is_link(annotation: Any) -> bool:
    """Whether an annotation is a link of a chain."""
    return hasattr(annotation, _NEXT) and hasattr(annotation, _TYPE) and hasattr(annotation, "begin")


def chains_in(annotations: Sequence[Any], length: int) -> tuple[list[Chain], int]:
    """The chains among the annotations, and the number of links in cycles, which have no first link.

    Args:
        length: of the text.

    Raises:
        RecordError: a link does not lie in the text.
    """
    links = {id(annotation): annotation for annotation in annotations if is_link(annotation)}
    followers = {id(link.next) for link in links.values() if link.next is not None}
    taken: set[int] = set()
    chains: list[Chain] = []
    for first in links:
        if first in followers:
            continue
        chain: list[Link] = []
        at: int | None = first
        while at in links and at not in taken:
            taken.add(at)
            chain.append(_link(links[at], length))
            at = id(links[at].next) if links[at].next is not None else None
        chains.append(Chain(tuple(chain)))
    return chains, len(links) - len(taken)


def _link(annotation: Any, length: int) -> Link:
    start, end = annotation.begin, annotation.end
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= length:
        raise RecordError(
            "a link of a chain {start}-{end} does not lie in the text, which has {length} characters",
            start=start,
            end=end,
            length=length,
        )
    kind, relation = getattr(annotation, _TYPE), getattr(annotation, _RELATION, None)
    words = [one_line(word) if isinstance(word, str) else "" for word in (kind, relation)]
    return Link(start, end, legal_text(words[0]), legal_text(words[1]))
