"""Retraining by itself: due after so many edits, one at a time, found again after a kill, gated."""

import time
from dataclasses import replace

import pytest

from app.services.errors import AppError, sentence
from app.services.limits.table import Limits
from app.services.training import retraining
from app.services.training.retraining import Retraining, RetrainingSettings, RetrainingState
from app.services.training.training_runs import Plan, begin
from app.train import retraining as train_retraining
from core.runtime.message import Message
from core.store.annotation import annotations, edits, events
from core.store.db.errors import PayloadError
from core.store.document import documents
from core.store.project import members, projects
from core.store.run import ledger, predictions, runs
from core.text import Document, Span
from core.training.run.run_folder import RunFolder
from tests.store.by_hand import number_of

PERSON = Span(0, 2, "PER")
NO_MEMORY = Message(
    "there was not enough memory; start a new run with a smaller batch size or batch area, or choose the CPU"
)


@pytest.fixture
def bench(filled, monkeypatch):
    """The workbench with a queue that starts nothing; ``bench.given`` are the runs it was given."""
    bench = filled.workbench
    bench.supervisor.stop()
    bench.given = []
    monkeypatch.setattr(bench.jobs, "submit", lambda run: _queued(bench, run))
    monkeypatch.setattr(bench.jobs, "running", lambda: None)
    return bench


def _queued(bench, run):
    bench.given.append(run)
    bench.jobs.folder(run).set_state(status="queued", queued_at=time.time())


@pytest.fixture
def project(filled):
    return filled.project_id


@pytest.fixture
def watcher(bench):
    return Retraining(bench)


def choose(bench, project, **options):
    settings = RetrainingSettings(**{"on": True, "every": 5, "recipe": "quick", **options})
    retraining.write_settings(bench, project, settings)


def edit(bench, project, count, watcher=None):
    """So many saved edits of the raw document: a span comes and goes; then the watcher looks, if given."""
    id_ = number_of(bench.workspace, project, "raw")
    for _ in range(count):
        stands = annotations.current(bench.workspace, id_)
        spans = [] if stands.document.spans else [Span(0, 2, "LOC")]
        annotations.save(bench.workspace, id_, stands.revision, spans, user="lin", action="label")
    if watcher is not None:
        watcher.look()


def finish(bench, run, *answers, status="finished", error=None):
    bench.jobs.folder(run).set_state(status=status, error=error)
    for document, spans in answers:
        predictions.put_one(bench.workspace, run, document, spans)
    runs.set_status(bench.workspace, run, status)


def wait_until_finished(watcher):
    watcher.look()
    task = watcher._workbench.tasks.latest(retraining.VERDICT)
    assert task is None or task.wait(60)


def state(bench, project):
    return retraining.read_state(bench, project)


def test_it_is_off_until_somebody_chooses_it(bench, project, watcher):
    edit(bench, project, 60, watcher)
    assert bench.given == []
    assert retraining.read_settings(bench, project) == RetrainingSettings()
    assert not RetrainingSettings().on
    assert RetrainingSettings().promotion == "ask"


def test_edits_count_and_imports_and_done_marks_do_not(bench, project):
    count = retraining.edits_waiting(bench, project)
    assert count == 0, "four documents were imported with spans"
    edit(bench, project, 3)
    annotations.set_status(bench.workspace, number_of(bench.workspace, project, "d-0"), "done", user="l")
    assert retraining.edits_waiting(bench, project) == 3
    assert events.count_since(bench.workspace, project, int(time.time() * 1000) + 60_000) == 0


def test_a_run_starts_after_so_many_edits_on_a_snapshot_of_then(bench, project, watcher):
    choose(bench, project)
    edit(bench, project, 4, watcher)
    assert bench.given == []
    edit(bench, project, 1, watcher)
    (name,) = bench.given
    assert state(bench, project) == RetrainingState(run=name, settled=False)
    request = RunFolder(runs.get(bench.workspace, name).folder).read_request()
    assert (request.tagger, request.settings) == ("flat", {"epochs": 50, "batch_size": 8, "ema": 0.99})
    assert "raw" in (runs.get(bench.workspace, name).folder / "snapshot" / "train.jsonl").read_text()


def test_an_edit_in_the_same_millisecond_as_the_last_look_counts(bench, project, watcher, monkeypatch):
    moment = edits.now()
    monkeypatch.setattr(edits, "now", lambda: moment)
    monkeypatch.setattr(retraining, "now", lambda: moment)
    choose(bench, project)
    edit(bench, project, 4, watcher)
    edit(bench, project, 1, watcher)
    assert len(bench.given) == 1


