"""Label Studio's JSON: tasks with annotations and predictions, and JSON_MIN with a flat record per task.

Layout: Label Studio's guide, "Label Studio JSON format of annotated tasks" (labelstud.io/guide/task_format)
and "Export annotations" (labelstud.io/guide/export). Offsets are code points, end exclusive.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from core.formats.companions.labelling_config import LabellingConfig
from core.formats.framework.attachments import (
    ANNOTATED_AT,
    ANNOTATOR,
    RELATIONS,
    attachments_of,
    has_both_ends,
    keys_of,
    numbers_of,
)
from core.formats.framework.errors import RecordError
from core.formats.framework.format import EVERYTHING, Companion, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.jsonl import TEXT_NAMES
from core.formats.shapes.json_lines import (
    Record,
    first_records,
    id_field,
    id_value,
    label_field,
    objects_of,
    offset_field,
    read_records,
    score_field,
    share,
    text_field,
)
from core.formats.shapes.json_records import ArrayFormat, Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark, Standoff
from core.text import Document, Span

MIN_FIELDS = ("id", "text", "label", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")


class LabelStudio(ArrayFormat, JsonRecords):
    """``[{"id", "data": {"text"}, "annotations": [{"result": […]}], "predictions": […]}]``.

    Of several annotations the ground truth is read, else the first that was not cancelled; without
    annotations the first prediction, with its confidences. Further fields of ``data`` go into ``meta``.
    """

    name = "label_studio"
    title = "Label Studio JSON"
    extensions = (".json",)
    holds = replace(EVERYTHING, links=False)
    label_fields = ("annotations", "predictions")
    confidence = 0.97

    @staticmethod
    def is_record(record: Record) -> bool:
        return isinstance(record.get("data"), dict) and any(
            isinstance(record.get(name), list) for name in ("annotations", "predictions", "completions")
        )

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        task = given.record
        data = task.get("data")
        if not isinstance(data, dict):
            raise RecordError("a task should have 'data' with its text")
        name = _text_name(data, given.options)
        text = text_field(data, name)
        meta = {key: value for key, value in data.items() if key != name}
        annotation, predicted = _chosen_annotation(task, given.source, given.ordinal)
        results = objects_of(annotation.get("result") or [], "result")
        marks, numbers = _marks(results, text, given.source, annotation.get("score") if predicted else None)
        relations = _relations(results, numbers, given.source)
        if relations:
            meta.pop(RELATIONS, None)
        if predicted:
            given.note(
                "predictions",
                f"task {given.ordinal} has predictions only; they were read with their confidence",
            )
        for key, value in (
            (ANNOTATOR, _annotator_of(annotation)),
            (ANNOTATED_AT, annotation.get("created_at")),
        ):
            if isinstance(value, str) and value and not predicted:
                meta[key] = value
        return given.standoff(given.id(given.id_column), text, marks, meta, relations=relations)

    def companion(self) -> Companion:
        """The labelling configuration of the project to import into."""
        return LabellingConfig()

    def element(self, document: Document, options: WriteOptions) -> tuple[Record, Losses]:
        """One task with one annotation; relations are results beside the spans."""
        attached = attachments_of(document)
        spans = document.spans
        keys = keys_of(spans)
        whole = all(has_both_ends(relation, keys) for relation in attached.relations)
        data = {name: value for name, value in document.meta.items() if name != "text"}
        results = [_region(document, span, number) for number, span in enumerate(spans)]
        if whole:
            numbers = numbers_of(spans)
            results += [
                {
                    "type": "relation",
                    "from_id": f"r{numbers[relation.source]}",
                    "to_id": f"r{numbers[relation.target]}",
                    "direction": "right",
                    "labels": [relation.type],
                }
                for relation in attached.relations
            ]
            if attached.relations:
                del data[RELATIONS]
        annotation: Record = {"result": results, "was_cancelled": False, "ground_truth": False}
        if attached.annotator:
            annotation["completed_by"] = _completed_by(attached.annotator)
            del data[ANNOTATOR]
        if attached.annotated_at:
            annotation["created_at"] = attached.annotated_at
            del data[ANNOTATED_AT]
        lost = self.general_losses(document) | ({"meta": 1} if "text" in document.meta else {})
        task = {"id": id_value(document.id), "data": {"text": document.text} | data}
        return task | {"annotations": [annotation], "predictions": []}, lost


class LabelStudioMin(ArrayFormat, Standoff):
    """``[{"id", "text", "label": [{"start", "end", "text", "labels"}], "annotator"}]``: JSON_MIN."""

    name = "label_studio_min"
    title = "Label Studio JSON_MIN"
    extensions = (".json",)
    holds = replace(EVERYTHING, links=False)
    label_fields = ("label",)

    def labels_read(self, record: Record) -> Collection[str]:
        """The fields with regions."""
        return ("label", *regions_names(record))

    def sniff(self, head: str) -> float:
        """Sure if a field holds regions."""
        if not any(regions_names(record) for record in first_records(head)):
            return 0.0
        return 0.965 * share(head, lambda record: bool(regions_names(record)) or record.get("label") == [])

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per task."""
        prefix = options.id_prefix or source.name
        return read_records(source, partial(flat_record, options, prefix))

    def element(self, document: Document, options: WriteOptions) -> tuple[Record, Losses]:
        """One flat record; attachments are further fields."""
        attached = attachments_of(document)
        further = {name: value for name, value in document.meta.items() if name not in MIN_FIELDS}
        lost = self.general_losses(document)
        if any(name in MIN_FIELDS and name != ANNOTATOR for name in document.meta) or (
            ANNOTATOR in document.meta and not attached.annotator
        ):
            lost["meta"] = 1
        regions = [_value(document, span) for span in document.spans]
        record: Record = {"id": id_value(document.id), "text": document.text, "label": regions}
        if attached.annotator:
            record["annotator"] = id_value(attached.annotator)
        if attached.annotated_at:
            record["created_at"] = attached.annotated_at
            further.pop(ANNOTATED_AT, None)
        return record | further, lost


