"""Options of training word vectors on raw text, with the papers' defaults."""

from __future__ import annotations

from dataclasses import dataclass

from core.lexicon.maximum_matching import DIRECTIONS
from core.runtime.message import _
from core.taggers.base.config_fields import ConfigError, option

MODELS = ("word2vec", "fasttext")
ARCHITECTURES = ("skipgram", "cbow")
UNITS = ("characters", "bigrams", "words")
WORK = _("Training vectors")  # what needs gensim


@dataclass(frozen=True)
class VectorsConfig:
    """Options of word2vec (Mikolov et al., NIPS 2013) and fastText (Bojanowski et al., TACL 2017).

    The dimension is that of the vectors published with Lattice LSTM, FLAT and SoftLexicon; the other defaults
    are those of the papers and their programs.
    """

    model: str = option(
        "word2vec",
        "word2vec: a vector for each token; fasttext: also for its parts, so that unseen words have one",
        choices=MODELS,
        basic=True,
    )
    architecture: str = option(
        "skipgram",
        "skipgram: a token predicts its neighbours; cbow: the neighbours predict the token, faster",
        choices=ARCHITECTURES,
        basic=True,
    )
    dimension: int = option(50, "width of a vector", bounds=(2, 1024), basic=True)
    epochs: int = option(5, "passes over the text", bounds=(1, 1000), basic=True)
    least_count: int = option(5, "tokens seen less often get no vector", bounds=(1, 10**6), basic=True)
    characters: bool = option(True, "vectors of characters")
    bigrams: bool = option(True, "vectors of pairs of characters")
    words: bool = option(True, "vectors of words, as the lexicon cuts the text")
    cut: str = option("bidirectional", "where the longest match of the lexicon begins", choices=DIRECTIONS)
    window: int = option(5, "maximum context size on each side, in tokens", bounds=(1, 100))
    negative: int = option(5, "tokens drawn against each right one", bounds=(1, 100))
    sampling: float = option(
        1e-3, "frequent tokens above this share are thinned out; 0 keeps all", bounds=(0.0, 1.0)
    )
    learning_rate: float = option(0.025, "step size at the beginning", bounds=(1e-6, 1.0))
    last_rate: float = option(0.0001, "step size at the end", bounds=(1e-9, 1.0))
    shortest_part: int = option(3, "fasttext: shortest part of a token", bounds=(1, 10))
    longest_part: int = option(6, "fasttext: longest part of a token", bounds=(1, 20))
    buckets: int = option(2_000_000, "fasttext: most rows that its parts share", bounds=(1000, 10_000_000))
    seed: int = option(1, "same seed, same machine: same result", bounds=(0, 2**31 - 1), basic=True)

    def __post_init__(self) -> None:
        if not self.units:
            raise ConfigError("characters, bigrams, words: choose at least one of them")
        if self.longest_part < self.shortest_part:
            raise ConfigError(
                "longest_part: {longest_part} is less than shortest_part, {shortest_part}",
                longest_part=self.longest_part,
                shortest_part=self.shortest_part,
            )
        if self.last_rate > self.learning_rate:
            raise ConfigError(
                "last_rate: {last_rate} is above learning_rate, {learning_rate}",
                last_rate=self.last_rate,
                learning_rate=self.learning_rate,
            )

    @property
    def units(self) -> tuple[str, ...]:
        """The units that get vectors: characters, bigrams, words."""
        return tuple(unit for unit in UNITS if getattr(self, unit))
