"""The training settings that fit a tagger and a corpus, for what a person leaves open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # which load torch
    from core.taggers.base.tagger import Tagger, TaggerConfig

# Ten passes over Resume NER: 3,821 documents in batches of 16 (docs/results.md).
STEPS = 2400
LEAST, MOST = 10, 100


def fitting_epochs(documents: int, batch_size: int, share: float = 1.0) -> int:
    """The epochs that a tagger trained from scratch needs, 10 to 100: few documents make few steps an epoch.

    Args:
        documents: number of training documents. batch_size: documents per step.
        share: of these epochs, if fewer are enough.
    """
    steps = max(1, math.ceil(documents / batch_size))
    return math.ceil(share * min(MOST, max(LEAST, math.ceil(STEPS / steps))))


def fitting_settings(kind: type[Tagger], config: TaggerConfig, given: Mapping[str, Any]) -> dict[str, Any]:
    """``given``, completed by the settings with which the tagger learns best from scratch.

    Over a pretrained encoder they were not measured, and would double a long training. Of several attacks on
    the embeddings the one that is given is enough.
    """
    if starts_pretrained(config) or given.get("pgd_steps") or given.get("vat"):
        return dict(given)
    return {**kind.learns_best_with, **given}


def starts_pretrained(config: TaggerConfig) -> bool:
    """Whether the tagger, or one inside it, starts from a pretrained encoder."""
    return any(getattr(part, "encoder", "") for part in (config, *config.inner_configs()))
