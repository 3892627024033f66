"""FLAT: Chinese NER Using Flat-Lattice Transformer (Li, Yan, Qiu and Huang, ACL 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from core.encoders.static_embeddings import StaticEmbedding, bigrams
from core.encoders.vocabulary import Vocabulary
from core.encoders.word_vectors import VectorsError
from core.layers import CRF, FlatEncoder
from core.lexicon import Lattice, Lexicon
from core.taggers import flat_features, model_folder
from core.taggers.config_fields import ConfigError
from core.taggers.crf_decoding import CrfDecoder
from core.taggers.flat_config import FlatConfig
from core.taggers.flat_features import FlatBatch
from core.taggers.flat_trace import flat_traces
from core.taggers.outermost import outermost
from core.taggers.registry import register
from core.taggers.tagger import Batch, ModelFolderError, Resources, Tagger, TaggerConfig
from core.taggers.trace import Trace
from core.text import Document, Span

VOCABULARY = "vocabulary.json"


@register("flat")
class Flat(Tagger):
    """Characters and the words matched over them are nodes of one Transformer; a CRF tags the characters.

    Args:
        config: the options. labels: what to find, in the order of the tags.
        characters, bigrams, words: embedding tables; ``bigrams`` may be None.
        lexicon: where words come from; None reads characters only.
    """

    title: ClassVar[str] = "FLAT"
    summary: ClassVar[str] = "A Transformer over characters and dictionary words, placed by relative position"
    paper: ClassVar[str] = "FLAT: Chinese NER Using Flat-Lattice Transformer, ACL 2020"
    uses_lexicon: ClassVar[bool] = True
    Config: ClassVar[type[TaggerConfig]] = FlatConfig
    config: FlatConfig

    def __init__(
        self,
        config: FlatConfig,
        labels: Sequence[str],
        characters: StaticEmbedding,
        bigrams: StaticEmbedding | None,
        words: StaticEmbedding,
        lexicon: Lexicon | None,
    ) -> None:
        super().__init__()
        self.config = config
        self.labels = tuple(labels)
        self.lexicon = lexicon
        self.characters, self.bigrams, self.words = characters, bigrams, words
        width = characters.dimension + (bigrams.dimension if bigrams is not None else 0)
        self.char_projection = nn.Linear(width, config.hidden)
        self.word_projection = nn.Linear(words.dimension, config.hidden)
        self.embedding_dropout = nn.Dropout(config.embedding_dropout)
        self.encoder = FlatEncoder(
            config.hidden,
            config.heads,
            config.layers,
            config.ffn,
            attention_dropout=config.attention_dropout,
            ffn_dropout=config.ffn_dropout,
            dropout=config.layer_dropout,
            four_distances=config.four_distances,
            project_key=config.project_key,
            scale=config.scale,
            project_output=config.project_output,
            residual=config.residual,
        )
        self.output_dropout = nn.Dropout(config.output_dropout)
        self.decoder = CrfDecoder(self.labels, config.scheme, config.constrained)
        self.emission = nn.Linear(config.hidden, len(self.decoder.tags))
        self.crf = CRF(len(self.decoder.tags))

    @property
    def lexicon(self) -> Lexicon | None:
        """The words that become nodes; None where ``use_lexicon`` is off.

        Setting another one acts at once, with no retraining; None stands for one without words.
        """
        return self._lexicon

    @lexicon.setter
    def lexicon(self, lexicon: Lexicon | None) -> None:
        self._lexicon = (lexicon if lexicon is not None else Lexicon()) if self.config.use_lexicon else None

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> Flat:
        assert isinstance(config, FlatConfig)
        texts = [document.text for document in resources.documents]
        lexicon = None
        if config.use_lexicon:
            lexicon = resources.lexicon if resources.lexicon is not None else Lexicon.jieba()
        try:
            characters, pairs, words = _tables(config, texts, lexicon)
        except VectorsError as error:
            raise ConfigError(str(error)) from error
        return cls(config, labels, characters, pairs, words, lexicon)

    def collate(self, documents: Sequence[Document]) -> FlatBatch:
        lattices = tuple(self.lattice(document.text) for document in documents)
        texts = [document.text for document in documents]
        pairs = None
        if self.bigrams is not None:
            pairs = flat_features.padded([self.bigrams.vocabulary.rows(bigrams(text)) for text in texts])
        tags = [
            self.decoder.encode(outermost(document.spans)[0], len(document.text)) for document in documents
        ]
        return FlatBatch(
            documents=tuple(documents),
            lattices=lattices,
            characters=flat_features.padded([self.characters.vocabulary.rows(text) for text in texts]),
            bigrams=pairs,
            words=flat_features.word_rows(lattices, self.words.vocabulary),
            source=flat_features.node_sources(lattices),
            nodes=flat_features.node_positions(lattices),
            tags=flat_features.padded(tags),
        )

    def lattice(self, text: str) -> Lattice:
        """The nodes FLAT would read for ``text`` now."""
        return Lattice.of(text, self.lexicon, self.config.longest_word)

    def loss(self, batch: Batch) -> Tensor:
        batch = _flat(batch)
        emissions, _ = self.emissions(batch)
        likelihood = self.crf.log_likelihood(emissions, batch.tags, batch.nodes.char_mask)
        # Empty sentences add nothing; the second term keeps a graph when all are.
        return -(likelihood.sum() + 0.0 * emissions.sum()) / max(len(batch.documents), 1)

    def emissions(self, batch: FlatBatch, need_weights: bool = False) -> tuple[Tensor, list[Tensor] | None]:
        """Tag scores ``[B, T, K]`` and, when asked for, the attention of every layer ``[B, N, Q, L]``."""
        nodes = self.embed(batch)
        if not nodes.shape[1]:  # only empty texts: no node to attend from or to
            return self.emission(nodes), None
        encoded = self.encoder(nodes, batch.nodes, need_weights)
        scores: Tensor = self.emission(self.output_dropout(encoded.hidden))
        # Sums over all paths lose too much in half precision, in which the layers below may run.
        return scores.to(torch.promote_types(scores.dtype, torch.float32)), encoded.attention

    def embed(self, batch: FlatBatch) -> Tensor:
        """Nodes before the first layer, ``[B, L, H]``; zero at padding."""
        # shape: (B, T, D)
        characters = self.characters(batch.characters)
        if self.bigrams is not None and batch.bigrams is not None:
            characters = torch.cat([characters, self.bigrams(batch.bigrams)], dim=-1)
        characters = self.char_projection(self.embedding_dropout(characters))  # shape: (B, T, H)
        words = self.word_projection(self.embedding_dropout(self.words(batch.words)))  # shape: (B, W, H)
        both = torch.cat([characters, words], dim=1)
        nodes = both.gather(1, batch.source[..., None].expand(-1, -1, self.config.hidden))
        return nodes * batch.nodes.mask[..., None]

    @torch.no_grad()
    def decode(self, batch: Batch) -> list[list[Span]]:
        batch = _flat(batch)
        emissions, _ = self.emissions(batch)
        return self.decoder.decode(self.crf, emissions, batch.nodes.char_mask)

    @torch.no_grad()
    def trace(self, batch: Batch) -> list[Trace]:
        batch = _flat(batch)
        training = self.training
        self.eval()
        try:
            emissions, attention = self.emissions(batch, need_weights=True)
            return flat_traces(self.name, batch, emissions, attention or [], self.crf, self.decoder)
        finally:
            self.train(training)

    def cost(self, document: Document) -> int:
        return len(self.lattice(document.text))

    def parameter_groups(self) -> list[dict[str, Any]]:
        crf = list(self.crf.parameters())
        known = {id(parameter) for parameter in crf}
        rest = [parameter for parameter in self.parameters() if id(parameter) not in known]
        return [{"params": rest, "lr_scale": 1.0}, {"params": crf, "lr_scale": self.config.crf_rate}]

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        tables = {"characters": self.characters, "bigrams": self.bigrams, "words": self.words}
        vocabulary = {
            name: {"dimension": table.dimension, "tokens": table.vocabulary.to_json()}
            for name, table in tables.items()
            if table is not None
        }
        model_folder.write_header(folder, self)
        model_folder.write_json(folder / VOCABULARY, vocabulary)
        model_folder.write_tensors(folder, self.state_dict())
        if self.lexicon is not None:
            self.lexicon.save(folder / model_folder.LEXICON)

    @classmethod
    def load(cls, folder: Path) -> Flat:
        header = model_folder.read_header(folder)
        config = header.config_of(folder, FlatConfig)
        assert isinstance(config, FlatConfig)
        vocabulary = _read_vocabulary(folder, config)
        lexicon = model_folder.read_lexicon(folder) if config.use_lexicon else None

        def fresh() -> Flat:
            tables = {
                name: StaticEmbedding(
                    tokens, width, config.word_unknown if name == "words" else config.char_unknown
                )
                for name, (tokens, width) in vocabulary.items()
            }
            return cls(
                config, header.labels, tables["characters"], tables.get("bigrams"), tables["words"], lexicon
            )

        # Shapes are compared before memory is taken for them: the files may be hostile.
        with torch.device("meta"):
            expected = {name: tuple(tensor.shape) for name, tensor in fresh().state_dict().items()}
        tensors = model_folder.read_tensors(folder, expected)
        with torch.random.fork_rng(devices=[]):
            tagger = fresh()
        tagger.load_state_dict(tensors)
        return tagger.eval()


def _read_vocabulary(folder: Path, config: FlatConfig) -> dict[str, tuple[Vocabulary, int]]:
    """Tokens and width of every table.

    Raises:
        ModelFolderError: a table is missing, unknown or malformed.
    """
    path = folder / VOCABULARY
    value = model_folder.read_json(path)
    names = {"characters", "words"} | ({"bigrams"} if config.bigram_dim else set())
    if not isinstance(value, dict) or set(value) != names:
        raise ModelFolderError(f"{path} must hold {', '.join(sorted(names))}; {model_folder.AGAIN}")
    tables = {}
    for name, table in value.items():
        try:
            width = table["dimension"]
            if type(width) is not int or not 1 <= width <= 4096:
                raise ValueError(f"dimension must be 1 to 4096, got {width!r}")
            tables[name] = (Vocabulary.from_json(table["tokens"]), width)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelFolderError(f"{path}, {name}: {error}; {model_folder.AGAIN}") from None
    return tables


def _flat(batch: Batch) -> FlatBatch:
    if not isinstance(batch, FlatBatch):
        raise TypeError(f"FLAT reads batches of its own collate, got {type(batch).__name__}")
    return batch


def _tables(
    config: FlatConfig, texts: Sequence[str], lexicon: Lexicon | None
) -> tuple[StaticEmbedding, StaticEmbedding | None, StaticEmbedding]:
    """Fresh tables of characters, bigrams and words for the training texts."""
    characters = StaticEmbedding.build(
        (character for text in texts for character in text),
        config.char_dim,
        source=config.char_vectors,
        unknown_rate=config.char_unknown,
        keep=lambda token: len(token) == 1,
    )
    pairs = None
    if config.bigram_dim:
        pairs = StaticEmbedding.build(
            (pair for text in texts for pair in bigrams(text)),
            config.bigram_dim,
            source=config.bigram_vectors,
            least=config.least_bigram,
            unknown_rate=config.char_unknown,
        )
    matched = (word.word for text in texts for word in Lattice.of(text, lexicon, config.longest_word).words)
    words = StaticEmbedding.build(
        matched,
        config.word_dim,
        source=config.word_vectors if lexicon is not None else "",
        unknown_rate=config.word_unknown,
        keep=lambda token: lexicon is not None and token in lexicon,
    )
    return characters, pairs, words
