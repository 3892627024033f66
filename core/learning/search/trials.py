"""The trials of a search as its run folder holds them; reading them needs no torch."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from core.corpus.atomic import write_json
from core.runtime.message import Message
from core.training.run.run_folder import RunFolder

TAGGERS = ("bilstm_crf", "soft_lexicon", "flat", "span", "bert")  # from quick to slow
ENSEMBLE = "ensemble"  # the tagger of a trial that averages others
TRIALS = "trials"
TRIAL = "trial.json"
WHOLE = "whole"  # of the best trial of a cross-validation: its training on all training documents
STATES = ("running", "finished", "pruned", "failed")
STARTS = ("default", "recipe", "")


@dataclass(frozen=True, slots=True)
class Trial:
    """A tagger with settings, and how well it did.

    Args:
        number: its place in the order of trials, from 0. tagger: registered name.
        config, settings: what differs from the defaults, as in a training's request.
        start: ``default`` for a tagger's defaults, ``recipe`` for settings that are often good, empty for a
            suggestion of the search.
        params: what was chosen, under the search's own names.
        members: numbers of the trials whose models it averages, best first; empty for one that is trained.
        state: ``pruned``: ended early, because others were better at the same point or time was up.
        reported: best dev F1 so far by tenths of the schedule; those of later folds follow those of earlier.
        f1: micro F1 on dev, or the last of ``reported``. low, high: its 95% bootstrap interval.
        counts: correct, predicted and gold spans of each dev document, in an order all trials share.
        epochs: those planned. cut: whether they were fewer than wanted, for lack of time.
        seconds: of training. characters_per_second: when tagging dev. size: of the model's files, in bytes.
        ended: seconds of the search at its end. error: why it failed.
    """

    number: int
    tagger: str
    config: Mapping[str, Any]
    settings: Mapping[str, Any]
    start: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    members: tuple[int, ...] = ()
    state: str = "running"
    reported: Mapping[int, float] = field(default_factory=dict)
    f1: float | None = None
    low: float | None = None
    high: float | None = None
    counts: Sequence[Sequence[int]] = ()
    epochs: int = 0
    cut: bool = False
    seconds: float = 0.0
    characters_per_second: float | None = None
    size: int | None = None
    ended: float | None = None
    error: Message | None = None

    def to_json(self) -> dict[str, Any]:
        """All fields under their names."""
        error = self.error.to_json() if self.error else None
        return {**asdict(self), "error": error, "reported": list(self.reported.items())}

    @classmethod
    def from_json(cls, value: Any) -> Trial:
        """Parse the output of ``to_json``.

        Raises:
            ValueError: it is none.
        """
        if not isinstance(value, Mapping) or not {"number", "tagger", "config", "settings"} <= value.keys():
            raise ValueError("a trial is an object with a number, a tagger, a config and settings")
        known = {item.name for item in fields(cls)}
        given = {name: item for name, item in value.items() if name in known}
        error, members = given.get("error"), given.get("members", ())
        try:
            trial = cls(
                **{
                    **given,
                    "members": tuple(members) if isinstance(members, list) else members,
                    "error": None if error is None else Message.from_json(error),
                    "reported": {int(step): float(f1) for step, f1 in given.get("reported", ())},
                }
            )
        except TypeError as error:
            raise ValueError(str(error)) from error
        if not _is_sound(trial):
            raise ValueError("a field of the trial is invalid")
        return trial


def trial_folder(folder: RunFolder, number: int) -> Path:
    """The folder of a trial; its trainings lie inside."""
    return folder.path / TRIALS / f"{number:04d}"


def trial_model(folder: RunFolder, number: int) -> Path:
    """The model of a trial's training on all training documents, in a search without cross-validation."""
    return RunFolder(trial_folder(folder, number) / "0").model


def trained_folder(folder: RunFolder, number: int) -> RunFolder | None:
    """The training of a trial on all training documents, with its checkpoint; only the best one keeps it."""
    for name in ("0", WHOLE):
        trained = RunFolder(trial_folder(folder, number) / name)
        if trained.checkpoint.is_dir():
            return trained
    return None


def write_trial(folder: RunFolder, trial: Trial) -> None:
    """Write what is known of a trial.

    Raises:
        DiskFullError: what was known before is unchanged.
    """
    path = trial_folder(folder, trial.number)
    path.mkdir(parents=True, exist_ok=True)
    write_json(path / TRIAL, trial.to_json())


def read_trials(folder: RunFolder) -> list[Trial]:
    """The trials in order up to the first whose record is missing or damaged."""
    trials: list[Trial] = []
    while True:
        try:
            path = trial_folder(folder, len(trials)) / TRIAL
            trial = Trial.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return trials
        if trial.number != len(trials):
            return trials
        trials.append(trial)


def ranked(trials: Sequence[Trial]) -> list[Trial]:
    """The finished trials, best first; of equal F1, the one that tags faster."""
    done = [trial for trial in trials if trial.state == "finished"]
    return sorted(done, key=lambda trial: (-(trial.f1 or 0.0), -(trial.characters_per_second or 0.0)))


def best_so_far(trials: Sequence[Trial]) -> list[tuple[float, float]]:
    """Seconds of the search and the best dev F1 by then, one point for each finished trial."""
    points: list[tuple[float, float]] = []
    for trial in sorted(
        (trial for trial in trials if trial.state == "finished"), key=lambda t: t.ended or 0.0
    ):
        best = max(trial.f1 or 0.0, points[-1][1] if points else 0.0)
        points.append((trial.ended or 0.0, best))
    return points


def recent_gain(trials: Sequence[Trial], seconds: float) -> float | None:
    """How far the best dev F1 rose in the second half of the search; None if nothing was finished before.

    Args:
        seconds: of the search so far.
    """
    points = best_so_far(trials)
    early = [best for at, best in points if at <= seconds / 2]
    return points[-1][1] - early[-1] if early else None


def _is_sound(trial: Trial) -> bool:
    """Whether the fields that are computed with are valid."""
    shares = [value for value in (trial.f1, trial.low, trial.high) if value is not None]
    numbers = [trial.seconds, trial.characters_per_second or 0, trial.size or 0, trial.ended or 0]
    return (
        all(type(value) is int and value >= 0 for value in (trial.number, trial.epochs))
        and trial.tagger in (*TAGGERS, ENSEMBLE)
        and isinstance(trial.members, tuple)
        and all(type(number) is int and 0 <= number < trial.number for number in trial.members)
        and bool(trial.members) == (trial.tagger == ENSEMBLE)
        and trial.state in STATES
        and trial.start in STARTS
        and all(isinstance(item, Mapping) for item in (trial.config, trial.settings, trial.params))
        and all(isinstance(value, (int, float)) and 0 <= value <= 1 for value in shares)
        and all(isinstance(value, (int, float)) and math.isfinite(value) and value >= 0 for value in numbers)
        and isinstance(trial.counts, (list, tuple))
        and all(_is_count(row) for row in trial.counts)
        and (trial.state != "finished" or trial.f1 is not None)
    )


def _is_count(row: Any) -> bool:
    """Whether it is the numbers of correct, predicted and gold spans."""
    return isinstance(row, (list, tuple)) and len(row) == 3 and all(type(n) is int and n >= 0 for n in row)
