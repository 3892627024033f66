"""A pretrained transformer inside a tagger: layer mix, freezing, and its own learning rate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from core.encoders.piece_pooling import POOLINGS, at_words
from core.encoders.theseus import LayerReplacement
from core.encoders.transformer import EncoderError, Hidden, Pieces, TransformerEncoder
from core.encoders.transformer_files import ENCODER
from core.layers.layer_mix import MIXES, LayerMix, Mixed
from core.layers.scalar_mix import ScalarMix
from core.runtime.message import message_of
from core.taggers.base.config_fields import ConfigError, in_error, option
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.layer_states import ENCODER as ENCODER_LAYER
from core.taggers.base.layer_states import MIXED, LayerHook, LayerState
from core.taggers.base.tagger import ModelFolderError
from core.taggers.base.trace import Array, MixTrace, PieceTrace, QueryKeyTrace
from core.text.units import Units

CONTEXT_PIECE = "[+]"  # stands for all pieces of a context
QUERY_PREFIX = "?"  # stands before every piece of a query
CHINESE_BERT = "google-bert/bert-base-chinese"


@dataclass(frozen=True)
class EncoderConfig:
    """Options of every tagger that reads text through a pretrained transformer."""

    encoder: str = option(CHINESE_BERT, "the transformer: its name on the hub, or a folder", basic=True)
    layer_mix: str = option("last", "how the transformer's layers are joined", choices=MIXES)
    first_layer: int = option(
        -4, "lowest layer joined; 0 is the embeddings, -4 the fourth from the top", bounds=(-999, 999)
    )
    last_layer: int = option(-1, "highest layer joined; -1 is the top", bounds=(-999, 999))
    mix_dropout: float = option(
        0.0, "scalar_mix: how likely each layer is left out in a training step", bounds=(0.0, 0.9)
    )
    encoder_rate: float = option(0.05, "the transformer's learning rate, as a multiple", bounds=(0.0, 1000.0))
    frozen_epochs: int = option(
        0, "epochs before the transformer learns too; -1: it never does", bounds=(-1, 1000)
    )
    frozen_layers: int = option(
        -1, "how many of its lowest layers that holds for; -1 for all", bounds=(-1, 999)
    )
    encoder_window: int = option(
        0, "word pieces read at once; 0 is what it can take, at most 512", bounds=(0, 1 << 16)
    )
    theseus_layers: int = option(
        0,
        "BERT-of-Theseus: so many layers take the place of the transformer's, for a smaller and faster "
        "tagger; a divisor of their number; 0 keeps them",
        bounds=(0, 999),
    )
    theseus_epochs: int = option(
        5,
        "epochs in which successors run in place of the transformer's layers more and more often; after them "
        "they run alone and the embeddings learn too",
        bounds=(0, 1000),
    )

    def unfreezes_within(self, epochs: int) -> bool:
        """Whether the transformer's embeddings are trained in any of ``epochs`` epochs.

        They are below the lowest layer, so ``frozen_layers`` always includes them.
        """
        still = max(self.frozen_epochs, self.theseus_epochs if self.theseus_layers else 0)
        return self.frozen_epochs >= 0 and still < epochs


@dataclass(frozen=True)
class UnitEncoderConfig(EncoderConfig):
    """Options of a sequence tagger that reads characters or words through a pretrained transformer."""

    piece_pooling: str = option(
        "first",
        "words: what stands for one that is several word pieces: its first piece, or the mean of all",
        choices=POOLINGS,
    )


def _replacement(encoder: TransformerEncoder, config: EncoderConfig) -> LayerReplacement | None:
    """What the config asks for; the encoder has fewer layers from then on.

    Raises:
        ConfigError: the successors would never learn, or their number does not fit.
    """
    if not config.theseus_layers:
        return None
    if config.frozen_epochs == -1 and config.frozen_layers:
        raise ConfigError(
            "{successors}: they never learn if {frozen} is -1; leave that out, or {successors}",
            successors=in_error(type(config), "theseus_layers"),
            frozen=in_error(type(config), "frozen_epochs"),
        )
    try:
        return LayerReplacement(encoder, config.theseus_layers)
    except EncoderError as error:
        field = in_error(type(config), "theseus_layers")
        raise ConfigError("{field}: {reason}", field=field, reason=error) from error


def mix_trace(
    mix: ScalarMix, name: str = "encoder", layers: tuple[int, ...] = (), strength: float = 0.0
) -> MixTrace:
    """The current weights of a scalar mix; arguments as for `MixTrace`."""
    scalars = mix.scalars.detach().float()
    shares = scalars.softmax(0).cpu().numpy()
    return MixTrace(shares, float(mix.gamma.detach()), name, layers, scalars.cpu().numpy(), strength)


@dataclass(frozen=True)
class Features:
    """The transformer's output at characters, or at words.

    Args:
        mixed: the mixed layers, with the weights of the mix. hidden: all outputs.
    """

    mixed: Mixed
    hidden: Hidden


class EncoderFeatures(nn.Module):
    """A transformer whose layers are mixed into one vector per character or word.

    Args:
        encoder: the transformer. config: of the layer mix, freezing and learning rate.
        replacement: of the transformer's layers, which have not learned to stand for the others yet.

    Attributes:
        width: D, of such a vector.

    Raises:
        ConfigError: the config names layers that the encoder does not have, or leaves some out of no mix.
    """

    def __init__(
        self, encoder: TransformerEncoder, config: EncoderConfig, replacement: LayerReplacement | None = None
    ) -> None:
        super().__init__()
        if config.mix_dropout and config.layer_mix != "scalar_mix":
            raise ConfigError(
                "{field}: only a scalar mix leaves layers out; set {mix} to scalar_mix, or leave {field} out",
                field=in_error(type(config), "mix_dropout"),
                mix=in_error(type(config), "layer_mix"),
            )
        self.encoder = encoder
        try:
            self.mix = LayerMix(
                config.layer_mix,
                encoder.layer_count + 1,
                encoder.width,
                config.first_layer,
                config.last_layer,
                config.mix_dropout,
            )
        except ValueError:
            raise ConfigError(
                "{fields}: no layer lies from {first} to {last}: this encoder has 0 to {most}",
                fields=[in_error(type(config), name) for name in ("first_layer", "last_layer")],
                first=config.first_layer,
                last=config.last_layer,
                most=encoder.layer_count,
            ) from None
        try:
            layers = config.frozen_layers
            self._freezable = list(encoder.parameters()) if layers == -1 else encoder.lowest_weights(layers)
        except EncoderError as error:
            field = in_error(type(config), "frozen_layers")
            raise ConfigError("{field}: {reason}", field=field, reason=error) from None
        self._frozen_epochs, self._theseus_epochs = config.frozen_epochs, config.theseus_epochs
        self._replacement = replacement
        self._pooling = config.piece_pooling if isinstance(config, UnitEncoderConfig) else ""
        self.width = self.mix.width
        self.begin_epoch(0)

    @classmethod
    def pretrained(cls, config: EncoderConfig) -> EncoderFeatures:
        """The transformer that the config names, with its weights.

        Raises:
            ConfigError: it cannot be used; says why.
        """
        try:
            encoder = TransformerEncoder.pretrained(config.encoder, config.encoder_window)
            return cls(encoder, config, _replacement(encoder, config))
        except EncoderError as error:
            raise ConfigError(message_of(error)) from error

    @classmethod
    def without_weights(cls, config: EncoderConfig) -> EncoderFeatures:
        """The transformer that the config names, without its weights: a quick check before training.

        Raises:
            ConfigError: it cannot be used, or does not have the layers that the config names; says why.
        """
        try:
            encoder = TransformerEncoder.without_weights(config.encoder, config.encoder_window)
            with torch.device("meta"):
                return cls(encoder, config, _replacement(encoder, config))
        except EncoderError as error:
            raise ConfigError(message_of(error)) from error

    @classmethod
    def factory(cls, config: EncoderConfig, folder: Path) -> Callable[[], EncoderFeatures]:
        """A factory of what ``save_structure`` wrote into ``folder``, with fresh weights.

        Raises:
            ModelFolderError: a file is missing or damaged; says which.
        """
        try:
            fresh = TransformerEncoder.factory(folder / ENCODER, config.encoder_window)
        except EncoderError as error:
            raise ModelFolderError(message_of(error)) from error

        def make() -> EncoderFeatures:
            try:
                return cls(fresh(), config)
            except (EncoderError, ConfigError) as error:
                raise ModelFolderError("{path}: {reason}", path=folder / ENCODER, reason=error) from error

        return make

    def save_structure(self, folder: Path) -> None:
        """Write the transformer's structure; its weights are saved with the model."""
        self.encoder.save_structure(folder / ENCODER)

    def tokenize(
        self, texts: Sequence[str], units: Sequence[Units], contexts: Sequence[Sequence[str]] | None = None
    ) -> Pieces:
        """The pieces of texts, looked up by these units, with their contexts if any."""
        pieces = self.encoder.tokenize(texts, contexts=contexts)
        if all(at.name == "character" for at in units):
            return pieces
        return at_words(pieces, units, self._pooling)

    def forward(self, pieces: Pieces, need_weights: bool = False) -> Features:
        """The vectors of the characters or words, ``[B, T, D]``; zero at padding."""
        hidden = self.encoder(pieces, need_weights)
        return Features(self.mix(hidden.states), hidden)

    def layer_hook(self) -> LayerHook:
        """Captures the embeddings and every layer of the transformer, then the mix unless it is the last
        layer."""

        def read(inputs: tuple[Any, ...], output: Features) -> list[LayerState]:
            layers = [
                LayerState(f"{ENCODER_LAYER} {number}", states)
                for number, states in enumerate(output.hidden.states)
            ]
            joined = output.mixed.hidden
            return layers if joined is output.hidden.states[-1] else [*layers, LayerState(MIXED, joined)]

        return LayerHook(self, read)

    def embedding_hook(self, pieces: Pieces, units: Units) -> EmbeddingHook:
        """The embeddings of the word pieces of one text; queries and special pieces have no node.

        A piece over several units belongs to them by the characters it covers of each. The baseline is the
        piece that stands for missing text, such as ``[MASK]``.
        """
        parts = (part.flatten().tolist() for part in (pieces.in_text, pieces.start, pieces.end))
        unit_of = units.owners()
        owners = [
            [unit for unit in unit_of[start:end] if unit >= 0] if in_text else []
            for in_text, start, end in zip(*parts, strict=True)
        ]
        embeddings = self.encoder.model.get_input_embeddings()
        return EmbeddingHook.of_nodes(embeddings, owners, self.encoder.baseline_vector())

    def begin_epoch(self, epoch: int) -> None:
        """Freeze or unfreeze for this epoch, 0-based.

        While layers are being replaced the embeddings stay frozen: the old layers were trained on them.
        """
        frozen = self._frozen_epochs == -1 or epoch < self._frozen_epochs
        for parameter in self._freezable:
            parameter.requires_grad_(not frozen)
        if self._replacement is not None:
            self._replacement.begin_epoch(epoch, self._theseus_epochs)
            for parameter in self.encoder.lowest_weights(0):
                parameter.requires_grad_(not frozen and self._replacement.share >= 1)

    def mixes(self) -> tuple[MixTrace, ...]:
        """The weights of the layers if all characters share them."""
        mix = self.mix.mix
        return (mix_trace(mix, layers=self.mix.chosen),) if isinstance(mix, ScalarMix) else ()

    def trace_parts(self, features: Features, index: int, length: int) -> dict[str, Any]:
        """Attention, pieces and layer weights of sentence ``index`` of ``length`` units, in its first window
        if it is long.

        A context becomes one more piece, `CONTEXT_PIECE`, which covers no character: attention to its pieces
        is summed, attention from them averaged.
        """
        weights = features.mixed.weights
        parts: dict[str, Any] = {"mixes": self.mixes()}
        if weights is not None and weights.dim() == 3:
            layer_weights = weights[index, :length].float().cpu().numpy()
            parts["mixes"] = (MixTrace(layer_weights, layers=self.mix.chosen),)
        pieces = features.hidden.pieces
        windows = (pieces.text == index).nonzero().flatten().tolist()
        if not windows:
            return parts
        window = windows[0]
        whole = int(pieces.mask[window].sum())
        count = whole if pieces.context is None else whole - int(pieces.context[window].sum())
        # Offsets of a query's pieces refer to the query, not to the text.
        in_text = pieces.in_text[window, :count]
        start, end = ((edge[window, :count] * in_text).cpu().numpy() for edge in (pieces.start, pieces.end))
        in_query = (pieces.mask & ~pieces.in_text & ~pieces.special)[window, :count].cpu().numpy()
        named = zip(self.encoder.piece_texts(pieces)[window][:count], in_query.tolist(), strict=True)
        names = [f"{QUERY_PREFIX}{name}" if is_query else name for name, is_query in named]
        attention = tuple(
            weights[window, :, :whole, :whole].float().cpu().numpy() for weights in features.hidden.attention
        )
        if count < whole:
            names = [*names, CONTEXT_PIECE]
            start, end = (np.append(edge, 0) for edge in (start, end))
            attention = tuple(_merge_context(weights, count) for weights in attention)
        parts["pieces"] = PieceTrace(tuple(names), start, end, in_query if in_query.any() else None)
        parts["attention"] = attention
        if features.hidden.queries and count == whole:  # merged pieces have no single key vector
            queries, keys = (
                tuple(layer[window, :, :count].float().cpu().numpy() for layer in vectors)
                for vectors in (features.hidden.queries, features.hidden.keys)
            )
            parts["query_key"] = QueryKeyTrace(queries, keys)
        return parts


def _merge_context(weights: Array, count: int) -> Array:
    """Attention ``[heads, P, P]`` with all pieces from ``count`` on merged into one; rows still sum to 1."""
    rows = np.concatenate([weights[:, :count], weights[:, count:].mean(1, keepdims=True)], 1)
    return np.concatenate([rows[..., :count], rows[..., count:].sum(2, keepdims=True)], 2)
