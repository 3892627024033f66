"""A run's model as one ZIP for another program, with its model card."""

from __future__ import annotations

import shutil
from pathlib import Path

from app.services.errors import AppError
from app.services.exporting.documents import file_stem
from app.services.session import Session
from app.services.storage.scratch import scratch_folder
from core.store.db import audit
from core.store.run import ledger
from core.store.run.runs import Run
from core.training.run.run_folder import RunFolder

TARGETS = ("transformers", "onnx", "latticelens")


def bundle(session: Session, run: Run, target: str, licence: str) -> Path:
    """Write the ZIP into a temporary folder.

    Raises:
        AppError: the run has no model, or there is no such program. ExportError: its tagger cannot be
            exported for that program; says why.
    """
    from core.export.bundle import write_bundle
    from core.export.model_card import TARGETS as KNOWN
    from core.export.model_card import RunFacts

    chosen = next((known for known in KNOWN if known == target), None)
    if chosen is None:
        raise AppError("There is no export for {target}.", target=repr(target))
    folder = RunFolder(run.folder)
    if not (run.model_folder / "config.json").is_file():
        raise AppError("{run} has no model yet. Wait until it is finished, or resume it.", run=run.title)
    scratch = scratch_folder("model")
    name = f"{file_stem(run.title)}-{chosen}"
    write_bundle(
        run.model_folder,
        scratch / name,
        chosen,
        facts=RunFacts.of(folder),
        licence=licence.strip(),
        name=name,
        ledger=_ledger(session, run),
    )
    packed = shutil.make_archive(str(scratch / name), "zip", scratch, name)
    shutil.rmtree(scratch / name, ignore_errors=True)
    audit.note(
        session.workspace, "run.exported", session.project_id, user=session.user, run=run.name, format=chosen
    )
    return Path(packed)


def _ledger(session: Session, run: Run) -> dict[str, int]:
    """How many corrections have which state under the run, for its card, which is English."""
    found = ledger.verdict(session.workspace, run.name, ledger.baseline_of(session.workspace, run.name))
    states = {
        "fixed": found.fixed,
        "still wrong": found.still_wrong,
        "newly broken": found.newly_broken,
        "holds": found.holds,
        "not predicted": found.unknown,
    }
    return {state: count for state, count in states.items() if count}
