"""The API over a workspace with labelled documents and a tagger that marks 北京."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.api.application import PREFIX, api_routes
from core.store.project import tokens


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
