"""The options of FLAT."""

from __future__ import annotations

from dataclasses import dataclass

from core.taggers.base.config_fields import ConfigError, in_error, option
from core.taggers.sequence.lexicon_tagger import LexiconConfig


@dataclass(frozen=True)
class FlatConfig(LexiconConfig):
    """Options of FLAT; the structure's defaults are the paper's."""

    layers: int = option(1, "Transformer layers over the lattice", bounds=(1, 12), basic=True)
    heads: int = option(8, "attention heads", bounds=(1, 64), basic=True)
    hidden: int = option(160, "width of a node, a multiple of the heads", bounds=(4, 2048), basic=True)
    ffn: int = option(480, "width inside the feed-forward network", bounds=(1, 8192))
    four_distances: bool = option(True, "all four relative distances; no: head-head and tail-tail only")
    project_key: bool = option(True, "project the keys (W_kE); the published code does not")
    scale: bool = option(False, "divide attention scores by the root of a head's width")
    residual: bool = option(True, "residual connections; the published code has none by a slip")
    project_output: bool = option(False, "one more linear layer over the joined heads")
    attention_dropout: float = option(0.0, "dropout on attention weights", bounds=(0.0, 0.9))
    ffn_dropout: float = option(0.15, "dropout inside the feed-forward network", bounds=(0.0, 0.9))
    layer_dropout: float = option(0.15, "dropout before residual and norm", bounds=(0.0, 0.9))
    fused_attention: bool = option(False, "on a GPU: attention in one kernel that torch compiles")

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ConfigError(
                "{field}: {hidden} is not a multiple of the {heads} heads",
                field=in_error(type(self), "hidden"),
                hidden=self.hidden,
                heads=self.heads,
            )
