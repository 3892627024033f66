"""The reference says what there is, without a token or another site; the server mounts the API."""

import re

from app.api.application import PREFIX, api
from app.api.reference import page
from app.server.hosted import Hosted
from app.server.options import parse
from app.server.run import _routes
from app.services.identity.identity import Identity
from app.services.limits.table import Limits
from core.accounts.password_file import PasswordFile
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


def test_a_token_ends_with_the_account_of_its_person(filled, client, caller, tmp_path):
    accounts = PasswordFile(tmp_path / "users", create=True)
    for name in ("lin", "ana"):
        accounts.put(name, "correct horse battery")
    filled.workbench.identity = Identity(accounts)
    call = caller("manager")
    assert call.get("/projects").status_code == 200
    accounts.remove("lin")
    refused = call.get("/projects")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "no_access")
    assert "account" in refused.json()["error"]["message"]
    # Whom a sign-in service knows, the file of accounts cannot say.
    filled.workbench.identity = Identity(accounts, provider="Staff")
    assert call.get("/projects").status_code == 200


def test_a_text_beyond_the_limit_is_refused_with_its_code(served, caller):
    served.workbench.limits = Limits(characters=5)
    call = caller("annotator")
    refused = call.post("/tag", json={"texts": [{"text": "一二三四五六"}]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "over_limit")
    assert call.post("/tag", json={"texts": [{"text": "在北京"}]}).status_code == 200


def test_a_full_workspace_takes_no_documents_and_says_when_to_try_again(filled, manager):
    filled.workbench.limits = Limits(disk=1)
    for refused in (
        manager.post("/documents", json={"documents": [{"id": "a", "text": "今天"}]}),
        manager.post("/documents/import?name=a.txt", content="今天".encode()),
    ):
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "600")
