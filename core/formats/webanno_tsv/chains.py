"""Chains (coreference) in WebAnno TSV 3.3: two columns per layer, a link's type and its relation.

``pronoun[1]`` and ``coref->1-2`` mean: the second link of chain 1, a pronoun, with the relation coref to the
next link. A link over several units is repeated on each of them. Layout: INCEpTION's user guide, "WebAnno TSV
3.3 File format", chain annotations.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest

from core.formats.framework.attachments import Chain, Link, one_line
from core.formats.framework.source import legal_text
from core.formats.webanno_tsv.cells import NO_VALUE, NOTHING, VALUE, escaped, stacked, unescaped

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
TYPE, RELATION = "referenceType", "referenceRelation"
_TIE = re.compile(r"((?:\\->|\\(?!->).|(?!->)[^\\])*)->(\d{1,9})-(\d{1,9})", re.DOTALL)

Cells = tuple[str, str]


class ChainCells:
    """Collects the links from the rows of a file.

    Args:
        columns: the columns of type and relation of each layer.
    """

    def __init__(self, columns: Sequence[tuple[int, int]]) -> None:
        self._columns = columns
        self._links: dict[tuple[int, int, int], Link] = {}
        self.broken = 0

    def row(self, cells: Sequence[str], start: int, end: int) -> None:
        """Read the links on one unit; one without chain and position is counted as broken."""
        for layer, (type_column, tie_column) in enumerate(self._columns):
            types, ties = _pieces(cells, type_column), _pieces(cells, tie_column)
            for kind, tie in zip_longest(types, ties, fillvalue=""):
                link_match, type_match = _TIE.fullmatch(tie), VALUE.fullmatch(kind)
                if (
                    link_match is None
                    or type_match is None
                    or (type_match[2] or link_match[2]) != link_match[2]
                ):
                    self.broken += 1
                    continue
                key = (layer, int(link_match[2]), int(link_match[3]))
                link = self._links.get(key) or Link(
                    start, end, _plain_value(type_match[1]), _plain_value(link_match[1])
                )
                self._links[key] = link._replace(start=min(link.start, start), end=max(link.end, end))

    def chains(self) -> list[list[Link]]:
        """Links ordered by number, with the offsets of the file."""
        chains: dict[tuple[int, int], list[Link]] = defaultdict(list)
        for layer, chain, place in sorted(self._links):
            chains[layer, chain].append(self._links[layer, chain, place])
        return list(chains.values())


def _pieces(cells: Sequence[str], column: int) -> list[str]:
    return [] if column >= len(cells) or cells[column] == NOTHING else stacked(cells[column])


def _plain_value(value: str) -> str:
    return "" if value == NO_VALUE else legal_text(one_line(unescaped(value)))


def chain_cells(chains: Sequence[Chain]) -> list[tuple[Link, Cells]]:
    """Every link with its two cells, type and relation."""
    return [
        (
            link,
            (
                f"{escaped(link.type) or NO_VALUE}[{number}]",
                f"{escaped(link.relation) or NO_VALUE}->{number}-{place}",
            ),
        )
        for number, chain in enumerate(chains, 1)
        for place, link in enumerate(chain.links, 1)
    ]
