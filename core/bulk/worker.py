"""A worker: holds a tagger, and makes parts of blocks."""

from __future__ import annotations

import os
import platform
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import __version__
from core.bulk.blocks import Block
from core.bulk.errors import BulkError
from core.bulk.job_folder import JobFolder
from core.bulk.records import RecordReader, Refused
from core.bulk.rows import PartFormat, PartWriter, lines_of, refused_row, row_of
from core.bulk.tagging import load_predict, tag_records

ROWS = 1024  # rows packed together


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """What every worker of a job is told.

    Args:
        out: address of the output folder. model: a model folder or an exported graph.
        run: name of the run, for the rows. device: as ``choose_device`` takes it. threads: of the processor.
        plan: what ``plan.json`` calls itself, so that a worker knows that it sees the same folder.
    """

    out: str
    model: str
    run: str
    text_column: str
    id_column: str | None
    format: PartFormat
    device: str
    threads: int
    plan: str


class Worker:
    """Tags block after block with one tagger.

    Raises:
        Told: the model cannot be loaded.
    """

    def __init__(self, options: WorkerOptions) -> None:
        self._options = options
        self._folder = JobFolder(options.out)
        self._reader = RecordReader(options.text_column, options.id_column)
        self._predict = load_predict(Path(options.model), options.device, options.threads)

    def tag(self, block: Block) -> dict[str, Any]:
        """Write the part of a block; returns its receipt.

        Raises:
            DiskFullError, OSError, pyarrow.ArrowException: the block cannot be read, or its part written.
            BulkError: the tagger is broken.
        """
        options = self._options
        begun = time.perf_counter()
        part, labels, refused = PartWriter(options.format), Counter[str](), []
        documents = characters = 0
        rows: list[dict[str, Any]] = []
        for answer in tag_records(self._predict, self._reader.read(block)):
            if isinstance(answer, Refused):
                refused.append(refused_row(answer, block.name))
                continue
            record, document = answer
            rows.append(row_of(record, document, block.name, options.run, __version__))
            documents += 1
            characters += len(document.text)
            labels.update(span.label for span in document.spans)
            if len(rows) >= ROWS:
                part.add(rows)
                rows = []
        part.add(rows)
        receipt = {
            "block": block.number,
            "documents": documents,
            "characters": characters,
            "spans": dict(sorted(labels.items())),
            "refused": len(refused),
            "seconds": round(time.perf_counter() - begun, 3),
            "worker": f"{platform.node()}:{os.getpid()}",
        }
        self._folder.finish(block.number, part.content(), options.format, lines_of(refused), receipt)
        return receipt


def check_node(options: WorkerOptions) -> None:
    """Check that this machine has what a worker needs.

    Raises:
        BulkError: it sees another output folder or no model, or has another version of LatticeLens.
    """
    here = platform.node()
    if not Path(options.model).is_dir():
        raise BulkError(
            "the worker machine {machine} has no model folder {folder}; put it on a disk that all machines "
            "share, or copy it to the same path on each",
            machine=here,
            folder=options.model,
        )
    plan = JobFolder(options.out).plan()
    if plan is None or plan.get("job") != options.plan:
        raise BulkError(
            "the worker machine {machine} does not see the output folder {folder}; give one on a disk that "
            "all machines share, or an address such as s3://bucket/folder",
            machine=here,
            folder=options.out,
        )
