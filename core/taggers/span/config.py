"""The options of the span tagger."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from core.taggers.base.config_fields import ConfigError, in_error, option
from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Tagger, TaggerConfig
from core.taggers.sequence.character_tagger import TableConfig
from core.taggers.sequence.encoder_choice import AUTO, EncoderChoice, OverConfig, check_over, chosen_encoder
from core.taggers.sequence.encoder_features import EncoderConfig
from core.taggers.span.decoding import DECODINGS, SEEN

SCORERS = ("global_pointer", "biaffine")


@dataclass(frozen=True)
class SpanConfig(OverConfig, EncoderConfig, TableConfig):
    """Options of the span tagger.

    Those of `EncoderConfig` and `TableConfig` are passed on to the tagger whose encoder reads the text.

    Raises:
        ConfigError: that tagger lacks an option, or refuses it; or ``head_width`` is odd.
    """

    encoder: str = option(
        "", "a transformer under it: its name on the hub, or a folder; empty is the tagger's own", basic=True
    )
    scorer: str = option(
        "global_pointer",
        "how spans are scored: global_pointer knows distances, biaffine has a matrix for each label",
        choices=SCORERS,
        basic=True,
    )
    head_width: int = option(
        128, "width of the vectors compared for start and end, an even number", bounds=(2, 2048)
    )
    rotary: bool = option(True, "turn the vectors of global_pointer by their positions")
    inside: bool = option(True, "judge a span by the characters inside it too, not by its ends alone")
    output_dropout: float = option(0.3, "dropout before the span scores", bounds=(0.0, 0.9))
    head_dropout: float = option(0.1, "dropout on the vectors compared", bounds=(0.0, 0.9))
    longest_span: int = option(
        0,
        "most characters of a span, which saves memory; longer ones are not learned; 0 sets no limit",
        bounds=(0, 100_000),
    )
    decoding: str = option(
        AUTO,
        "learned: spans overlap as those of training do, label by label; nested: all likely spans; "
        "no_crossing: those nested without crossing; flat: the best side by side, flat_greedy: one after "
        "the other; auto: learned if training spans overlap, else flat",
        choices=(AUTO, SEEN, *DECODINGS),
        basic=True,
    )
    threshold: float = option(
        0.0,
        "probability that a span must exceed; 0 takes the one with the best F1 on the dev documents",
        bounds=(0.0, 0.99),
    )

    def __post_init__(self) -> None:
        if self.head_width % 2:
            raise ConfigError(
                "{field}: {width} is odd, but positions turn pairs of numbers; give an even number",
                field=in_error(type(self), "head_width"),
                width=self.head_width,
            )
        _ = self.encoder_choice

    def inner_configs(self) -> tuple[TaggerConfig, ...]:
        return (self.encoder_choice.config,)

    @property
    def encoder_choice(self) -> EncoderChoice:
        """The encoder with its own config."""
        check_over(self.over)
        over = self.over if self.over != AUTO else "bert" if self.encoder else "bilstm_crf"
        values = self._passed_on(over, by_name(over))
        if self.over == AUTO and self.encoder:  # needs fewer sentences than the encoder alone
            values["top"] = "bilstm"
        return chosen_encoder(over, values, self.over_options)

    def _passed_on(self, over: str, kind: type[Tagger]) -> dict[str, Any]:
        """The options that ``over`` shares; a group that it lacks must be at its defaults."""
        values: dict[str, Any] = {}
        defaults = {field.name: field.default for field in fields(self)}
        for group in (EncoderConfig, TableConfig):
            given = {field.name: getattr(self, field.name) for field in fields(group)}
            if issubclass(kind.Config, group):
                values |= given
                continue
            for name, value in given.items():
                if value != defaults[name]:
                    raise ConfigError(
                        "{name}: {over} has no such option; leave it as it is, or choose another {field}",
                        name=in_error(type(self), name),
                        over=over,
                        field=in_error(OverConfig, "over"),
                    )
        if not values.get("encoder"):
            values.pop("encoder", None)  # its own: none, or BERT's default
        return values
