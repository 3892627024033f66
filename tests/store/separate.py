"""A project in which two people label by themselves and a third reviews."""

from dataclasses import dataclass

from core.store import Project, Workspace
from core.store.document import documents
from core.store.project import assignments, members
from core.text import Document, Span

TEXTS = ["林知远先生出任青禾大学附属医院院长。", "周敏在青禾大学任教。", "会议昨日结束。"]


@dataclass(frozen=True)
class Separate:
    """``ids``: documents handed to both; the second was imported with one span."""

    workspace: Workspace
    project: int
    ids: tuple[int, ...]


def separate(workspace: Workspace, project: Project) -> Separate:
    given = [
        Document(str(at), text, (Span(0, 2, "PER"),) if at == 1 else ()) for at, text in enumerate(TEXTS)
    ]
    ids = documents.add(workspace, project.id, given).ids
    for user, role in (("mia", "manager"), ("rui", "reviewer"), ("ana", "annotator"), ("bo", "annotator")):
        members.put(workspace, project.id, user, role, by="mia")
    assignments.set_plan(workspace, project.id, "separate", 2, by="mia")
    assignments.hand_out(workspace, project.id, ["ana", "bo"], by="mia")
    return Separate(workspace, project.id, ids)
