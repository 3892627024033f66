"""A run as a folder to give away: the model for one program, with its card."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.corpus.atomic import replace_folder
from core.export.model_card import FILE, RunFacts, Target, model_card
from core.taggers.base.model_folder import HEADER, load_tagger
from core.taggers.base.tagger import Tagger


def write_bundle(
    model: Path,
    out: Path,
    target: Target,
    *,
    facts: RunFacts | None = None,
    licence: str = "",
    name: str = "",
    ledger: Mapping[str, int] | None = None,
    tagger: Tagger | None = None,
) -> float:
    """Write a model for ``target`` with its card into ``out``, which is replaced.

    Args:
        model: the model folder. facts, licence, name, ledger: for the card.
        tagger: the loaded model, if it is at hand.

    Returns:
        the largest difference of a tag score on sample texts; 0 for a copy.

    Raises:
        ModelFolderError, ExportError: the model is damaged or cannot be exported.
        DiskFullError: nothing was written.
    """
    card = model_card(model, target, facts=facts, licence=licence, name=name, ledger=ledger)
    difference = 0.0
    if target == "latticelens":
        replace_folder(out, lambda fresh: _copy(model, fresh))
    else:
        loaded = load_tagger(model) if tagger is None else tagger
        if target == "onnx":
            from core.export.onnx.export import export
        else:
            from core.export.hugging_face.export import export
        difference = export(loaded, out)
    (out / FILE).write_text(card, encoding="utf-8")
    return difference


def _copy(model: Path, fresh: Path) -> None:
    """The model folder, without the paths of the machine it was trained on."""
    load_tagger(model)  # nobody is given a damaged one
    shutil.copytree(model, fresh, dirs_exist_ok=True)
    path = fresh / HEADER
    header = json.loads(path.read_text(encoding="utf-8"))
    for options in (header["config"], header.get("given", {})):
        options.update({name: _without_folder(value) for name, value in options.items()})
    path.write_text(json.dumps(header, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _without_folder(value: Any) -> Any:
    """Of an absolute path its last name; loading a model reads no such path."""
    if isinstance(value, str) and (Path(value).is_absolute() or "\\" in value):
        return value.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return value
