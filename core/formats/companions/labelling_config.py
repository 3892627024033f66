"""Label Studio's labelling configuration: without it a project shows none of the spans of an imported task.

Layout: Label Studio's guide, "Labels" and "Relations" (labelstud.io/tags). The names ``label`` and ``text``
are those that `core.formats.label_studio` writes as ``from_name`` and ``to_name``.
"""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from core.formats.framework.attachments import attachments_of
from core.formats.framework.format import Companion
from core.formats.shapes.safe_xml import NOT_XML
from core.text import Document


class LabellingConfig(Companion):
    """The configuration of a project whose spans and relations are those of the documents written."""

    ending = ".labelling.xml"

    def __init__(self) -> None:
        self._labels: dict[str, None] = {}
        self._relations: dict[str, None] = {}

    def add(self, document: Document) -> None:
        """Take note of the labels and the types of relations."""
        self._labels.update(dict.fromkeys(span.label for span in document.spans))
        self._relations.update(dict.fromkeys(each.type for each in attachments_of(document).relations))

    def content(self) -> str:
        """Labels over one text, and relations if there are any."""
        labels = "".join(f"    <Label value={_attribute(name)}/>\n" for name in self._labels)
        related = "".join(f"    <Relation value={_attribute(name)}/>\n" for name in self._relations)
        return (
            f'<View>\n  <Labels name="label" toName="text">\n{labels}  </Labels>\n'
            + (f"  <Relations>\n{related}  </Relations>\n" if related else "")
            + '  <Text name="text" value="$text"/>\n</View>\n'
        )


def _attribute(name: str) -> str:
    return quoteattr(NOT_XML.sub(" ", name))
