"""Write a JSON array with one document per line."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, TextIO

from core.formats.framework.format import Format, Losses, WriteOptions, in_order
from core.formats.shapes.json_lines import plain_value
from core.text import Document


def write_array(target: TextIO, elements: Iterable[str]) -> None:
    """Write a JSON array of these elements, one on a line."""
    before = "[\n"
    for element in elements:
        target.write(before + element)
        before = ",\n"
    target.write("\n]\n" if before != "[\n" else "[]\n")


class ArrayFormat(Format):
    """A format that is one JSON array, or an object around one.

    Attributes:
        opening, closing: what is written before and after the array.
    """

    opening: ClassVar[str] = ""
    closing: ClassVar[str] = ""

    @abstractmethod
    def element(self, document: Document, options: WriteOptions) -> tuple[Any, Losses]:
        """The JSON value of one document, and its losses."""

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One element on a line."""
        value, lost = self.element(document, options)
        return json.dumps(value, ensure_ascii=False, default=plain_value), lost

    def write(
        self, documents: Iterable[Document], target: TextIO, options: WriteOptions | None = None
    ) -> Losses:
        """The array, element by element."""
        options = options or WriteOptions()
        lost: Counter[str] = Counter()

        def rendered() -> Iterator[str]:
            for document in documents:
                element, losses = self.render(document, options)
                lost.update(losses)
                yield element

        target.write(self.opening)
        write_array(target, rendered())
        target.write(self.closing)
        return in_order(lost)
