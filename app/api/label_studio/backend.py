"""What Label Studio asks of a machine learning backend, below ``/label-studio``.

The calls are those of its ``ml/api_connector.py`` and the replies those of ``label_studio_ml/api.py``, from
which backends are made (github.com/HumanSignal). Label Studio counts offsets in code points, as here: its
editor turns JavaScript's units into them (``charsToCodePoints`` of its ``utils/selection-tools.js``).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, FastAPI
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from app.api.access import Access, allowed
from app.api.body_limit import MEGABYTE, BodyLimit
from app.api.documents import check_size
from app.api.errors import InvalidRequest, ToldRoute, no_such_address
from app.api.label_studio.labelling_config import Control, controls_of
from app.api.runs import TrainingBody, plan_for
from app.api.tagging import LONGEST_TAGGED, tagged_by
from app.services import in_project, rights
from app.services.importing import documents as importing
from app.services.session import Session
from app.services.storage.scratch import scratch_folder
from app.services.training import training_runs
from core.text import Document, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.services.workbench import Workbench

PREFIX = "/label-studio"
LARGEST_BODY = 64 * MEGABYTE  # a training sends every annotated task
MOST_TASKS = 1000  # of a prediction
OPEN_PATHS = ("", "/", "/health")
START_TRAINING = "START_TRAINING"
# How Label Studio's queue calls the states of a run.
_JOB_STATES = {"queued": "queued", "running": "started", "finished": "finished"}

router = APIRouter(route_class=ToldRoute)

Tagging = Annotated[Session, allowed("try_tagger")]
Trainer = Annotated[Session, allowed("train")]


class Sent(BaseModel):
    """What Label Studio sends; its versions differ in what else is in it."""

    model_config = ConfigDict(strict=True, frozen=True)


class SetupBody(Sent):
    """A project is connected. The address and the token of Label Studio are neither used nor kept."""

    schema_: Annotated[str, Field(alias="schema")]


class PredictBody(Sent):
    """Tasks to predict."""

    tasks: Annotated[list[dict[str, Any]], Field(max_length=MOST_TASKS)]
    label_config: str


class TrainBody(Sent):
    """The annotated tasks of a project."""

    annotations: list[dict[str, Any]]


class WebhookBody(Sent):
    """An action in Label Studio; a training is asked for like this by newer versions."""

    action: str


class JobBody(Sent):
    """A training that was started."""

    job: Annotated[str, Field(max_length=80)]


@router.get("/")
@router.get("/health")
def health() -> dict[str, str]:
    """Whether the backend answers."""
    return {"status": "UP", "model_class": "LatticeLens"}


@router.post("/setup")
def setup(session: Tagging, body: SetupBody) -> dict[str, str]:
    """Connect a project whose configuration labels spans of a text; answers with the active run."""
    controls_of(body.schema_)
    return {"model_version": session.workbench.taggers.run_of(session.project_id)}


@router.get("/versions")
def versions(session: Tagging) -> dict[str, list[str]]:
    """What there is to predict with: the active run."""
    return {"versions": [session.workbench.taggers.run_of(session.project_id)]}


@router.post("/validate")
def validate(session: Tagging, body: dict[str, Any]) -> dict[str, str]:
    """Check a configuration."""
    controls_of(str(body.get("config", "")))
    return {"status": "OK"}


@router.post("/predict")
def predict(session: Tagging, body: PredictBody) -> dict[str, Any]:
    """A prediction for each task, in order. Labels that the configuration does not have are left out."""
    controls = controls_of(body.label_config)
    texts = [_text(task, number, controls[0]) for number, task in enumerate(body.tasks)]
    check_size(len(text) for text in texts)
    run, tagged = tagged_by(session, [Document(str(number), text) for number, text in enumerate(texts)])
    return {"results": [prediction(document, controls, run) for document in tagged], "model_version": run}


@router.post("/train", status_code=201)
def train(session: Trainer, body: TrainBody) -> dict[str, str]:
    """Import the tasks that are new here with their annotations, and train like the active run."""
    rights.check(session, "import")
    if not body.annotations:
        raise InvalidRequest("There are no annotated tasks to train on.")
    path = scratch_folder("label-studio") / "label-studio.json"
    path.write_text(json.dumps(body.annotations), encoding="utf-8")
    previews, _unreadable = importing.look_at_all([path], "label_studio")
    for _step in importing.import_files(
        session.workspace, session.project_id, previews, importing.AUTO, user=session.user
    ):
        pass
    return {"job": _started(session)}


@router.post("/webhook")
def webhook(session: Trainer, body: WebhookBody) -> dict[str, str]:
    """Train when Label Studio's button asks for it; other actions change nothing."""
    if body.action != START_TRAINING:
        return {"status": "ignored"}
    return {"status": "ok", "job": _started(session)}


@router.post("/job_status")
def job_status(session: Trainer, body: JobBody) -> dict[str, Any]:
    """The state of a training, in the words of Label Studio's queue."""
    state = training_runs.state_of(session, in_project.run(session, body.job))
    return {
        "job_status": _JOB_STATES.get(state.status, "failed"),
        "error": training_runs.sentence_of(state.error, session) or None,
    }


def prediction(document: Document, controls: Sequence[Control], run: str) -> dict[str, Any]:
    """A document's spans as Label Studio's results; the score is the lowest confidence of them."""
    results = []
    for number, span in enumerate(document.spans):
        control = next((each for each in controls if each.written(span.label) is not None), None)
        if control is not None and control.field == controls[0].field:
            results.append(_result(document, span, control, number))
    scores = [result["score"] for result in results if "score" in result]
    score = {"score": min(scores)} if scores else {}
    return {"result": results, "model_version": run, **score}


def label_studio_backend(workbench: Workbench) -> FastAPI:
    """The app of the backend.

    Args:
        workbench: as for `application.api`.
    """
    app = FastAPI(
        title="LatticeLens as a Label Studio backend",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        middleware=[
            Middleware(Access, workbench=workbench, open_paths=OPEN_PATHS, scheme="Basic"),
            Middleware(BodyLimit, most=LARGEST_BODY, files=LARGEST_BODY),
        ],
        exception_handlers={HTTPException: no_such_address},
    )
    app.include_router(router)
    return app


def _result(document: Document, span: Span, control: Control, number: int) -> dict[str, Any]:
    value = {
        "start": span.start,
        "end": span.end,
        "text": document.surface(span),
        "labels": [control.written(span.label)],
    }
    result = {
        "id": f"ll-{number}",
        "from_name": control.from_name,
        "to_name": control.to_name,
        "type": "labels",
        "value": value,
    }
    return result if span.score is None else {**result, "score": span.score}


def _text(task: dict[str, Any], number: int, control: Control) -> str:
    data = task.get("data")
    text = data.get(control.field) if isinstance(data, dict) else None
    if not isinstance(text, str):
        raise InvalidRequest(
            "tasks[{number}] has no text in its field {field}, which the labelling configuration names.",
            number=number,
            field=repr(control.field[:80]),
        )
    if len(text) > LONGEST_TAGGED:
        raise InvalidRequest(
            "tasks[{number}] has a text of more than {most} characters.", number=number, most=LONGEST_TAGGED
        )
    return text


def _started(session: Session) -> str:
    return training_runs.start(session, plan_for(session, TrainingBody())).name
