"""Label Studio: tasks with annotations or predictions, relations between regions, and JSON_MIN."""

import json

import pytest

from core.formats import WriteOptions, by_name
from core.text import Document, Span
from tests.formats.samples import SAMPLES, TEXT


def region(number, start, end, label, **more):
    value = {"start": start, "end": end, "text": TEXT[start:end], "labels": [label]}
    return {"id": f"r{number}", "from_name": "l", "to_name": "t", "type": "labels", "value": value, **more}


def task(*results, **more):
    annotation = {
        "result": list(results),
        "was_cancelled": False,
        "completed_by": 3,
        "created_at": "2026-11-01",
    }
    return {"id": 5, "data": {"text": TEXT, "source": "news"}, "annotations": [annotation], **more}


def dumped(*tasks):
    return json.dumps(list(tasks), ensure_ascii=False, indent=1)


def test_a_task_brings_spans_relations_who_and_when_and_its_other_data(read):
    relation = {"type": "relation", "from_id": "r1", "to_id": "r0", "direction": "left", "labels": ["met_in"]}
    (document,) = read(dumped(task(region(0, 0, 2, "PER"), region(1, 3, 5, "LOC"), relation))).documents
    assert (document.id, document.spans) == ("5", (Span(0, 2, "PER"), Span(3, 5, "LOC")))
    assert document.meta == {
        "source": "news",
        "relations": [{"type": "met_in", "from": [0, 2, "PER"], "to": [3, 5, "LOC"]}],
        "annotator": "3",
        "annotated_at": "2026-11-01",
    }


def test_the_ground_truth_is_read_and_a_cancelled_annotation_is_not(read):
    first, cancelled, truth = ({"result": [region(0, 0, 2, name)]} for name in ("A", "B", "C"))
    cancelled["was_cancelled"], truth["ground_truth"] = True, True
    result = read(dumped(task(annotations=[cancelled, first, truth]), task(annotations=[cancelled, first])))
    assert [document.spans[0].label for document in result.documents] == ["C", "A"]
    assert "task 1 has 2 annotations; one was read" in result.notes


def test_predictions_alone_are_read_with_their_confidence_and_noted(read):
    prediction = {"model_version": "m", "score": 0.5, "result": [region(0, 0, 2, "PER", score=0.25)]}
    prediction["result"].append(region(1, 3, 5, "LOC"))
    result = read(dumped(task(annotations=[], predictions=[prediction])))
    assert [span.score for span in result.documents[0].spans] == [0.25, 0.5]
    assert "annotator" not in result.documents[0].meta
    assert "predictions only" in " ".join(result.notes)


def test_a_bad_task_is_refused_by_the_line_it_begins_on_and_can_be_mended(read, tmp_path):
    content = dumped(task(region(0, 0, 2, "PER")), task(region(0, 3, 99, "LOC")), {"id": 7, "data": {}})
    begins = [number for number, line in enumerate(content.split("\n"), 1) if line == " {"]
    result = read(content)
    assert (len(result.documents), [one.line for one in result.refusals]) == (1, begins[1:])
    assert "3-99 does not lie in the text" in result.refusals[0].reason
    result.write_refused(tmp_path / "mend.json")
    mended = (
        (tmp_path / "mend.json")
        .read_text("utf-8")
        .replace("99", "9")
        .replace('"data": {}', '"data": {"text": "a"}')
    )
    again = read(mended, "mended.json", "label_studio")
    assert ([d.id for d in again.documents], again.refusals) == (["5", "7"], ())


def test_several_labels_of_a_region_are_several_spans_and_a_region_without_one_is_noted(read):
    double, empty = region(0, 0, 2, "A"), region(1, 3, 5, "B")
    double["value"]["labels"], empty["value"]["labels"] = ["A", "B"], []
    result = read(dumped(task(double, empty)))
    assert [span.label for span in result.documents[0].spans] == ["A", "B"]
    assert "without a label" in result.notes[0]


def test_json_min_is_one_flat_record(read):
    (document,) = read(SAMPLES["label_studio_min"]).documents
    assert document.spans == (Span(0, 2, "PER"), Span(3, 5, "LOC"))


@pytest.mark.parametrize(
    ("annotator", "written"), [("3", 3), ("lin@x.cn", {"email": "lin@x.cn"}), ("007", {"email": "007"})]
)
def test_an_annotator_is_written_as_the_tool_takes_it(read, annotator, written):
    document = Document("1", TEXT, (Span(0, 2, "PER"),), {"annotator": annotator})
    content, lost = by_name("label_studio").render(document, WriteOptions())
    assert json.loads(content)["annotations"][0]["completed_by"] == written
    assert lost == {}
    assert read(f"[{content}]").documents[0].meta == {"annotator": annotator}
