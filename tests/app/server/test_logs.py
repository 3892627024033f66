"""The JSON log: one object a line, with the request it belongs to, and nothing that people wrote."""

import json
import logging

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app.server.logs import JsonLines, RequestLog, route_of

MARKED = "林知远的病历"


@pytest.fixture
def lines():
    """The lines that were logged, parsed."""
    written: list[dict] = []

    class Kept(logging.Handler):
        def emit(self, record):
            written.append(json.loads(self.format(record)))

    handler = Kept()
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield written
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def site():
    async def work(request):
        logging.getLogger("latticelens").warning("busy with %s", request.path_params["number"])
        return PlainTextResponse("ok")

    async def fail(request):
        raise ValueError(f"cannot read {MARKED}")

    routes = [Route("/documents/{number:int}", work, methods=["POST"]), Route("/fail", fail)]
    return TestClient(
        Starlette(routes=routes, middleware=[Middleware(RequestLog)]), raise_server_exceptions=False
    )


def test_a_line_has_the_request_its_answer_names(lines, site):
    headers = {"Authorization": "Bearer t0k"}
    answer = site.post(f"/documents/7?search={MARKED}", content=MARKED, headers=headers)
    number = answer.headers["x-request-id"]
    own, request = [line for line in lines if line["logger"].startswith("latticelens")]
    assert (own["event"], own["level"], own["request"]) == ("busy with 7", "warning", number)
    assert request.pop("ms") >= 0
    assert request.pop("time").endswith("Z")
    assert request == {
        "level": "info", "logger": "latticelens.request", "event": "request", "request": number,
        "route": "/documents/{number:int}", "method": "POST", "status": 200,
    }  # fmt: skip
    assert MARKED not in str(lines)
    assert "t0k" not in str(lines)


def test_an_id_of_a_proxy_is_kept_and_a_forged_one_is_not(lines, site):
    for given, kept in (("trace-1.a", True), ("a\nb", False), ('"}', False), ("x" * 65, False)):
        headers = {"X-Request-ID": given.encode()} if "\n" not in given else {"X-Request-ID": b"a b"}
        assert (site.get("/none", headers=headers).headers["x-request-id"] == given) is kept


def test_an_error_is_told_by_its_type_and_place(lines, site):
    assert site.get("/fail").status_code == 500
    try:
        raise ValueError(f"cannot read {MARKED}")
    except ValueError:
        logging.getLogger("latticelens").exception("a task ended early")
    assert lines[-1]["error"] == "ValueError"
    assert "test_logs.py" in lines[-1]["at"][-1]
    assert MARKED not in str(lines)
    assert [line["status"] for line in lines if line["event"] == "request"] == [500]


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/gradio_api/heartbeat/kq2j9", "/gradio_api/heartbeat/…"),
        ("/gradio_api/heartbeat/abcdef", "/gradio_api/heartbeat/…"),
        ("/gradio_api/file=/home/lin/病历.txt", "/gradio_api/file=…"),
        ("/assets/index-4f2.js", "/assets/…"),
        ("/healthz", "/healthz"),
    ],
)
def test_a_path_is_named_without_what_people_chose(path, route):
    assert route_of({"path": path}) == route
