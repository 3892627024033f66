"""``core workspace``: what goes in comes out, and nothing is made up where nothing is."""

import pytest

from core.store.annotation import annotations
from core.store.db import audit, snapshots
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.project import projects
from core.store.run import predictions, runs
from core.text import Document, Span
from tests.export.stand_in_hub import TOKEN, hub

__all__ = ["hub"]


@pytest.fixture
def workspace(core, tmp_path):
    """Call ``core workspace`` on a folder of this test."""
    return lambda *arguments: core("workspace", "--workspace", tmp_path / "ws", *arguments)


def test_an_import_is_counted_listed_and_not_doubled(workspace, corpus):
    files = [corpus["train"], corpus["dev"]]
    first = workspace("import", *files, "--project", "新闻", "--split", "train").json
    assert (first["created"], first["read"], first["added"]) == (True, 26, 26)
    assert set(first["new_labels"]) == {"PER", "LOC"}
    second = workspace("import", *files, "--project", "新闻").json
    assert (second["created"], second["added"], second["duplicates"]) == (False, 0, 26)
    (project,) = workspace("list").json["projects"]
    assert (project["name"], project["documents"]["train"], project["runs"]) == ("新闻", 26, [])


def test_an_export_gives_back_what_was_imported_and_says_what_is_lost(workspace, corpus, tmp_path, core):
    workspace("import", corpus["test"], "--project", "p", "--split", "test")
    workspace("import", corpus["dev"], "--project", "p", "--split", "dev")
    out = tmp_path / "out.bmes"
    answer = workspace("export", out, "--project", "p", "--split", "test").json
    assert answer["written"] == 4
    assert set(answer["why"]) == set(answer["lost"])
    lines = [line.split() for line in out.read_text(encoding="utf-8").splitlines()]
    given = [line.split() for line in corpus["test"].read_text(encoding="utf-8").splitlines()]
    assert [line for line in lines if line] == [line for line in given if line]


def test_a_backup_brings_back_what_was_there(workspace, corpus, tmp_path):
    workspace("import", corpus["test"], "--project", "p")
    backup = tmp_path / "safe" / "copy.sqlite"
    assert workspace("backup", backup).json["bytes"] == backup.stat().st_size > 0
    workspace("import", corpus["train"], "--project", "p")
    restored = workspace("restore", backup).json
    assert workspace("list").json["projects"][0]["documents"]["all"] == 4
    assert restored["kept"]


def test_of_snapshots_the_newest_is_read_and_nothing_is_changed(core, tmp_path, corpus):
    storage = tmp_path / "storage"
    storage.mkdir()
    with Workspace.open(tmp_path / "live") as live:
        for name in ("first", "second"):
            projects.create(live, name)
            snapshots.take(live, storage)
    before = sorted(storage.iterdir())
    listed = core("workspace", "--workspace", storage, "list")
    assert [project["name"] for project in listed.json["projects"]] == ["first", "second"]
    assert "what was saved after it is not in it" in listed.err
    refused = core("workspace", "--workspace", storage, "import", corpus["test"], "--project", "p")
    assert "do this on the pages Data and Settings of the app" in refused.reason
    assert sorted(storage.iterdir()) == before


def test_the_ledger_says_what_a_run_does_to_every_correction(workspace, tmp_path):
    with Workspace.open(tmp_path / "ws") as store:
        project = projects.create(store, "p")
        (number,) = documents.add(store, project.id, [Document("d", "林晓在青岛")]).ids
        old = runs.create(store, project.id, "flat").name
        predictions.put(store, old, [Document("d", "林晓在青岛", (Span(0, 1, "LOC"),))])
        projects.set_active(store, project.id, old)
        documents.add(store, project.id, [Document("e", "周平在", (Span(0, 2, "LOC"),))])
        stands = annotations.current(store, number)
        annotations.save(store, number, stands.revision, [Span(3, 5, "LOC")], user="me", run=old)
        new = runs.create(store, project.id, "flat").name
        predictions.put(store, new, [Document("d", "林晓在青岛", (Span(0, 1, "LOC"), Span(3, 5, "LOC")))])
    answer = workspace("ledger", "--project", "p", "--run", new).json
    missed = [row for row in answer["rows"] if row["kind"] == "missed"]
    assert [(row["document"], row["after"]["text"], row["state"]) for row in missed] == [("d", "青岛", "F")]
    assert answer["fixed"] >= 1
    assert answer["corrections"] + answer["confirmations"] == len(answer["rows"])
    assert answer["active_run"] == old


def test_what_is_not_there_is_one_line(workspace, corpus, tmp_path):
    assert "there is no workspace in" in workspace("list").reason
    assert not (tmp_path / "ws").exists(), "asking creates nothing"
    assert "there is no file nothing.txt" in workspace("import", "nothing.txt", "--project", "p").reason
    assert workspace("import", corpus["test"], "--project", "p").status == 0
    assert "'q'" in workspace("export", tmp_path / "x.jsonl", "--project", "q").reason
    assert "no run of project p" in workspace("ledger", "--project", "p").reason
    assert "no file" in workspace("restore", tmp_path / "none.sqlite").reason
    foreign = tmp_path / "foreign.sqlite"
    foreign.write_bytes(b"SQLite format 3\0" + b"?" * 500)
    assert "foreign.sqlite" in workspace("restore", foreign).reason
    assert workspace("list").json["projects"][0]["documents"]["all"] == 4


def test_a_folder_is_a_corpus_too(core, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    refused = core("workspace", "--workspace", tmp_path / "work", "import", folder, "--project", "p").reason
    assert "notes contains no files" in refused
    (folder / "a.txt").write_text("Ada Lovelace\n", encoding="utf-8")
    (folder / "a.ann").write_text("T1\tPER 0 12\tAda Lovelace\n", encoding="utf-8")
    done = core("workspace", "--workspace", tmp_path / "work", "import", folder, "--project", "p").json
    assert (done["added"], done["new_labels"]) == (1, ["PER"])


def test_a_project_is_pushed_as_a_data_set_and_the_log_says_so(workspace, corpus, tmp_path, hub):
    workspace("import", corpus["test"], "--project", "p", "--split", "test")
    out = tmp_path / "out"
    told = workspace("dataset", "--project", "p", "--out", out, "--push", "people/first").json
    assert told["splits"] == {"test": 4}
    assert set(hub.files) == {"README.md", "data/test.jsonl"}
    assert hub.files["data/test.jsonl"] == (out / "data" / "test.jsonl").read_bytes()
    (made,) = hub.made
    assert (made["type"], made.get("private") is True or made.get("visibility") == "private") == (
        "dataset",
        True,
    )
    with Workspace.open(tmp_path / "ws") as opened:
        kinds = {entry.kind: dict(entry.detail) for entry in audit.entries(opened)}
    assert kinds["dataset.pushed"] == {"repository": "people/first"}
    assert TOKEN.encode() not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_data_set_needs_a_place(workspace, corpus):
    workspace("import", corpus["test"], "--project", "p")
    assert "--out" in workspace("dataset", "--project", "p").err
