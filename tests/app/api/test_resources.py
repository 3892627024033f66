"""What the API reads and writes is what the pages read and write."""

import json

import pytest

from app.api.documents import file_name
from core.formats import read_file
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import assignments, event_log, members, nesting, projects, tokens
from core.store.queue import queue
from core.store.run import runs
from core.text import Document, Span
from tests.app.api.conftest import Caller

ASTRAL = "😀张伟在𠮷林工作"


def ids_of(session):
    return [summary.id for summary in queue.page(session.workspace, session.project_id).rows]


def test_the_project_says_what_the_token_may_do(caller, served):
    (project,) = caller("annotator").get("/projects").json()["projects"]
    assert (project["id"], project["name"], project["active_run"]) == (served.project_id, "people", "demo")
    assert project["documents"]["all"] == 5
    assert project["role"] == "annotator"
    assert "annotate" in project["rights"]
    assert "train" not in project["rights"]
    assert project["last_event"] == event_log.latest(served.workspace, served.project_id)


def test_labels_are_replaced_in_their_order(manager, filled):
    body = {"labels": [{"name": "LOC"}, {"name": "PER", "hotkey": "p", "description": "人"}, {"name": "ORG"}]}
    answer = manager.put("/labels", json=body)
    assert [(label["name"], label["spans"]) for label in answer.json()["labels"]] == [
        ("LOC", 4), ("PER", 4), ("ORG", 0),
    ]  # fmt: skip
    assert labels.get(filled.workspace, filled.project_id).names == ("LOC", "PER", "ORG")
    assert manager.get("/labels").json() == answer.json()


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([{"name": "PER"}], "refused"),  # LOC is on spans
        ([{"name": "PER"}, {"name": "PER"}, {"name": "LOC"}], "invalid"),
        ([{"name": "PER", "hotkey": "j"}, {"name": "LOC"}], "invalid"),
        ([{"name": "PER", "colour": "red"}, {"name": "LOC"}], "invalid"),
    ],
)
def test_a_list_of_labels_that_cannot_be_is_refused(manager, filled, rows, code):
    before = labels.get(filled.workspace, filled.project_id)
    answer = manager.put("/labels", json={"labels": rows})
    assert answer.json()["error"]["code"] == code
    assert labels.get(filled.workspace, filled.project_id) == before


def test_pages_join_to_all_documents(manager, filled):
    found, after = [], 0
    while after is not None:
        page = manager.get(f"/documents?limit=2&after={after}").json()
        assert len(page["documents"]) <= 2
        found += page["documents"]
        after = page["next"]
    assert [document["id"] for document in found] == ids_of(filled)
    assert found[0]["spans"] == [
        {"start": 0, "end": 2, "label": "PER", "score": None, "link": None},
        {"start": 3, "end": 5, "label": "LOC", "score": None, "link": None},
    ]
    assert (found[3]["split"], found[3]["meta"], found[4]["revision"]) == ("dev", {}, 0)
    assert manager.get(f"/documents/{found[0]['id']}").json() == found[0]


def test_documents_are_filtered(manager, filled):
    def names(query):
        return [document["name"] for document in manager.get(f"/documents?{query}").json()["documents"]]

    assert names("split=dev") == ["d-3"]
    assert names("search=今天") == ["raw"]
    assert names("label=LOC&split=train") == ["d-0", "d-1", "d-2"]
    assert names("status=new") == ["raw"]


def test_new_documents_keep_offsets_of_astral_characters(manager, filled):
    spans = [{"start": 1, "end": 3, "label": "PER"}, {"start": 4, "end": 6, "label": "NEW"}]
    body = {
        "documents": [{"id": "a", "text": ASTRAL, "spans": spans, "meta": {"year": 2020}, "split": "test"}]
    }
    added = manager.post("/documents", json=body).json()
    assert (added["added"], added["new_labels"]) == (1, ["NEW"])
    read = manager.get(f"/documents/{added['ids'][0]}").json()
    assert [ASTRAL[span["start"] : span["end"]] for span in read["spans"]] == ["张伟", "𠮷林"]
    assert (read["split"], read["meta"], read["revision"]) == ("test", {"year": 2020}, 1)
    again = manager.post("/documents", json=body).json()
    assert (again["added"], again["duplicates"], again["ids"]) == (0, 1, added["ids"])


