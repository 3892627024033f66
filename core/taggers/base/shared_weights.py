"""Several taggers over one set of weights in memory."""

from __future__ import annotations

import copy
from typing import TypeVar

from torch import nn

from core.taggers.base.tagger import Tagger

AnyTagger = TypeVar("AnyTagger", bound=Tagger)


def with_shared_weights(tagger: AnyTagger) -> AnyTagger:
    """Another tagger over the memory of this one's parameters, for use at the same time.

    Lexicon, hooks, caches, buffers and mode are its own, and so is what a parameter says beside its values
    (``requires_grad``, ``grad``). Only to predict and look inside: training one would change the other. The
    given tagger must not be in use meanwhile.
    """
    memo: dict[int, object] = {
        id(parameter): nn.Parameter(parameter.detach(), requires_grad=parameter.requires_grad)
        for parameter in tagger.parameters()
    }
    return copy.deepcopy(tagger, memo)
