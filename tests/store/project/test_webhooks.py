"""Events become deliveries of the webhooks that want them, once each, and are tried again until they end."""

import pytest

from core.store.db.clock import fixed
from core.store.db.errors import NotFound, PayloadError
from core.store.document import documents, trash
from core.store.project import members, projects, webhooks
from core.store.project.members import NotAllowed
from core.store.run import runs
from core.text import Document

URL = "https://example.org/hook"
TABLES = ("webhooks", "webhook_deliveries")


@pytest.fixture
def project(workspace):
    return projects.create(workspace, "news").id


def make(workspace, project, *kinds, url=URL):
    return webhooks.make(workspace, project, url, kinds or webhooks.KINDS, user="lin")


def active(workspace, project, tmp_path, name):
    runs.register(workspace, project, name, "flat", tmp_path, {})
    projects.set_active(workspace, project, name)


def due(workspace):
    return [delivery for _, delivery in webhooks.due(workspace)]


def test_a_webhook_is_told_of_what_it_wants_from_now_on(workspace, project, tmp_path):
    active(workspace, project, tmp_path, "before")
    hook = make(workspace, project, "run.active")
    documents.add(workspace, project, [Document("a", "text")])
    active(workspace, project, tmp_path, "after")
    ((found, delivery),) = webhooks.due(workspace)
    assert found == hook
    assert (delivery.event.kind, delivery.event.run, delivery.attempts) == ("run.active", "after", 0)
    assert due(workspace) == [delivery]  # until an attempt is recorded


def test_a_delivered_event_is_not_sent_again_and_stays_in_the_log(workspace, project, tmp_path):
    make(workspace, project)
    active(workspace, project, tmp_path, "one")
    webhooks.record(workspace, due(workspace)[0], 204)
    assert due(workspace) == []
    (delivery,) = webhooks.deliveries(workspace, project)
    assert (delivery.delivered, delivery.status, delivery.attempts) == (True, 204, 1)


@pytest.mark.parametrize(("status", "error"), [(500, "refused"), (302, "refused"), (None, "timeout")])
def test_a_failed_attempt_is_repeated_later_and_later_and_given_up(
    workspace, project, tmp_path, status, error
):
    make(workspace, project)
    with fixed(1_000_000):
        active(workspace, project, tmp_path, "one")
    at, waits = 1_000_000, []
    for _ in range(20):
        with fixed(at):
            found = due(workspace)
            if found:
                webhooks.record(workspace, found[0], status, error)
        (delivery,) = webhooks.deliveries(workspace, project)
        if delivery.due is None:
            break
        with fixed(delivery.due - 1):
            assert due(workspace) == []
        waits.append((delivery.due - at) // 1000)
        at = delivery.due
    assert waits == list(webhooks.BACKOFF)
    assert (delivery.attempts, delivery.error, delivery.delivered) == (len(waits) + 1, error, False)
    assert delivery.ended is not None


def test_one_that_does_not_answer_holds_up_no_other(workspace, project, tmp_path):
    make(workspace, project, url="https://one.example")
    make(workspace, project, url="https://other.example")
    active(workspace, project, tmp_path, "run")
    first, second = due(workspace)
    webhooks.record(workspace, first, None, "timeout")
    assert due(workspace) == [second]


def test_the_log_keeps_the_latest(workspace, project, tmp_path, monkeypatch):
    monkeypatch.setattr(webhooks, "KEPT", 3)
    make(workspace, project)
    for number in range(5):
        active(workspace, project, tmp_path, f"run-{number}")
        webhooks.record(workspace, due(workspace)[0], 200)
    log = webhooks.deliveries(workspace, project)
    assert [delivery.event.run for delivery in log] == ["run-4", "run-3", "run-2"]


def test_only_managers_of_the_project_make_and_delete(workspace, project):
    hook = make(workspace, project)
    other = projects.create(workspace, "other").id
    members.put(workspace, project, "mia", "reviewer", by="lin")
    with pytest.raises(NotAllowed):
        webhooks.make(workspace, project, URL, user="mia")
    with pytest.raises(NotAllowed):
        webhooks.delete(workspace, project, hook.id, user="mia")
    with pytest.raises(NotFound, match="webhook"):
        webhooks.delete(workspace, other, hook.id, user="lin")
    webhooks.delete(workspace, project, hook.id, user="lin")
    assert webhooks.of(workspace, project) == []


def test_a_project_in_the_trash_tells_nothing_and_a_deleted_one_leaves_nothing(workspace, project, tmp_path):
    make(workspace, project)
    active(workspace, project, tmp_path, "run")
    assert len(due(workspace)) == 1
    trash.trash_project(workspace, project)
    assert due(workspace) == []
    trash.empty_project(workspace, project)
    with workspace.reading() as db:
        left = [db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in TABLES]
    assert left == [0, 0]


@pytest.mark.parametrize("url", ["", " ", "https://a b", "https://x/\na", "x" * 501, None])
def test_what_is_no_address_is_refused(workspace, project, url):
    with pytest.raises(PayloadError, match="address"):
        webhooks.make(workspace, project, url, user="lin")


def test_unknown_and_no_kinds_and_too_many_webhooks_are_refused(workspace, project, monkeypatch):
    with pytest.raises(PayloadError, match="kind"):
        make(workspace, project, "document.read")
    with pytest.raises(PayloadError, match="one event at least"):
        webhooks.make(workspace, project, URL, (), user="lin")
    monkeypatch.setattr(webhooks, "MOST", 1)
    make(workspace, project)
    with pytest.raises(PayloadError, match="at most 1"):
        make(workspace, project)
