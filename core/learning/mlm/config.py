"""Config of masked-language-model pretraining; the defaults are those of the papers."""

from __future__ import annotations

from dataclasses import dataclass

from core.taggers.base.config_fields import ConfigError, in_error, option

MASKINGS = ("pieces", "words", "spans", "entities")
PAIRS = ("none", "next_sentence", "sentence_order")


@dataclass(frozen=True)
class MlmConfig:
    """Options of masked-language-model training (Devlin et al., NAACL 2019)."""

    encoder: str = option(
        "",
        "the transformer to go on with: its name on the hub, or a folder; empty begins a tiny BERT",
        basic=True,
    )
    masking: str = option(
        "words",
        "what is hidden as one: pieces (BERT), words of the lexicon (whole-word masking), spans (SpanBERT); "
        "or words, and entities, which are labelled spans and words of known type (ERNIE)",
        choices=MASKINGS,
        basic=True,
    )
    epochs: int = option(3, "passes over the text", bounds=(1, 1000), basic=True)
    learning_rate: float = option(
        5e-5,
        "highest step size; 0.0001 suits a small encoder, 0.001 a tiny BERT",
        bounds=(1e-8, 1.0),
        basic=True,
    )
    batch_size: int = option(16, "stretches of text in a step", bounds=(1, 4096), basic=True)
    length: int = option(128, "most word pieces of a stretch", bounds=(16, 8192))
    pairs: str = option(
        "none",
        "a second task: whether one stretch follows another (BERT), or which came first (ALBERT)",
        choices=PAIRS,
    )
    share: float = option(0.15, "share of the pieces to be predicted", bounds=(0.01, 0.9))
    masked: float = option(0.8, "share of those that are masked", bounds=(0.0, 1.0))
    random: float = option(0.1, "share that becomes another piece; the rest stays", bounds=(0.0, 1.0))
    span_rate: float = option(
        0.2, "spans: p of the geometric law of their lengths, in words", bounds=(0.01, 0.99)
    )
    longest_span: int = option(10, "spans: most words of one", bounds=(1, 100))
    span_boundary: bool = option(
        False, "spans: their pieces are also told from the two pieces beside them (SpanBERT)"
    )
    replaced_detection: bool = option(
        False, "every piece is also told for original or one of the model's own guesses (ELECTRA)"
    )
    detection_weight: float = option(
        50.0, "replaced detection: weight of its loss (ELECTRA's lambda)", bounds=(0.0, 1e4)
    )
    head_steps: int = option(
        500,
        "an encoder without its head: most steps that a fresh one learns alone, the encoder unchanged",
        bounds=(0, 100_000),
    )
    warm_up: float = option(0.1, "share of the steps over which the step size grows", bounds=(0.0, 1.0))
    weight_decay: float = option(0.01, "pulls weights to zero", bounds=(0.0, 1.0))
    clip_norm: float = option(1.0, "longest gradient of a step; 0 does not clip", bounds=(0.0, 1e4))
    seed: int = option(1, "same seed, same machine: same result", bounds=(0, 2**31 - 1))
    threads: int = option(0, "processor threads; 0 takes all cores", bounds=(0, 1024))

    def __post_init__(self) -> None:
        if self.masked + self.random > 1.0:
            raise ConfigError(
                "masked, random: {masked} and {random} add up to more than 1",
                masked=self.masked,
                random=self.random,
            )
        if self.span_boundary and self.masking != "spans":
            raise ConfigError(
                "{field}: only spans have boundaries; set {masking} to spans, or leave {field} out",
                field=in_error(type(self), "span_boundary"),
                masking=in_error(type(self), "masking"),
            )


@dataclass(frozen=True)
class TinyBertConfig:
    """A new BERT over characters (BERT-Tiny: Turc et al., arXiv 1908.08962)."""

    layers: int = option(2, "a tiny BERT's layers", bounds=(1, 24))
    width: int = option(128, "its width, a multiple of its heads", bounds=(8, 2048))
    heads: int = option(2, "its attention heads", bounds=(1, 64))
    least_character: int = option(2, "characters seen less often are unknown to it", bounds=(1, 10**6))

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ConfigError(
                "width: {width} is not a multiple of the {heads} heads", width=self.width, heads=self.heads
            )
