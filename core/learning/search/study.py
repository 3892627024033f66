"""Chooses what to try next: Optuna's tree-structured Parzen estimator, and its median rule for hopeless
trials."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import optuna
from optuna.trial import TrialState, create_trial

from core.learning.search.space import TAGGER, Space
from core.learning.search.trials import Trial

TENTHS = 10  # a trial reports at every tenth of a training
SPARED = 2  # tenths of the first training in which nothing is pruned
RANDOM_TRIALS = 4  # after the starts, before the estimator has enough to learn from
START = "start"  # of Optuna's notes on a trial
# A failed trial counts as one with an F1 of 0: as failed, Optuna would forget it and try the like again.
_STATES = {"finished": TrialState.COMPLETE, "pruned": TrialState.PRUNED, "failed": TrialState.COMPLETE}


class Study:
    """The search's memory, rebuilt from the records of its trials.

    Args:
        space: what may be chosen. seed: of the choices.
        trials: those so far, in order; those that are still running are proposed again.
    """

    def __init__(self, space: Space, seed: int, trials: Sequence[Trial]) -> None:
        self._space = space
        self._recipes = space.recipes()
        defaults = space.defaults()
        ended = sum(trial.state != "running" for trial in trials)
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = optuna.samplers.TPESampler(
                seed=(seed + ended) % 2**32,  # a resumed search would else repeat its random choices
                n_startup_trials=len(defaults) + len(self._recipes) + RANDOM_TRIALS,
                multivariate=True,
                group=True,
            )
        pruner = optuna.pruners.MedianPruner(
            n_startup_trials=len(space.taggers), n_warmup_steps=SPARED, n_min_trials=3
        )
        self._study = optuna.create_study(direction="maximize", sampler=sampler, pruner=pruner)
        for trial in trials:
            if trial.state == "running":
                self._study.enqueue_trial(dict(trial.params), user_attrs={START: trial.start})
            else:
                self._study.add_trial(self._frozen(trial))
        begun = {trial.tagger for trial in trials if trial.start == "default"}
        for tagger, params in defaults.items():
            if tagger not in begun:
                self._study.enqueue_trial(params, user_attrs={START: "default"})
        self._asked: optuna.trial.Trial | None = None
        self._reported: set[int] = set()  # steps of the trial asked for

    def shares(self, trial: Trial) -> int:
        """By how many the time that is left is divided: a default leaves some to those after it, and to one
        trial more, which can be better than all of them."""
        if trial.start != "default":
            return 1
        return len(self._space.taggers) - self._space.taggers.index(trial.tagger) + 1

    def plan(self) -> None:
        """After the defaults, propose the recipe of the tagger that does best so far and has not tried it."""
        trials = self._study.get_trials(deepcopy=False)
        if any(trial.state == TrialState.WAITING for trial in trials):
            return
        reached = dict.fromkeys(self._space.taggers, 0.0)
        for trial in trials:
            tagger = trial.params[TAGGER]
            reached[tagger] = max(reached[tagger], trial.value or 0.0)
        tried = {trial.params[TAGGER] for trial in trials if trial.user_attrs.get(START) == "recipe"}
        left = [tagger for tagger in self._recipes if tagger not in tried]
        if left:
            best = max(left, key=lambda tagger: reached[tagger])
            self._study.enqueue_trial(self._recipes[best], user_attrs={START: "recipe"})

    def ask(self) -> Trial:
        """The next trial."""
        self.plan()
        asked = self._asked = self._study.ask()
        self._reported = set()
        return self.proposed(asked)

    def proposed(self, asked: Any) -> Trial:
        """Our trial for one of Optuna's, which chooses the values."""
        choice = self._space.choose(asked)
        return Trial(
            asked.number, choice.tagger, choice.config, choice.settings, asked.user_attrs.get(START, ""),
            dict(asked.params), epochs=choice.epochs,
        )  # fmt: skip

    def create_study_arguments(self) -> dict[str, Any]:
        """Optuna's study and sampler as arguments of ``create_study``, for who asks Optuna itself."""
        study = self._study
        return {"storage": study._storage, "study_name": study.study_name, "sampler": study.sampler}

    def is_hopeless(self, trial: Trial) -> bool:
        """Whether the trial asked for is below the median of the others at its last step.

        No default or recipe is: with fewer epochs than others it seems weak until it ends.
        """
        asked = self._report(trial)
        return not trial.start and asked.should_prune()

    def tell(self, trial: Trial) -> None:
        """Learn from the trial that was asked for, once it has ended."""
        asked = self._report(trial)
        self._study.tell(asked, _value(trial), state=_STATES[trial.state])
        self._asked = None

    def _report(self, trial: Trial) -> optuna.trial.Trial:
        assert self._asked is not None, "tell a trial that was asked for"
        for step, f1 in trial.reported.items():
            if step not in self._reported:
                self._asked.report(f1, step)
                self._reported.add(step)
        return self._asked

    def _frozen(self, trial: Trial) -> Any:
        known = self._space.distributions(trial.tagger)
        return create_trial(
            state=_STATES[trial.state],
            value=_value(trial),
            params=dict(trial.params),
            distributions={name: known[name] for name in trial.params},
            intermediate_values=dict(trial.reported),
            user_attrs={START: trial.start},
        )


def _value(trial: Trial) -> float | None:
    """What Optuna learns of an ended trial; of a pruned one only what it reported."""
    return {"finished": trial.f1, "failed": 0.0}.get(trial.state)


def with_report(trial: Trial, step: int, f1: float) -> Trial:
    """The trial after its best dev F1 so far was ``f1`` at this step."""
    return replace(trial, reported={**trial.reported, step: f1}, f1=f1)
