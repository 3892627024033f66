"""One walk over every route: who gets in, and what happens to requests that no client should send."""

import re

import pytest

from app.api.application import LARGEST_BODY, LARGEST_FILE, OPEN_PATHS, api
from app.api.body_limit import MEGABYTE
from core.store.document import documents
from core.store.project import members, projects, tokens
from core.store.project.members import RIGHTS
from core.store.run import runs
from core.text import Document
from tests.app.api.conftest import Caller


def _routes():
    found = []
    for path, methods in api(None).openapi()["paths"].items():
        found += [(method.upper(), path) for method in methods if path not in OPEN_PATHS]
    return found


ROUTES = _routes()
# The right that each route asks for; a route that is missing here fails the walk.
RIGHT = {
    ("GET", "/projects"): "annotate",
    ("GET", "/projects/{project}"): "annotate",
    ("GET", "/labels"): "annotate",
    ("PUT", "/labels"): "change_labels",
    ("GET", "/documents"): "annotate",
    ("POST", "/documents"): "import",
    ("POST", "/documents/import"): "import",
    ("GET", "/documents/{document}"): "annotate",
    ("DELETE", "/documents/{document}"): "remove_documents",
    ("GET", "/documents/{document}/annotation"): "annotate",
    ("PUT", "/documents/{document}/annotation"): "annotate",
    ("GET", "/documents/{document}/history"): "annotate",
    ("POST", "/tag"): "try_tagger",
    ("GET", "/runs"): "see_documents",
    ("POST", "/runs"): "train",
    ("GET", "/runs/{run}"): "see_documents",
    ("POST", "/runs/{run}/cancel"): "train",
    ("POST", "/runs/{run}/activate"): "promote",
    ("GET", "/formats"): "annotate",
    ("GET", "/export"): "export",
    ("GET", "/events"): "see_documents",
}
GOOD = {
    ("PUT", "/labels"): {"json": {"labels": [{"name": "PER"}, {"name": "LOC"}]}},
    ("POST", "/documents"): {"json": {"documents": [{"id": "x", "text": "text"}]}},
    ("POST", "/documents/import"): {"params": {"name": "x.txt"}, "content": b"text"},
    ("PUT", "/documents/{document}/annotation"): {"json": {"base_revision": 1, "spans": []}},
    ("POST", "/tag"): {"json": {"texts": [{"text": "text"}]}},
    ("POST", "/runs"): {"json": {"tagger": "flat"}},
}
# For every route that takes something: what is wrong with it, and the field that the answer names.
WRONG = {
    ("PUT", "/labels"): [
        ({"labels": "PER"}, "labels"),
        ({"labels": [{"name": 7}]}, "labels[0].name"),
        ({}, "labels"),
    ],
    ("POST", "/documents"): [
        ({"documents": []}, "documents"),
        ({"documents": [{"id": "x", "text": 7}]}, "documents[0].text"),
        ({"documents": [{"id": "x", "text": "t", "sapns": []}]}, "documents[0].sapns"),
        ({"documents": [{"id": "x", "text": "t", "split": "all"}]}, "documents[0].split"),
        ({"documents": [{"id": "x", "text": "t"}] * 201}, "documents"),
        ({"documents": [{"id": "x", "text": "t" * 1_000_001}]}, "documents[0].text"),
    ],
    ("PUT", "/documents/{document}/annotation"): [
        ({"spans": []}, "base_revision"),
        ({"base_revision": "1", "spans": []}, "base_revision"),
        ({"base_revision": True, "spans": []}, "base_revision"),
        ({"base_revision": 1, "spans": [{"start": 0.0, "end": 1, "label": "PER"}]}, "spans[0].start"),
        ({"base_revision": 1, "spans": [{"start": -1, "end": 1, "label": "PER"}]}, "spans[0].start"),
        ({"base_revision": 1, "spans": [{"start": 0, "end": 99, "label": "PER"}]}, "spans[0]"),
        ({"base_revision": 1, "spans": [{"start": 2, "end": 1, "label": "PER"}]}, "spans[0]"),
        ({"base_revision": 1, "spans": [{"start": 0, "end": 1, "label": "NO"}]}, "NO"),
        ({"base_revision": 1, "spans": [], "status": "finished"}, "status"),
        ({"base_revision": 1, "spans": [], "client_edit": "a b"}, "edit"),
        ([], "the body of the request"),
    ],
    ("POST", "/tag"): [
        ({"texts": "北京"}, "texts"),
        ({"texts": []}, "texts"),
        ({"texts": [{"text": "a" * 200_001}]}, "texts[0].text"),
        ({"texts": [{"text": None}]}, "texts[0].text"),
        ({"texts": [{"text": "a"}], "run": ""}, "run"),
    ],
    ("POST", "/runs"): [
        ({"tagger": 7}, "tagger"),
        ({"tagger": "nothing"}, "nothing"),
        ({"tagger": "flat", "device": "tpu"}, "device"),
        ({"tagger": "flat", "values": {"epochs": [1]}}, "values.epochs"),
        ({"tagger": "flat", "values": {"epochs": "many"}}, "Epochs"),
    ],
}  # fmt: skip
QUERIES = [
    ("/documents", "limit=201", "limit"), ("/documents", "limit=0", "limit"),
    ("/documents", "limit=x", "limit"),
    ("/documents", "after=-1", "after"), ("/documents", f"after={10**30}", "after"),
    ("/documents", "status=finished", "status"), ("/documents", "split=all", "split"),
    ("/documents", "search=" + "a" * 1001, "search"), ("/documents/x", "", "document"),
    ("/documents/0", "", "document"), (f"/documents/{2**64}", "", "document"),
    ("/events", "since=-1", "since"), ("/events", "limit=1001", "limit"), ("/events", "kind=no", "kind"),
    ("/export", "format=word", "word"), ("/export", "split=all", "split"),
    ("/export", "labelled=maybe", "labelled"),
]  # fmt: skip


