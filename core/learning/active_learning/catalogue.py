"""The orders a queue can have: their names, groups, and what each must be given. Imports no torch."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

Group = Literal["plain", "doubt", "disagreement", "coverage"]
# What a strategy reads besides the texts: a tagger with a CRF or a softmax over tags, any tagger, the answers
# of a second run, words with a type, the documents labelled so far.
Need = Literal["chain", "tagger", "second", "dictionary", "labelled"]
GROUPS: tuple[Group, ...] = get_args(Group)


class AcquisitionFunction(Protocol):
    """What ``Order.make`` gives: a ``Acquisition``, seen from a module that imports no torch."""

    def score(self, pool: Any, progress: Callable[[float], None]) -> list[float | None]:
        """One number for each document of the pool, or None; see ``Acquisition.score``."""


@dataclass(frozen=True, slots=True)
class Order:
    """One order of the queue.

    Args:
        name: as the command line, the store and the page know it. group: where the menu lists it.
        function: module of this folder and class, ``"mnlp:Mnlp"``. highest_first: which end of the scores
            comes first. needs: what the strategy must be given.
    """

    name: str
    group: Group
    function: str
    highest_first: bool = False
    needs: frozenset[Need] = frozenset()

    def make(self) -> AcquisitionFunction:
        """The strategy itself; this imports what it needs."""
        module, _, name = self.function.partition(":")
        module_found = importlib.import_module(f"core.learning.active_learning.{module}")
        made: AcquisitionFunction = getattr(module_found, name)()
        return made


_TAGGER: frozenset[Need] = frozenset({"tagger"})
_CHAIN: frozenset[Need] = frozenset({"tagger", "chain"})
_ALL = (
    Order("in_order", "plain", "plain:InOrder"),
    Order("random", "plain", "plain:Random"),
    Order("least_confident", "doubt", "least_confident:LeastConfident", needs=_TAGGER),
    Order("mnlp", "doubt", "mnlp:Mnlp", needs=_CHAIN),
    Order("viterbi_gap", "doubt", "viterbi_gap:ViterbiGap", needs=_CHAIN),
    Order("boundary", "doubt", "boundary:BoundaryDoubt", highest_first=True, needs=_CHAIN),
    Order(
        "disagreement", "disagreement", "disagreement:Disagreement", True, frozenset({"tagger", "second"})
    ),
    Order(
        "against_dictionary", "disagreement", "against_dictionary:AgainstDictionary", True,
        frozenset({"tagger", "dictionary"}),
    ),
    Order("rare_label", "coverage", "rare_label:RareLabel", True, frozenset({"tagger", "labelled"})),
    Order("textrank", "coverage", "textrank:TextRank", highest_first=True),
    Order("k_centre", "coverage", "k_centre:KCentre", needs=frozenset({"labelled"})),
    Order(
        "uncertainty_diversity", "coverage", "uncertainty_diversity:UncertaintyDiversity",
        needs=frozenset({"tagger", "chain", "labelled"}),
    ),
)  # fmt: skip
ORDERS = {order.name: order for order in _ALL}
