"""Reject XML with document types or entities before it is parsed."""

from __future__ import annotations

from typing import Any, NoReturn
from xml.parsers import expat

from core.formats.framework.errors import RecordError

_DEEPEST = 200
_MOST_ATTRIBUTES = 1000  # a parser of names compares each with all


def check_xml(content: bytes) -> None:
    """Refuse XML that declares a document type, nests deeply, has thousands of attributes, or is none.

    With a document type come entities, near or far.

    Raises:
        RecordError: naming the line.
    """
    depth = 0
    parser = expat.ParserCreate()

    def declared(*_: Any) -> NoReturn:
        raise RecordError(
            f"line {parser.CurrentLineNumber}: the file declares a document type or entities; "
            "such XML is not read, for it can name other files or grow without end"
        )

    def begun(_: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if len(attributes) > _MOST_ATTRIBUTES:
            raise RecordError(
                f"line {parser.CurrentLineNumber}: an element has more than {_MOST_ATTRIBUTES} attributes"
            )
        if depth > _DEEPEST:
            raise RecordError(f"line {parser.CurrentLineNumber}: elements lie more than {_DEEPEST} deep")

    def ended(*_: Any) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = declared
    parser.EntityDeclHandler = declared
    parser.ExternalEntityRefHandler = declared
    parser.StartElementHandler = begun
    parser.EndElementHandler = ended
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise RecordError(f"line {error.lineno}: not XML: {expat.ErrorString(error.code)}") from None
