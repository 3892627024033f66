"""The averages of a search's best trials, which are trials of their own at its end."""

from __future__ import annotations

from collections.abc import Sequence

from core.jobs.search_scores import finished, score_tagger
from core.jobs.search_trial import SearchWork
from core.learning.search.trials import ENSEMBLE, Trial, ranked, trial_model
from core.taggers.ensemble.agreement import EnsembleError, check_agreement
from core.taggers.ensemble.config import FEWEST
from core.taggers.ensemble.tagger import Ensemble
from core.training.run.ensemble_run import averaged
from core.training.run.run_folder import RunFolder

MOST_MEMBERS = 3  # each makes tagging slower, and brings less than the one before


def best_to_average(folder: RunFolder, trials: Sequence[Trial]) -> list[list[Trial]]:
    """Groups of the best trials whose taggers can be averaged, as tags of characters, of words, or as spans.

    Groups, and the trials in each, are sorted best first. Trials whose model was deleted are left out. A
    group may have a single trial.
    """
    groups: list[list[Trial]] = []
    for trial in ranked(trials):
        if trial.members or not trial_model(folder, trial.number).is_dir():
            continue
        group = next((group for group in groups if _agree(folder, group[0], trial)), None)
        if group is None:
            groups.append([trial])
        elif len(group) < MOST_MEMBERS:
            group.append(trial)
    return groups


def _agree(folder: RunFolder, one: Trial, other: Trial) -> bool:
    try:
        check_agreement([trial_model(folder, trial.number) for trial in (one, other)])
    except EnsembleError:
        return False
    return True


def sizes(group: Sequence[Trial]) -> range:
    """The ensemble sizes to try with a group's best trials: a much worse member would lower the average."""
    return range(FEWEST, len(group) + 1)


def average_seconds(groups: Sequence[Sequence[Trial]], characters: int) -> float:
    """Seconds that scoring the averages takes, by how fast their members tagged.

    Args:
        characters: of the dev documents.
    """
    tagged = [trial for group in groups for size in sizes(group) for trial in group[:size]]
    return sum(characters / max(1.0, trial.characters_per_second or 0.0) for trial in tagged)


def average(work: SearchWork, members: Sequence[Trial]) -> Ensemble:
    """The average of these trials' taggers, calibrated on dev.

    Raises:
        Stopped: on request. ModelFolderError: a model cannot be read.
    """
    models = [trial_model(work.folder, trial.number) for trial in members]
    return averaged(models, work.corpus.folds[0].dev, work.device, work.should_stop)


def averaging_trial(members: Sequence[Trial], number: int) -> Trial:
    """The trial with this number, which averages others."""
    return Trial(
        number, ENSEMBLE, {"members": len(members)}, {}, members=tuple(trial.number for trial in members)
    )


def scored(work: SearchWork, trial: Trial, members: Sequence[Trial]) -> Trial:
    """A trial that averages others, with its scores on dev.

    Raises:
        Stopped: on request. ModelFolderError: a model cannot be read.
    """
    seconds, size = sum(each.seconds for each in members), sum(each.size or 0 for each in members)
    result = score_tagger(average(work, members), work.corpus.folds[0].dev, seconds, size)
    return finished(trial, [result], any(each.cut for each in members))
