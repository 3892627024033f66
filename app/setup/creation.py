"""Making the project: all of it, or nothing if it fails or is cancelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field

from app.services.background.tasks import Row, Task
from app.services.importing.documents import AUTO, import_files
from app.services.importing.words import Words, words_of, words_of_names
from app.services.named_files import uploaded
from app.services.session import Session
from app.setup.text import LONGEST_PATH, TextSource, read_text
from app.setup.words import put
from app.ui.label_rows import LabelRows, labels_of
from app.ui.payload import Payload, TextOrEmpty
from app.ui.server_function import ServerError
from core.lexicon import gazetteer, read_word_list
from core.store.db.errors import NameTaken, PayloadError
from core.store.document import trash
from core.store.label import labels
from core.store.lexicon.entries import checked_type
from core.store.project import nesting, projects
from core.store.queue import queue
from core.text import LabelSet

LONGEST_NAME = 1_000  # accepted from the page; the store has its own, lower limit
LONGEST_SOURCE = 100
# The steps of the work, with the share of it that is done when each begins.
SHARES = {"read": 0.0, "import": 0.2, "words": 0.8}


class NewProject(Payload):
    """A project to make.

    Args:
        nested: whether spans may overlap; None guesses it from the imported spans.
        dictionary: a word list, the names of the base dictionary, or none.
        names: for the base dictionary, the label for each kind of names. words: path of the word list.
    """

    name: Annotated[str, Field(max_length=LONGEST_NAME)]
    text: TextSource
    labels: LabelRows
    nested: bool | None
    dictionary: Literal["none", "base", "file"]
    names: Annotated[dict[str, TextOrEmpty], Field(max_length=len(gazetteer.KINDS))]
    words: Annotated[str, Field(max_length=LONGEST_PATH)]


def begin(session: Session, asked: NewProject) -> Callable[[Task[Row]], Row]:
    """Check what can be checked at once and make the empty project; return the rest as work to do.

    The work gives the ``project`` and its first ``document`` to annotate, or None.

    Raises:
        ServerError: a field is wrong; its detail ``field`` names it, ``row`` that of a label.
    """
    label_set = labels_of(asked.labels)
    words = _source_of_words(asked)
    try:
        project = projects.create(session.workspace, asked.name)
    except (NameTaken, PayloadError) as error:
        raise ServerError("invalid", error, field="name") from error

    def work(task: Task[Row]) -> Row:
        try:
            return _fill(session, project.id, asked, label_set, words, task)
        except BaseException:
            trash.trash_project(session.workspace, project.id)
            trash.empty_project(session.workspace, project.id)
            raise

    return work


def _source_of_words(asked: NewProject) -> Callable[[Callable[[float], None]], tuple[Words, str]] | None:
    if asked.dictionary == "none":
        return None
    try:
        if asked.dictionary == "base":
            kinds = {kind: checked_type(label) for kind, label in asked.names.items() if label}
            return lambda progress: (words_of_names(kinds), gazetteer.SOURCE)
        path = uploaded(asked.words)
    except Exception as error:
        raise ServerError("invalid", error, field="dictionary") from error
    return lambda progress: (words_of(read_word_list(path, progress)), path.name[:LONGEST_SOURCE])


def _fill(
    session: Session,
    project_id: int,
    asked: NewProject,
    label_set: LabelSet,
    words: Callable[[Callable[[float], None]], tuple[Words, str]] | None,
    task: Task[Row],
) -> Row:
    workspace = session.workspace
    labels.put(workspace, project_id, label_set)
    if asked.nested is not None:
        nesting.choose(workspace, project_id, asked.nested)
    if not asked.text.is_empty:
        tell = _part(task, "read")
        tell(0.0)
        read = read_text(session, asked.text, tell)
        tell = _part(task, "import")
        for state in import_files(workspace, project_id, read.previews, AUTO, user=session.user):
            tell(state.done / max(1, state.total))
    if words is not None:
        tell = _part(task, "words")
        tell(0.0)
        entries, source = words(lambda share: tell(share / 2))
        put(session, project_id, entries, source, lambda share: tell(0.5 + share / 2))
    return {"project": project_id, "document": queue.first_to_annotate(workspace, project_id)}


def _part(task: Task[Row], step: str) -> Callable[[float], None]:
    """The progress of one step as a share of the whole."""
    begins = SHARES[step]
    ends = min((share for share in SHARES.values() if share > begins), default=1.0)
    return lambda share: task.progress(step, begins + share * (ends - begins))