@pytest.fixture
def address(served):
    """The address of a route, with a document and a run of the project in it."""
    (first, *_) = documents.iterate(served.workspace, served.project_id)
    ids = documents.add(served.workspace, served.project_id, [first]).ids

    def at(path, document=ids[0], run="demo", project=served.project_id):
        return path.format(document=document, run=run, project=project)

    return at


def code_of(answer):
    error = answer.json()["error"]
    assert set(error) >= {"code", "message"}
    assert len(error["message"]) > 10
    return answer.status_code, error["code"]


def test_the_walk_knows_every_route():
    assert set(RIGHT) == set(ROUTES)


@pytest.mark.parametrize("token", [None, "", "ll_1_" + "A" * 43, "ll_99_x", "x" * 5000, "revoked", "left"])
def test_without_a_token_that_stands_nothing_is_read(client, filled, address, token):
    if token in ("revoked", "left"):
        made, text = tokens.make(filled.workspace, filled.project_id, "old", "manager", user="lin")
        if token == "revoked":
            tokens.revoke(filled.workspace, filled.project_id, made.id, user="lin")
        else:  # whoever made it is no member any more
            members.put(filled.workspace, filled.project_id, "mia", "manager", by="lin")
            members.remove(filled.workspace, filled.project_id, "lin", by="mia")
        token = text
    for method, path in ROUTES:
        # The body is no JSON: the door is shut before anybody looks at it.
        answer = Caller(client, token)(method, address(path), content=b"{")
        code = code_of(answer)
        assert code in ((401, "no_access"), (403, "forbidden")), (method, path)
        if code[0] == 401:
            assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("role", ["annotator", "reviewer", "manager"])
@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_role_gets_as_far_as_the_table_of_rights_says(caller, address, no_worker, method, path, role):
    answer = caller(role)(method, address(path), **GOOD.get((method, path), {}))
    right = RIGHT[method, path]
    if role in RIGHTS[right]:
        assert answer.status_code in (200, 201, 409), answer.text
        assert answer.status_code != 409 or code_of(answer)[1] == "refused"
    else:
        assert code_of(answer) == (403, "forbidden")
        assert role in answer.json()["error"]["message"]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_token_is_never_worth_more_than_who_made_it(caller, filled, address, no_worker, method, path):
    call = caller("manager")
    members.put(filled.workspace, filled.project_id, "mia", "manager", by="lin")
    members.put(filled.workspace, filled.project_id, "lin", "annotator", by="mia")
    answer = call(method, address(path), **GOOD.get((method, path), {}))
    assert (answer.status_code == 403) == ("annotator" not in RIGHTS[RIGHT[method, path]])


