"""Blocks through Ray Data: one actor a worker holds the tagger; receipts come back one by one."""

from __future__ import annotations

import json
import logging
import queue
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from core.bulk.blocks import Block
from core.bulk.errors import BulkError, Cancelled, cluster_library
from core.bulk.worker import Worker, WorkerOptions
from core.cluster.errors import reason_of
from core.runtime.message import Message, message_of

TRIES = 5  # further ones for a block whose worker died
LOOK_EVERY = 0.5  # seconds between looks whether to stop
END = object()


class _Actor:
    """A worker as Ray Data runs it. What it answers are receipts or errors, as JSON."""

    def __init__(self, options: WorkerOptions) -> None:
        self._worker: Worker | None = None
        self._failure: Message | None = None
        try:
            self._worker = Worker(options)
        except Exception as error:  # Ray would start the actor again for ever
            self._failure = message_of(error)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        return {"answer": [self._answer(Block(**json.loads(text))) for text in batch["block"]]}

    def _answer(self, block: Block) -> str:
        try:
            if self._worker is None:
                raise BulkError("a worker cannot start: {reason}", reason=self._failure)
            return json.dumps(self._worker.tag(block))
        except Exception as error:  # told to the person by the driver, which stops
            failed = BulkError(
                "block {number} ({file}) cannot be tagged: {reason}",
                number=block.number,
                file=block.name,
                reason=message_of(error),
            )
            return json.dumps({"error": failed.message.to_json()})


def finished_blocks(
    ray: Any,
    blocks: Sequence[Block],
    options: WorkerOptions,
    workers: int,
    gpus: float,
    should_stop: Callable[[], bool],
) -> Iterator[dict[str, Any]]:
    """The receipts of blocks, as they are finished; a block that killed its workers again and again has none.

    A worker process that dies is started again, and its blocks are tagged again.

    Args:
        gpus: of every worker, 0.5 for two workers on one. should_stop: asked twice a second.

    Raises:
        Cancelled: it was asked to stop. BulkError: a block cannot be read, tagged or written.
    """
    answers: queue.Queue[Any] = queue.Queue()
    data = _pipeline(blocks, options, workers, gpus)

    def follow() -> None:
        try:
            for row in data.iter_rows():
                answers.put(row["answer"])
            answers.put(END)
        except BaseException as error:
            answers.put(error)

    threading.Thread(target=follow, daemon=True, name="bulk-tagging").start()
    while True:
        if should_stop():
            raise Cancelled
        try:
            answer = answers.get(timeout=LOOK_EVERY)
        except queue.Empty:
            continue
        if answer is END:
            return
        if isinstance(answer, BaseException):
            raise BulkError(
                "Ray has stopped ({reason}); what is finished stays; resume the job",
                reason=reason_of(answer),
            ) from answer
        receipt = json.loads(answer)
        if "error" in receipt:
            raise BulkError(_failure(receipt))
        yield receipt


def _failure(answer: dict[str, Any]) -> Message:
    return Message.from_json(answer["error"])


def _pipeline(blocks: Sequence[Block], options: WorkerOptions, workers: int, gpus: float) -> Any:
    data = cluster_library("ray.data")
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # the driver says what failed
    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.max_errored_blocks = -1  # blocks without a receipt are counted at the end
    rows = [{"block": json.dumps(block.to_json())} for block in blocks]
    with warnings.catch_warnings():
        # No other argument bounds the tries of a task whose actor died; hence the bound on Ray's version.
        warnings.simplefilter("ignore")
        return data.from_items(rows, override_num_blocks=len(rows)).map_batches(
            _Actor,
            fn_constructor_args=(options,),
            batch_size=None,
            compute=data.ActorPoolStrategy(size=workers),
            num_cpus=options.threads,
            num_gpus=gpus or None,
            max_restarts=-1,
            max_task_retries=TRIES,
        )
