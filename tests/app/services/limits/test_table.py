"""What one person may have: texts, documents, trainings, room on the disk, long work."""

from dataclasses import fields, replace

import pytest

from app.i18n import LANGUAGES, _
from app.services.background import work
from app.services.errors import sentence
from app.services.limits.disk import DiskUse
from app.services.limits.refusals import REFUSED, OverLimit, too_many_requests
from app.services.limits.table import ALONE, Limits
from app.services.training.training_runs import Plan, begin
from core.store.db import audit

PLAN = Plan("flat", {}, {"epochs": 1}, "cpu")


def test_somebody_alone_has_no_limit_and_visitors_have_less_than_people():
    people, visitors = Limits.of_people(), Limits()
    numbers = (
        "characters",
        "documents",
        "disk",
        "jobs",
        "works",
        "questions",
        "sessions",
        "requests",
        "sent",
    )
    assert all(getattr(ALONE, name) is None for name in numbers)
    for name in numbers:
        less, more = (getattr(each, name) for each in (visitors, people))
        assert more is None or getattr(less, "count", less) < getattr(more, "count", more), name
    assert {each.name for each in fields(Limits)} >= set(numbers)


@pytest.mark.parametrize(("limits", "said"), [(Limits(characters=5), "demo"), (Limits.of_people(), "server")])
def test_a_long_text_is_refused_with_both_numbers_and_waiting_does_not_help(limits, said):
    limits = replace(limits, characters=5)
    limits.check_texts(["12345", ""])
    before = REFUSED["characters"]
    with pytest.raises(
        OverLimit, match=rf"{said} takes texts of at most 5 characters.*; this one has 6"
    ) as no:
        limits.check_texts(["1", "123456"])
    assert (no.value.status, no.value.headers) == (413, {})
    assert REFUSED["characters"] == before + 1


def test_when_to_try_again_is_said_in_both_languages():
    assert "30 seconds" in sentence(too_many_requests(29.3), "en")
    assert "1 second." in sentence(too_many_requests(0.02), "en")
    assert "5 minutes" in sentence(too_many_requests(250), "en")
    assert len({sentence(too_many_requests(3), each) for each in LANGUAGES}) == len(LANGUAGES)


def test_a_person_has_so_many_trainings_and_others_theirs(filled, no_worker):
    bench = filled.workbench
    bench.limits = replace(Limits.of_people(), jobs=2, all_jobs=3)
    with audit.acting("lin", "page"):
        first = begin(bench, filled.project_id, PLAN)
        begin(bench, filled.project_id, PLAN)
        with pytest.raises(OverLimit, match="You have 2 trainings running or waiting") as refused:
            begin(bench, filled.project_id, PLAN)
    assert (refused.value.limit, refused.value.status) == ("jobs", 429)
    with audit.acting("ana", "api"):
        begin(bench, filled.project_id, PLAN)
        with pytest.raises(OverLimit, match="The training queue of this server is full"):
            begin(bench, filled.project_id, PLAN)
    assert bench.jobs.state(first.name).by == "lin"


def test_a_full_workspace_takes_no_training_and_stops_the_one_that_filled_it(filled, no_worker):
    bench = filled.workbench
    run = begin(bench, filled.project_id, PLAN)
    bench.limits = replace(Limits.of_people(), disk=1000)
    with pytest.raises(OverLimit, match="Delete runs that are no longer needed"):
        begin(bench, filled.project_id, PLAN)
    assert bench.jobs.running().run == run.name
    bench.supervisor.look()
    assert bench.jobs.folder(run.name).cancel_file.exists()


def test_disk_use_counts_files_of_all_folders_and_is_read_now_and_then(tmp_path, clock):
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "one").write_bytes(b"x" * 1000)
    (tmp_path / "runs" / "a" / "two").write_bytes(b"x" * 500)
    (tmp_path / "link").symlink_to(tmp_path / "one")
    use = DiskUse(tmp_path, clock)
    assert use.size() == 1500
    (tmp_path / "one").unlink()
    assert use.size() == 1500
    clock.now += 60
    assert use.size() == 500


def test_so_much_long_work_of_a_page_goes_on_at_once(session):
    session.workbench.limits = Limits(works=1)
    begun = work.begin(session, lambda task: task.pause(20), _("Import"), _("Import"))
    with pytest.raises(OverLimit, match="limit of tasks running on one page"):
        work.begin(session, lambda task: None, _("Import"), _("Import"))
    work.cancel(session, begun.id)
