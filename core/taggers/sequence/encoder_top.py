"""The layers that a tagger may put on top of a pretrained transformer."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from core.layers.cnn import Cnn
from core.layers.r_transformer import RTransformer
from core.layers.recurrent.choice import DEEP, ONE_WAY, make_reader
from core.layers.residual import RESIDUALS, Residual
from core.layers.transformer import Transformer
from core.runtime.message import _
from core.taggers.base.config_fields import ConfigError, in_error, option

RECURRENT = {"bilstm": "lstm", "bigru": "gru"} | {cell: cell for cell in ONE_WAY}
TOPS = ("none", *RECURRENT, "transformer", "cnn", "r_transformer")


@dataclass(frozen=True)
class TopConfig:
    """Options of the layers between a transformer and the tags."""

    top: str = option("none", "further layers over the transformer", choices=TOPS, basic=True)
    top_hidden: int = option(256, "width of what they give, an even number", bounds=(2, 4096))
    top_layers: int = option(1, "how many, one over the other", bounds=(1, 12))
    top_heads: int = option(8, "attention heads of transformer and r_transformer", bounds=(1, 64))
    top_kernel: int = option(3, "neighbours a filter of cnn sees, an odd number", bounds=(1, 99))
    top_window: int = option(7, "positions the local RNN of r_transformer reads", bounds=(1, 100))
    top_dropout: float = option(0.1, "dropout inside them", bounds=(0.0, 0.9))
    residual: str = option("add", "how the transformer's output goes past them", choices=RESIDUALS)
    residual_attention: bool = option(
        False, "attention scores add up from layer to layer (RealFormer), in transformer and r_transformer"
    )

    def __post_init__(self) -> None:
        if self.top in RECURRENT and self.top_hidden % 2:
            raise ConfigError(
                "{field}: {top_hidden} cannot be halved between the two directions",
                field=in_error(type(self), "top_hidden"),
                top_hidden=self.top_hidden,
            )
        if self.top in DEEP and self.top_layers < 2:
            raise ConfigError(
                "{field}: {cell} needs {layers} of 2 or more",
                field=in_error(type(self), "top"),
                cell=self.top,
                layers=in_error(type(self), "top_layers"),
            )
        if self.top in ("transformer", "r_transformer") and self.top_hidden % self.top_heads:
            raise ConfigError(
                "{field}: {top_hidden} is not a multiple of the {top_heads} heads",
                field=in_error(type(self), "top_hidden"),
                top_hidden=self.top_hidden,
                top_heads=self.top_heads,
            )
        if self.top == "cnn" and self.top_kernel % 2 == 0:
            raise ConfigError(
                "{field}: {top_kernel} has no middle; give an odd number",
                field=in_error(type(self), "top_kernel"),
                top_kernel=self.top_kernel,
            )
        if self.residual_attention and self.top not in ("transformer", "r_transformer"):
            reason = (
                _("there is no top")
                if self.top == "none"
                else _("a {top} has no attention scores", top=self.top)
            )
            raise ConfigError(
                "{field}: {reason}; set {top} to transformer or r_transformer, or leave {field} out",
                field=in_error(type(self), "residual_attention"),
                top=in_error(type(self), "top"),
                reason=reason,
            )
        if self.residual_attention and self.top_layers < 2:
            raise ConfigError(
                "{field}: scores add up from one layer to the next, and the top has only one; set "
                "{layers} to 2 or more, or leave {field} out",
                field=in_error(type(self), "residual_attention"),
                layers=in_error(type(self), "top_layers"),
            )


def make_top(config: TopConfig, width: int) -> Residual | None:
    """The layers that ``config`` names over states of this width, with a residual connection around them;
    None for none."""
    if config.top == "none":
        return None
    return Residual(_layers(config, width), width, config.residual)


def _layers(config: TopConfig, width: int) -> nn.Module:
    hidden, layers, dropout = config.top_hidden, config.top_layers, config.top_dropout
    if config.top in RECURRENT:
        return make_reader(RECURRENT[config.top], width, hidden // 2, layers, dropout)
    match config.top:
        case "cnn":
            return Cnn(width, hidden, layers, config.top_kernel, dropout)
        case "transformer":
            return Transformer(
                width,
                hidden,
                layers,
                config.top_heads,
                dropout=dropout,
                residual_attention=config.residual_attention,
            )
    return RTransformer(
        width,
        hidden,
        layers,
        config.top_heads,
        window=config.top_window,
        dropout=dropout,
        residual_attention=config.residual_attention,
    )
