"""Tag texts with the active run, or with another one; nothing is stored."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.api.access import allowed
from app.api.documents import check_size
from app.api.errors import ToldRoute
from app.api.payloads import MOST_ON_A_PAGE, Body, TaggedReply
from app.services import in_project
from app.services.session import Session
from core.text import Document

router = APIRouter(route_class=ToldRoute, tags=["tagging"])

LONGEST_TAGGED = 200_000  # characters of one text


class TextBody(Body):
    """A text to tag; ``id`` comes back with its spans."""

    text: Annotated[str, Field(max_length=LONGEST_TAGGED)]
    id: Annotated[str, Field(max_length=200)] = ""


class TagBody(Body):
    """Texts to tag, and the run; left out, the active one."""

    texts: Annotated[list[TextBody], Field(min_length=1, max_length=MOST_ON_A_PAGE)]
    run: Annotated[str, Field(min_length=1, max_length=80)] | None = None


class TagsReply(BaseModel):
    """The run that answered, and each text's spans, in the order given."""

    run: str
    texts: list[TaggedReply]


@router.post("/tag")
def tag(session: Annotated[Session, allowed("try_tagger")], body: TagBody) -> TagsReply:
    """Tag texts. Offsets are code points; a text longer than the tagger reads at once is cut at sentences."""
    check_size(len(text.text) for text in body.texts)
    session.workbench.limits.check_texts(text.text for text in body.texts)
    run, tagged = tagged_by(session, [Document(text.id, text.text) for text in body.texts], body.run)
    return TagsReply.model_construct(run=run, texts=[TaggedReply.of(document) for document in tagged])


def tagged_by(session: Session, texts: list[Document], run: str | None = None) -> tuple[str, list[Document]]:
    """The name of the run, and the texts with its spans, in order.

    Raises:
        AppError: the project has no tagger yet. NotFound: it has no such run.
    """
    taggers, project_id = session.workbench.taggers, session.project_id
    name = taggers.run_of(project_id) if run is None else in_project.run(session, run).name
    parts = taggers.tag_by_parts(project_id, texts, name)
    return name, [document for _done, ready in parts for document in ready]
