"""Which documents count as held out in a comparison of runs.

A run of a project without dev documents holds out some of its training documents itself. Runs are compared on
what all of them held out, whether the project or they themselves split it off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from app.services import in_project
from app.services.session import Session
from core.corpus.document_json import read_documents
from core.store.db.payload import HELD_OUT, SPLITS, checked_choice
from core.store.db.workspace import Workspace
from core.store.run import predicted
from core.training.run.run_folder import RunFolder


@dataclass(frozen=True)
class OwnSplit:
    """How a run split its training documents: names of those held out, and of those it learned from."""

    held_out: frozenset[str]
    trained_on: frozenset[str]


def documents_of(session: Session, runs: Sequence[str], parts: Sequence[str]) -> list[int]:
    """The documents of these splits, in order, as all of ``runs`` of the session's project used them.

    Raises:
        PayloadError: no such split. NotFound: no such run in this project.
    """
    folders = [in_project.run(session, run).folder for run in runs]
    return documents_held(session.workspace, session.project_id, folders, parts)


def documents_held(
    workspace: Workspace, project_id: int, folders: Sequence[Path], parts: Sequence[str]
) -> list[int]:
    """As `documents_of`, for work that goes on without a session.

    A document that all runs held out themselves counts as dev, and one of dev or test that a run learned from
    as train.

    Args:
        folders: of the runs.

    Raises:
        PayloadError: no such split.
    """
    wanted = {checked_choice(part, SPLITS, "split") for part in parts}
    own = [own_split(folder) for folder in folders]
    by_themselves = [split for split in own if split is not None]

    def split_of(name: str, split: str) -> str:
        if split in HELD_OUT:
            return "train" if any(name in run.trained_on for run in by_themselves) else split
        all_held = len(by_themselves) == len(own) and all(name in run.held_out for run in by_themselves)
        return "dev" if own and all_held else split

    documents = predicted.document_splits(workspace, project_id)
    return [number for number, name, split in documents if split_of(name, split) in wanted]


@lru_cache(maxsize=16)  # a finished run does not change
def own_split(folder: Path) -> OwnSplit | None:
    """How the run split its documents itself; None of one that was given dev documents."""
    run = RunFolder(folder)
    held_out = run.held_out()
    if held_out is None:
        return None
    names = (document.id for document in read_documents(run.snapshot / "train.jsonl"))
    return OwnSplit(held_out, frozenset(names) - held_out)
