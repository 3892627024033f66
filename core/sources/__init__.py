"""Others' taggers as sources of suggestions: one contract, a module for each kind. Starts without torch."""

from core.sources.contract import Answer, Context, Source, SourceError, Usage
from core.sources.label_mapping import Mapped, map_labels, proposed
from core.sources.opening import open_source
from core.sources.settings import ASKED_FOR, KINDS, Kind, SourceSettings

__all__ = [
    "ASKED_FOR",
    "KINDS",
    "Answer",
    "Context",
    "Kind",
    "Mapped",
    "Source",
    "SourceError",
    "SourceSettings",
    "Usage",
    "map_labels",
    "open_source",
    "proposed",
]
