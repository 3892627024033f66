"""The averages of a search's best trials: which, what they score, and what becomes of them."""

from dataclasses import replace

import pytest

from core.corpus.snapshot import Snapshot, write_snapshot
from core.jobs import search_run, search_trial
from core.jobs.execution import execute
from core.jobs.search_average import MOST_MEMBERS, average_seconds, best_to_average
from core.learning.search.trials import Trial, ranked, read_trials, trial_folder, trial_model
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagging import tag
from core.taggers.ensemble.tagger import Ensemble
from core.text.scoring import score_documents
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from tests.jobs.test_search_run import DOCUMENTS, SETTINGS

DEV = DOCUMENTS[20:120]


@pytest.fixture
def prepare(tmp_path):
    def write(dev=DEV, **search):
        folder = RunFolder(tmp_path / "search-0001")
        write_snapshot(folder.snapshot, Snapshot({"train": DOCUMENTS[:20], "dev": dev}))
        asked = {"taggers": "bilstm_crf", "trials": 2, "minutes": 5.0, **search}
        folder.write_request(RunRequest(kind="search", settings=SETTINGS, search=asked, device="cpu"))
        return folder

    return write


@pytest.fixture
def win(monkeypatch):
    """Every average gets this dev F1."""

    def make(f1):
        score = search_run.scored
        monkeypatch.setattr(search_run, "scored", lambda *given: replace(score(*given), f1=f1))

    return make


def test_the_average_is_scored_as_the_ensemble_of_its_members_is(prepare):
    folder = prepare()
    assert execute(folder, lambda: False).status == "finished"
    *members, mean = read_trials(folder)
    assert (mean.tagger, mean.config) == ("ensemble", {"members": 2})
    assert mean.members == tuple(trial.number for trial in ranked(members))
    own = Ensemble.of_folders([trial_model(folder, number) for number in mean.members])
    score = score_documents(DEV, tag(own, [document.with_spans(()) for document in DEV])).micro
    assert [sum(row[place] for row in mean.counts) for place in range(3)] == [
        score.correct,
        score.predicted,
        score.gold,
    ]
    assert mean.f1 == pytest.approx(score.f1)
    assert mean.low <= mean.f1 <= mean.high
    assert mean.size == sum(trial.size for trial in members)
    assert mean.seconds == pytest.approx(sum(trial.seconds for trial in members))
    assert mean.characters_per_second > 0


@pytest.mark.parametrize(("f1", "kind"), [(1.0, "ensemble"), (0.0, "bilstm_crf")])
def test_the_best_of_all_is_the_search_s_model_whether_an_average_or_not(prepare, win, f1, kind):
    win(f1)
    folder = prepare()
    assert execute(folder, lambda: False).status == "finished"
    assert load_tagger(folder.model).name == kind
    best = ranked(read_trials(folder))[0]
    assert (folder.scores()["best"], best.tagger) == (best.number, kind)
    assert all(trial_model(folder, trial.number).is_dir() for trial in read_trials(folder)[:2])


@pytest.mark.exhaustive
def test_tags_and_spans_are_averaged_apart_and_only_the_best_three_of_each(prepare):
    folder = prepare(taggers="bilstm_crf,span", trials=7)
    assert execute(folder, lambda: False).status == "finished"
    trials = {trial.number: trial for trial in read_trials(folder)}
    groups = [
        [trials[number].tagger for number in trial.members] for trial in trials.values() if trial.members
    ]
    assert all(len(set(group)) == 1 and 2 <= len(group) <= MOST_MEMBERS for group in groups)
    assert {group[0] for group in groups} <= {"bilstm_crf", "span"}
    assert groups, "seven trials of two kinds have two of one"
    kept = {number for number in trials if trial_model(folder, number).is_dir()}
    assert kept == {
        trial.number for group in best_to_average(folder, list(trials.values())) for trial in group
    }


def test_an_average_that_fails_leaves_the_trials(prepare, monkeypatch):
    def never(*_given):
        raise MemoryError

    monkeypatch.setattr(search_run, "scored", never)
    folder = prepare()
    state = execute(folder, lambda: False)
    assert state.status == "finished", state.error
    assert [trial.state for trial in read_trials(folder)] == ["finished", "finished", "failed"]
    assert "not enough memory" in str(read_trials(folder)[2].error)
    assert load_tagger(folder.model).name == "bilstm_crf"


def test_a_search_that_goes_on_averages_anew(prepare, win):
    win(1.0)
    folder = prepare()
    assert execute(folder, lambda: False).status == "finished"
    request = folder.read_request()
    folder.write_request(replace(request, search={**request.search, "trials": 3}))
    assert execute(folder, lambda: False).status == "finished"
    *trained, mean = read_trials(folder)
    assert [trial.tagger for trial in trained] == ["bilstm_crf"] * 3, "its number is free again"
    assert list(mean.members) == [trial.number for trial in ranked(trained)][: len(mean.members)]
    assert load_tagger(folder.model).config.members == len(mean.members)


@pytest.mark.parametrize(("of_two", "of_three", "members"), [(0.9, 0.8, 2), (0.8, 0.9, 3)])
def test_one_that_does_not_help_is_left_out(prepare, monkeypatch, of_two, of_three, members):
    score = search_run.scored
    f1 = {2: of_two, 3: of_three}
    monkeypatch.setattr(
        search_run, "scored", lambda work, trial, of: replace(score(work, trial, of), f1=f1[len(of)])
    )
    monkeypatch.setattr(search_trial.TrialTraining, "_judge", lambda *_given: None)  # all three are finished
    folder = prepare(trials=3)
    assert execute(folder, lambda: False).status == "finished"
    *trained, mean = read_trials(folder)
    assert list(mean.members) == [trial.number for trial in ranked(trained)][:members]


def test_after_a_cross_validation_nothing_is_averaged(prepare):
    folder = prepare(dev=())
    assert execute(folder, lambda: False).status == "finished"
    assert all(not trial.members for trial in read_trials(folder))


def test_time_is_kept_for_averages_only_where_there_are_two_to_average():
    fast = Trial(0, "flat", {}, {}, state="finished", f1=0.5, characters_per_second=1000.0)
    slow = Trial(1, "flat", {}, {}, state="finished", f1=0.4, characters_per_second=100.0)
    assert average_seconds([[fast]], 10_000) == 0
    assert average_seconds([[fast, slow], [slow]], 10_000) == pytest.approx(10 + 100)
    assert average_seconds([[fast, fast, slow]], 10_000) == pytest.approx(2 * (10 + 10) + 100), (
        "two, then three"
    )


def test_a_trial_without_its_model_is_not_averaged(prepare):
    folder = prepare()
    trials = [Trial(number, "flat", {}, {}, state="finished", f1=0.5) for number in range(2)]
    trial_folder(folder, 0).mkdir(parents=True)
    assert best_to_average(folder, trials) == []
