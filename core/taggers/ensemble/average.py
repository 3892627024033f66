"""What an ensemble needs from an average of probabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from core.taggers.base.calibration import Calibration
from core.taggers.base.tagger import Batch
from core.taggers.base.trace import Trace
from core.text import Span


class Average(ABC):
    """Averages the probabilities of members with one kind of output, and decodes the average.

    Attributes:
        supports_nested: whether predicted spans may overlap.
    """

    supports_nested: bool = False

    @abstractmethod
    def decode(self, batches: Sequence[Batch]) -> list[list[Span]]:
        """The spans of every document, each with the mean of its calibrated probabilities.

        Args:
            batches: of the same documents, one for each member.
        """

    @abstractmethod
    def trace(self, batches: Sequence[Batch], calibration: Calibration, name: str) -> list[Trace]:
        """What the Inspect page shows, one trace per document.

        Args:
            calibration: of the ensemble, for the spans' probabilities. name: of the tagger.
        """
