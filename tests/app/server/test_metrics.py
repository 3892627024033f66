"""Metrics: what is counted, and that no label holds a name."""

import urllib.request

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app.server.metrics import MOST_ROUTES, CountedRequests, Metrics
from app.services.limits.refusals import OverLimit
from app.services.session import Sessions
from core.store.annotation import annotations
from core.store.document import documents
from core.text import Document
from tests.browser.blocks_server import free_port


@pytest.fixture
def sessions(workbench):
    opened = Sessions(lambda token: workbench)
    opened.open("lin", "en")
    return opened


@pytest.fixture
def metrics(sessions, workbench):
    made = Metrics(sessions, lambda: [workbench])
    workbench.workspace.on_save = made.saved
    return made


def _values(metrics):
    text = generate_latest(metrics.registry).decode()
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_refusals_are_counted_by_limit_and_by_no_name(metrics):
    before = _values(metrics).get(("latticelens_refused_total", "jobs"), 0)
    OverLimit("jobs", "You have enough, {name}.", name="lin", seconds=3)
    assert _values(metrics)["latticelens_refused_total", "jobs"] == before + 1


def _site(metrics):
    async def project(request):
        return PlainTextResponse("ok")

    async def stream(request):
        return StreamingResponse(iter(["data: 1\n\n"]), media_type="text/event-stream")

    routes = [Route("/projects/{name}", project), Route("/stream", stream)]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(CountedRequests, metrics=metrics)]))


def test_saves_are_counted_once_they_are_on_the_disk(metrics, workbench, session):
    (number,) = documents.add(workbench.workspace, session.project_id, [Document("secret", "秘密的文字")]).ids
    before = _values(metrics)["latticelens_save_seconds_count",]
    annotations.save(workbench.workspace, number, 0, [], status="done", user="lin")
    with pytest.raises(annotations.StaleRevision):
        annotations.save(workbench.workspace, number, 0, [], user="lin", status="new")
    assert _values(metrics)["latticelens_save_seconds_count",] == before + 1


def test_requests_are_counted_by_route_and_status_and_names_are_in_no_label(metrics, session):
    site = _site(metrics)
    for name in ("lin", "chen"):
        site.get(f"/projects/{name}")
    site.get("/stream")
    for number in range(3):
        site.get(f"/scan-{number}.php")
    values = _values(metrics)
    assert values["latticelens_requests_total", "/projects/{name}", "200", "GET"] == 2
    assert values["latticelens_requests_total", "404", "GET", "not found"] == 3
    assert ("latticelens_request_seconds_count", "/stream") not in values
    text = generate_latest(metrics.registry).decode()
    for name in ("lin", "chen", "secret", "scan"):
        assert f'"{name}' not in text
        assert f"/{name}" not in text


def test_the_number_of_routes_is_bounded(metrics):
    for number in range(MOST_ROUTES + 50):
        metrics.answered({"path": f"/{chr(200 + number)}", "method": "GET"}, 200, 0.1, streamed=False)
    routes = {key for key in _values(metrics) if key[0] == "latticelens_requests_total"}
    assert len(routes) == MOST_ROUTES + 1


def test_what_stands_is_read_at_the_moment_and_served_on_its_own_port(metrics, sessions, workbench):
    values = _values(metrics)
    assert values["latticelens_sessions",] == len(sessions)
    assert values["latticelens_jobs_queued",] == values["latticelens_jobs_running",] == 0
    assert values["latticelens_tagger_loads_total",] == 0
    assert values["latticelens_backup_failing",] == 0
    port = free_port()
    end = metrics.serve("127.0.0.1", port)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            assert b"latticelens_sessions" in answer.read()
    finally:
        end()
