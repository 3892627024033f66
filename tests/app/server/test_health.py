"""Who watches over the app is told whether it answers and whether it can work, and nothing else."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.server.health import health_routes
from core.store.db.errors import StoreError
from core.store.project import projects


@pytest.fixture
def watch(workbench):
    return TestClient(Starlette(routes=health_routes(workbench.lacking)))


def test_an_app_that_works_says_so(watch):
    for address, status in (("/healthz", "ok"), ("/readyz", "ready")):
        answer = watch.get(address)
        assert (answer.status_code, answer.json()) == (200, {"status": status})
        assert answer.headers["cache-control"] == "no-store"


def test_it_is_not_ready_while_the_store_cannot_be_read_but_it_lives(watch, monkeypatch):
    def broken(workspace):
        raise StoreError("the file {file} is damaged", file="/srv/secret/workspace.sqlite")

    monkeypatch.setattr(projects, "all_projects", broken)
    answer = watch.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "not ready", "lacking": ["store"]})
    assert watch.get("/healthz").status_code == 200


def test_it_is_not_ready_once_nobody_follows_the_runs(watch, workbench):
    workbench.supervisor.stop()
    assert watch.get("/readyz").json()["lacking"] == ["supervisor"]


def test_nobody_changes_anything_there(watch):
    assert watch.post("/healthz").status_code == 405
