"""The labelling configuration of a Label Studio project: which labels go on which text.

The configuration is XML (labelstud.io/guide/setup): ``<Labels name toName>`` with ``<Label value alias>``
marks spans of ``<Text name value="$field">``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from app.api.errors import InvalidRequest
from core.formats import RecordError
from core.formats.shapes.safe_xml import tree_of

LONGEST = 200_000  # characters


@dataclass(frozen=True, slots=True)
class Control:
    """A control that labels spans of a text.

    Args:
        from_name, to_name: of the control and of the text. field: of a task's data that holds the text.
        names: how each label is written in a result: its alias, else its value; None if a task brings the
            labels, any of which may come.
    """

    from_name: str
    to_name: str
    field: str
    names: dict[str, str] | None

    def written(self, label: str) -> str | None:
        """How a result names the label; None if the control does not have it."""
        return label if self.names is None else self.names.get(label)


def controls_of(config: str) -> Sequence[Control]:
    """The controls of a configuration that label plain text, in its order.

    Raises:
        InvalidRequest: it is no XML, or has no such control; says what is needed.
    """
    if len(config) > LONGEST:
        raise InvalidRequest("The labelling configuration has more than {most} characters.", most=LONGEST)
    try:
        root = tree_of(config.encode("utf-8", "replace"))
    except RecordError as error:
        raise InvalidRequest("The labelling configuration cannot be read: {reason}.", reason=error) from error
    texts = {
        element.get("name", ""): element.get("value", "")[1:]
        for element in root.iter("Text")
        if element.get("value", "").startswith("$") and element.get("valueType", "text") == "text"
    }
    controls = [
        Control(element.get("name", ""), to_name, texts[to_name], _names(element))
        for element in root.iter("Labels")
        for to_name in element.get("toName", "").split(",")
        if to_name in texts and element.get("name")
    ]
    if not controls:
        raise InvalidRequest(
            "The labelling configuration has no <Labels> for a <Text> whose value is a field such as $text. "
            "LatticeLens labels spans of plain text."
        )
    return controls


def _names(control: Element) -> dict[str, str] | None:
    if control.get("value"):  # labels that each task brings along
        return None
    return {
        value: label.get("alias") or value for label in control.iter("Label") if (value := label.get("value"))
    }
