"""Start, follow and delete pretraining on a project's raw text, and offer the results to taggers."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from app.services.errors import AppError
from app.services.named_files import checked_files
from app.services.session import Session
from core.store.run import runs, snapshot
from core.store.run.runs import Run
from core.training.run.errors import TrainingError
from core.training.run.run_request import RunRequest, check_name
from core.training.run.run_state import RunState

KIND: Literal["pretrain"] = "pretrain"
METHODS = ("vectors", "mlm", "bilm")
VECTOR_FIELDS = {"char_vectors": "characters", "bigram_vectors": "bigrams", "word_vectors": "words"}
JIEBA, AUTO = "jieba", "auto"  # the character vectors in its package; where the text is Chinese
ELMO = "elmo_crf"  # its encoder is a biLM, that of every other tagger a transformer
TRANSFORMER = Path("encoder", "config.json")  # in a model folder; what writes it loads torch
Offers = dict[str, list[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Pretrained:
    """A pretraining, finished or running.

    Args:
        run: name of its run folder. name: display name. method: ``vectors``, ``mlm`` or ``bilm``.
        scores: empty before the end.
    """

    run: str
    name: str
    method: str
    state: RunState
    scores: Mapping[str, Any]
    model: Path

    @property
    def finished(self) -> bool:
        return self.state.status == "finished"


def start_pretraining(session: Session, method: str, name: str, values: Mapping[str, Any]) -> str:
    """Snapshot the project's texts and queue the training; returns its run.

    Raises:
        AppError: no text, name in use, demo full, or a file that the person may not name.
        TrainingError, ConfigError: invalid name or value. DiskFullError: no space.
    """
    from core.learning.pretraining.pretraining import CONFIGS, check_values, config_of

    if method not in METHODS:  # it comes from a browser
        raise AppError("Choose one of the three kinds.")
    checked = check_name(name)
    given = check_values(method, _typed(method, values))
    if session.workbench.limits.demo:
        session.workbench.check_room()
    configs = [config_of(each, given) for each in CONFIGS[method]]
    config = checked_files(session.workbench, session.project_id, given, *configs)
    if any(item.name == checked for item in results_of(session)):
        raise AppError(
            "There is already a result called {name}; choose another name, or delete the old result.",
            name=checked,
        )
    if not snapshot.count_texts(session.workspace, session.project_id).characters:
        raise AppError(
            "There is no text to learn from: import documents that are in neither the dev nor the test split."
        )
    request = RunRequest(
        kind=KIND,
        method=method,
        name=checked,
        config=config,
        device=session.workbench.device.wanted,
        project=session.project_id,
    )
    write = partial(
        snapshot.write_texts,
        session.workspace,
        session.project_id,
        with_spans=config.get("masking") == "entities",
    )
    return session.workbench.jobs.start(request, write)


def results_of(session: Session, project_id: int | None = None) -> list[Pretrained]:
    """The results of a project (None: the session's), newest first."""
    project = session.project_id if project_id is None else project_id
    results = []
    for path in session.workspace.runs_folder.glob(f"{KIND}-*"):
        if not (path / "state.json").is_file():
            continue
        folder = session.workbench.jobs.folder(path.name)
        try:
            request = folder.read_request()
        except TrainingError:
            continue
        if request.kind == KIND and request.project == project:
            state = session.workbench.jobs.state(path.name)
            scores = folder.scores() if state.status == "finished" else None
            results.append(
                Pretrained(path.name, request.name, request.method, state, scores or {}, folder.model)
            )
    return sorted(results, key=lambda item: item.run, reverse=True)


def result_of(session: Session, run: str | None) -> Pretrained:
    """The result of this run, named by a browser.

    Raises:
        AppError: the project has none.
    """
    for item in results_of(session):
        if item.run == run:
            return item
    raise AppError("This result no longer exists; choose another one.")


def offers_for(session: Session, tagger: str) -> Offers:
    """Choices for a tagger's fields: names and paths by field, of results and of runs with a transformer."""
    offers = _pretrained_for(session, tagger)
    if tagger != ELMO:
        trained = [(run.title, str(run.model_folder.resolve())) for run in _with_transformer(session)]
        if trained:
            offers.setdefault("encoder", []).extend(trained)
    return offers


def _pretrained_for(session: Session, tagger: str) -> Offers:
    offers: Offers = {}
    for item in results_of(session):
        if not item.finished:
            continue
        if item.method == "vectors":
            for field, unit in VECTOR_FIELDS.items():
                path = item.model / f"{unit}.vec"
                if path.is_file():
                    offers.setdefault(field, []).append((item.name, str(path.resolve())))
        elif (item.method == "bilm") == (tagger == ELMO):
            offers.setdefault("encoder", []).append((item.name, str(item.model.resolve())))
    if "char_vectors" in offers:
        # A list of choices would hide that these may be typed.
        offers["char_vectors"] += [(AUTO, AUTO), (JIEBA, JIEBA)]
    return offers


def _with_transformer(session: Session) -> list[Run]:
    """The project's finished runs whose tagger reads text through a transformer, newest first."""
    finished = runs.all_runs(session.workspace, session.project_id, "finished")
    return [run for run in reversed(finished) if (run.model_folder / TRANSFORMER).is_file()]


def stamp(session: Session, items: Sequence[Pretrained]) -> str:
    """A cache key of the offers; ``items`` are the project's results."""
    offered = [item.run for item in items if item.finished]
    return " ".join(offered + [run.name for run in _with_transformer(session)])


def starts_for(session: Session, method: str) -> Offers:
    """Choices for continuing a pretraining, as ``offers_for``; a tagger has no head that predicts words."""
    if method == "bilm":
        return {"start": _pretrained_for(session, ELMO).get("encoder", [])}
    return {"encoder": _pretrained_for(session, "bert").get("encoder", [])} if method == "mlm" else {}


def delete(session: Session, run: str | None) -> str:
    """Delete a result with all its files and return its name; taggers trained from it have their own copy.

    Raises:
        AppError: it is being trained, or a waiting or running run starts from it.
    """
    item = result_of(session, run)
    if item.state.active:
        raise AppError("{name} is being pretrained; cancel that first.", name=item.name)
    user = _user_of(session, item)
    if user is not None:
        raise AppError(
            "{run} is about to start from {name}; wait for it or cancel it first.", name=item.name, run=user
        )
    _remove(item.model.parent)
    return item.name


def check_none_runs(session: Session, project_id: int) -> None:
    """Check that no pretraining of a project is running.

    Raises:
        AppError: names it.
    """
    for item in results_of(session, project_id):
        if item.state.active:
            raise AppError("{name} is being pretrained; cancel that first.", name=item.name)


def delete_all(session: Session, project_id: int) -> None:
    """Delete the results of a project, which contain its words."""
    for item in results_of(session, project_id):
        _remove(item.model.parent)


def _remove(folder: Path) -> None:
    if not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)


def _user_of(session: Session, item: Pretrained) -> str | None:
    """A waiting or running run whose config refers to the result."""
    inside = str(item.model.resolve())
    for state in session.workbench.jobs.states():
        if not state.active:
            continue
        try:
            config = session.workbench.jobs.folder(state.run).read_request().config
        except TrainingError:
            continue
        if any(isinstance(value, str) and value.startswith(inside) for value in config.values()):
            return state.run
    return None


def _typed(method: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """A form's values as their fields' types where that loses nothing; the check tells of the others."""
    from core.learning.pretraining.pretraining import CONFIGS
    from core.taggers.base.config_fields import config_fields

    kinds = {field.name: field.type for config in CONFIGS[method] for field in config_fields(config)}
    typed = dict(values)
    for name, value in values.items():
        if kinds.get(name) is int and isinstance(value, float) and value.is_integer():
            typed[name] = int(value)
        if kinds.get(name) is str and value is None:
            typed[name] = ""
    return typed
