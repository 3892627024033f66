"""Reject XML with document types or entities before it is parsed."""

from __future__ import annotations

from typing import Any, NoReturn
from xml.parsers import expat

from core.formats.framework.errors import RecordError
from core.text.message import _

_DEEPEST = 200
_MOST_ATTRIBUTES = 1000  # parsers compare every name with all others
_CUT_OFF = _("it is empty or cut off")
# By what expat says.
_FAULTS = {
    "no element found": _CUT_OFF,
    "unclosed token": _CUT_OFF,
    "not well-formed (invalid token)": _("a character stands where none may, such as a bare & or <"),
    "mismatched tag": _("a closing tag does not fit the open one"),
    "junk after document element": _("more text follows the end of the outermost element"),
    "undefined entity": _("an entity such as &nbsp; is not defined"),
    "duplicate attribute": _("an attribute is given twice"),
    "unbound prefix": _("a prefix is not declared"),
}


def check_xml(content: bytes) -> None:
    """Refuse XML that declares a document type, nests deeply, has thousands of attributes, or is invalid.

    A document type may define internal or external entities.

    Raises:
        RecordError: naming the line.
    """
    depth = 0
    parser = expat.ParserCreate()

    def declared(*_values: Any) -> NoReturn:
        raise RecordError(
            "line {line}: the file declares a document type or entities; such XML is not read, "
            "for it can name other files or grow without end",
            line=parser.CurrentLineNumber,
        )

    def begun(_name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if len(attributes) > _MOST_ATTRIBUTES:
            raise RecordError(
                "line {line}: an element has more than {most} attributes",
                line=parser.CurrentLineNumber,
                most=_MOST_ATTRIBUTES,
            )
        if depth > _DEEPEST:
            raise RecordError(
                "line {line}: elements lie more than {most} deep",
                line=parser.CurrentLineNumber,
                most=_DEEPEST,
            )

    def ended(*_values: Any) -> None:
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
        raise RecordError(
            "line {line}: not XML: {reason}",
            line=error.lineno,
            reason=_FAULTS.get(expat.ErrorString(error.code), _("it does not follow the rules of XML")),
        ) from None