@pytest.mark.parametrize("span", [{"start": 0, "end": 99, "label": "A"}, {"start": 1, "end": 1, "label": "A"},
                                  {"start": 0, "end": 1, "label": ""}])  # fmt: skip
def test_a_document_with_a_span_that_cannot_be_is_refused_whole(manager, filled, span):
    good = {"id": "good", "text": "text"}
    answer = manager.post(
        "/documents", json={"documents": [good, {"id": "bad", "text": "text", "spans": [span]}]}
    )
    assert answer.status_code == 422
    assert len(ids_of(filled)) == 5


def test_too_much_text_for_one_request_is_refused(manager):
    many = [{"id": str(at), "text": "字" * 900_000} for at in range(3)]
    answer = manager.post("/documents", json={"documents": many})
    assert answer.status_code == 422
    assert "2,000,000" in answer.json()["error"]["message"]


@pytest.mark.parametrize("name", ["train.bmes", "../../train.bmes", "C:\\data\\train.bmes"])
def test_a_file_of_a_known_format_is_imported(manager, filled, name):
    content = "王 B-PER\n明 E-PER\n来 O\n\n上 B-LOC\n海 E-LOC\n".encode()
    answer = manager.post("/documents/import", params={"name": name}, content=content)
    assert answer.status_code == 201, answer.text
    assert (answer.json()["added"], answer.json()["refused"]) == (2, 0)
    last = documents.get(filled.workspace, ids_of(filled)[-1])
    assert (last.text, last.spans, last.meta["split"]) == ("上海", (Span(0, 2, "LOC"),), "train")


@pytest.mark.parametrize("as_file", [True, False])
def test_overlapping_spans_make_a_fresh_project_nested(caller, filled, as_file):
    fresh = projects.create(filled.workspace, "fresh").id
    spans = [{"start": 0, "end": 4, "label": "A"}, {"start": 0, "end": 2, "label": "B"}]
    call, document = caller("manager", project=fresh), {"id": "n", "text": "text", "spans": spans}
    assert not nesting.is_nested(filled.workspace, fresh)
    if as_file:
        call.post("/documents/import", params={"name": "n.jsonl"}, content=json.dumps(document).encode())
    else:
        call.post("/documents", json={"documents": [document]})
    assert len(next(documents.iterate(filled.workspace, fresh)).spans) == 2
    assert nesting.is_nested(filled.workspace, fresh)


def test_records_that_cannot_be_read_are_counted_and_told(manager):
    content = b'{"text": "one"}\n{"text": 7}\n'
    answer = manager.post(
        "/documents/import", params={"name": "a.jsonl", "split": "test"}, content=content
    ).json()
    assert (answer["added"], answer["refused"]) == (1, 1)
    assert answer["problems"]