def test_during_a_training_no_second_starts_and_the_count_restarts(bench, project, watcher):
    choose(bench, project)
    edit(bench, project, 6)
    for _ in range(3):
        watcher.look()
    edit(bench, project, 6, watcher)
    assert len(bench.given) == 1
    finish(bench, bench.given[0])
    wait_until_finished(watcher)
    assert state(bench, project).settled
    watcher.look()
    assert len(bench.given) == 2, "six edits were made after the first one's snapshot"
    finish(bench, bench.given[1])
    wait_until_finished(watcher)
    watcher.look()
    assert len(bench.given) == 2


def test_another_training_of_the_workspace_goes_first(bench, project, watcher, monkeypatch):
    choose(bench, project)
    edit(bench, project, 5)
    monkeypatch.setattr(bench.jobs, "running", lambda: object())
    watcher.look()
    assert bench.given == []
    monkeypatch.setattr(bench.jobs, "running", lambda: None)
    watcher.look()
    assert len(bench.given) == 1


def test_a_manual_training_counts_as_one(bench, project, watcher):
    choose(bench, project)
    edit(bench, project, 5)
    begin(bench, project, Plan("dictionary", {}, {}, "cpu"))
    bench.given.clear()
    watcher.look()
    assert bench.given == []


def test_the_last_recipe_is_that_of_the_last_finished_training(bench, project, watcher):
    made = begin(bench, project, Plan("dictionary", {"matching": "forward"}, {"seed": 7}, "cpu"))
    finish(bench, made.name)
    failed = begin(bench, project, Plan("flat", {}, {}, "cpu"))
    finish(bench, failed.name, status="failed")
    bench.given.clear()
    choose(bench, project, recipe="last")
    edit(bench, project, 5, watcher)
    request = RunFolder(runs.get(bench.workspace, bench.given[0]).folder).read_request()
    assert (request.tagger, request.config, request.settings) == (
        "dictionary",
        {"matching": "forward"},
        {"seed": 7},
    )


def test_a_restarted_app_goes_on_with_the_run_and_starts_no_other(bench, project, watcher):
    choose(bench, project)
    edit(bench, project, 6, watcher)
    edit(bench, project, 6)
    restarted = Retraining(bench)
    restarted.look()
    assert len(bench.given) == 1
    finish(bench, bench.given[0])
    wait_until_finished(restarted)
    assert state(bench, project).outcome == "kept"


def test_a_run_that_the_queue_never_got_is_given_to_it(bench, project, watcher, monkeypatch):
    """Killed between the note that it was started and the queue."""
    choose(bench, project)
    edit(bench, project, 5)
    given = bench.jobs.submit

    def killed(run):
        raise KeyboardInterrupt

    monkeypatch.setattr(bench.jobs, "submit", killed)
    with pytest.raises(KeyboardInterrupt):
        watcher.look()
    monkeypatch.setattr(bench.jobs, "submit", given)
    Retraining(bench).look()
    assert bench.given == [state(bench, project).run]


def test_a_lost_run_is_taken_up_once_and_then_waits(bench, project, watcher, monkeypatch):
    resumed = []
    monkeypatch.setattr(bench.jobs, "resume", resumed.append)
    choose(bench, project)
    edit(bench, project, 5, watcher)
    (name,) = bench.given
    finish(bench, name, status="interrupted")
    watcher.look()
    assert resumed == [name]
    watcher.look()
    assert resumed == [name]
    assert state(bench, project).failed


def test_a_failure_waits_for_a_person(bench, project, watcher, filled):
    choose(bench, project)
    edit(bench, project, 5, watcher)
    finish(bench, bench.given[0], status="failed", error=NO_MEMORY)
    watcher.look()
    edit(bench, project, 9)
    for _ in range(3):
        watcher.look()
    assert len(bench.given) == 1
    assert state(bench, project).failed == NO_MEMORY
    shown = train_retraining.current_state(filled)
    assert "there was not enough memory" in shown["state"]
    assert shown["again"]["visible"]
    filled.language = "zh"
    assert "内存不足" in train_retraining.current_state(filled)["state"]
    train_retraining.again(filled)
    watcher.look()
    assert len(bench.given) == 2


