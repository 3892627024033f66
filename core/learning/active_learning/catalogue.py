"""The orders of the queue: names, groups, and required inputs. Imports no torch."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

Group = Literal["plain", "doubt", "disagreement", "coverage"]
# Inputs besides the texts: a tagger with a CRF or a softmax over tags, any tagger, predictions of a second
# run, typed words, labelled documents.
Need = Literal["chain", "tagger", "second", "dictionary", "labelled"]
GROUPS: tuple[Group, ...] = get_args(Group)


class AcquisitionFunction(Protocol):
    """The type of ``Order.make``: ``Acquisition`` for modules that do not import torch."""

    def score(self, pool: Any, progress: Callable[[float], None]) -> list[float | None]:
        """One number for each document of the pool, or None; see ``Acquisition.score``."""


@dataclass(frozen=True, slots=True)
class Order:
    """One order of the queue.

    Args:
        name: on the command line, in the store and on the page. group: of the menu.
        function: module of this folder and class, ``"mnlp:Mnlp"``. highest_first: which end of the scores
            comes first. needs: required inputs.
        together: whether the score of a document depends on the others.
    """

    name: str
    group: Group
    function: str
    highest_first: bool = False
    needs: frozenset[Need] = frozenset()
    together: bool = False

    def make(self) -> AcquisitionFunction:
        """Import and create the acquisition function."""
        module, _, name = self.function.partition(":")
        module_found = importlib.import_module(f"{__package__}.{module}")
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
    Order("boundary", "doubt", "boundary:BoundaryUncertainty", highest_first=True, needs=_CHAIN),
    Order(
        "disagreement", "disagreement", "disagreement:Disagreement", True, frozenset({"tagger", "second"})
    ),
    Order(
        "against_dictionary", "disagreement", "against_dictionary:AgainstDictionary", True,
        frozenset({"tagger", "dictionary"}),
    ),
    Order("rare_label", "coverage", "rare_label:RareLabel", True, frozenset({"tagger", "labelled"})),
    Order("textrank", "coverage", "textrank:TextRank", highest_first=True, together=True),
    Order("k_centre", "coverage", "k_centre:KCentre", needs=frozenset({"labelled"}), together=True),
    Order(
        "uncertainty_diversity", "coverage", "uncertainty_diversity:UncertaintyDiversity",
        needs=frozenset({"tagger", "chain", "labelled"}), together=True,
    ),
)  # fmt: skip
ORDERS = {order.name: order for order in _ALL}
