"""Detects adversarial training on embeddings that stay frozen, before a training begins."""

from __future__ import annotations

from core.taggers.base.tagger import Tagger, TaggerConfig
from core.training.run.message import Message, TrainingError
from core.training.settings import TrainingSettings


def idle_attacks(kind: type[Tagger], config: TaggerConfig, settings: TrainingSettings) -> Message | None:
    """The message if FGM, PGD or VAT is on and would find no table to perturb; else None.

    Args:
        kind: the tagger's class. config: its options. settings: of the training.
    """
    on = {"fgm": settings.fgm, "pgd_steps": settings.pgd_steps, "vat": settings.vat}
    names = [name for name, value in on.items() if value]
    if not names or kind.learns_embeddings(config, settings.epochs):
        return None
    last = settings.epochs - 1
    return Message(
        f"{', '.join(names)}: there is nothing to disturb, because frozen_epochs keeps the encoder's "
        f"embeddings as they are from the first epoch to the last; set frozen_epochs to "
        f"{f'a number from 0 to {last}' if last else '0'}, or {', '.join(names)} to 0",
        f"{'、'.join(names)}：没有可扰动的嵌入，因为 frozen_epochs 使编码器的嵌入从第一轮到最后一轮都被冻结；"
        f"请把 frozen_epochs 设为 {f'0 到 {last} 之间的数' if last else '0'}，或把 {'、'.join(names)} 设为 0",
    )


def refuse_idle_attacks(kind: type[Tagger], config: TaggerConfig, settings: TrainingSettings) -> None:
    """Refuse what ``idle_attacks`` finds, for options that a person has just chosen.

    Raises:
        TrainingError: an attack would have no effect; names it and the cause.
    """
    found = idle_attacks(kind, config, settings)
    if found is not None:
        raise TrainingError(found.en, found.zh)
