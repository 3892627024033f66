"""Reject XML with document types or entities before it is parsed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from core.formats.framework.errors import RecordError
from core.runtime.message import _

# What XML 1.0 cannot hold (section 2.2, production Char).
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A pattern of what may stand before the outermost element. A comment ends at its first -->: if it could end
# at any of them, a file that begins with many would take for ever.
_COMMENTS = r"(?:<!--(?:(?!-->).)*-->\s*)*"
PROLOG = rf"(?s:\s*(?:<\?xml[^>]*\?>\s*)?{_COMMENTS}(?:<!DOCTYPE[^>\[]*(?:\[[^\]]*\])?\s*>\s*{_COMMENTS})?)"
_DEEPEST = 200
_MOST_ATTRIBUTES = 1000  # parsers compare every name with all others
_CUT_OFF = _("it is empty or cut off")
_UNKNOWN_ENCODING = _("its encoding is not known; save it as UTF-8")
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
    "unknown encoding": _UNKNOWN_ENCODING,
    "encoding specified in XML declaration is incorrect": _("its encoding is not the one that it declares"),
}


def check_xml(content: bytes) -> None:
    """Refuse XML that declares a document type, nests deeply, has thousands of attributes, or is invalid.

    A document type may define internal or external entities.

    Raises:
        RecordError: naming the line.
    """
    _parse(guarded(), content)


def tree_of(content: bytes) -> Element:
    """The outermost element of XML that `check_xml` lets pass.

    Raises:
        RecordError: naming the line.
    """
    builder = TreeBuilder()
    parser = guarded(builder.start, builder.end)
    parser.buffer_text = True
    parser.CharacterDataHandler = builder.data
    _parse(parser, content)
    return builder.close()


def _parse(parser: expat.XMLParserType, content: bytes) -> None:
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise fault_of(error) from None
    except (LookupError, UnicodeError, ValueError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(  # expat knows encodings of one byte, UTF-8 and UTF-16
            "line {line}: not XML: {reason}", line=1, reason=_UNKNOWN_ENCODING
        ) from None


def guarded(
    begun: Callable[[str, dict[str, str]], object] | None = None,
    ended: Callable[[str], object] | None = None,
    external_subset: bool = False,
) -> expat.XMLParserType:
    """A parser that refuses what `check_xml` refuses by a RecordError.

    Args:
        begun: called for every element that begins. ended: for every one that ends.
        external_subset: whether a document type may name a file of declarations, which is never opened. It
            may declare nothing itself, and every entity that only the file could define is refused.
    """
    depth = 0
    # The encoding is given, because a source is decoded before and its declaration may be wrong by then.
    parser = expat.ParserCreate("utf-8") if external_subset else expat.ParserCreate()

    def declared(*_values: Any) -> NoReturn:
        raise RecordError(
            "line {line}: the file declares a document type or entities; such XML is not read, "
            "for it can name other files or grow without end",
            line=parser.CurrentLineNumber,
        )

    def typed(_name: str, _system: str | None, _public: str | None, declares: int) -> None:
        if declares or not external_subset:
            declared()

    def skipped(*_values: Any) -> NoReturn:
        raise RecordError(
            "line {line}: not XML: {reason}",
            line=parser.CurrentLineNumber,
            reason=_FAULTS["undefined entity"],
        )

    def element_begun(name: str, attributes: dict[str, str]) -> None:
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
        if begun is not None:
            begun(name, attributes)

    def element_ended(name: str) -> None:
        nonlocal depth
        depth -= 1
        if ended is not None:
            ended(name)

    parser.StartDoctypeDeclHandler = typed
    parser.EntityDeclHandler = declared
    parser.ExternalEntityRefHandler = declared
    parser.SkippedEntityHandler = skipped
    parser.StartElementHandler = element_begun
    parser.EndElementHandler = element_ended
    return parser


def fault_of(error: expat.ExpatError) -> RecordError:
    """What is wrong with a file that expat cannot parse, and on which line."""
    return RecordError(
        "line {line}: not XML: {reason}",
        line=error.lineno,
        reason=_FAULTS.get(expat.ErrorString(error.code), _("it does not follow the rules of XML")),
    )
