"""The option ``unit`` of sequence taggers: whether characters or words are tagged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from core.runtime.message import Message, _
from core.taggers.base.config_fields import ConfigError, in_error, option
from core.taggers.base.tagger import Resources, TaggerConfig
from core.text import Document
from core.text.units import Units, in_units, preferred_unit, units_of

AUTO, CHARACTER, WORD = "auto", "character", "word"


@dataclass(frozen=True)
class UnitConfig(TaggerConfig):
    """The option ``unit``; a tagger's own config has it settled: never ``auto``."""

    unit: str = option(
        AUTO,
        "what is tagged: characters (Chinese, Japanese, Thai) or words (languages with spaces); auto decides "
        "by the training texts",
        choices=(AUTO, CHARACTER, WORD),
        basic=True,
    )

    @property
    def reads_words(self) -> bool:
        """Whether words are tagged."""
        return self.unit == WORD

    def units(self, document: Document) -> Units:
        """The units of a document."""
        return units_of(document, "word" if self.reads_words else "character")


AnyConfig = TypeVar("AnyConfig", bound=UnitConfig)


def settled(config: AnyConfig, resources: Resources, takes_words: bool) -> AnyConfig:
    """The config with ``unit`` decided.

    Args:
        takes_words: whether the tagger can tag words. Under another tagger, which replaces its head, it
            reads characters.
    """
    if not (takes_words and resources.head):
        return replace(config, unit=CHARACTER)
    return replace(config, unit=preferred_unit(resources.documents)) if config.unit == AUTO else config


def check_unit(config: UnitConfig, title: str, takes_words: bool) -> None:
    """Refuse words for a tagger that reads characters only.

    Raises:
        ConfigError: says which option, and what to choose.
    """
    if config.reads_words and not takes_words:
        raise ConfigError(
            "{field}: {title} reads characters only; choose auto or character, or a tagger that reads words, "
            "such as BiLSTM-CRF, BERT, SoftLexicon or FLAT",
            field=in_error(type(config), "unit"),
            title=title,
        )


def unit_notes(config: UnitConfig, documents: Sequence[Document]) -> tuple[Message, ...]:
    """What training says where words are tagged: which training spans do not fit them."""
    if not config.reads_words:
        return ()
    moved = lost = 0
    for document in documents:
        _spans, more_moved, more_lost = in_units(config.units(document), document.spans)
        moved, lost = moved + more_moved, lost + more_lost
    notes = [_("Words are tagged, not characters: predicted spans begin and end with a word.")]
    if moved or lost:
        notes.append(
            _(
                "{moved} of the {spans} training spans begin or end inside a word or with a blank and "
                "are learned as whole words; {lost} are left out, because they overlap others then or "
                "hold no word. Dev and test keep theirs.",
                moved=moved,
                spans=sum(len(document.spans) for document in documents),
                lost=lost,
            )
        )
    return tuple(notes)
