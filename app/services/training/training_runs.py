"""Start and follow training runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.i18n import _
from app.i18n.terms import RUN_STATES
from app.services.errors import AppError
from app.services.named_files import checked_files
from app.services.session import Session
from app.services.training.teaching import teaching
from app.services.training.workers import group_of
from app.services.workbench import Workbench
from core.runtime.message import Message
from core.store import Workspace
from core.store.project import projects
from core.store.run import runs, snapshot
from core.store.run.runs import Run
from core.training.fitting import check_epochs, fitting_settings
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from core.training.run.run_state import RunState

if TYPE_CHECKING:
    from core.training.settings import CheckedSettings

NOTHING_LABELLED = _(
    "There is nothing to learn from: no training document has a labelled span. "
    "Label some on the Annotate page, or import labelled documents on the Data page."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A training plan. Args:
    tagger: registered name. config: its fields that differ from the defaults.
    settings: training settings that differ from the defaults. device: auto, cpu, cuda or mps.
    teacher: ``model``, the model folder of a run, or ``source``, a source's name; ``share`` and
        ``temperature``. Empty without one.
    self_training: how it learns its own predictions; empty if it does not.
    workers: processes that train together.
    members: model folders of the taggers that an ensemble averages; empty for a tagger that is trained.
    """

    tagger: str
    config: Mapping[str, Any]
    settings: Mapping[str, Any]
    device: str = "auto"
    teacher: Mapping[str, Any] = field(default_factory=dict)
    self_training: Mapping[str, Any] = field(default_factory=dict)
    workers: int = 1
    members: Sequence[str] = ()


def plan_from_form(tagger: str, values: Mapping[str, Any], device: str) -> Plan:
    """A checked plan from what the form holds; every value may still be text.

    Which files it may name is decided when it begins.

    Raises:
        ConfigError, TrainingError: a value does not fit, or an attack would do nothing; names the field and
            what it takes.
    """
    from core.learning.self_training.settings import SelfTrainingSettings
    from core.taggers.base.config_fields import config_fields, config_from_json
    from core.taggers.base.registry import by_name
    from core.training.settings import TrainingSettings
    from core.training.strategies.frozen_embeddings import refuse_idle_attacks

    kind = by_name(tagger)
    fields = {field.name: field for field in config_fields(kind.Config)}
    config = {name: _typed(field.type, values[name]) for name, field in fields.items() if name in values}
    config = {name: value for name, value in config.items() if value != fields[name].default}
    whole = config_from_json(kind.Config, config)
    checked = TrainingSettings.from_values(_given(TrainingSettings, values))
    refuse_idle_attacks(kind, whole, checked)
    check_epochs(whole, checked.epochs)
    itself = SelfTrainingSettings.from_values(_given(SelfTrainingSettings, values))
    learned = itself.to_json() if itself.self_training_rounds else {}
    return Plan(tagger, config, checked.changed(), device, learned)


def fitted(tagger: str, values: Mapping[str, Any], documents: int, share: float = 1.0) -> dict[str, Any]:
    """``values``, completed by what fits the tagger and the number of documents.

    Args:
        share: as for ``core.training.fitting.fitting_epochs``; less than 1 where the training is to be quick.
    """
    from core.taggers.base.config_fields import ConfigError, config_fields
    from core.taggers.base.registry import by_name
    from core.training.settings import config_from_values

    kind = by_name(tagger)
    names = {field.name for field in config_fields(kind.Config)}
    try:
        config = config_from_values(kind.Config, {name: values[name] for name in names & set(values)})
    except ConfigError:  # half filled in
        config = kind.Config()
        if values.get("encoder"):
            return dict(values)
    return fitting_settings(kind, config, values, documents, share)


def plan_of(folder: RunFolder, device: str) -> Plan:
    """The plan of an earlier run.

    Raises:
        TrainingError: its request is missing or damaged. AppError: it was not trained, but averages others.
    """
    request = folder.read_request()
    if request.kind == "ensemble":
        raise AppError(
            "{run} is the average of trained taggers and cannot be trained again itself. Train a single "
            "tagger instead, or run Find the best for me again.",
            run=folder.name,
        )
    return Plan(
        request.tagger, request.config, request.settings, device, request.teacher, request.self_training,
        request.cluster.get("workers", 1),
    )  # fmt: skip


def plan_like(workbench: Workbench, run: Run, device: str) -> Plan:
    """The plan for training like ``run``.

    The demo tagger has no request: use its config, the transformer inside it, and suitable epochs.

    Raises:
        TrainingError, ModelFolderError: request or model are missing or damaged.
    """
    from core.taggers.base.model_folder import read_header

    folder = RunFolder(run.folder)
    if folder.request_file.is_file():
        return plan_of(folder, device)
    header = read_header(run.folder)
    documents = snapshot.counts(workbench.workspace, run.project_id)["train"].documents
    config = header.changed()
    if config.get("encoder"):
        config["encoder"] = str(run.folder)
    return plan_from_form(header.tagger, fitted(header.tagger, config, documents), device)


