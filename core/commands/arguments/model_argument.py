"""``--model DIR``: a model folder, or a run folder that holds one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.commands.terminal.errors import CommandError

if TYPE_CHECKING:
    from core.taggers.base.tagger import Tagger


def model_path(folder: str) -> Path:
    """The model folder in ``folder``, that is itself or ``folder/model``.

    Raises:
        CommandError, Told: there is none.
    """
    path = Path(folder)
    if not path.is_dir():
        raise CommandError(f"there is no model folder {folder}; give the --out folder of a training run")
    inside = path / "model"
    if not (path / "config.json").is_file() and inside.is_dir():
        return inside
    if (path / "request.json").is_file():
        raise CommandError(
            f"the run in {folder} has no model yet; finish it with: train --out {folder} --resume"
        )
    return path


def load_model(folder: str, device: str) -> Tagger:
    """The tagger in ``folder`` or in ``folder/model``, on the device.

    Raises:
        CommandError, Told: there is none, it is damaged, or there is no such device.
    """
    from core.taggers.base.model_folder import load_tagger
    from core.training.device import choose_device

    path = model_path(folder)
    return load_tagger(path).to(choose_device(device).device)