@pytest.mark.parametrize(
    ("params", "content"),
    [
        ({"name": "a.docx"}, b"PK\x03\x04"), ({"name": "a.txt"}, b""),
        ({"name": "a.txt", "format": "word"}, b"text"), ({"name": ""}, b"text"), ({}, b"text"),
        ({"name": "a.txt", "split": "all"}, b"text"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_refused(manager, filled, params, content):
    answer = manager.post("/documents/import", params=params, content=content)
    assert answer.status_code in (409, 422)
    assert len(ids_of(filled)) == 5


@pytest.mark.parametrize(
    ("name", "safe"),
    [("a.bmes", "a.bmes"), ("../a.bmes", "a.bmes"), ("/etc/passwd", "passwd"), ("..", "file"),
     ("训练.json", "训练.json"), ("a\0b\n.txt", "a-b-.txt"), ("x" * 300 + ".json", "x" * 75 + ".json")],
)  # fmt: skip
def test_the_name_of_a_file_has_no_folders(name, safe):
    assert file_name(name) == safe


def test_a_document_goes_to_the_trash(manager, filled):
    id_ = ids_of(filled)[0]
    assert manager("DELETE", f"/documents/{id_}").json() == {"trashed": 1}
    assert id_ not in ids_of(filled)
    assert manager.get(f"/documents/{id_}").status_code == 404


def test_an_annotation_is_saved_on_its_revision_and_a_stale_one_is_not(caller, filled):
    call, id_ = caller("annotator"), ids_of(filled)[0]
    before = call.get(f"/documents/{id_}/annotation").json()
    spans = [{"start": 0, "end": 2, "label": "PER"}]
    body = {"base_revision": before["revision"], "spans": spans, "status": "done"}
    saved = call.put(f"/documents/{id_}/annotation", json=body)
    assert saved.json()["revision"] == before["revision"] + 1
    stale = call.put(f"/documents/{id_}/annotation", json={**body, "spans": []})
    assert stale.status_code == 409
    error = stale.json()["error"]
    assert error["code"] == "conflict"
    assert error["current"] == call.get(f"/documents/{id_}/annotation").json()
    assert [span["label"] for span in error["current"]["spans"]] == ["PER"]
    last = call.get(f"/documents/{id_}/history").json()["events"][-1]
    assert (last["user"], last["action"], last["status"], len(last["removed"])) == ("lin", "api", "done", 1)


def test_a_link_stays_where_a_save_says_nothing_of_it_and_null_removes_it(manager, filled):
    path = f"/documents/{ids_of(filled)[0]}/annotation"

    def save(**more):
        base = manager.get(path).json()["revision"]
        span = {"start": 0, "end": 2, "label": "PER", **more}
        reply = manager.put(path, json={"base_revision": base, "spans": [span]})
        return reply.status_code, manager.get(path).json()["spans"][0]["link"]

    link = {"id": "Q64", "name": "Berlin", "source": "Wikidata"}
    assert save(link=link) == (200, link)
    assert save() == (200, link)
    assert save(link={"id": "a\nb"})[0] == 422
    assert save(link={"id": "x", "url": "y"})[0] == 422
    assert save(link=None) == (200, None)


def test_a_save_sent_twice_is_applied_once(manager, filled):
    id_ = ids_of(filled)[4]
    body = {"base_revision": 0, "spans": [], "status": "done", "client_edit": "call-1"}
    first, second = (manager.put(f"/documents/{id_}/annotation", json=body).json() for _ in range(2))
    assert first == second
    assert len(annotations.history(filled.workspace, id_)) == 1


def test_an_annotator_with_a_version_sees_and_saves_that_one_alone(client, filled, caller):
    members.put(filled.workspace, filled.project_id, "ana", "manager", by="lin")
    assignments.set_plan(filled.workspace, filled.project_id, "separate", 1, by="lin")
    mine, other, *_ = ids_of(filled)
    assignments.hand_out(
        filled.workspace, filled.project_id, ["lin"], by="lin", again=False, seed=0, among=[mine]
    )
    call = caller("annotator")
    assert [each["id"] for each in call.get("/documents").json()["documents"]] == [mine]
    for path in (f"/documents/{other}", f"/documents/{other}/annotation", f"/documents/{other}/history"):
        assert call.get(path).json()["error"]["code"] == "forbidden"
    body = {"base_revision": 0, "spans": []}
    assert call.put(f"/documents/{other}/annotation", json=body).json()["error"]["code"] == "forbidden"
    assert call.put(f"/documents/{mine}/annotation", json=body).json()["revision"] == 1
    assert len(documents.get(filled.workspace, mine).spans) == 2  # the gold ones
    assert call.get("/events").json()["error"]["code"] == "forbidden"
    _, text = tokens.make(filled.workspace, filled.project_id, "all", "reviewer", user="ana")
    assert Caller(client, text).get(f"/documents/{other}").status_code == 200


def test_texts_are_tagged_with_offsets_in_code_points(caller, served):
    texts = [{"id": "a", "text": "😀北京"}, {"text": ""}, {"text": "今天"}]
    answer = caller("annotator").post("/tag", json={"texts": texts}).json()
    assert answer["run"] == "demo"
    assert answer["texts"][0] == {
        "id": "a", "spans": [{"start": 1, "end": 3, "label": "LOC", "score": 0.75, "link": None}],
    }  # fmt: skip
    assert [text["spans"] for text in answer["texts"][1:]] == [[], []]


def test_without_a_tagger_and_with_an_unknown_run_the_answer_says_so(caller):
    assert (
        caller("annotator").post("/tag", json={"texts": [{"text": "a"}]}).json()["error"]["code"] == "refused"
    )
    missing = caller("annotator").post("/tag", json={"texts": [{"text": "a"}], "run": "nothing"})
    assert missing.json()["error"]["code"] == "not_found"


def test_a_training_is_started_followed_and_cancelled(manager, filled, no_worker):
    run = manager.post("/runs", json={"tagger": "flat", "values": {"epochs": 2, "layers": 1}}).json()
    request = json.loads((runs.get(filled.workspace, run["name"]).folder / "request.json").read_text())
    assert (request["tagger"], request["settings"]["epochs"]) == ("flat", 2)
    assert run["status"] in ("queued", "running")
    assert manager.get(f"/runs/{run['name']}").json()["status"] == run["status"]
    manager.post(f"/runs/{run['name']}/cancel")
    folder = runs.get(filled.workspace, run["name"]).folder
    assert (folder / "cancel").exists() or manager.get(f"/runs/{run['name']}").json()["status"] == "cancelled"
    assert [each["name"] for each in manager.get("/runs").json()["runs"]] == [run["name"]]


def test_a_training_needs_to_know_its_tagger(manager, no_worker):
    assert manager.post("/runs", json={}).json()["error"]["code"] == "refused"
    assert manager.post("/runs", json={"like": "nothing"}).json()["error"]["code"] == "not_found"


def test_a_finished_run_is_made_active_and_another_is_not(manager, served, tmp_path):
    runs.register(served.workspace, served.project_id, "better", "flat", tmp_path, {})
    waiting = runs.create(served.workspace, served.project_id, "flat").name
    assert manager.post("/runs/better/activate").json()["active"] is True
    assert projects.get(served.workspace, served.project_id).active_run == "better"
    refused = manager.post(f"/runs/{waiting}/activate")
    assert refused.json()["error"]["code"] == "refused"
    assert projects.get(served.workspace, served.project_id).active_run == "better"


def test_an_export_is_read_again(caller, filled, tmp_path):
    answer = caller("reviewer").get("/export?format=jsonl&split=train")
    assert "people-train.jsonl" in answer.headers["content-disposition"]
    (tmp_path / "got.jsonl").write_bytes(answer.content)
    read = read_file(tmp_path / "got.jsonl").documents
    assert [document.text for document in read] == [
        document.text for document in documents.iterate(filled.workspace, filled.project_id, split="train")
    ]


def test_an_export_tells_what_its_format_loses_and_refuses_what_is_not_written(caller, filled):
    call = caller("reviewer")
    assert "ids=" in call.get("/export?format=bio").headers["x-latticelens-losses"]
    assert call.get("/export?format=gate_xml").json()["error"]["code"] in ("refused", "invalid")
    assert call.get("/export?split=test").json()["error"]["code"] == "refused"


def test_formats_say_which_are_written(caller):
    formats = {each["name"]: each for each in caller("annotator").get("/formats").json()["formats"]}
    assert formats["jsonl"]["written"] is True
    assert any(not each["written"] for each in formats.values())


def test_events_are_followed_without_a_gap(manager, filled):
    last = manager.get("/projects").json()["projects"][0]["last_event"]
    id_ = ids_of(filled)[0]
    manager.put(f"/documents/{id_}/annotation", json={"base_revision": 1, "spans": [], "status": "done"})
    found = manager.get(f"/events?since={last}&limit=1").json()
    assert [event["kind"] for event in found["events"]] == ["document.saved"]
    rest = manager.get(f"/events?since={found['last']}").json()
    assert [(event["kind"], event["document"]) for event in rest["events"]] == [("document.done", id_)]
    assert manager.get(f"/events?since={rest['last']}").json() == {"events": [], "last": rest["last"]}
    only = manager.get("/events?kind=documents.imported&kind=run.active").json()["events"]
    assert {event["kind"] for event in only} == {"documents.imported"}


def test_documents_of_other_projects_are_in_no_list(caller, filled):
    other = projects.create(filled.workspace, "other")
    documents.add(filled.workspace, other.id, [Document("secret", "秘密")])
    assert "秘密" not in caller("manager").get("/documents?search=秘密").text
    theirs = caller("manager", project=other.id)
    assert [each["name"] for each in theirs.get("/documents").json()["documents"]] == ["secret"]