@pytest.mark.parametrize(("method", "path"), [route for route in ROUTES if "{" in route[1]])
def test_what_is_in_another_project_is_not_there(caller, served, tmp_path, method, path):
    other = projects.create(served.workspace, "other")
    theirs = documents.add(served.workspace, other.id, [Document("secret", "张三的秘密")]).ids[0]
    runs.register(served.workspace, other.id, "theirs", "flat", tmp_path, {})
    address = path.format(document=theirs, run="theirs", project=other.id)
    answer = caller("manager")(method, address, **GOOD.get((method, path), {}))
    gone = caller("manager")(method, path.format(document=10**6, run="nothing", project=10**6),
                             **GOOD.get((method, path), {}))  # fmt: skip
    assert code_of(answer) == code_of(gone) == (404, "not_found")
    assert "秘密" not in answer.text
    assert documents.get(served.workspace, theirs).spans == ()


def test_too_large_a_body_is_refused_whatever_it_claims(manager, address):
    for method, path in (route for route in ROUTES if route[0] in ("POST", "PUT")):
        most = LARGEST_FILE if path == "/documents/import" else LARGEST_BODY
        claimed = manager(method, address(path), content=b"", headers={"Content-Length": str(most + 1)})
        assert code_of(claimed) == (413, "too_large"), path
        assert str(most // MEGABYTE) in claimed.json()["error"]["message"]


@pytest.mark.parametrize(("method", "path"), list(WRONG))
def test_a_body_without_an_honest_length_is_cut_off_as_well(manager, address, method, path):
    def pieces():
        for _ in range(LARGEST_BODY // MEGABYTE + 1):
            yield b" " * MEGABYTE

    assert code_of(
        manager(method, address(path), content=pieces(), headers={"Content-Type": "application/json"})
    ) == (413, "too_large")


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [(*route, body, field) for route, cases in WRONG.items() for body, field in cases],
)
def test_a_wrong_body_is_refused_by_the_name_of_its_field(manager, address, method, path, body, field):
    answer = manager(method, address(path), json=body)
    assert code_of(answer) == (422, "invalid")
    assert field in answer.json()["error"]["message"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": "\\ud800"}', b"null"])
@pytest.mark.parametrize(("method", "path"), list(WRONG))
def test_what_is_no_json_of_ours_is_refused(manager, address, method, path, content):
    answer = manager(method, address(path), content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert code_of(answer)[1] == "invalid"


@pytest.mark.parametrize(("path", "query", "field"), QUERIES)
def test_a_wrong_query_is_refused_by_the_name_of_its_field(manager, served, path, query, field):
    answer = manager("GET", f"{path}?{query}")
    assert code_of(answer) == (422, "invalid")
    assert field in answer.json()["error"]["message"]


def test_an_unknown_address_and_a_wrong_method_are_answered_like_all_errors(manager):
    assert code_of(manager("GET", "/nothing")) == (404, "not_found")
    assert code_of(manager("DELETE", "/labels")) == (405, "method_not_allowed")


def test_errors_are_in_the_language_that_is_asked_for(caller):
    answer = caller("annotator", language="zh-CN,zh;q=0.9,en;q=0.8").get("/export")
    assert re.search("[一-龥]{6}", answer.json()["error"]["message"])


def test_a_fault_of_ours_is_said_without_its_details(manager, monkeypatch):
    def fail(*_):
        raise KeyError("/secret/place")

    monkeypatch.setattr("app.api.projects.projects.get", fail)
    answer = manager.get("/projects")
    assert code_of(answer) == (500, "failed")
    assert "secret" not in answer.text


def test_no_answer_is_kept_or_taken_for_a_page(manager, client):
    for answer in (manager.get("/projects"), manager.get("/nothing"), Caller(client).get("/labels")):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
