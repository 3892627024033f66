"""Find the best for me: what is started, shown, refused, and made a run."""

import shutil
from dataclasses import replace

import pytest

from app.services.errors import AppError
from app.services.limits.table import ALONE, Limits
from app.services.training import job_folders
from app.services.training.search import searches_of
from app.services.training.training_runs import plan_like
from app.train import best
from core.corpus.document_json import read_documents
from core.jobs import JobQueue
from core.jobs.execution import execute
from core.learning.search.trials import Trial, read_trials, trial_model, write_trial
from core.store.document import documents
from core.store.project import projects
from core.store.run import runs
from core.taggers.base.model_folder import load_tagger
from core.text import Document, Span
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder

SPANS = (Span(0, 2, "PER"), Span(3, 5, "LOC"))
LABELLED = [
    Document(f"d{n}", f"陈禾在{place}。{n}", SPANS, {"split": split})
    for n, (place, split) in enumerate(
        [("岭南", "train"), ("云州", "train"), ("青岛", "train"), ("松江", "dev"), ("昆明", "test")]
    )
]


@pytest.fixture
def corpus(session, monkeypatch):
    """The session with five labelled documents, and a queue in which everything waits."""
    documents.add(session.workspace, session.project_id, LABELLED)
    session.workbench.supervisor.stop()
    session.workbench.limits = ALONE
    jobs = JobQueue(session.workspace.runs_folder)
    monkeypatch.setattr(jobs, "_advance", lambda: None)
    session.workbench.jobs = jobs
    return session


def searched(session, **search):
    """A finished search of two short trials."""
    best.start(session, 5, ["bilstm_crf"], "")
    folder = session.workbench.jobs.folder("search-0001")
    request = folder.read_request()
    short = {"threads": 1, "epochs": 2}
    folder.write_request(
        replace(request, settings=short, search={**request.search, "trials": 2, **search}, device="cpu")
    )
    state = execute(folder, lambda: False)
    assert state.status == "finished", state.error
    return folder