def test_what_cannot_be_started_is_a_failure_too(bench, project, watcher):
    for number in range(4):
        id_ = number_of(bench.workspace, project, f"d-{number}")
        stands = annotations.current(bench.workspace, id_)
        annotations.save(bench.workspace, id_, stands.revision, [], user="lin", action="delete")
    choose(bench, project)
    edit(bench, project, 2, watcher)
    assert "label" in str(state(bench, project).failed).lower()
    assert bench.given == []


def test_a_run_that_somebody_cancelled_is_left_alone(bench, project, watcher):
    choose(bench, project)
    edit(bench, project, 5, watcher)
    finish(bench, bench.given[0], status="cancelled")
    watcher.look()
    watcher.look()
    assert len(bench.given) == 1
    assert not state(bench, project).failed


def served(bench, project, *answers):
    """A run that serves and answered so."""
    run = begin(bench, project, Plan("dictionary", {}, {}, "cpu")).name
    finish(bench, run, *answers)
    bench.given.clear()
    projects.set_active(bench.workspace, project, run)
    return run


def corrected(bench, project, run, name, said, right):
    """Document ``name``, about which the run said one thing and a person another."""
    id_ = number_of(bench.workspace, project, name)
    predictions.put_one(bench.workspace, run, id_, said)
    stands = annotations.current(bench.workspace, id_)
    annotations.save(
        bench.workspace, id_, stands.revision, right, user="lin", action="relabel", run=run, status="done"
    )
    return id_


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [(([PERSON], [PERSON]), "activated"), (([], [PERSON]), "activated"), (([PERSON], []), "broken")],
    ids=["one fixed", "still wrong", "one newly broken"],
)
def test_a_run_serves_by_itself_only_where_nothing_is_newly_broken(bench, project, watcher, answers, outcome):
    before = served(bench, project)
    wrong = corrected(bench, project, before, "d-0", [], [PERSON])
    right = corrected(bench, project, before, "d-1", [PERSON], [PERSON])
    choose(bench, project, promotion="unbroken")
    edit(bench, project, 6, watcher)
    (name,) = bench.given
    raw = number_of(bench.workspace, project, "raw")
    finish(bench, name, (wrong, answers[0]), (right, answers[1]), (raw, []))
    wait_until_finished(watcher)
    assert state(bench, project).outcome == outcome
    active = projects.get(bench.workspace, project).active_run
    assert active == (name if outcome == "activated" else before)


def test_without_that_choice_activating_stays_a_persons_click(bench, project, watcher, filled):
    before = served(bench, project)
    wrong = corrected(bench, project, before, "d-0", [], [PERSON])
    choose(bench, project)
    edit(bench, project, 6, watcher)
    finish(bench, bench.given[0], (wrong, [PERSON]))
    wait_until_finished(watcher)
    assert projects.get(bench.workspace, project).active_run == before
    assert state(bench, project).outcome == "kept"
    assert (
        f"`{bench.given[0]}` waits for your decision: 1 correction fixed"
        in train_retraining.current_state(filled)["state"]
    )


def test_corrections_made_during_training_are_predicted_before_activation(
    bench, project, watcher, monkeypatch
):
    before = served(bench, project)
    asked = []

    def tag(project_id, given, run):
        asked.extend(document.id for document in given)
        return [document.with_spans([Span(0, 2, "LOC")]) for document in given]

    monkeypatch.setattr(bench.taggers, "tag", tag)
    choose(bench, project, promotion="unbroken")
    edit(bench, project, 5, watcher)
    corrected(bench, project, before, "d-2", [PERSON], [PERSON])
    finish(bench, bench.given[0])
    wait_until_finished(watcher)
    assert asked == ["d-2"]
    assert state(bench, project).outcome == "broken", "the new run says LOC where the old one was right"


def test_the_active_run_predicts_missing_corrections_before_it_is_replaced(
    bench, project, watcher, monkeypatch
):
    first = served(bench, project)
    corrected(bench, project, first, "d-2", [Span(0, 2, "LOC")], [PERSON])
    later = runs.create(bench.workspace, project, "flat").name
    projects.set_active(bench.workspace, project, later)

    def tag(project_id, given, run):
        said = PERSON if run == later else Span(0, 2, "LOC")
        return [document.with_spans([said]) for document in given]

    monkeypatch.setattr(bench.taggers, "tag", tag)
    choose(bench, project, promotion="unbroken")
    edit(bench, project, 5, watcher)
    finish(bench, bench.given[0])
    wait_until_finished(watcher)
    assert state(bench, project).outcome == "broken", "the active run is right there and the new one is not"
    assert projects.get(bench.workspace, project).active_run == later


