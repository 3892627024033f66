"""A function run by several workers of Ray Train at once, with their torch processes joined in a group."""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from core.cluster.errors import ClusterError, ray_library, reason_of
from core.cluster.mailbox import Post, open_mailbox
from core.cluster.options import WorkerGroup
from core.runtime.message import Message, Told, ngettext

Report = Callable[[Mapping[str, Any]], None]
Task = Callable[[Report, Callable[[], bool]], Any]
TRIES = 5  # deaths of workers that a piece of work survives
LOOK_EVERY = 0.2  # seconds
ENDS_WITHIN = 60.0  # seconds, once the result is there
SCRATCH = "ray"  # Ray Train's own files, while it runs


def run_in_workers(
    ray: Any,
    task: Task,
    group: WorkerGroup,
    folder: Path,
    what: Message,
    report: Report,
    should_stop: Callable[[], bool],
) -> Any:
    """Run a task in all workers of a group at once; returns what the main one's returns.

    When a worker dies, all are started again, with those for which there is still room, and call the task
    anew; it must go on from what it has written itself.

    Args:
        task: importable on every machine, with its arguments; called with a report function and a stop
            predicate, of which only those of the main worker do anything.
        folder: of the work, on a disk that all machines share. what: the work, in a few words.
        report: receives the main worker's events, here. should_stop: asked five times a second.

    Raises:
        ClusterError: what a worker says is wrong, or workers died too often.
    """
    mailbox = open_mailbox(ray, what)
    scratch = folder.resolve() / SCRATCH
    shutil.rmtree(scratch, ignore_errors=True)  # of a driver that was killed; Ray would go on with it
    trainer = _trainer(partial(_work, task, mailbox), group, scratch, what)
    fitting = _Fitting(trainer)
    attempts, asked = 0, False
    try:
        while True:
            over = fitting.over  # before reading, so that nothing told is missed
            for kind, told in ray.get(mailbox.read.remote()):
                if kind == "event":
                    report(told)
                elif kind == "result":
                    fitting.wait(ENDS_WITHIN)
                    return told
                elif kind == "refused":
                    refusal = Message.from_json(told)
                    raise ClusterError(refusal)
                elif kind == "begun":
                    attempts += 1
                    if attempts > 1:
                        report({"event": "log", "message": _again(told).to_json()})
            if over:
                raise ClusterError(
                    "Ray has stopped the workers ({reason}); what is finished stays, resume to go on from it",
                    reason=reason_of(fitting.error) if fitting.error else "",
                ) from fitting.error
            if should_stop() and not asked:
                asked = True
                mailbox.stop.remote()
            time.sleep(LOOK_EVERY)
    finally:
        ray.kill(mailbox)
        shutil.rmtree(scratch, ignore_errors=True)


def _again(workers: int) -> Message:
    return ngettext(
        "A worker has died; {count} worker goes on from the last checkpoint.",
        "A worker has died; {count} workers go on from the last checkpoint.",
        count=workers,
    )


class _Fitting:
    """Ray Train at work in a thread of its own, so that this one can pass on events and a stop."""

    def __init__(self, trainer: Any) -> None:
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._fit, args=(trainer,), daemon=True, name="ray-train")
        self._thread.start()

    @property
    def over(self) -> bool:
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        self._thread.join(seconds)

    def _fit(self, trainer: Any) -> None:
        try:
            trainer.fit()
        except BaseException as error:  # told by the thread that waits
            self.error = error


def _trainer(work: Callable[[], None], group: WorkerGroup, scratch: Path, what: Message) -> Any:
    os.environ["RAY_CHDIR_TO_TRIAL_DIR"] = "0"  # paths may be relative to where the command was given
    logging.getLogger("ray.train").setLevel(logging.ERROR)
    train = ray_library("ray.train", what)
    torch = ray_library("ray.train.torch", what)
    resources: dict[str, float] = {"CPU": group.threads}
    if group.gpus_per_worker:
        resources["GPU"] = group.gpus_per_worker
    return torch.TorchTrainer(
        work,
        scaling_config=train.ScalingConfig(
            num_workers=group.workers if group.workers == 1 else (1, group.workers),
            use_gpu=group.gpus_per_worker > 0,
            resources_per_worker=resources,
        ),
        # NCCL refuses two processes on one GPU.
        torch_config=torch.TorchConfig(backend="nccl" if group.gpus_per_worker == 1 else "gloo"),
        run_config=train.RunConfig(
            name="run",
            storage_path=str(scratch),
            failure_config=train.FailureConfig(max_failures=TRIES),
            logging_config=train.LoggingConfig(log_level="ERROR"),
        ),
    )


def _work(task: Task, mailbox: Any) -> None:
    """What every worker does. Errors that are told end the work; Ray tries again after all others."""
    import ray
    import ray.train

    context = ray.train.get_context()
    post = Post(ray, mailbox)
    main = context.get_world_rank() == 0
    if main:
        post.tell("begun", context.get_world_size())
    try:
        result = task(post.report, post.should_stop) if main else task(_unheard, _never)
    except Told as error:
        post.tell("refused", error.message.to_json())
        return
    if main:
        post.tell("result", result)


def _unheard(event: Mapping[str, Any]) -> None:
    return


def _never() -> bool:
    return False
