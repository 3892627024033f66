"""Config of a biLM and its training; the defaults are those of Peters et al. 2018 and its code."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.encoders.elmo.options import PUBLISHED_FILTERS, ElmoError, ElmoOptions
from core.encoders.elmo.tokens import UNITS
from core.layers.candidate_sampling import DISTRIBUTIONS
from core.layers.cnn_softmax import CORRECTION
from core.runtime.message import message_of
from core.taggers.base.config_fields import ConfigError, option

_FILTERS = " ".join(f"{width}x{number}" for width, number in PUBLISHED_FILTERS)


@dataclass(frozen=True)
class BilmConfig:
    """Structure of the encoder; a fine-tuned biLM keeps its own."""

    unit: str = option("character", "what is read as one token", choices=UNITS[::-1], basic=True)
    cells: int = option(4096, "width of the cells", bounds=(1, 16384), basic=True)
    projection: int = option(512, "width of each direction's output", bounds=(1, 4096), basic=True)
    layers: int = option(2, "biLSTM layers", bounds=(1, 16))
    char_dim: int = option(16, "width of a byte's vector", bounds=(1, 1024))
    filters: str = option(_FILTERS, "kinds of filters over the bytes of a token, as WIDTHxNUMBER")
    highways: int = option(2, "highway layers", bounds=(0, 16))
    longest_token: int = option(50, "bytes read of a token", bounds=(3, 1000))

    def __post_init__(self) -> None:
        self.options()

    def options(self) -> ElmoOptions:
        """The options as `Elmo` takes them.

        Raises:
            ConfigError: ``filters`` is invalid, or a filter is wider than a token.
        """
        pairs = [re.fullmatch(r"(\d{1,4})x(\d{1,5})", pair) for pair in self.filters.split()]
        if not pairs or None in pairs:
            raise ConfigError(
                "filters: {filters} does not fit; it takes pairs like {example}",
                filters=repr(self.filters[:60]),
                example=_FILTERS,
            )
        try:
            return ElmoOptions(
                char_width=self.char_dim,
                filters=tuple((int(pair[1]), int(pair[2])) for pair in pairs if pair),
                highways=self.highways,
                longest_token=self.longest_token,
                cells=self.cells,
                projection=self.projection,
                layers=self.layers,
                unit=self.unit,
            )
        except ElmoError as error:
            raise ConfigError(message_of(error)) from None


@dataclass(frozen=True)
class SoftmaxConfig:
    """The words a biLM predicts and how their vectors are made; a fine-tuned biLM keeps its own."""

    softmax: str = option(
        "table",
        "vectors of the predicted words: a table, or a CNN over their bytes",
        choices=("table", "cnn"),
    )
    correction: int = option(
        CORRECTION, "free numbers of each word beside the CNN's vector", bounds=(0, 4096)
    )
    least_count: int = option(3, "words seen less often are predicted as unknown", bounds=(1, 10**6))
    most_words: int = option(800_000, "most words predicted", bounds=(1, 10**7))


@dataclass(frozen=True)
class BilmSettings:
    """How a biLM is trained."""

    epochs: int = option(10, "passes over the text", bounds=(0, 1000), basic=True)
    batch_size: int = option(128, "places of the text read at once", bounds=(1, 4096), basic=True)
    unroll: int = option(20, "tokens the gradient goes back", bounds=(1, 1000), basic=True)
    learning_rate: float = option(0.2, "step size", bounds=(1e-7, 10.0), basic=True)
    optimiser: str = option("adagrad", "how the steps are made", choices=("adagrad", "adam"))
    clip_norm: float = option(10.0, "longest gradient of one step; 0 does not clip", bounds=(0.0, 1e4))
    dropout: float = option(0.1, "on the input of every layer and on the output", bounds=(0.0, 0.9))
    samples: int = option(
        8192,
        "classes sampled per step beside the correct ones; a smaller vocabulary is not sampled",
        bounds=(1, 10**6),
    )
    sampling: str = option("log_uniform", "how they are drawn", choices=DISTRIBUTIONS)
    seed: int = option(1, "same seed, same machine: same result", bounds=(0, 2**31 - 1), basic=True)
    threads: int = option(0, "processor threads; 0 takes all cores", bounds=(0, 1024))
