"""Trials of a search side by side: Ray Tune starts them, Optuna chooses them, ASHA ends hopeless ones."""

from __future__ import annotations

import json
import logging
import os
import queue
import shutil
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from core.cluster.errors import ClusterError, ray_library, reason_of
from core.cluster.options import WorkerGroup
from core.cluster.workers import LOOK_EVERY, SCRATCH
from core.corpus.errors import CorpusError, DiskFullError
from core.corpus.snapshot import read_snapshot
from core.jobs.failures import error_message
from core.jobs.search_trial import SearchWork, TrialTraining
from core.learning.search.clock import Clock
from core.learning.search.folds import search_corpus
from core.learning.search.settings import SearchSettings
from core.learning.search.study import SPARED, TENTHS, Study
from core.learning.search.trials import TRIAL, Trial, trial_folder, write_trial
from core.runtime.message import _, message_of
from core.training.device import choose_device
from core.training.run.run_folder import RunFolder
from core.training.stopping import Stopped

WORK = _("Searching on Ray")
F1, STEP, ENDED = "f1", "step", "ended"  # of what a trial reports to Tune
RESTARTS = 2  # of a trial whose worker died; it goes on from its checkpoint
REDUCTION = 3  # ASHA: of so many trials at a rung, one goes on
SAY_EVERY = 1.0  # seconds


@dataclass(frozen=True, slots=True)
class SideBySide:
    """What a search decides while trials run.

    Args:
        most: trials still to be tried, the interrupted ones included; None: as many as there is time for.
        goes_on: whether another one begins. seconds: its share of the time.
        has_rival: whether another has finished. ended: takes in a trial that has ended.
    """

    most: int | None
    goes_on: Callable[[], bool]
    seconds: Callable[[Trial], float]
    has_rival: Callable[[], bool]
    ended: Callable[[Trial], None]


def run_side_by_side(
    ray: Any, work: SearchWork, study: Study, group: WorkerGroup, search: SideBySide
) -> None:
    """Run trials, ``group.workers`` at once, until the time or their number is reached.

    Raises:
        Stopped: on request; trials under way can be resumed. ClusterError: Tune has stopped, or the folder
            cannot be written.
    """
    results: queue.SimpleQueue[tuple[int, dict[str, Any] | None, str]] = queue.SimpleQueue()
    scratch = work.folder.path.resolve() / SCRATCH
    shutil.rmtree(scratch, ignore_errors=True)
    tuner = _tuner(work, study, group, search, results, scratch)
    failure: list[BaseException] = []

    def fit() -> None:
        try:
            tuner.fit()
        except BaseException as error:  # told by the thread that waits
            failure.append(error)

    thread = threading.Thread(target=fit, daemon=True, name="ray-tune")
    thread.start()
    said = float("-inf")
    try:
        while thread.is_alive() or not results.empty():
            work.clock.save_now_and_then()
            if work.should_stop():
                raise Stopped
            with suppress(queue.Empty):
                number, told, reason = results.get(timeout=LOOK_EVERY)
                search.ended(_ended(work.folder, number, told, reason))
            if time.monotonic() - said >= SAY_EVERY:
                said = time.monotonic()
                work.report(_progress(work, group))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if failure:
        raise ClusterError(
            "Ray has stopped the workers ({reason}); what is finished stays, resume to go on from it",
            reason=reason_of(failure[0]),
        ) from failure[0]


def _progress(work: SearchWork, group: WorkerGroup) -> dict[str, Any]:
    message = _("Trials on {workers} workers", workers=group.workers)
    return {
        "event": "step",
        "fraction": work.clock.fraction,
        "remaining_seconds": max(0.0, work.clock.total - work.clock.spent),
        "message": message.to_json(),
    }


def _ended(folder: RunFolder, number: int, told: dict[str, Any] | None, reason: str) -> Trial:
    """The outcome of a trial: what it told itself, or else it was ended by ASHA, or its worker died."""
    if told is not None:
        return Trial.from_json(told)
    trial = _record(folder, number)
    if reason:
        error = _("its worker died {times} times ({reason})", times=RESTARTS + 1, reason=reason)
        return replace(trial, state="failed", error=error)
    return replace(trial, state="pruned")


def _record(folder: RunFolder, number: int) -> Trial:
    path = trial_folder(folder, number) / TRIAL
    return Trial.from_json(json.loads(path.read_text(encoding="utf-8")))