def _completed_by(annotator: str) -> Any:
    number = id_value(annotator)
    return number if isinstance(number, int) else {"email": annotator}


def _region(document: Document, span: Span, number: int) -> Record:
    value = _value(document, span)
    score = value.pop("score", None)
    region: Record = {
        "id": f"r{number}",
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "value": value,
    }
    return region if score is None else region | {"score": score}


def _value(document: Document, span: Span) -> Record:
    value: Record = {
        "start": span.start,
        "end": span.end,
        "text": document.surface(span),
        "labels": [span.label],
    }
    return value if span.score is None else value | {"score": span.score}


def flat_record(
    options: ReadOptions, prefix: str, ordinal: int, line: int, raw: str, record: Record
) -> StandoffRecord:
    """The record of one task of JSON_MIN; the regions of all its controls together.

    Raises:
        RecordError: there is no text, or a region is none.
    """
    name = _text_name(record, options)
    text = text_field(record, name)
    controls = regions_names(record) or ["label"]
    values = [value for control in controls for value in _regions(record, control)]
    marks = [mark for value in values for mark in _marks_of(value, text, value.get("score"))]
    taken = {*MIN_FIELDS, name, *controls}
    meta = {key: value for key, value in record.items() if key not in taken}
    if isinstance(record.get("annotator"), (str, int)) and record["annotator"] != "":
        meta[ANNOTATOR] = str(record["annotator"])
    if isinstance(record.get("created_at"), str) and record["created_at"]:
        meta[ANNOTATED_AT] = record["created_at"]
    return StandoffRecord(
        line, id_field(record, options.id_column or "id", f"{prefix}-{ordinal}"), text, marks, meta, raw=raw
    )


