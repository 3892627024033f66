"""Of a labelling configuration, what labels plain text is read, and nothing hostile is parsed."""

import pytest

from app.api.errors import InvalidRequest
from app.api.label_studio.labelling_config import Control, controls_of

NER = """<View>
  <Labels name="label" toName="text">
    <Label value="PER" background="red"/>
    <Label value="LOC" alias="place" hotkey="2"/>
  </Labels>
  <!-- the text -->
  <Text name="text" value="$text" granularity="word"/>
</View>"""


def test_names_field_and_aliases_are_read():
    (control,) = controls_of(NER)
    assert control == Control("label", "text", "text", {"PER": "PER", "LOC": "place"})
    assert [control.written(label) for label in ("PER", "LOC", "ORG")] == ["PER", "place", None]


def test_labels_that_a_task_brings_may_be_any():
    (control,) = controls_of(
        '<View><Labels name="l" toName="t" value="$labels"/><Text name="t" value="$字段"/></View>'
    )
    assert (control.field, control.written("PER")) == ("字段", "PER")


def test_several_controls_come_in_their_order_and_those_of_other_objects_are_left_out():
    found = controls_of(
        '<View><Labels name="image" toName="img"><Label value="A"/></Labels><Image name="img" value="$i"/>'
        '<Labels name="one" toName="t"><Label value="A"/></Labels><Choices name="c" toName="t"/>'
        '<Labels name="two" toName="t"><Label value="B"/></Labels><Text name="t" value="$text"/></View>'
    )
    assert [control.from_name for control in found] == ["one", "two"]


@pytest.mark.parametrize(
    "config",
    [
        "", "no XML", "<View>", "<View/>", "x" * 200_001,
        '<View><Labels name="l" toName="t"><Label value="A"/></Labels></View>',
        '<View><Labels name="l" toName="t"/><Text name="t" value="fixed"/></View>',
        '<View><Labels name="l" toName="t"/><Text name="t" value="$url" valueType="url"/></View>',
        '<View><Labels name="l" toName="t"/><HyperText name="t" value="$html"/></View>',
        '<!DOCTYPE v [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><View><Labels name="&b;" toName="t"/></View>',
        '<!DOCTYPE v SYSTEM "file:///etc/passwd"><View/>', "<View>" * 500 + "</View>" * 500, "\ud800",
    ],
)  # fmt: skip
def test_what_labels_no_text_is_refused(config):
    with pytest.raises(InvalidRequest, match="labelling configuration"):
        controls_of(config)
