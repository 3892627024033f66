"""What a search may choose: taggers, and for each the few settings that matter most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.trial import Trial as Suggestions

from core.learning.search.settings import SearchSettings
from core.learning.search.trials import TAGGERS
from core.runtime.message import message_of
from core.taggers.base.config_fields import ConfigError, config_fields
from core.taggers.base.registry import by_name
from core.taggers.sequence.encoder_choice import AUTO
from core.text import Document
from core.text.outermost import outermost
from core.text.units import preferred_unit
from core.training.fitting import fitting_epochs
from core.training.run.errors import TrainingError
from core.training.settings import TrainingSettings, config_from_values

TAGGER, PASSES, UNDER = "tagger", "passes", "under."  # ``under.hidden``: of the tagger inside another
# A dimension of the search: the field it sets, and what from.
Dimensions = Mapping[str, BaseDistribution]


def _one_of(*values: Any) -> CategoricalDistribution:
    return CategoricalDistribution(values)


def _between(low: float, high: float) -> FloatDistribution:
    """Any number between, small ones as densely as large ones."""
    return FloatDistribution(low, high, log=True)


FROM_SCRATCH: Dimensions = {
    "learning_rate": _between(5e-4, 8e-3),
    "batch_size": _one_of(4, 8, 16, 32),
    "fgm": _one_of(0.0, 1.0),
    "ema": _one_of(0.0, 0.99),
    PASSES: _one_of(0.5, 1.0, 1.5),
    "output_dropout": _one_of(0.1, 0.3, 0.5),
}
TABLES: Dimensions = {"embedding_dropout": _one_of(0.3, 0.5, 0.6)}
OF_TAGGER: Mapping[str, Dimensions] = {
    "bilstm_crf": {**FROM_SCRATCH, **TABLES, "hidden": _one_of(100, 200, 300)},
    "soft_lexicon": {**FROM_SCRATCH, **TABLES, "hidden": _one_of(100, 200, 300)},
    "flat": {
        **FROM_SCRATCH,
        **TABLES,
        "hidden": _one_of(96, 160, 256),
        "layers": _one_of(1, 2),
        "ffn_dropout": _one_of(0.15, 0.3),
    },
    "span": {
        **FROM_SCRATCH,
        **TABLES,
        "scorer": _one_of("global_pointer", "biaffine"),
        "over": _one_of(AUTO, "soft_lexicon"),
        UNDER + "hidden": _one_of(100, 200, 300),
    },
    "bert": {
        "learning_rate": _between(3e-4, 3e-3),
        "encoder_rate": _between(0.02, 0.2),
        "batch_size": _one_of(8, 16, 32),
        "fgm": _one_of(0.0, 1.0),
        PASSES: _one_of(0.5, 1.0, 1.5),
        "output_dropout": _one_of(0.1, 0.3),
        "head": _one_of("softmax", "crf"),
    },
}
WORDS: Dimensions = {"char_view": _one_of("cnn", "lstm"), "rare_unknown": _one_of(0.2, 0.5)}
# Slower than the defaults, and on some corpora better.
RECIPES: Mapping[str, Mapping[str, Any]] = {
    "bilstm_crf": {"fgm": 1.0},
    "soft_lexicon": {"fgm": 1.0},
    "flat": {"fgm": 1.0},
    "span": {"over": "soft_lexicon"},
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A tagger with settings to try; ``config`` and ``settings`` hold what differs from its defaults."""

    tagger: str
    config: Mapping[str, Any]
    settings: Mapping[str, Any]

    @property
    def epochs(self) -> int:
        return int(self.settings.get("epochs", TrainingSettings().epochs))