def start(session: Session, plan: Plan) -> Run:
    """Snapshot the labelled documents into a new run and queue it.

    Raises:
        AppError: nothing is labelled yet, a file is named that the person may not name, the teacher has not
            said anything or is not the only one, there are too few processors, or the demo is full.
        TrainingError: the tagger cannot learn from a teacher.
        DiskFullError: no space.
    """
    return begin(session.workbench, session.project_id, plan)


def begin(workbench: Workbench, project_id: int, plan: Plan, *, submit: bool = True) -> Run:
    """As ``start``, without a session.

    Args:
        submit: whether to queue it; otherwise the caller does.

    Raises:
        AppError, DiskFullError: as ``start``.
    """
    workspace = workbench.workspace
    workbench.check_room()
    config = named_config(workbench, project_id, plan.tagger, plan.config)
    check_labelled(workspace, project_id)
    if plan.teacher and plan.self_training:
        raise AppError(
            "A tagger learns from a teacher or from its own predictions, not from both: choose no teacher, "
            "or 0 rounds of self-training."
        )
    if plan.workers > 1 and plan.self_training:
        raise AppError("Self-training has one worker: choose 1, or 0 rounds of self-training.")
    cluster, device = group_of(workbench, plan.workers, int(plan.settings.get("threads", 0)), plan.device)
    source, teacher = None, dict[str, Any]()
    if plan.teacher:
        source, teacher = teaching(workspace, project_id, plan.tagger, plan.teacher)
    parent = projects.get(workspace, project_id).active_run
    run = runs.create(workspace, project_id, plan.tagger, parent=parent)
    try:
        snapshot.write(workspace, project_id, run.folder, source)
        RunFolder(run.folder).write_request(
            RunRequest(
                kind="ensemble" if plan.members else "train",
                models=list(plan.members),
                tagger=plan.tagger,
                config=config,
                settings=dict(plan.settings),
                device=device,
                cluster=cluster,
                self_training=dict(plan.self_training),
                project=project_id,
                parent=parent,
                teacher=teacher,
            )
        )
        if submit:
            workbench.jobs.submit(run.name)
    except Exception:
        runs.set_status(workspace, run.name, "failed")
        raise
    return run


def named_config(
    workbench: Workbench, project_id: int, tagger: str, config: Mapping[str, Any]
) -> dict[str, Any]:
    """A tagger's config with the real paths of the files it names.

    Raises:
        AppError: as `checked_files`; also for a tagger inside this one.
    """
    from core.taggers.base.config_fields import config_from_json
    from core.taggers.base.registry import by_name

    whole = config_from_json(by_name(tagger).Config, config)
    return checked_files(workbench, project_id, config, whole, *whole.inner_configs())


def check_labelled(workspace: Workspace, project_id: int) -> None:
    """Refuse to learn from nothing.

    Raises:
        AppError: no training document has a labelled span.
    """
    if not snapshot.counts(workspace, project_id)["train"].spans:
        raise AppError(NOTHING_LABELLED)


def state_of(session: Session, run: Run) -> RunState:
    """The state of the run; for registered runs that of the store."""
    if not RunFolder(run.folder).request_file.is_file():
        return RunState(run.name, status=run.status)  # type: ignore[arg-type]
    return session.workbench.jobs.state(run.name)


def sentence_of(message: Message | None, session: Session) -> str:
    """A run's message in the session's language."""
    return "" if message is None else session._(message)


def sentence_in(event: Mapping[str, Any], name: str, session: Session) -> str:
    """The message that an event of a run has under ``name``; empty where it has none."""
    try:
        return session._(Message.from_json(event.get(name)))
    except ValueError:
        return ""


def told_of(session: Session, name: str, state: RunState, message: str) -> str:
    """The text of a run's bar: name, state, and ``message``; that of a stopped run says its state itself."""
    if message and state.status in ("cancelled", "interrupted"):
        return session._("{run}: {status}", run=name, status=message)
    status = session._(RUN_STATES[state.status])
    key = _("{run}: {status}. {message}") if message else _("{run}: {status}")
    return session._(key, run=name, status=status, message=message)


def _given(settings: type[CheckedSettings], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of these settings' fields, in the fields' types."""
    from core.taggers.base.config_fields import config_fields

    kinds = {field.name: field.type for field in config_fields(settings)}
    return {name: _typed(kind, values[name]) for name, kind in kinds.items() if name in values}


def _typed(kind: type, value: Any) -> Any:
    """Convert a form's value to the field's type if lossless; otherwise leave it for validation."""
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind is str and value is None:
        return ""
    return value
