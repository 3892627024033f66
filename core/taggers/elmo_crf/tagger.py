"""ELMo under a BiLSTM-CRF: Deep contextualized word representations (Peters et al., NAACL 2018)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from core.encoders.elmo.elmo_input import ElmoInput
from core.encoders.elmo.encoder import Elmo, ElmoOutput
from core.encoders.elmo.folder import read_elmo, read_structure
from core.encoders.elmo.options import ElmoError, read_options
from core.encoders.elmo.tokens import NO_CHARACTER, byte_owners, token_offsets, tokens_of
from core.layers.recurrent.birnn import BiRnn
from core.layers.scalar_mix import ScalarMix
from core.layers.variational_dropout import VariationalDropout
from core.taggers.base import model_folder
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.layer_states import (
    CONTEXT,
    EMBEDDINGS,
    ENCODER,
    LayerHook,
    LayerState,
    input_hook,
    output_hook,
)
from core.taggers.base.registry import register
from core.taggers.base.tagger import Batch, ModelFolderError, Resources, TaggerConfig
from core.taggers.base.trace import MixTrace
from core.taggers.elmo_crf.config import ElmoConfig
from core.taggers.sequence import tables
from core.taggers.sequence.batch import Encoded, Parts
from core.taggers.sequence.character_tagger import CharacterBatch, CharacterTagger, input_width
from core.taggers.sequence.encoder_features import mix_trace
from core.text import Document

OPTIONS = "elmo_options.json"


@dataclass(frozen=True)
class ElmoBatch(CharacterBatch):
    """Sentences as characters and as tokens of ELMo.

    Args:
        elmo: the tokens. token_of: the token of each character, counted from 1, ``[B, T]``; 0 for blanks
            between words and padding.
    """

    elmo: ElmoInput
    token_of: Tensor


@register("elmo_crf")
class ElmoCrf(CharacterTagger):
    """Two biLSTMs over characters, with a learned mix of a biLM's layers at their input, output or both.

    With a biLM over words, every character gets the vector of its word. With ``layers="last"`` the mix is of
    the last layer alone, which leaves its scale γ (the column "Last Only" of table 2 in the paper).

    Args:
        config: the options. labels: what to find, in the order of the tags.
        parts: tables of characters and bigrams; as ``encoder``, the `Elmo`.
    """

    title: ClassVar[str] = "ELMo-CRF"
    summary: ClassVar[str] = "Layers of a bidirectional language model, mixed, under a BiLSTM-CRF"
    paper: ClassVar[str] = "Deep contextualized word representations, NAACL 2018"
    Config: ClassVar[type[TaggerConfig]] = ElmoConfig
    config: ElmoConfig

    def __init__(self, config: ElmoConfig, labels: Sequence[str], parts: Parts) -> None:
        elmo = parts.encoder
        assert isinstance(elmo, Elmo)
        mixed = elmo.options.width
        wide = 2 * (config.top_hidden or config.hidden)
        super().__init__(config, labels, parts, wide + (mixed if config.place != "input" else 0))
        self.elmo = elmo.requires_grad_(config.encoder_learns)
        how = (elmo.depth if config.layers == "mix" else 1, config.normalise, config.mix_dropout)
        self.input_mix = ScalarMix(*how) if config.place != "output" else None
        self.output_mix = ScalarMix(*how) if config.place != "input" else None
        self.elmo_dropout = nn.Dropout(config.elmo_dropout)
        self.layer_dropout = VariationalDropout(config.layer_dropout)
        below = input_width(config, parts) + (mixed if config.place != "output" else 0)
        self.context = BiRnn(below, config.hidden)
        self.top = BiRnn(2 * config.hidden, config.top_hidden) if config.top_hidden else None

    @classmethod
    def create(cls, config: ElmoConfig, labels: Sequence[str], parts: Parts) -> ElmoCrf:
        return cls(config, labels, parts)

    @classmethod
    def check_config(cls, config: TaggerConfig) -> None:
        assert isinstance(config, ElmoConfig)
        super().check_config(config)
        if config.encoder:
            try:
                read_structure(Path(config.encoder))
            except ElmoError as error:
                raise ConfigError("encoder: {reason}", reason=error) from error

    @classmethod
    def make_parts(cls, config: ElmoConfig, resources: Resources) -> Parts:
        try:
            elmo = read_elmo(Path(config.encoder)) if config.encoder else Elmo(config.fresh_options())
        except ElmoError as error:
            raise ConfigError("encoder: {reason}", reason=error) from error
        if config.tokens != "auto":
            elmo.options = replace(elmo.options, unit=config.tokens)
        return Parts(tables=cls.make_tables(config, resources.documents), encoder=elmo)

    def save_parts(self, folder: Path) -> None:
        super().save_parts(folder)
        model_folder.write_json(folder / OPTIONS, self.elmo.options.to_json())

    @classmethod
    def read_parts(cls, config: ElmoConfig, folder: Path) -> Callable[[], Parts]:
        fresh = tables.read_tables(folder, cls.table_rates(config))
        try:
            options = read_options(folder / OPTIONS)
        except ElmoError as error:
            raise ModelFolderError("{reason}; {hint}", reason=error, hint=model_folder.HINT) from None
        return lambda: Parts(tables=fresh(), encoder=Elmo(options))

    def rates(self) -> list[tuple[Iterable[nn.Parameter], float]]:
        if not self.config.encoder_learns:
            return super().rates()
        return [*super().rates(), (self.elmo.parameters(), self.config.encoder_rate)]

    def collate(self, documents: Sequence[Document]) -> ElmoBatch:
        read = [tokens_of(document.text, self.elmo.options.unit) for document in documents]
        elmo = self.elmo.read([tokens for tokens, _ in read])
        rows = tables.padded([numbers for _, numbers in read])
        return ElmoBatch(**self.input_fields(documents), elmo=elmo, token_of=rows)

    def encode(self, batch: ElmoBatch, need_weights: bool = False) -> Encoded:
        layers = self._layers(batch)
        if self.config.layers == "last":
            layers = layers[-1:]
        x = self.input_vectors(batch)
        if self.input_mix is not None:
            x = torch.cat([x, self.elmo_dropout(self.input_mix(layers))], dim=-1)
        hidden = self.context(self.layer_dropout(x), batch.mask)
        if self.top is not None:
            hidden = self.top(self.layer_dropout(hidden), batch.mask)
        if self.output_mix is not None:
            hidden = torch.cat([hidden, self.elmo_dropout(self.output_mix(layers))], dim=-1)
        penalties = torch.stack([mix.penalty() for mix in self._mixes().values()])
        return Encoded(hidden, auxiliary=self.config.mix_penalty * penalties.sum())

    def mixes(self) -> tuple[MixTrace, ...]:
        if not self.mixes_layers(self.config):
            return ()
        return tuple(
            mix_trace(mix, name, strength=self.config.mix_penalty) for name, mix in self._mixes().items()
        )

    @classmethod
    def mixes_layers(cls, config: TaggerConfig) -> bool:
        return isinstance(config, ElmoConfig) and config.layers == "mix"

    def _mixes(self) -> dict[str, ScalarMix]:
        """The scalar mixes by their place in the tagger."""
        mixes = {"input": self.input_mix, "output": self.output_mix}
        return {name: mix for name, mix in mixes.items() if mix is not None}

    def _layers(self, batch: ElmoBatch) -> list[Tensor]:
        """ELMo's layers at every character, each ``[B, T, 2P]``; zero at characters outside tokens."""
        learns = self.config.encoder_learns or not self.training
        with torch.set_grad_enabled(torch.is_grad_enabled() and learns):
            return self.at_characters(self.elmo(batch.elmo).layers, batch.token_of)

    @staticmethod
    def at_characters(layers: Sequence[Tensor], token_of: Tensor) -> list[Tensor]:
        """Layers at tokens, each ``[B, S, 2P]``, at every character, each ``[B, T, 2P]``.

        Args:
            token_of: see `ElmoBatch`.
        """
        row = torch.arange(token_of.shape[0], device=token_of.device)[:, None]
        in_token = (token_of > 0)[..., None]
        return [layer[row, token_of] * in_token for layer in layers]

    def collate_copies(self, document: Document, copies: int, label: str) -> ElmoBatch:
        batch = self.collate([document] * copies)
        return replace(batch, elmo=batch.elmo.with_separate_rows())

    def embedding_hooks(self, batch: Batch) -> list[EmbeddingHook]:
        """The character tables, and the characters of ELMo's tokens without their boundary markers."""
        checked = self.check_batch(batch)
        text, width = checked.documents[0].text, checked.elmo.rows.shape[1]
        owners: list[tuple[int, ...]] = [()] * (width * checked.elmo.tokens.shape[1])
        for number, (start, end) in enumerate(token_offsets(text, self.elmo.options.unit), start=1):
            characters = byte_owners(text[start:end], self.elmo.options.longest_token)
            for row, character in enumerate(characters, start=number * width):
                owners[row] = () if character is None else (start + character,)
        table = self.elmo.char_cnn.embedding
        return [
            *super().embedding_hooks(batch),
            EmbeddingHook.of_nodes(table, owners, table.weight[NO_CHARACTER].detach()),
        ]

    def layer_hooks(self, batch: ElmoBatch) -> list[LayerHook]:
        def read(inputs: tuple[Any, ...], output: ElmoOutput) -> list[LayerState]:
            layers = enumerate(self.at_characters(output.layers, batch.token_of))
            return [LayerState(f"{ENCODER} {number}", states) for number, states in layers]

        top = [] if self.top is None else [output_hook(f"{CONTEXT} 2", self.top)]
        return [
            *super().layer_hooks(batch),
            LayerHook(self.elmo, read),
            input_hook(EMBEDDINGS, self.context),
            output_hook(CONTEXT, self.context),
            *top,
        ]
