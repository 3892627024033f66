"""A job: plan, tag, report; begun or resumed."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import __version__
from core.bulk.blocks import Block, block_size, cut
from core.bulk.cluster import check_cluster
from core.bulk.errors import WORK, BulkError, cluster_library
from core.bulk.job_folder import JobFolder
from core.bulk.report import Progress, Tally
from core.bulk.rows import PartFormat
from core.bulk.sources import find_sources
from core.bulk.streaming import TRIES, finished_blocks
from core.bulk.worker import WorkerOptions
from core.cluster.session import ray_session

MOST_WORKERS = 10_000


@dataclass(frozen=True, slots=True)
class BulkRequest:
    """What is asked.

    Args:
        model: a model folder or an exported graph. run: its name, for the rows.
        inputs: addresses of files and folders, or with wildcards. out: address of the output folder.
        text_column, id_column: fields of JSON lines and columns of tables; a text file has neither.
        workers: actors. threads: of each. gpus_per_worker: of each, may be a fraction.
        address: of a Ray cluster; None: Ray is started here.
        resume: go on with the job in ``out``.
        block_bytes: size of a block; None: chosen by the size of the input and the number of workers.
    """

    model: Path
    run: str
    inputs: tuple[str, ...]
    out: str
    text_column: str = "text"
    id_column: str | None = None
    format: PartFormat = "parquet"
    workers: int = 1
    threads: int = 1
    gpus_per_worker: float = 0.0
    device: str = "auto"
    address: str | None = None
    resume: bool = False
    block_bytes: int | None = None


def run_job(
    request: BulkRequest,
    progress: Callable[[Progress], None] = lambda progress: None,
    should_stop: Callable[[], bool] = lambda: False,
    finished: Callable[[int], None] = lambda block: None,
) -> dict[str, Any]:
    """Tag everything that is not tagged yet; returns what ``report.json`` then holds.

    Args:
        progress: told after every block. finished: given the number of every block of this sitting.

    Raises:
        BulkError: the request is impossible, a block cannot be read or written, or blocks are left whose
            workers died. Cancelled: it was asked to stop. In both cases what is finished stays.
    """
    _check_numbers(request)
    cluster_library("ray.data")
    with ray_session(request.address, request.workers * request.threads, WORK) as ray:
        folder = JobFolder(request.out)
        plan = _planned(request, folder)
        blocks = folder.blocks()
        tally = Tally({block.number: block.size for block in blocks})
        for receipt in folder.receipts():
            tally.add(receipt, earlier=True)
        waiting = [block for block in blocks if block.number not in tally.finished]
        if waiting:
            options = _options(request, plan["job"])
            check_cluster(ray, options, request.gpus_per_worker)
            tally.start()
            progress(tally.progress())
            for receipt in finished_blocks(
                ray,
                waiting,
                options,
                min(request.workers, len(waiting)),
                request.gpus_per_worker,
                should_stop,
            ):
                tally.add(receipt)
                finished(receipt["block"])
                progress(tally.progress())
        _check_all_finished(blocks, tally)
    report = tally.report()
    folder.write_report({**plan, **report})
    return {"out": folder.place.address, **report}


def _check_numbers(request: BulkRequest) -> None:
    if not 1 <= request.workers <= MOST_WORKERS:
        raise BulkError("--workers {count}: expected 1 to {most}", count=request.workers, most=MOST_WORKERS)
    if not 0 <= request.gpus_per_worker <= 64:
        raise BulkError(
            "--gpus-per-worker {count}: expected 0, a part of a GPU such as 0.5, or a whole number of them",
            count=request.gpus_per_worker,
        )
    if not request.model.is_dir():
        raise BulkError("there is no model folder {folder}", folder=request.model)


def _planned(request: BulkRequest, folder: JobFolder) -> dict[str, Any]:
    """The plan of the folder, made now if there is none.

    Raises:
        BulkError: the folder is not empty, or its job was another.
    """
    plan = folder.plan() if request.resume else None
    if not request.resume:
        folder.check_empty()
    sources = find_sources(request.inputs)
    asked = {
        "version": __version__,
        "run": request.run,
        "model": model_digest(request.model),
        "format": request.format,
        "text_column": request.text_column,
        "id_column": request.id_column,
        "inputs": [[source.address, source.size, source.changed] for source in sources],
    }
    if plan is not None:
        changed = next((name for name, value in asked.items() if plan.get(name) != value), None)
        if changed is not None:
            raise BulkError(
                "the job in {folder} was begun with another {what}, so it cannot go on; give what it was "
                "begun with, or another folder",
                folder=folder.place.address,
                what=changed,
            )
        return plan
    size = request.block_bytes or block_size(sources, request.workers)
    plan = {"job": secrets.token_hex(8), **asked}
    if not folder.begin(plan, cut(sources, size, request.text_column)):
        raise BulkError("the input is empty: there is nothing to tag")
    return plan


def _options(request: BulkRequest, job: str) -> WorkerOptions:
    return WorkerOptions(
        JobFolder(request.out).place.address,
        str(request.model.resolve()),
        request.run,
        request.text_column,
        request.id_column,
        request.format,
        request.device,
        request.threads,
        job,
    )


def _check_all_finished(blocks: list[Block], tally: Tally) -> None:
    left = [block for block in blocks if block.number not in tally.finished]
    if left:
        raise BulkError(
            "{count} of {all} blocks are not tagged, the first is {number} of {file}: its worker died "
            "{tries} times, most likely for lack of memory; the others are finished. Give the workers more "
            "memory or start fewer, and resume the job",
            count=len(left),
            all=len(blocks),
            number=left[0].number,
            file=left[0].name,
            tries=TRIES + 1,
        )


def model_digest(folder: Path) -> str:
    """SHA-256 of a model folder: of its files' names and contents."""
    digest = hashlib.sha256()
    for path in _files(folder):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        with path.open("rb") as stream:
            while step := stream.read(1 << 20):
                digest.update(step)
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    with suppress(FileNotFoundError):
        yield from sorted(path for path in folder.rglob("*") if path.is_file())
