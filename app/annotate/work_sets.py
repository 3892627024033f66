"""Server functions for the queue's filters: what there is to choose from, and work sets."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.annotate.queue import worker_of
from app.services.rights import may, needs
from app.services.session import Session
from app.ui.filter_fields import FilterFields
from app.ui.payload import Count, Payload
from app.ui.server_function import Reply
from core.store.document import metadata
from core.store.queue import filter as queue_filter
from core.store.queue import work_sets
from core.store.queue.work_sets import LONGEST_NAME

SetName = Annotated[str, Field(max_length=LONGEST_NAME)]


class NewSet(Payload):
    """A filter, and the name to keep it under."""

    name: SetName
    filter: FilterFields


class RenamedSet(Payload):
    """A work set and its new name."""

    set: Count
    name: SetName


class OneSet(Payload):
    """A work set."""

    set: Count


@needs("annotate")
def list_filters(session: Session) -> Reply:
    """Return ``people``, ``fields`` of the metadata with their values, and the ``sets`` of the project."""
    workspace, project = session.workspace, session.project_id
    people = queue_filter.people(workspace, project) if worker_of(session) is None else []
    return {"people": people, "fields": metadata.offered(workspace, project), **_sets(session)}


@needs("annotate")
def save_set(session: Session, new: NewSet) -> Reply:
    """Keep a filter under a name; return ``sets``."""
    work_sets.add(session.workspace, session.project_id, new.name, new.filter.filter(), user=session.user)
    return _sets(session)


@needs("annotate")
def rename_set(session: Session, renamed: RenamedSet) -> Reply:
    """Rename a work set; return ``sets``."""
    work_sets.rename(session.workspace, session.project_id, renamed.set, renamed.name, user=session.user)
    return _sets(session)


@needs("annotate")
def remove_set(session: Session, removed: OneSet) -> Reply:
    """Delete a work set; return ``sets``."""
    work_sets.remove(session.workspace, session.project_id, removed.set, user=session.user)
    return _sets(session)


FUNCTIONS = (list_filters, save_set, rename_set, remove_set)


def _sets(session: Session) -> Reply:
    manages = may(session, "manage")
    sets = work_sets.all_sets(session.workspace, session.project_id)
    return {
        "sets": [
            {"id": one.id, "name": one.name, "filter": work_sets.to_json(one.filter), "user": one.user,
             "at": one.at, "mine": manages or one.user == session.user}
            for one in sets
        ]
    }  # fmt: skip
