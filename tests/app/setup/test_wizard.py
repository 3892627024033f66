"""The dialog *New project*: what it reads, what it makes, and that a failure leaves nothing."""

from pathlib import Path

import pytest
from gradio.utils import get_upload_folder

from app.i18n import LANGUAGES, text
from app.services.errors import AppError
from app.services.limits.table import Limits
from app.services.named_files import uploaded
from app.setup import creation, wizard
from app.setup.templates import TEMPLATES, template_objects
from app.ui.label_rows import LabelRow, labels_of
from app.ui.server_function import ServerError
from core.lexicon import Entry, gazetteer
from core.store.document import documents, trash
from core.store.label import labels
from core.store.lexicon import changes as lexicon_changes
from core.store.project import nesting, projects
from tests.app.asking import asked

SECONDS = 60
NOTHING = {"files": [], "paste": ""}
NESTED = (
    '{"text": "北京大学", "spans": [{"start": 0, "end": 4, "label": "ORG"}, '
    '{"start": 0, "end": 2, "label": "LOC"}]}\n'
)


@pytest.fixture
def upload(tmp_path, monkeypatch):
    """``upload(name, content)``: the path of a file as the browser gets it."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))

    def put(name, content):
        path = Path(get_upload_folder()) / "hash" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return str(path)

    return put


@pytest.fixture(autouse=True)
def small_base(monkeypatch):
    """A base dictionary of four names."""
    kinds = {"person": ("张伟",), "place": ("北京", "青岛"), "organisation": ("青禾大学",), "other": ()}
    names = {kind: tuple(Entry(word, 5) for word in words) for kind, words in kinds.items()}
    monkeypatch.setattr(gazetteer, "names", lambda: names)


def ended(session, kind, state):
    """The last state of work that was begun."""
    task = session.workbench.tasks.latest(wizard._key(session, kind))
    assert task.wait(SECONDS)
    return asked(wizard.setup_state, session, {"kind": kind})


def read(session, **source):
    return ended(session, "read", asked(wizard.setup_read, session, NOTHING | source))


def create(session, **more):
    """Make a project; the last state."""
    asked_for = {
        "name": "fresh", "text": NOTHING, "labels": [], "nested": None, "dictionary": "none", "names": {},
        "words": "",
    } | more  # fmt: skip
    return ended(session, "create", asked(wizard.setup_create, session, asked_for))


def names_of_projects(session):
    trashed = [name for _id, name in trash.trashed_projects(session.workspace)]
    return [project.name for project in projects.all_projects(session.workspace)] + trashed


def test_pasted_text_is_split_by_line_by_paragraph_or_not_at_all(session):
    pasted = "第一行\n第二行\n\n第三行\n"
    for read_as, number in (("auto", 3), ("line", 3), ("paragraph", 2), ("file", 1)):
        held = read(session, paste=pasted, read_as=read_as)["result"]
        assert held["documents"] == number, read_as
    assert held["first"] == [{"text": "第一行\n第二行\n\n第三行", "more": 0, "spans": []}]
    assert (held["chinese"], held["labels"], held["problems"]) == (True, [], [])


def test_a_table_offers_its_columns_and_is_read_by_the_one_that_is_chosen(session, upload):
    path = upload("reports.csv", "id,text,note\n1,甲,长一些的备注\n2,乙,另一条备注\n")
    held = read(session, files=[path])["result"]
    assert (held["columns"], held["first"][0]["text"], held["name"]) == (
        ["id", "text", "note"],
        "甲",
        "reports",
    )
    held = read(session, files=[path], column="note")["result"]
    assert [document["text"] for document in held["first"]] == ["长一些的备注", "另一条备注"]
    wrong = read(session, files=[path], column="body")
    assert "no column 'body'" in wrong["error"]


def test_labelled_text_brings_its_labels_spans_and_whether_they_overlap(session, upload):
    nested = NESTED + '{"text": 5}\n'
    held = read(session, files=[upload("gold.jsonl", nested)])["result"]
    assert (held["labels"], held["spans"], held["nested"], held["labelled"]) == (["ORG", "LOC"], 2, True, 1)
    assert len(held["first"][0]["spans"]) == 2
    assert (held["refused"], held["problems"][0][:2]) == (1, ["gold.jsonl", 2])


def test_only_uploaded_files_are_read(session, upload, tmp_path):
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    upload("a.txt", "x")
    hostile = [
        "/etc/passwd",
        str(tmp_path / "secret.txt"),
        f"{get_upload_folder()}/../secret.txt",
        "a\0b",
        "",
    ]
    for path in hostile:
        with pytest.raises(AppError, match="no longer there"):
            uploaded(path)
        assert "no longer there" in read(session, files=[path])["error"]


def test_a_link_out_of_the_uploads_is_not_followed(upload, tmp_path):
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    link = Path(upload("a.txt", "x")).with_name("link.txt")
    link.symlink_to(tmp_path / "secret.txt")
    with pytest.raises(AppError, match="no longer there"):
        uploaded(str(link))


def test_a_demo_refuses_too_much_text(session):
    session.workbench.limits = Limits()
    assert "demo" in read(session, paste="x\n" * (session.workbench.limits.documents + 1))["error"]


def test_a_project_is_made_with_text_labels_and_the_base_dictionary(session):
    template = template_objects(session._)[0]["labels"]
    made = create(
        session, name=" news ", text=NOTHING | {"paste": "张伟在北京。\n今天下雨。"}, labels=template,
        dictionary="base", names={"person": "PER", "place": "LOC", "organisation": ""},
    )  # fmt: skip
    assert made["error"] == ""
    project = projects.get(session.workspace, made["result"]["project"])
    assert project.name == "news"
    assert labels.get(session.workspace, project.id).names == ("PER", "LOC", "ORG", "TIME", "EVENT")
    first = documents.get(session.workspace, made["result"]["document"])
    assert first.text == "张伟在北京。"
    words = lexicon_changes.current(session.workspace, project.id).added
    assert words == {"张伟": "PER", "北京": "LOC", "青岛": "LOC"}


def test_the_first_document_is_one_that_waits_to_be_labelled(session, upload):
    labelled = (
        '{"text": "北京", "spans": [{"start": 0, "end": 2, "label": "LOC"}]}\n{"text": "青岛", "spans": []}\n'
    )
    made = create(session, text={"files": [upload("some.jsonl", labelled)], "paste": "张伟来了。"})
    first = documents.get(session.workspace, made["result"]["document"])
    assert first.text == "张伟来了。"
    project = made["result"]["project"]
    assert labels.get(session.workspace, project).names == ("LOC",)
    assert documents.count(session.workspace, project)["all"] == 3


def test_whether_spans_overlap_is_guessed_or_chosen(session, upload):
    path = upload("gold.jsonl", NESTED)
    text_ = {"files": [path], "paste": ""}
    guessed = create(session, name="one", text=text_)["result"]["project"]
    chosen = create(session, name="two", text=text_, nested=False)["result"]["project"]
    assert nesting.is_nested(session.workspace, guessed)
    assert not nesting.is_nested(session.workspace, chosen)


def test_an_empty_project_has_no_first_document(session):
    made = create(session)["result"]
    assert made["document"] is None
    assert documents.count(session.workspace, made["project"])["all"] == 0


def test_a_word_list_is_previewed_and_imported(session, upload):
    path = upload("words.txt", "青禾大学\t3\tORG\n泡沫\na\tb\tc\td\n")
    state = asked(wizard.setup_words, session, {"path": path})
    held = ended(session, "words", state)["result"]
    assert (held["words"], held["types"], held["untyped"], held["refused"]) == (2, [["ORG", 1]], 1, 1)
    made = create(session, dictionary="file", words=path)["result"]
    assert lexicon_changes.current(session.workspace, made["project"]).added == {
        "青禾大学": "ORG",
        "泡沫": "",
    }


@pytest.mark.parametrize(
    ("wrong", "details"),
    [
        ({"name": "people"}, {"field": "name"}),
        ({"name": "  "}, {"field": "name"}),
        (
            {"labels": [{"name": "", "colour": "", "hotkey": "", "description": "x"}]},
            {"row": 0, "field": "name"},
        ),
        ({"dictionary": "file", "words": "/etc/passwd"}, {"field": "dictionary"}),
        ({"dictionary": "base", "names": {"person": "a\nb"}}, {"field": "dictionary"}),
    ],
)
def test_what_is_wrong_is_told_at_its_field_and_nothing_is_made(session, wrong, details):
    with pytest.raises(ServerError) as refused:
        create(session, **wrong)
    assert refused.value.details == details
    assert names_of_projects(session) == ["people"]


def test_text_that_cannot_be_read_leaves_no_project(session, upload):
    state = create(session, text={"files": [upload("broken.json", "[1, 2")], "paste": ""})
    assert state["error"]
    assert state["doing"] == "read"
    assert names_of_projects(session) == ["people"]


def test_a_cancelled_project_is_gone(session, monkeypatch):
    def stop_after_a_chunk(*args, **more):
        for state in real(*args, **more):
            session.workbench.tasks.latest(wizard._key(session, "create")).stop()
            yield state

    real = creation.import_files
    monkeypatch.setattr(creation, "import_files", stop_after_a_chunk)
    state = create(session, text=NOTHING | {"paste": "甲\n乙\n丙"})
    assert (state["stopped"], state["result"]) == (True, None)
    assert names_of_projects(session) == ["people"]


def test_a_free_name_is_proposed(session):
    projects.create(session.workspace, "New project")
    trashed = projects.create(session.workspace, "New project 2")
    trash.trash_project(session.workspace, trashed.id)
    assert asked(wizard.setup_begin, session)["name"] == "New project 3"


def test_the_dialog_leads_into_the_project_if_it_is_open_to_the_person(session):
    class Made:
        project = create(session)["result"]["project"]

    entered = wizard.enter(session, Made())
    assert session.project_id == Made.project
    assert (entered["project"]["value"], entered["moved"].split("|")[3]) == (Made.project, str(Made.project))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_labels_with_a_guideline_and_an_example_each(name, language):
    objects = template_objects(lambda message: text(message, language))
    rows = next(template for template in objects if template["name"] == name)["labels"]
    label_set = labels_of([LabelRow(**row) for row in rows])
    assert len(label_set) == len(rows) >= 5
    for label in label_set:
        assert ("例如" if language == "zh" else "Example:") in label.description
        assert 10 < len(label.description) < 110
