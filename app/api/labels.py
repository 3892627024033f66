"""The labels of the project."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.api.access import allowed
from app.api.errors import ToldRoute
from app.api.payloads import Body, Line
from app.services.session import Session
from app.ui.label_rows import LONGEST_GUIDELINE, MOST_LABELS, LabelRow, labels_of
from core.store.label import labels

router = APIRouter(route_class=ToldRoute, tags=["labels"])


class LabelBody(Body):
    """A label; an empty colour is chosen. The description is the guideline beside the text."""

    name: Line
    colour: Line = ""
    hotkey: Line = ""
    description: Annotated[str, Field(max_length=LONGEST_GUIDELINE)] = ""


class LabelsBody(Body):
    """All labels of the project, in their order."""

    labels: Annotated[list[LabelBody], Field(max_length=MOST_LABELS)]


class LabelReply(BaseModel):
    """A label and the number of gold spans with it."""

    name: str
    colour: str
    hotkey: str
    description: str
    spans: int


class LabelsReply(BaseModel):
    """All labels of the project, in their order."""

    labels: list[LabelReply]


@router.get("/labels")
def list_labels(session: Annotated[Session, allowed("annotate")]) -> LabelsReply:
    """All labels, in their order."""
    return _labels(session)


@router.put("/labels")
def replace_labels(session: Annotated[Session, allowed("change_labels")], body: LabelsBody) -> LabelsReply:
    """Replace the list. A label that is on spans cannot be left out: rename or merge it in Settings."""
    rows = [LabelRow(**label.model_dump()) for label in body.labels]
    labels.put(session.workspace, session.project_id, labels_of(rows))
    return _labels(session)


def _labels(session: Session) -> LabelsReply:
    counts = labels.span_counts(session.workspace, session.project_id)
    found = labels.get(session.workspace, session.project_id)
    return LabelsReply(
        labels=[
            LabelReply(
                name=label.name,
                colour=label.colour,
                hotkey=label.hotkey,
                description=label.description,
                spans=counts.get(label.name, 0),
            )
            for label in found
        ]
    )