@pytest.mark.parametrize("decided", ["declined", "another serves"])
def test_a_persons_decision_during_the_verdict_is_kept(bench, project, watcher, monkeypatch, decided):
    before = served(bench, project)
    other = runs.create(bench.workspace, project, "flat").name
    choose(bench, project, promotion="unbroken")
    edit(bench, project, 5, watcher)
    verdict = ledger.verdict

    def meanwhile(workspace, run, active):
        if decided == "declined":
            runs.decline(workspace, run)
        else:
            projects.set_active(workspace, project, other)
        return verdict(workspace, run, active)

    monkeypatch.setattr(retraining.ledger, "verdict", meanwhile)
    finish(bench, bench.given[0])
    wait_until_finished(watcher)
    assert (state(bench, project).outcome, state(bench, project).failed) == ("kept", None)
    active = projects.get(bench.workspace, project).active_run
    assert active == (before if decided == "declined" else other)


def test_a_full_demo_waits_without_a_failure(filled, bench, project, monkeypatch):
    bench.limits = Limits()
    monkeypatch.setattr(bench, "trainings_elsewhere", lambda: 1)
    watcher = Retraining(bench)
    choose(bench, project)
    edit(bench, project, 5, watcher)
    assert bench.given == []
    assert not state(bench, project).failed
    monkeypatch.setattr(bench, "trainings_elsewhere", lambda: 0)
    watcher.look()
    assert bench.given == [], "it looks again after a while, not every second"
    watcher._busy_until = 0.0
    watcher.look()
    assert len(bench.given) == 1


@pytest.mark.parametrize(
    "change",
    [{"every": 4}, {"every": 5.5}, {"every": None}, {"every": True}, {"every": "9"}, {"recipe": "magic"},
     {"promotion": "always"}, {"on": "yes"}, {"every": 10**6}, {"every": float("nan")}],
)  # fmt: skip
def test_what_does_not_fit_is_refused(bench, project, filled, change):
    values = {"on": True, "every": 50, "recipe": "last", "promotion": "ask", **change}
    with pytest.raises(PayloadError):
        train_retraining.change(filled, **values)
    assert not retraining.read_settings(bench, project).on


def test_the_choice_is_found_again_on_the_page(bench, project, filled):
    train_retraining.change(filled, True, 20, "quick", "unbroken")
    shown = train_retraining.show(filled)
    assert (shown["on"], shown["every"]) == (True, 20)
    assert (shown["recipe"]["value"], shown["promotion"]["value"]) == ("quick", "unbroken")
    assert "0 of 20 edits" in shown["state"]
    assert shown["timer"].active


def test_who_may_not_train_may_not_choose_it(bench, project, filled):
    members.put(bench.workspace, project, "mei", "manager", by="mei")
    members.put(bench.workspace, project, "lin", "annotator", by="mei")
    with pytest.raises(members.NotAllowed):
        train_retraining.change(filled, True, 20, "quick", "ask")
    assert not retraining.read_settings(bench, project).on


def test_without_labels_the_state_says_so_in_both_languages():
    error = AppError(
        "There is nothing to learn from: no training document has a labelled span. "
        "Label some on the Annotate page, or import labelled documents on the Data "
        "page."
    )
    assert sentence(error, "en") != sentence(error, "zh")


@pytest.mark.exhaustive
def test_a_real_run_goes_all_the_way(filled):
    """No stand-ins: the supervisor's thread starts a process that trains, and takes its results in."""
    bench, project = filled.workbench, filled.project_id
    bench.attach(Retraining(bench).look)
    done = begin(bench, project, Plan("dictionary", {}, {}, "cpu"), submit=False)
    finish(bench, done.name)
    bench.jobs.folder(done.name).set_state(status="finished")
    retraining.write_settings(
        bench, project, replace(RetrainingSettings(), on=True, every=5, promotion="unbroken")
    )
    edit(bench, project, 5)
    deadline = time.monotonic() + 240
    while not (state(bench, project).outcome or state(bench, project).failed):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    found = state(bench, project)
    assert (found.outcome, found.failed) == ("activated", None)
    assert found.run == "dictionary-0002"
    assert projects.get(bench.workspace, project).active_run == found.run
    assert runs.get(bench.workspace, found.run).status == "finished"


def test_edits_of_one_project_train_no_other(bench, project, watcher):
    other = projects.create(bench.workspace, "other").id
    documents.add(bench.workspace, other, [Document("x", "张伟来了", (PERSON,))])
    choose(bench, other)
    edit(bench, project, 20, watcher)
    assert bench.given == []
