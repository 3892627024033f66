"""The API over a workspace with labelled documents and a tagger that marks 北京."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.api.application import PREFIX, api_routes
from core.store.project import projects, tokens
from core.store.run import runs
from core.text import Span


class Caller:
    """Calls the API with a token."""

    def __init__(self, client, token=None, language="en"):
        self.client = client
        self.headers = {"Accept-Language": language}
        if token is not None:
            self.headers["Authorization"] = f"Bearer {token}"

    def __call__(self, method, path, **options):
        headers = {**self.headers, **options.pop("headers", {})}
        return self.client.request(method, PREFIX + path, headers=headers, **options)

    def get(self, path, **options):
        return self("GET", path, **options)

    def post(self, path, **options):
        return self("POST", path, **options)

    def put(self, path, **options):
        return self("PUT", path, **options)


@pytest.fixture
def client(filled):
    with TestClient(Starlette(routes=api_routes(filled.workbench))) as made:
        yield made


@pytest.fixture
def caller(client, filled):
    """``caller(role)``: calls with a new token of that role, made by lin for the project."""

    def make(role="manager", project=None, **options):
        project = project or filled.project_id
        _, text = tokens.make(filled.workspace, project, f"for {role}", role, user="lin")
        return Caller(client, text, **options)

    return make


@pytest.fixture
def manager(caller):
    return caller("manager")


@pytest.fixture
def served(filled, tmp_path, monkeypatch):
    """The session, with an active run ``demo``."""
    runs.register(filled.workspace, filled.project_id, "demo", "flat", tmp_path, {})
    projects.set_active(filled.workspace, filled.project_id, "demo")

    def tag(project_id, asked, run=None):
        return [
            item.with_spans([Span(at, at + 2, "LOC", 0.75)] if (at := item.text.find("北京")) >= 0 else [])
            for item in asked
        ]

    monkeypatch.setattr(filled.workbench.taggers, "tag", tag)
    monkeypatch.setattr(filled.workbench.taggers, "allows_nested", lambda project_id, run=None: False)
    return filled
