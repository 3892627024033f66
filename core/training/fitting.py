"""The training settings that fit a tagger and a corpus, for what a person leaves open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.runtime.message import Message
from core.training.run.errors import TrainingError

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


def fitting_settings(
    kind: type[Tagger], config: TaggerConfig, given: Mapping[str, Any], documents: int, share: float = 1.0
) -> dict[str, Any]:
    """``given``, completed by the settings with which the tagger learns best from scratch, and its epochs.

    Over a pretrained encoder, which needs few epochs, the defaults stay: these were not measured there. Of
    two averages of the weights the one that is given is enough.

    Args:
        documents: number of training documents. share: as for ``fitting_epochs``.
    """
    from core.training.settings import TrainingSettings

    if not kind.needs_training or starts_pretrained(config):
        return dict(given)
    best = dict(kind.learns_best_with)
    if given.get("swa_start"):
        best.pop("ema", None)
    settings = {**best, **given}
    batch_size = max(1, int(settings.get("batch_size") or TrainingSettings().batch_size))
    return {"epochs": fitting_epochs(documents, batch_size, share), **settings}


def starts_pretrained(config: TaggerConfig) -> bool:
    """Whether the tagger, or one inside it, starts from a pretrained encoder."""
    return any(getattr(part, "encoder", "") for part in (config, *config.inner_configs()))


def check_epochs(config: TaggerConfig, epochs: int) -> None:
    """Check that successors of a transformer's layers (BERT-of-Theseus) are left epochs to run alone in.

    Raises:
        TrainingError: names the fields.
    """
    from core.taggers.base.config_fields import in_error
    from core.training.settings import TrainingSettings

    for part in (config, *config.inner_configs()):
        replaced = getattr(part, "theseus_epochs", 0) if getattr(part, "theseus_layers", 0) else 0
        if replaced >= epochs:
            field: Message = in_error(type(part), "theseus_epochs")
            raise TrainingError(
                "{field}: in {replaced} of {epochs} epochs the successors run now and then, so none is left "
                "in which they run alone; lower it, or raise {settings}",
                field=field,
                replaced=replaced,
                epochs=epochs,
                settings=in_error(TrainingSettings, "epochs"),
            )
