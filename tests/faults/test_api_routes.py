"""Every route of the API under requests made from its OpenAPI document: what it declares, and no fault."""

import json
import logging
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from app.api.application import api
from app.api.label_studio.backend import label_studio_backend
from core.store.document import documents
from core.store.project import projects, tokens
from core.text import Document
from tests.app.conftest import *  # noqa: F403 - the fixtures of a filled workbench
from tests.faults.schema_values import BODIES, STRINGS, Values, examples

pytestmark = pytest.mark.exhaustive
DECLARED = {200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 413, 422, 503}


@pytest.fixture
def stranger(filled):
    """The documents of another project, which the token does not open, as they are."""
    other = projects.create(filled.workspace, "of others").id
    ids = documents.add(filled.workspace, other, [Document(f"o-{n}", "北京下雨") for n in range(3)]).ids
    return lambda: [documents.get(filled.workspace, number) for number in ids]


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("make", [api, label_studio_backend])
def test_whatever_a_program_sends_is_answered_or_refused_by_code(filled, no_worker, stranger, caplog, make):
    _, token = tokens.make(filled.workspace, filled.project_id, "fuzzer", "manager", user="lin")
    app = make(filled.workbench)
    document, before = app.openapi(), stranger()
    schemas = document["components"]["schemas"]
    faults = []
    with TestClient(app, raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        for path, methods in document["paths"].items():
            for method, described in methods.items():
                values = Values(f"{method} {path}")
                for at in examples(25, of=len(document["paths"])):
                    url, options = request(path, described, schemas, values)
                    if "content" in options and at < len(BODIES):
                        options["content"] = BODIES[at]
                    caplog.clear()
                    with caplog.at_level(logging.ERROR, logger="latticelens"):
                        reply = client.request(method, url, **options)
                    if reply.status_code not in DECLARED or caplog.records:
                        traces = [logging.Formatter().formatException(one.exc_info) for one in caplog.records
                                  if one.exc_info]  # fmt: skip
                        faults.append((method, url, options, reply.status_code, reply.text[:300], *traces))
                        break
                    if reply.status_code >= 400:
                        assert set(reply.json()["error"]) >= {"code", "message"}, (method, url, reply.text)
    assert not faults, "\n\n".join(f"{fault!r:.3000}" for fault in faults)
    assert stranger() == before


def request(path, described, schemas, values):
    """The address and the options of a request that a route of the document takes, or nearly."""
    query, url, options = {}, path, {}
    for one in described.get("parameters", ()):
        value = values.almost(one.get("schema", {}), schemas)
        if one["in"] == "path":
            written = (
                encodable(value)[:2000] if values.dice.random() < 0.7 else values.dice.choice("12345678")
            )
            url = url.replace(f"{{{one['name']}}}", quote(written, safe=""))
        elif one["in"] == "query" and (one.get("required") or values.dice.random() < 0.5):
            query[one["name"]] = json.dumps(value) if isinstance(value, (dict, list)) else value
    options["params"] = {name: encodable(value)[:2000] for name, value in query.items() if value is not None}
    for kind, body in described.get("requestBody", {}).get("content", {}).items():
        content = json.dumps(values.almost(body.get("schema", {}), schemas))
        if values.dice.random() < 0.1:
            content = content[: len(content) // 2]
        options |= {"content": content, "headers": {"Content-Type": kind}}
    return url, options


def encodable(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode()


def test_every_hostile_string_is_refused_as_a_token(filled):
    with TestClient(api(filled.workbench), raise_server_exceptions=False) as client:
        for text in STRINGS:
            sent = text.encode("utf-8", "replace")
            if b"\n" in sent or b"\0" in sent or b"\r" in sent:
                continue  # no client can send it
            reply = client.get("/labels", headers={"Authorization": b"Bearer " + sent})
            assert reply.status_code == 401, (text, reply.text)
