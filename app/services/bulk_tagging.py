"""Documents of a project tagged by several processes, with the blocks and workers of ``core.bulk``."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.services.errors import AppError
from app.services.session import Session
from app.services.storage.scratch import scratch_folder
from core.corpus.document_json import document_from_json
from core.runtime.optional_packages import is_installed
from core.store.document import documents
from core.store.run import predictions
from core.text import Document

if TYPE_CHECKING:
    from app.services.workbench import Workbench

MOST = 16  # processes offered
MANY = 5000  # documents from which the start of further processes pays
BLOCK = 32 << 10  # bytes of text; a few seconds, so that the bar moves

# One Ray in this process: who ends it ends the work of whoever else uses it.
_alone = threading.Lock()


def installed() -> bool:
    """Whether the extra ``cluster`` is there."""
    return is_installed("ray") and is_installed("pyarrow")


def choices() -> list[int]:
    """Numbers of processes: 1, which is this one, to the number of processors it may use."""
    able = getattr(os, "sched_getaffinity", None)
    return list(range(1, min(MOST, len(able(0)) if able else os.cpu_count() or 1) + 1))


def would_help(workbench: Workbench) -> bool:
    """Whether processes would share the work: on a processor of several cores, not on one GPU.

    While the device is not known yet, it is taken for a processor.
    """
    device = workbench.device.info
    return len(choices()) > 1 and (device is None or device.name == "cpu")


def tag(
    session: Session, run: str, ids: Sequence[int], processes: int, report: Callable[[int, int], None]
) -> int:
    """Tag documents with ``run`` and the project's words, and store the predictions as blocks are finished.

    Args:
        ids: of the documents. report: given documents done and in all; may raise to stop.

    Returns:
        how many the tagger fails with.

    Raises:
        AppError: another such work goes on. Told: the tagger or Ray cannot be started; what is stored stays.
    """
    from core.bulk.job import BulkRequest, run_job

    if not _alone.acquire(blocking=False):
        raise AppError(
            "Documents are being tagged by several processes already. Try again when that is done."
        )
    folder = scratch_folder("bulk")
    try:
        job = _Job(session, run, len(ids), report, folder / "out")
        with session.workbench.taggers.tagger(session.project_id, run) as tagger:
            tagger.save(folder / "model")  # with the project's words
        _write(session, ids, folder / "documents.jsonl", job)
        request = BulkRequest(
            folder / "model",
            run,
            (str(folder / "documents.jsonl"),),
            str(job.out),
            id_column="id",
            format="jsonl",
            workers=processes,
            device="cpu",
            block_bytes=BLOCK,
        )
        return int(run_job(request, should_stop=job.should_stop, finished=job.store)["refused"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _alone.release()


@dataclass
class _Job:
    """What goes from the job into the store and onto the page."""

    session: Session
    run: str
    total: int
    report: Callable[[int, int], None]
    out: Path
    done: int = 0

    def should_stop(self) -> bool:
        """Tells the page how far it is, which raises once somebody cancels."""
        self.report(self.done, self.total)
        return False

    def store(self, block: int) -> None:
        """Store the predictions of a finished block."""
        from core.bulk.job_folder import JobFolder

        lines = JobFolder(str(self.out)).part(block, "jsonl").splitlines()
        self.done += len(lines)
        predictions.put(self.session.workspace, self.run, _documents(lines))


def _documents(lines: Sequence[bytes]) -> Iterator[Document]:
    return (document_from_json(json.loads(line)) for line in lines)


def _write(session: Session, ids: Sequence[int], path: Path, job: _Job) -> None:
    with path.open("w", encoding="utf-8") as file:
        for at, document in enumerate(documents.several(session.workspace, ids)):
            if at % 1000 == 0:
                job.should_stop()
            file.write(json.dumps({"id": document.id, "text": document.text}) + "\n")