def test_a_search_reads_no_test_document(corpus):
    shown = best.start(corpus, 5, ["flat", "bilstm_crf"], " ")
    folder = corpus.workbench.jobs.folder("search-0001")
    request = folder.read_request()
    assert request.search == {"minutes": 5.0, "taggers": "flat,bilstm_crf", "encoder": ""}
    assert (folder.snapshot / "test.jsonl").read_text(encoding="utf-8") == ""
    assert (folder.snapshot / "corrections.jsonl").read_text(encoding="utf-8") == ""
    assert len((folder.snapshot / "train.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    assert shown["search"]["value"] == "search-0001"
    assert shown["cancel"]["visible"]
    assert shown["timer"].active
    assert not shown["board"]["visible"]


@pytest.mark.parametrize(
    ("asked", "error", "why"),
    [
        ((0, [], ""), AppError, "between 1 and 10,080 minutes"),
        ((None, [], ""), AppError, "between 1 and 10,080 minutes"),
        ((5, ["../x"], ""), TrainingError, "does not try a tagger '../x'"),
        ((5, ["bert"], ""), TrainingError, "only with a pretrained encoder"),
        ((5, [], "/no such/folder"), TrainingError, "no such/folder"),
    ],
)
def test_what_does_not_fit_starts_nothing(corpus, asked, error, why):
    with pytest.raises(error, match=why):
        best.start(corpus, *asked)
    assert searches_of(corpus) == []


def test_a_demo_and_an_empty_project_say_what_to_do(corpus):
    corpus.workbench.limits = Limits()
    with pytest.raises(AppError, match="on your own machine"):
        best.start(corpus, 5, [], "")
    corpus.workbench.limits = ALONE
    corpus.turn_to(projects.create(corpus.workspace, "empty").id)
    with pytest.raises(AppError, match="nothing to learn from"):
        best.start(corpus, 5, [], "")
    assert best.show(corpus, None)["empty"]["visible"]


def test_the_leaderboard_has_the_best_first_and_says_what_the_others_came_to(corpus):
    best.start(corpus, 5, [], "")
    folder = corpus.workbench.jobs.folder("search-0001")
    usual = {"epochs": 9, "batch_size": 8, "ema": 0.99}
    done = Trial(0, "flat", {}, usual, "default", state="finished", f1=0.5, low=0.4, high=0.6)
    failed = replace(done, number=2, state="failed", start="", f1=None, low=None, high=None)
    other = {**usual, "ema": 0.0}
    better = replace(done, number=1, settings=other, start="", f1=0.75, low=0.7, high=0.8, cut=True)
    for trial in (done, better, failed):
        write_trial(folder, replace(trial, ended=10.0 * trial.number, size=2_000_000))
    shown = best.follow(corpus, "search-0001")
    rows = shown["table"]["data"]
    assert [row[:4] for row in rows] == [
        ["1", "2", "flat", "75.0 [70.0, 80.0]"],
        ["2", "1", "flat", "50.0 [40.0, 60.0]"],
        ["–", "3", "flat", "–"],
    ]
    assert rows[0][4] == "finished, fewer epochs"
    assert rows[0][-1].endswith(", epochs=9, ema=0")
    assert rows[1][-1] == "defaults, epochs=9"
    assert shown["trial"]["value"] == 1
    assert list(shown["curve"].data[0].y) == [50.0, 75.0, 75.0]
    corpus.page = "train"
    ticked = best.tick(corpus, "search-0001", 0)
    assert "value" not in ticked["trial"], "what a person chose stays chosen"
    assert best.tick(corpus, "search-0001", 0) == {}
    assert best.show(corpus, "search-0001", 0)["trial"]["value"] == 0, "when the page is shown again, too"


def test_the_best_trial_is_chosen_until_a_person_chooses_another(corpus):
    best.start(corpus, 5, [], "")
    folder = corpus.workbench.jobs.folder("search-0001")
    corpus.page = "train"

    def ends(trial, chosen):
        write_trial(folder, trial)
        folder.set_state(fraction=0.1 * trial.number + (0.05 if trial.f1 else 0.01))
        return best.tick(corpus, "search-0001", chosen)

    running = Trial(0, "flat", {}, {}, "default")
    shown = ends(running, None)
    assert not shown["take"]["interactive"], "there is nothing to take yet"
    assert not shown["trial"]["interactive"]
    done = replace(running, state="finished", f1=0.5, ended=1.0)
    shown = ends(done, None)
    assert shown["trial"]["value"] == 0
    assert shown["take"]["interactive"]
    assert ends(replace(done, number=1, f1=0.7), 0)["trial"]["value"] == 1, "it is the better one"
    assert "value" not in ends(replace(done, number=2, f1=0.9), 0)["trial"], "somebody chose the first"
    assert best.cancel(corpus, "search-0001", 0)["trial"]["value"] == 0


def test_a_tick_of_what_is_no_longer_in_view_says_nothing(corpus, monkeypatch):
    best.start(corpus, 5, [], "")
    best.start(corpus, 5, [], "")
    corpus.page = "train"
    assert best.tick(corpus, "search-0001", None) == {}, "the second is in view"
    assert best.tick(corpus, "search-0002", None) != {}

    def meanwhile(session, *_):
        best.follow(session, None)
        return {"progress": "of the second"}

    best.follow(corpus, "search-0002")
    with monkeypatch.context() as patched:
        patched.setattr(best, "_view", meanwhile)
        assert best.tick(corpus, "search-0002", None) == {}
    corpus.turn_to(projects.create(corpus.workspace, "other").id)
    assert best.tick(corpus, "search-0001", None) == {}, "not an error about a search of the former project"


def test_a_trial_of_a_stopped_search_is_not_in_progress_and_advice_waits_for_the_end(corpus):
    best.start(corpus, 5, [], "")
    folder = corpus.workbench.jobs.folder("search-0001")
    done = Trial(0, "flat", {}, {}, "default", state="finished", f1=0.5, ended=1.0)
    write_trial(folder, done)
    write_trial(folder, replace(done, number=1, state="running", f1=0.3, ended=None))
    (folder.path / "spent.json").write_text('{"seconds": 10.0}', encoding="utf-8")
    shown = best.follow(corpus, "search-0001")
    assert shown["table"]["data"][1][4] == "in progress"
    assert "second half" not in shown["outcome"]
    shown = best.cancel(corpus, "search-0001", None)
    assert shown["table"]["data"][1][4] == "interrupted"
    assert "The second half of the search raised dev F1 by 0.0 points." in shown["outcome"]
    folder.set_state(status="finished")
    folder.write_scores({"default": 7, "gain": {"f1": 0.0234, "interval": [-0.001, 0.05]}})
    told = best.follow(corpus, "search-0001")["outcome"]
    assert "The best trial is 2.3 points above the best default, 95% interval [−0.1, +5.0]." in told


@pytest.mark.exhaustive
def test_the_best_one_becomes_a_run_without_being_trained_again(corpus):
    folder = searched(corpus)
    number = folder.scores()["best"]
    shown = best.take(corpus, "search-0001", number)
    run = runs.get(corpus.workspace, shown["run"]["value"])
    trial = read_trials(folder)[number]
    assert run.note == f"search-0001, trial {number + 1}"
    events = []
    assert execute(RunFolder(run.folder), lambda: False, events.append).status == "finished"
    assert not [event for event in events if event["event"] == "epoch"], "all of its epochs are there already"
    scores = RunFolder(run.folder).scores()
    assert scores["test"]["documents"] == 1
    assert scores["epochs"] == trial.epochs
    assert len(RunFolder(run.folder).history()) == trial.epochs, "and its curve"


@pytest.mark.exhaustive
def test_after_an_edit_it_is_trained_on_what_there_is_now(corpus):
    number = searched(corpus).scores()["best"]
    new = Document("new", "周平在大理。", SPANS, {"split": "train"})
    documents.add(corpus.workspace, corpus.project_id, [new])
    run = runs.get(corpus.workspace, best.take(corpus, "search-0001", number)["run"]["value"])
    assert not RunFolder(run.folder).checkpoint.exists()
    events = []
    assert execute(RunFolder(run.folder), lambda: False, events.append).status == "finished"
    assert len([event for event in events if event["event"] == "epoch"]) == 2


@pytest.mark.exhaustive
def test_an_average_becomes_a_run_of_the_same_models_and_is_not_trained_again(corpus):
    more = [Document(f"dev{n}", f"陈禾在云州。{n}", SPANS, {"split": "dev"}) for n in range(100)]
    documents.add(corpus.workspace, corpus.project_id, more)
    folder = searched(corpus)
    *trained, mean = read_trials(folder)
    settings = [row[-1] for row in best.follow(corpus, "search-0001")["table"]["data"]]
    assert f"average of trials {', '.join(str(number + 1) for number in mean.members)}" in settings
    run = runs.get(corpus.workspace, best.take(corpus, "search-0001", mean.number)["run"]["value"])
    assert (run.tagger, run.note) == ("ensemble", "search-0001, trial 3")
    of = RunFolder(run.folder)
    assert execute(of, lambda: False).status == "finished"
    assert load_tagger(of.model).config.members == 2
    assert of.scores()["dev"]["f1"] == pytest.approx(mean.f1, abs=1e-3)
    assert len(list(read_documents(of.predictions_file))) == 105, "what it says of every document"
    with pytest.raises(AppError, match="average of trained taggers"):
        plan_like(corpus.workbench, run, "auto")
    shutil.rmtree(trial_model(folder, trained[0].number))
    with pytest.raises(AppError, match="are gone"):
        best.take(corpus, "search-0001", mean.number)


@pytest.mark.parametrize("name", ["../x", "search-9999", "flat-0001", "", None])
def test_only_searches_of_the_project_are_touched(corpus, name):
    best.start(corpus, 5, [], "")
    for callback in (best.cancel, best.resume):
        with pytest.raises(AppError, match="not in the project"):
            callback(corpus, name, None)
    with pytest.raises(AppError, match="not in the project"):
        best.take(corpus, name, 0)
    with pytest.raises(AppError, match="finished trial"):
        best.take(corpus, "search-0001", 0)
    corpus.turn_to(projects.create(corpus.workspace, "other").id)
    with pytest.raises(AppError, match="not in the project"):
        best.cancel(corpus, "search-0001", None)


def test_while_a_search_goes_on_its_section_is_open_and_once_stopped_its_state_is_said_once(corpus):
    assert "open" not in best.show(corpus, None)["box"]
    best.start(corpus, 5, [], "")
    assert best.show(corpus, None)["box"]["open"], "as after a reload"
    best.cancel(corpus, "search-0001", None)
    shown = best.show(corpus, None)
    assert "open" not in shown["box"]
    assert "search-0001: Cancelled<" in shown["progress"]


def test_a_cancelled_search_is_resumed_and_a_deleted_project_takes_it_along(corpus):
    best.start(corpus, 5, [], "")
    with pytest.raises(AppError, match="search-0001 of this project is not finished"):
        job_folders.check_none_runs(corpus, corpus.project_id)
    assert best.cancel(corpus, "search-0001", None)["resume"]["visible"]
    assert best.resume(corpus, "search-0001", None)["cancel"]["visible"]
    best.cancel(corpus, "search-0001", None)
    job_folders.check_none_runs(corpus, corpus.project_id)
    job_folders.delete_all(corpus, corpus.project_id)
    assert searches_of(corpus) == []