def _tuner(
    work: SearchWork, study: Study, group: WorkerGroup, search: SideBySide, results: Any, scratch: Path
) -> Any:
    os.environ["RAY_CHDIR_TO_TRIAL_DIR"] = "0"  # paths may be relative to where the command was given
    os.environ["TUNE_DISABLE_AUTO_CALLBACK_LOGGERS"] = "1"
    os.environ["RAY_AIR_NEW_OUTPUT"] = "0"  # which prints whatever the verbosity; stdout is the command's
    for name in ("ray.tune", "ray.train", "ray.air"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # the driver says what failed
    tune = ray_library("ray.tune", WORK)
    asha = ray_library("ray.tune.schedulers", WORK).AsyncHyperBandScheduler
    most = TENTHS * len(work.corpus.folds)
    resources = {"CPU": group.threads, **({"GPU": group.gpus_per_worker} if group.gpus_per_worker else {})}
    return tune.Tuner(
        tune.with_resources(partial(_train, folder=str(work.folder.path.resolve())), resources),
        tune_config=tune.TuneConfig(
            metric=F1,
            mode="max",
            search_alg=_searcher(work, study, search),
            scheduler=asha(time_attr=STEP, max_t=most, grace_period=SPARED + 1, reduction_factor=REDUCTION),
            num_samples=-1 if search.most is None else search.most,
            max_concurrent_trials=group.workers,
        ),
        run_config=tune.RunConfig(
            name="run",
            storage_path=str(scratch),
            verbose=0,
            failure_config=tune.FailureConfig(max_failures=RESTARTS),
            callbacks=[_listener(results)],
        ),
    )


def _searcher(work: SearchWork, study: Study, search: SideBySide) -> Any:
    """Optuna as Tune's search algorithm: on the search's own study, without new trials once time is up."""
    optuna_search = ray_library("ray.tune.search.optuna", WORK).OptunaSearch
    finished = ray_library("ray.tune.search", WORK).Searcher.FINISHED

    def propose(asked: Any) -> dict[str, Any]:
        trial = study.proposed(asked)
        write_trial(work.folder, trial)  # before any later one, so that numbers have no gap
        return {
            "number": trial.number,
            "seconds": search.seconds(trial),
            "has_rival": search.has_rival(),
            "reserve": work.clock.reserve,
        }

    class Search(optuna_search):  # type: ignore[misc,valid-type]
        def suggest(self, trial_id: str) -> Any:
            if not search.goes_on():
                return finished
            study.plan()
            return super().suggest(trial_id)

        def save(self, checkpoint_path: str) -> None:
            return

        __reduce__ = _nothing

    return Search(propose, metric=F1, mode="max", **study.create_study_arguments())


def _listener(results: Any) -> Any:
    """Puts the number of each trial that has ended into a queue, with what it told and why it died."""

    class Listener(ray_library("ray.tune", WORK).Callback):  # type: ignore[misc]
        def on_trial_complete(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:
            results.put((trial.config["number"], (trial.last_result or {}).get(ENDED), ""))

        def on_trial_error(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:
            reason = reason_of(trial.get_error()) if trial.get_error() else "Ray"
            results.put((trial.config["number"], None, reason))

        __reduce__ = _nothing

    return Listener()


def _nothing(self: object) -> tuple[type, tuple[()]]:
    """What Tune pickles in order to resume; a search resumes from its own folder."""
    return object, ()


class _ReadClock(Clock):
    """A search's clock in a trial's process; the driver alone writes the time down."""

    def save(self) -> None:
        return


class _TuneJudge:
    """Tells Tune how a trial does, which ends it at this call if ASHA gives it up. A start is not given up.

    Args:
        report: Tune's.
    """

    def __init__(self, report: Callable[[dict[str, Any]], None]) -> None:
        self._report = report
        self._told = 0

    def is_hopeless(self, trial: Trial) -> bool:
        step = max(trial.reported, default=0)
        if step > self._told and not trial.start:
            self._told = step
            self._report({F1: trial.reported[step], STEP: step})
        return False


def _train(config: dict[str, Any], folder: str) -> None:
    """One trial, in a worker of Tune: it reads the search's folder, and writes below its own."""
    from ray import tune

    run = RunFolder(Path(folder))
    trial = _record(run, config["number"])
    try:
        ended = _trained(run, trial, config, tune.report)
    except (DiskFullError, CorpusError) as error:
        ended = replace(trial, state="failed", error=message_of(error))
    last = TENTHS * 10**6  # beyond ASHA's last rung
    tune.report({F1: ended.f1 or 0.0, STEP: last, ENDED: ended.to_json()})


def _trained(
    folder: RunFolder, trial: Trial, config: dict[str, Any], report: Callable[[dict[str, Any]], None]
) -> Trial:
    import torch

    request = folder.read_request()
    settings = SearchSettings.from_values(request.search)
    torch.set_num_threads(WorkerGroup.from_json(request.cluster).threads)
    snapshot = read_snapshot(folder.snapshot)
    clock = _ReadClock(folder, 60 * settings.minutes)
    clock.reserve = config["reserve"]
    work = SearchWork(
        folder,
        request,
        snapshot,
        search_corpus(snapshot, settings.seed),
        choose_device(request.device).device,
        clock,
        _TuneJudge(report),
        lambda event: None,
        lambda: False,
    )
    training = TrialTraining(work, trial, config["seconds"], config["has_rival"])
    try:
        return training.run()
    except (DiskFullError, CorpusError):
        raise
    except Exception as error:
        with suppress(OSError), folder.log_file.open("a", encoding="utf-8") as log:
            traceback.print_exception(error, file=log)
        return replace(training.trial, state="failed", error=error_message(error, folder))
