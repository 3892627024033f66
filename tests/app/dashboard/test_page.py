"""The Dashboard's callbacks and figures."""

from datetime import date

import pytest

from app.dashboard import figures, page, people, progress_text
from app.dashboard.overview import AT_ONCE, RESAMPLES, overview_of
from app.services.background.tasks import Stopped
from app.services.session import Session
from app.services.workbench import Workbench
from core.corpus.atomic import write_json
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.queue import queue
from core.store.run import runs
from core.text import Document, LabelSet, Span
from tests.browser.people_workspace import fill


@pytest.fixture
def team(tmp_path, probe):
    """A session of the manager in the project that three people annotate apart."""
    fill(tmp_path / "team")
    bench = Workbench(tmp_path / "team", probe)
    yield Session("token", "lin", bench, projects.by_name(bench.workspace, "team").id)
    bench.close()


def trained(session, *points):
    for count, f1 in points:
        run = runs.create(session.workspace, session.project_id, "flat")
        (run.folder / "snapshot").mkdir()
        write_json(
            run.folder / "snapshot" / "manifest.json",
            {"parts": {"train": {"documents": count}}, "sha256": {}},
        )
        runs.set_status(session.workspace, run.name, "finished", {"dev": {"f1": f1}})


def test_an_empty_project_says_what_to_do(session):
    shown = page.show(session, "pair")
    assert (shown["empty"]["visible"], shown["board"]["visible"], len(shown)) == (True, False, 2)


def test_one_person_sees_no_people_and_no_speed_before_five_minutes(filled):
    shown = page.show(filled, "pair")
    numbers = shown["numbers"]
    assert "**0** of **5** documents done (0%)" in numbers
    assert "Not enough work yet" in numbers
    assert shown["people"]["visible"] is False
    assert shown["progress"] is None  # nobody has worked: no progress to draw


def test_documents_that_came_with_labels_are_told_from_the_untouched(session):
    labelled = Document("a", "青禾大学", (Span(0, 4, "ORG"),))
    documents.add(session.workspace, session.project_id, [labelled, Document("b", "大雨")])
    assert (
        "2 untouched. Of the untouched, 1 was imported with labels" in page.show(session, "pair")["numbers"]
    )


def test_the_team_is_told_with_copies_speeds_and_agreement(team):
    shown = page.show(team, "pair")
    assert "**144** versions assigned, **144** finished" in shown["numbers"]
    assert [row[0] for row in shown["people_table"]["data"]] == ["ann", "bao", "chen"]
    assert shown["people"]["visible"] is True
    report = overview_of(team).report
    careful = report.result("alpha", ("ann", "bao")).value
    assert careful > report.result("alpha", ("ann", "chen")).value > 0
    rows = shown["table"]["data"]
    assert len(rows) == len(report.rows)
    assert rows[0][:3] == ["everybody", "all labels", "span F1"]


def test_a_team_that_has_finished_its_copies_is_not_told_that_the_documents_are_done(team):
    said = progress_text.next_hour(team, overview_of(team))
    assert "All assigned versions are done; 48 documents are not reviewed yet." in said
    assert "Every document is done" not in said


def test_the_overview_is_kept_until_something_changes(filled):
    first = overview_of(filled)
    assert overview_of(filled) is first
    annotations.save(filled.workspace, 1, 1, [Span(0, 2, "LOC")], user="lin")
    second = overview_of(filled)
    assert second is not first
    assert second.spans == {"PER": 3, "LOC": 4}


def test_much_agreement_waits_to_be_asked_for(team, monkeypatch):
    monkeypatch.setattr("app.dashboard.overview.AT_ONCE", 10)
    waiting = people.compare_people(team, "pair")
    assert (waiting["compute"]["visible"], waiting["agreement"]["visible"]) == (True, False)
    assert waiting["agreement_note"].startswith("144 versions of 48 documents")
    told = []
    shown = people.compute_agreement(team, lambda done, total: told.append((done, total)), "pair")
    assert told[0] == (0, RESAMPLES)
    assert (shown["compute"]["visible"], shown["agreement"]["visible"]) == (False, True)
    assert AT_ONCE > 10


def test_computing_agreement_can_be_cancelled_between_resamples(team, monkeypatch):
    monkeypatch.setattr("app.dashboard.overview.AT_ONCE", 10)
    monkeypatch.setattr("core.agreement.tallies.MOST_DRAWN", 48 * 100)  # a hundred resamples at a time
    told = []

    def report(done, total):
        told.append(done)
        if done >= 200:
            raise Stopped

    with pytest.raises(Stopped):
        people.compute_agreement(team, report, "pair")
    assert told == [0, 0, 100, 200]
    assert people.compare_people(team, "pair")["compute"]["visible"], "it can be begun again"


