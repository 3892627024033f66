"""Detects adversarial training on embeddings that stay frozen, before a training begins."""

from __future__ import annotations

from core.runtime.message import Message, _
from core.taggers.base.config_fields import in_error
from core.taggers.base.tagger import Tagger, TaggerConfig
from core.taggers.sequence.encoder_features import EncoderConfig
from core.training.run.errors import TrainingError
from core.training.settings import TrainingSettings


def idle_attacks(kind: type[Tagger], config: TaggerConfig, settings: TrainingSettings) -> Message | None:
    """The message if FGM, PGD or VAT is on and would find no table to perturb; else None.

    Args:
        kind: the tagger's class. config: its options. settings: of the training.
    """
    on = {"fgm": settings.fgm, "pgd_steps": settings.pgd_steps, "vat": settings.vat}
    names = [in_error(TrainingSettings, name) for name, value in on.items() if value]
    if not names or kind.learns_embeddings(config, settings.epochs):
        return None
    frozen = in_error(EncoderConfig, "frozen_epochs")
    last = settings.epochs - 1
    if not last:
        return _(
            "{names}: there is nothing to disturb, because {frozen} keeps the encoder's embeddings as "
            "they are from the first epoch to the last; set {frozen} to 0, or {names} to 0",
            names=names,
            frozen=frozen,
        )
    return _(
        "{names}: there is nothing to disturb, because {frozen} keeps the encoder's embeddings as they "
        "are from the first epoch to the last; set {frozen} to a number from 0 to {last}, or {names} "
        "to 0",
        names=names,
        frozen=frozen,
        last=last,
    )


def refuse_idle_attacks(kind: type[Tagger], config: TaggerConfig, settings: TrainingSettings) -> None:
    """Refuse what ``idle_attacks`` finds, for options that a person has just chosen.

    Raises:
        TrainingError: an attack would have no effect; names it and the cause.
    """
    message = idle_attacks(kind, config, settings)
    if message is not None:
        raise TrainingError(message)
