"""Corrected cases: what a prediction must have, and must not have, to get a past correction right.

``Document.meta["corrected_cases"]`` lists them in a snapshot's ``corrections``.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from core.corpus.errors import CorpusError
from core.text import Document, SpanKey

CASES = "corrected_cases"


@dataclass(frozen=True, slots=True)
class CorrectedCase:
    """A person's correction of a prediction.

    Args:
        expected: the spans that a right prediction has. refused: the span that it does not have, if any.
    """

    expected: frozenset[SpanKey]
    refused: SpanKey | None = None

    def is_right(self, predicted: Set[SpanKey]) -> bool:
        """Whether a prediction on the document, as span keys, gets the case right."""
        return self.expected <= predicted and (
            self.refused is None or self.refused in self.expected or self.refused not in predicted
        )

    def to_json(self) -> dict[str, Any]:
        """For the ``meta`` of a document."""
        refused = None if self.refused is None else list(self.refused)
        return {"expected": sorted(map(list, self.expected)), "refused": refused}


def cases_of(document: Document) -> tuple[CorrectedCase, ...]:
    """The corrected cases that a document of a snapshot carries.

    Raises:
        CorpusError: they are malformed; names the document.
    """
    try:
        return tuple(_case(item) for item in document.meta.get(CASES, ()))
    except (LookupError, TypeError, ValueError) as error:
        raise CorpusError(
            "document {document}: meta.{field} does not list corrected cases",
            document=repr(document.id),
            field=CASES,
        ) from error


def _case(item: Mapping[str, Any]) -> CorrectedCase:
    refused = item["refused"]
    return CorrectedCase(frozenset(map(_key, item["expected"])), None if refused is None else _key(refused))


def _key(value: Any) -> SpanKey:
    start, end, label = value
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(label, str)):
        raise ValueError(value)
    return start, end, label