def test_two_runs_are_no_curve_and_three_that_rise_are(filled):
    trained(filled, (50, 0.5), (100, 0.6))
    assert "runs on 2 different numbers" in progress_text.next_hour(filled, overview_of(filled))
    trained(filled, (200, 0.68), (400, 0.745))
    said = progress_text.next_hour(filled, overview_of(filled))
    assert "at 400 documents its curve is at F1" in said, "no speed: an hour's documents are not known"
    assert "0.0" not in said
    figure = figures.learning_curve(overview_of(filled).curves)
    assert list(figure.data[0].x) == [50, 100, 200, 400]
    assert [trace.name for trace in figure.data if trace.showlegend is not False] == ["flat", "flat, fitted"]


def test_an_hour_adds_what_is_left_and_nothing_once_all_is_done(team):
    team.turn_to(projects.by_name(team.workspace, "alone").id)
    trained(team, (50, 0.5), (100, 0.6), (200, 0.68), (400, 0.745))
    said = progress_text.next_hour(team, overview_of(team))
    assert "with 6 more documents than today's 400, F1 would go from" in said
    for row in queue.page(team.workspace, team.project_id, queue.Filter(), limit=50).rows:
        annotations.set_status(team.workspace, row.id, "done", user="me")
    said = progress_text.next_hour(team, overview_of(team))
    assert "Every document is done." in said
    assert "at 400 documents its curve is at F1" in said
    assert "more documents" not in said


def test_a_single_day_without_a_speed_is_no_line_to_draw(filled):
    annotations.save(filled.workspace, 1, 1, [Span(0, 2, "LOC")], user="lin")
    found = overview_of(filled)
    assert len(found.by_date) == 1
    assert figures.progress(found) is None


def test_days_without_a_speed_have_no_empty_figure_of_speeds(filled):
    for number in (1, 2):
        annotations.save(filled.workspace, number, 1, [Span(0, 2, "LOC")], user="lin", status="done")
    with filled.workspace.writing() as db:
        db.execute("UPDATE events SET at = at - 86400000 WHERE document_id = 1")
    figure = figures.progress(overview_of(filled))
    assert [trace.name for trace in figure.data] == ["documents finished so far"]
    assert figure.layout.xaxis.title.text == "day"


def test_runs_that_do_not_rise_promise_nothing(filled):
    trained(filled, (50, 0.6), (100, 0.5), (200, 0.62), (400, 0.55))
    assert "do not show that more documents help" in progress_text.next_hour(filled, overview_of(filled))


def test_a_damaged_or_missing_snapshot_is_left_out(filled):
    run = runs.create(filled.workspace, filled.project_id, "flat")
    (run.folder / "snapshot").mkdir()
    (run.folder / "snapshot" / "manifest.json").write_text("[1, 2")
    runs.set_status(filled.workspace, run.name, "finished", {"dev": {"f1": 0.5}})
    bare = runs.create(filled.workspace, filled.project_id, "flat")
    runs.set_status(filled.workspace, bare.name, "finished", {"dev": {"f1": 0.5}})
    assert overview_of(filled).trained == ()
    assert figures.learning_curve({}) is None


def test_the_figures_hold_what_the_overview_says(team):
    found = overview_of(team)
    done = figures.progress(found).data[0]
    assert done.y[-1] == 144
    bars = figures.label_drift(found).data[0]
    assert sum(bars.x) == sum(found.handed.spans.values())
    shares = list(figures.label_drift(found).data[1:])
    assert [round(sum(trace.y[day] for trace in shares)) for day in range(len(found.by_day))] == [100] * 4
    over_time = figures.agreement_over_time(found.stretches)
    assert len(over_time.data[0].x) == len(found.stretches) == 8
    assert sum(stretch.documents for stretch in found.stretches) == 48
    assert all(isinstance(stretch.until, date) for stretch in found.stretches)


def test_names_with_markup_stay_text_in_the_figures(filled):
    labels.put(filled.workspace, filled.project_id, LabelSet().extended(["PER", "LOC", "<b>x</b>"]))
    annotations.save(filled.workspace, 1, 1, [Span(0, 2, "<b>x</b>")], user="lin")
    figure = figures.label_drift(overview_of(filled))
    assert "&lt;b&gt;x&lt;/b&gt;" in figure.layout.yaxis.ticktext


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_languages_say_everything(team, language):
    team.language = language
    shown = page.show(team, "label")
    assert all(row[2] for row in shown["table"]["data"])
