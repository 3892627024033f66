"""Webhooks in Settings: a secret is shown once, addresses are checked, the log says what came."""

import pytest

from app.services.errors import AppError
from app.services.limits.table import Limits
from app.services.webhooks import Webhooks
from app.settings import webhooks as section
from core.store.db.errors import NotFound, PayloadError
from core.store.project import members, projects, webhooks
from core.store.project.members import NotAllowed
from core.store.run import runs

URL = "https://hooks.example/in"


@pytest.fixture
def looked_up(session):
    """Every name has a public address."""
    session.workbench.webhooks = Webhooks(session.workspace, resolve=lambda host, port: ["93.184.216.34"])
    return session


def active(session, tmp_path, name="demo"):
    runs.register(session.workspace, session.project_id, name, "flat", tmp_path, {})
    projects.set_active(session.workspace, session.project_id, name)
    return [delivery for _, delivery in webhooks.due(session.workspace)]


def test_a_webhook_is_made_and_its_secret_shown_once(looked_up):
    made = section.make(looked_up, f" {URL} ", ["run.active"])
    (hook,) = webhooks.of(looked_up.workspace, looked_up.project_id)
    assert (hook.url, hook.kinds, made["secret"]["value"]) == (URL, ("run.active",), hook.secret)
    assert hook.secret not in str(section.show(looked_up))
    deleted = section.delete(looked_up, hook.id)
    assert (deleted["made"]["visible"], deleted["webhook"]["value"]) == (False, None)


def test_the_log_says_what_came_of_each_delivery(looked_up, tmp_path):
    section.make(looked_up, URL, ["run.active"])
    (delivery,) = active(looked_up, tmp_path)

    def state():
        return section.show(looked_up)["log"]["data"][0][4]

    assert state() == "waiting"
    webhooks.record(looked_up.workspace, delivery, 503, "refused")
    assert state().startswith("answered 503; again at ")
    for attempt in range(1, 6):
        (latest,) = webhooks.deliveries(looked_up.workspace, looked_up.project_id)
        assert latest.attempts == attempt
        webhooks.record(looked_up.workspace, latest, None, "timeout")
    assert state() == "given up: no answer in time"
    webhooks.record(looked_up.workspace, active(looked_up, tmp_path, "next")[0], 200)
    assert state() == "delivered"


def test_a_private_address_and_no_address_are_refused_at_once(session):
    for url in ("http://127.0.0.1:8080/", "http://localhost/", "http://169.254.169.254/latest"):
        with pytest.raises(AppError, match="--webhook-host"):
            section.make(session, url, ["run.active"])
    with pytest.raises(AppError, match="needs an address"):
        section.make(session, "hook", ["run.active"])
    assert webhooks.of(session.workspace, session.project_id) == []


def test_what_cannot_be_is_refused(looked_up):
    with pytest.raises(PayloadError, match="one event at least"):
        section.make(looked_up, URL, [])
    with pytest.raises(PayloadError, match="kind"):
        section.make(looked_up, URL, ["document.read"])
    with pytest.raises(AppError, match="Choose a webhook"):
        section.delete(looked_up, None)
    with pytest.raises(NotFound):
        section.delete(looked_up, 99)
    looked_up.workbench.limits = Limits()
    with pytest.raises(AppError, match="demo has no webhooks"):
        section.make(looked_up, URL, ["run.active"])


def test_others_than_managers_see_and_change_nothing(looked_up):
    section.make(looked_up, URL, ["run.active"])
    members.put(looked_up.workspace, looked_up.project_id, "mia", "manager", by="lin")
    members.put(looked_up.workspace, looked_up.project_id, "lin", "reviewer", by="mia")
    shown = section.show(looked_up)
    assert (shown["webhook"]["choices"], shown["log"]["data"]) == ([], [])
    for call in (lambda: section.make(looked_up, URL, ["run.active"]), lambda: section.delete(looked_up, 1)):
        with pytest.raises(NotAllowed):
            call()