@dataclass(frozen=True, slots=True)
class Space:
    """The choices for one corpus.

    Args:
        taggers: to try. documents: to learn from, which decides how many epochs there are.
        unit: what is tagged, ``character`` or ``word``.
        encoder: of ``bert``. base: training settings of every trial, such as the threads.
    """

    taggers: tuple[str, ...]
    documents: int
    unit: str
    encoder: str = ""
    base: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, documents: Sequence[Document], learned: int, settings: SearchSettings, base: Mapping[str, Any]
    ) -> Space:
        """The space for these labelled documents.

        Args:
            learned: how many of them a trial learns from.
        """
        nested = any(outermost(document.spans)[1] for document in documents)
        unsuited = {name for name, suits in {"span": nested, "bert": settings.encoder}.items() if not suits}
        taggers = settings.tagger_names or set(TAGGERS) - unsuited
        ordered = tuple(name for name in TAGGERS if name in taggers)
        return cls(ordered, learned, preferred_unit(documents), settings.encoder, dict(base))

    def dimensions(self, tagger: str) -> Dimensions:
        """What is chosen for a tagger, besides its epochs all under the names of its fields."""
        found = dict(OF_TAGGER[tagger])
        if self.unit == "word" and "unit" in _defaults(by_name(tagger).Config) and tagger != "bert":
            found |= WORDS
        return {name: values for name, values in found.items() if name not in self.base}

    def distributions(self, tagger: str) -> dict[str, BaseDistribution]:
        """``dimensions`` and the choice of the tagger, under the names of a trial's ``params``."""
        own = {f"{tagger}.{name}": values for name, values in self.dimensions(tagger).items()}
        return {TAGGER: CategoricalDistribution(self.taggers), **own}

    def defaults(self) -> dict[str, dict[str, Any]]:
        """A trial's ``params`` with the defaults of each tagger."""
        return {tagger: self._params(tagger, {}) for tagger in self.taggers}

    def recipes(self) -> dict[str, dict[str, Any]]:
        """A trial's ``params`` with the recipe of each tagger that has one."""
        found = {}
        for tagger in self.taggers:
            recipe = RECIPES.get(tagger, {})
            if recipe and recipe.keys() <= self.dimensions(tagger).keys():
                found[tagger] = self._params(tagger, recipe)
        return found

    def choose(self, suggestions: Suggestions) -> Choice:
        """The next choice of an Optuna trial."""
        tagger = str(suggestions.suggest_categorical(TAGGER, self.taggers))
        values = {
            name: _suggested(suggestions, f"{tagger}.{name}", values)
            for name, values in self.dimensions(tagger).items()
        }
        return self.choice(tagger, values)

    def choice(self, tagger: str, values: Mapping[str, Any]) -> Choice:
        """What these values of the tagger's dimensions mean for a training."""
        kind = by_name(tagger)
        defaults = _defaults(kind.Config)
        settings = {**_defaults(TrainingSettings), **self.base}
        config: dict[str, Any] = {"encoder": self.encoder} if tagger == "bert" else {}
        under: dict[str, Any] = {}
        for name, value in values.items():
            if name.startswith(UNDER):
                under[name.removeprefix(UNDER)] = value
            elif name in settings:
                settings[name] = value
            elif name != PASSES:
                config[name] = value
        over = values.get("over", AUTO)
        inner = _defaults(by_name("bilstm_crf" if over == AUTO else over).Config)
        changed = [f"{name}={value}" for name, value in under.items() if value != inner[name]]
        if changed:
            config["over_options"] = ", ".join(changed)
        if "epochs" not in self.base:
            settings["epochs"] = self._epochs(tagger, values, int(settings["batch_size"]))
        return Choice(
            tagger,
            {name: value for name, value in config.items() if value != defaults[name]},
            {
                **{name: settings[name] for name in kind.learns_best_with},  # a training would complete them
                **TrainingSettings.from_values(settings).changed(),
            },
        )

    def _params(self, tagger: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """``values`` and the defaults of all else, under the names of a trial's ``params``."""
        kind = by_name(tagger)
        given = {**_defaults(TrainingSettings), **kind.learns_best_with}
        defaults = {**given, **_defaults(kind.Config), PASSES: 1.0}
        inner = _defaults(by_name("bilstm_crf").Config)
        defaults |= {UNDER + name: value for name, value in inner.items()}
        chosen = {name: values.get(name, defaults[name]) for name in self.dimensions(tagger)}
        return {TAGGER: tagger, **{f"{tagger}.{name}": value for name, value in chosen.items()}}

    def _epochs(self, tagger: str, values: Mapping[str, Any], batch_size: int) -> int:
        """Passes over the documents; a pretrained encoder needs few."""
        planned = fitting_epochs(self.documents, batch_size)
        if tagger == "bert":
            planned = TrainingSettings().epochs
        return max(1, round(planned * float(values.get(PASSES, 1.0))))


def check_encoder(settings: SearchSettings) -> None:
    """Check, without loading weights, that the encoder can be used.

    Raises:
        TrainingError: it cannot; says why.
    """
    if settings.encoder:
        kind = by_name("bert")
        try:
            kind.check_config(config_from_values(kind.Config, {"encoder": settings.encoder}))
        except ConfigError as error:
            raise TrainingError(message_of(error)) from error


def _defaults(config: type[Any]) -> dict[str, Any]:
    return {item.name: item.default for item in config_fields(config)}


def _suggested(suggestions: Suggestions, name: str, values: BaseDistribution) -> Any:
    if isinstance(values, FloatDistribution):
        return suggestions.suggest_float(name, values.low, values.high, log=values.log)
    assert isinstance(values, CategoricalDistribution)
    return suggestions.suggest_categorical(name, values.choices)
