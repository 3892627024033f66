"""The options of FLAT."""

from __future__ import annotations

from dataclasses import dataclass

from core.taggers.config_fields import ConfigError, option
from core.taggers.tagger import TaggerConfig


@dataclass(frozen=True)
class FlatConfig(TaggerConfig):
    """Options of FLAT; the structure's defaults are the paper's."""

    layers: int = option(1, "Transformer layers over the lattice", minimum=1, maximum=12, basic=True)
    heads: int = option(8, "attention heads", minimum=1, maximum=64, basic=True)
    hidden: int = option(160, "width of a node, a multiple of the heads", minimum=4, maximum=2048, basic=True)
    ffn: int = option(480, "width inside the feed-forward network", minimum=1, maximum=8192)
    four_distances: bool = option(True, "all four relative distances; no: head-head and tail-tail only")
    project_key: bool = option(True, "project the keys (W_kE); the published code does not")
    scale: bool = option(False, "divide attention scores by the root of a head's width")
    residual: bool = option(True, "residual connections; the published code has none by a slip")
    project_output: bool = option(False, "one more linear layer over the joined heads")
    use_lexicon: bool = option(True, "words of the lexicon as nodes of the lattice", basic=True)
    longest_word: int = option(0, "leave out longer words than this; 0 keeps all", minimum=0, maximum=100)
    char_dim: int = option(50, "width of a character's vector", minimum=1, maximum=1024)
    bigram_dim: int = option(50, "width of a bigram's vector; 0 reads no bigrams", minimum=0, maximum=1024)
    word_dim: int = option(50, "width of a word's vector", minimum=1, maximum=1024)
    char_vectors: str = option("", "first values of characters: empty, jieba, or the path of a .vec file")
    bigram_vectors: str = option("", "first values of bigrams: empty, or the path of a .vec file")
    word_vectors: str = option("", "first values of words: empty, or the path of a .vec file")
    least_bigram: int = option(2, "bigrams seen less often share one vector", minimum=1, maximum=1000)
    embedding_dropout: float = option(0.5, "dropout on embeddings", minimum=0.0, maximum=0.9, basic=True)
    attention_dropout: float = option(0.0, "dropout on attention weights", minimum=0.0, maximum=0.9)
    ffn_dropout: float = option(0.15, "dropout inside the feed-forward network", minimum=0.0, maximum=0.9)
    layer_dropout: float = option(0.15, "dropout before residual and norm", minimum=0.0, maximum=0.9)
    output_dropout: float = option(0.3, "dropout before the tag scores", minimum=0.0, maximum=0.9)
    char_unknown: float = option(
        0.005, "share of characters read as unknown in training", minimum=0.0, maximum=0.5
    )
    word_unknown: float = option(0.01, "share of words read as unknown in training", minimum=0.0, maximum=0.5)
    scheme: str = option("BMES", "how spans are spelt as tags", choices=("BMES", "BIOES"))
    constrained: bool = option(True, "decode legal tag sequences only")
    crf_rate: float = option(5.0, "the CRF's learning rate, as a multiple", minimum=0.01, maximum=1000.0)

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ConfigError(f"hidden: {self.hidden} is not a multiple of the {self.heads} heads")