def _regions(record: Record, control: str) -> list[Record]:
    values = record.get(control) or []
    if not isinstance(values, list) or not all(isinstance(item, dict) for item in values):
        raise RecordError(
            "{regions} should be a list of regions, but it is {values}",
            regions=repr(control),
            values=f"{values!r:.60}",
        )
    return values


def _text_name(data: Mapping[str, Any], options: ReadOptions) -> str:
    if options.text_column:
        return options.text_column
    usual = next((name for name in TEXT_NAMES if isinstance(data.get(name), str)), None)
    texts = [name for name, value in data.items() if isinstance(value, str)]
    return usual or max(texts, key=lambda name: len(data[name]), default="text")


def _chosen_annotation(task: Record, source: Source, ordinal: int) -> tuple[Record, bool]:
    """The annotation to read, and whether it is a prediction."""
    annotations = task.get("annotations") or task.get("completions") or []
    if not isinstance(annotations, list):
        raise RecordError("'annotations' should be a list, but it is {found}", found=f"{annotations!r:.60}")
    done = [
        annotation
        for annotation in annotations
        if isinstance(annotation, dict) and not annotation.get("was_cancelled")
    ]
    if done:
        if len(done) > 1:
            source.notes.add("annotations", f"task {ordinal} has {len(done)} annotations; one was read")
        return next((annotation for annotation in done if annotation.get("ground_truth")), done[0]), False
    predictions = task.get("predictions") or []
    usable = (
        [prediction for prediction in predictions if isinstance(prediction, dict)]
        if isinstance(predictions, list)
        else []
    )
    return (usable[0], True) if usable else ({}, False)


def _marks(
    results: Sequence[Record], text: str, source: Source, score: Any
) -> tuple[list[Mark], dict[Any, int]]:
    marks: list[Mark] = []
    numbers: dict[Any, int] = {}
    for item in results:
        value = item.get("value")
        if item.get("type") == "relation" or not isinstance(value, dict) or "start" not in value:
            continue
        region = list(_marks_of(value, text, item.get("score", score)))
        if not region:
            source.notes.add("regions", f"a region without a label was left out: {value!r:.80}")
            continue
        numbers.setdefault(str(item.get("id")), len(marks))
        marks += region
    return marks, numbers


def _marks_of(value: Record, text: str, score: Any) -> Iterator[Mark]:
    start = offset_field(value.get("start"), "a region's start")
    end = offset_field(value.get("end"), "a region's end")
    surface = value.get("text")
    if isinstance(surface, str) and "\\n" in surface and "\\n" not in text:
        surface = surface.replace("\\n", "\n")  # how some versions write line breaks
    named = value.get("labels", value.get("hypertextlabels"))
    for label in named if isinstance(named, list) else []:
        yield Mark(
            start, end, label_field(label), surface if isinstance(surface, str) else None, score_field(score)
        )


def _relations(
    results: Sequence[Record], numbers: Mapping[Any, int], source: Source
) -> list[tuple[str, int, int]]:
    relations = []
    for item in results:
        if item.get("type") != "relation":
            continue
        ends = [numbers.get(str(item.get(name))) for name in ("from_id", "to_id")]
        labels = item.get("labels")
        name = labels[0] if isinstance(labels, list) and labels else "related"
        if None in ends:
            source.notes.add(
                "relations", f"a relation to a region that is not there was left out: {item!r:.80}"
            )
            continue
        start, end = ends[::-1] if item.get("direction") == "left" else ends
        relations.append((label_field(name), int(start or 0), int(end or 0)))
    return relations


def _annotator_of(annotation: Record) -> str:
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    return str(who) if isinstance(who, (str, int)) and not isinstance(who, bool) else ""


def regions_names(record: Record) -> list[str]:
    """The fields that hold regions; in JSON_MIN they have the names of the labelling controls."""
    return [
        name
        for name, value in record.items()
        if isinstance(value, list) and value and all(_is_region(item) for item in value)
    ]


def _is_region(item: Any) -> bool:
    return isinstance(item, dict) and {"start", "end"} <= item.keys() and isinstance(item.get("labels"), list)
