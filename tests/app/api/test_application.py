"""The reference says what there is, without a token or another site; the server mounts the API."""

from __future__ import annotations

import re

from app.api.application import PREFIX, api
from app.api.reference import page
from app.server.hosted import Hosted
from app.server.options import parse
from app.server.run import _routes
from tests.app.api.conftest import Caller


def test_health_and_the_reference_need_no_token(client):
    call = Caller(client)
    assert call.get("/health").json() == {"status": "up"}
    described = call.get("/openapi.json").json()
    assert described["servers"] == [{"url": PREFIX}]
    shown = call.get("/docs")
    assert shown.headers["content-type"].startswith("text/html")
    for path in described["paths"]:
        assert f"{PREFIX}{path}</code>" in shown.text


def test_the_reference_loads_nothing_and_its_links_lead_somewhere():
    shown = page(api(None).openapi())
    assert "<script" not in shown
    assert re.findall(r"(?:src|href)=\"(?:https?:)?//", shown) == []
    assert set(re.findall(r'href="#([^"]+)"', shown)) <= set(re.findall(r'id="([^"]+)"', shown))


def test_every_operation_is_described(client):
    operations = [
        operation for methods in api(None).openapi()["paths"].values() for operation in methods.values()
    ]
    assert [operation["operationId"] for operation in operations if not operation.get("description")] == []


def test_what_describes_the_api_is_escaped():
    hostile = {"info": {"title": "<b>", "description": "<i>"}, "paths": {}}
    shown = page(hostile)
    assert "<b>" not in shown
    assert "<i>" not in shown


def test_the_api_is_served_unless_it_is_switched_off_and_never_for_a_demo(filled):
    def paths(*flags, workbench=filled.workbench):
        hosted = Hosted(None, None, None, workbench)
        return [route.path for route in _routes(parse(list(flags)), hosted)]

    assert PREFIX in paths()
    assert PREFIX not in paths("--no-api")
    assert PREFIX not in paths("--demo")
    assert PREFIX not in paths(workbench=None)
