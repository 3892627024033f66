"""Which files of the server a person may name in an option: the one place that decides.

A person alone on their own machine names any file they can read. Wherever others can reach the app, a name is
a way into the server: there it must be an upload, a model of the person's project, or lie below a folder that
whoever started the app allowed. A refusal says the same whether the file exists or not.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradio.utils import get_upload_folder

from app.services.errors import AppError
from app.services.hosting import VISITOR, FilePolicy
from core.store.run import runs
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder

if TYPE_CHECKING:
    from app.services.workbench import Workbench
    from core.taggers.base.config_fields import ConfigField

# Free text that names no file. What is not listed is taken for one, so that a new option is closed at first.
NO_FILES = frozenset(("prior", "over_options", "filters", "taggers"))
KEYWORDS = ("", "auto", "jieba")
HUB_FIELDS = ("encoder",)  # may name a model of the hub instead
MOST_ENTRIES = 10_000  # of a folder that is named


def policy_of(workbench: Workbench) -> FilePolicy:
    """The policy of the workbench; in a demo that of a visitor."""
    return workbench.files if not workbench.limits.demo else VISITOR


def checked_files(
    workbench: Workbench, project_id: int, values: Mapping[str, Any], *configs: Any
) -> dict[str, Any]:
    """``values`` with the real path of every file they name, so that what is opened is what was checked.

    Args:
        configs: made from ``values``, and the configs inside them; their defaults are checked too.

    Raises:
        AppError: a field names a file that the person may not name, or in a demo a model of the hub.
    """
    policy = policy_of(workbench)
    checked = dict(values)
    if policy.anywhere:
        return checked
    folders = [*policy.folders, *_own_folders(workbench, project_id)]
    for config in configs:
        for field, value in _naming(config):
            if policy.hub and _is_of_the_hub(field, value):
                continue
            real = _allowed(value, folders)
            # What an inner tagger reads is written inside another text, where a path cannot be replaced.
            is_given = values.get(field.name) == value
            if real is None or not (is_given or str(real) == value):
                raise _refusal(workbench, policy, field, value)
            if is_given:
                checked[field.name] = str(real)
    return checked


def checked_model(workbench: Workbench, project_id: int, target: str) -> str:
    """A model by its folder or its name: the real path of a folder that may be named, else the name.

    Raises:
        AppError: the person may not name this folder, or in a demo no model at all.
    """
    policy = policy_of(workbench)
    if policy.anywhere:
        return target
    if policy.hub and not os.path.lexists(target) and not os.path.isabs(target) and ".." not in target:
        return target
    real = _allowed(target, [*policy.folders, *_own_folders(workbench, project_id)])
    if real is None:
        raise AppError(
            "{value} is not a folder you may name here. Ask whoever runs LatticeLens to start it with "
            "--allow-path and the folder.",
            value=repr(target[:60]),
        )
    return str(real)


def is_allowed_folder(workbench: Workbench, folder: Path) -> bool:
    """Whether a run may have its model in ``folder``: in the workspace or where people may name files."""
    policy = policy_of(workbench)
    inside = [workbench.workspace.folder.resolve(), *policy.folders]
    return policy.anywhere or any(folder.resolve().is_relative_to(root) for root in inside)


def is_upload(path: Path) -> bool:
    """Whether a real path lies among the files that browsers have uploaded.

    The address of an upload holds the SHA-256 of its content: who can name it has it already.
    """
    return path.is_relative_to(Path(get_upload_folder()).resolve())


def uploaded(path: str) -> Path:
    """The uploaded file at ``path``; uploads are deleted after a day.

    Raises:
        AppError: it is gone, or lies outside the folder of uploads.
    """
    try:
        place = Path(path).resolve()
        if place.is_file() and is_upload(place):
            return place
    except (OSError, ValueError):  # a path that no system accepts
        pass
    raise AppError("The file {name} is no longer there. Choose it again.", name=repr(Path(path).name[:100]))


def _naming(config: Any) -> Iterator[tuple[ConfigField, str]]:
    """The fields of a config that name a file or a model, with their values."""
    from core.taggers.base.config_fields import config_fields

    for field in config_fields(type(config)):
        value = getattr(config, field.name)
        if field.type is str and not field.choices and field.name not in NO_FILES and value not in KEYWORDS:
            yield field, value


def _is_of_the_hub(field: ConfigField, value: str) -> bool:
    """Whether the value is no path at all; a folder of that name would be opened instead."""
    if field.name not in HUB_FIELDS:
        return False
    from core.encoders.transformer_files import is_hub_name

    return is_hub_name(value) and not os.path.lexists(value)


def _allowed(value: str, folders: Iterable[Path]) -> Path | None:
    """The real path of a regular file or a folder of such that may be named; None for all others."""
    roots = tuple(folders)
    try:
        real = Path(os.path.realpath(value, strict=True))
        mode = real.stat().st_mode
        if stat.S_ISREG(mode):
            return real if is_upload(real) or _is_below(real, roots) else None
        if stat.S_ISDIR(mode) and _is_below(real, roots) and _stays_inside(real, roots):
            return real
    except (OSError, ValueError):  # not there, no right to look, a loop of links, a name no system takes
        pass
    return None


def _is_below(real: Path, roots: tuple[Path, ...]) -> bool:
    return any(real.is_relative_to(root) for root in roots)


def _stays_inside(folder: Path, roots: tuple[Path, ...]) -> bool:
    """Whether all that a folder holds is a regular file or a folder, and no link in it leads out."""
    seen = 0
    for place, names, files in os.walk(folder):
        seen += len(names) + len(files)
        if seen > MOST_ENTRIES or any(os.path.islink(os.path.join(place, name)) for name in names):
            return False
        for name in files:
            real = Path(os.path.realpath(os.path.join(place, name), strict=True))
            if not stat.S_ISREG(real.stat().st_mode) or not _is_below(real, roots):
                return False
    return True


def _own_folders(workbench: Workbench, project_id: int) -> list[Path]:
    """The models of a project's runs and pretrainings, as real paths."""
    folders = [run.model_folder for run in runs.all_runs(workbench.workspace, project_id)]
    for path in workbench.workspace.runs_folder.glob("pretrain-*"):
        try:
            if not path.is_symlink() and RunFolder(path).read_request().project == project_id:
                folders.append(RunFolder(path).model)
        except TrainingError:  # damaged: nobody is offered it either
            continue
    return [folder.resolve() for folder in folders]


def _refusal(workbench: Workbench, policy: FilePolicy, field: ConfigField, value: str) -> AppError:
    if workbench.limits.demo:
        return AppError(
            "The demo cannot read vectors or pretrained models from files or the hub: "
            "leave such fields empty or write jieba. BERT and BERT-MRC train on your own "
            "machine only."
        )
    shown = repr(value[:60])
    if policy.folders:
        return AppError(
            "{field}: {value} is not a file you may name here. Choose a result of this project, or name what "
            "lies below {folders}.",
            field=field.in_error,
            value=shown,
            folders=[str(folder) for folder in policy.folders],
        )
    return AppError(
        "{field}: {value} is not a file you may name here. Choose a result of this project, or ask whoever "
        "runs LatticeLens to start it with --allow-path and the folder.",
        field=field.in_error,
        value=shown,
    )
