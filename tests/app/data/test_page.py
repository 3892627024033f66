"""The Data page's callbacks."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from app.data import documents as data_documents
from app.data import export as data_export
from app.data import filter as data_filter
from app.data import offsets as data_offsets
from app.data import page as data
from app.data import preview
from app.services.errors import AppError
from app.services.limits.table import Limits
from app.ui.window.navigation import AskedDocument
from core.formats import FormatError
from core.store.annotation import annotations
from core.store.db.errors import StoreError
from core.store.document import documents, trash
from core.store.project import nesting
from core.store.queue import queue
from core.store.queue.filter import Filter

HOSTILE = "<img src=x onerror=alert(1)>"


def quiet(*done):
    """Takes the place of the progress bar."""


def upload(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    return str(path)


def look(session, files=None, paste="", format_name="auto"):
    return preview.look(session, files, paste, format_name)


def test_where_nothing_can_be_read_nothing_can_be_imported_and_the_page_says_why(session, tmp_path):
    session.language = "zh"
    shown = look(
        session,
        [upload(tmp_path, "a.jsonl", '{"text": "张伟", "label": {"PER": 3}}\n')],
        format_name="cluener",
    )
    assert shown["confirm"]["interactive"] is False
    assert shown["summary"].startswith("**没有可导入的内容**：")
    assert shown["refusals"]["value"]["data"][0][2] == "标签 'PER' 下应是实体及其起止，这里却是 3"
    shown = look(session, paste="今天下雨。")
    assert shown["confirm"]["interactive"] is True
    assert shown["summary"].startswith("1 个文件")


def test_looking_shows_counts_labels_refusals_and_notes(session, tmp_path):
    shown = look(session, [upload(tmp_path, "train.bmes", "张 B-PER\n伟 E-PER\n\n北\n\n京 M-LOC\n")])
    assert shown["summary"].startswith(
        "2 documents with 2 labelled spans in 1 file. 2 malformed tags were repaired."
    )
    assert shown["table"]["value"]["data"] == [["train.bmes", "Column file, BMES", 2, 2, 1, "train"]]
    assert sorted(map(tuple, shown["labels"]["value"]["data"])) == [("LOC", 1), ("PER", 1)]
    assert shown["refusals"]["value"]["data"][0][:2] == ["train.bmes", 4]
    assert len(shown["refused_files"]["value"]) == 1
    assert shown["notes"]["visible"]


NESTED = '{"text": "青禾大学附属医院", "label": [[0, 8, "ORG"], [0, 4, "ORG"]]}\n'


def test_data_with_overlapping_spans_makes_a_project_nested_and_the_preview_says_so(session):
    assert (
        "No spans overlap, and this project is flat."
        in look(session, paste="张 B-PER\n伟 E-PER\n")["summary"]
    )
    before = "Spans overlap in 1 of 1 labelled document. The project becomes nested"
    assert before in look(session, paste=NESTED)["summary"]
    last = data.confirm(session, quiet, "auto")
    assert "the project is nested now" in last["result"]
    assert nesting.is_nested(session.workspace, session.project_id)
    assert "This project is nested, so overlapping" in look(session, paste=NESTED)["summary"]


def test_what_a_person_chose_stays_and_the_preview_says_what_that_means(session):
    nesting.choose(session.workspace, session.project_id, False)
    assert "taggers learn the longest of overlapping spans" in look(session, paste=NESTED)["summary"]
    last = data.confirm(session, quiet, "auto")
    assert "nested" not in last["result"]
    assert not nesting.is_nested(session.workspace, session.project_id)


def test_a_file_that_cannot_be_read_is_named_beside_those_that_come_in(session, tmp_path):
    files = [upload(tmp_path, "a.pdf", "%PDF-1.7"), upload(tmp_path, "b.txt", "今天下雨。")]
    shown = look(session, files)
    assert shown["summary"] == (
        "1 document with 0 labelled spans in 1 file. "
        "1 file cannot be read and will not be imported; the reason is below."
    )
    name, line, reason = shown["refusals"]["value"]["data"][0]
    assert (name, line) == ("a.pdf", "")
    assert reason.startswith("a.pdf is a PDF, not text")
    assert shown["confirm"]["interactive"] is True
    with pytest.raises(FormatError, match="a PDF"):
        look(session, files[:1])


def test_what_is_clean_shows_no_empty_tables(session):
    shown = look(session, paste="今天下雨。")
    assert [shown[name]["visible"] for name in ("labels", "refusals", "refused_files")] == [False] * 3


def test_an_empty_preview_says_what_to_do(session):
    with pytest.raises(AppError, match="Choose a file or paste text"):
        look(session)


def test_a_demo_visitor_is_refused_before_the_import(session):
    session.workbench.limits = Limits(characters=3)
    with pytest.raises(AppError, match="at most 3 characters"):
        look(session, paste="今天下雨。")


def test_confirming_imports_and_puts_the_preview_away(session, tmp_path):
    look(session, [upload(tmp_path, "dev.bmes", "张 B-PER\n伟 E-PER\n\n去 O\n")])
    reported = []
    last = data.confirm(session, lambda *done: reported.append(done), "auto")
    assert reported[-1] == (2, 2)
    assert last["result"] == "Imported 2 documents. 0 already existed; 0 restored from the trash."
    assert documents.count(session.workspace, session.project_id)["dev"] == 2
    with pytest.raises(AppError, match="no longer exist"):
        data.confirm(session, quiet, "auto")


def test_new_labels_are_named(session, tmp_path):
    look(session, [upload(tmp_path, "a.bmes", "药 S-DRUG\n")])
    assert data.confirm(session, quiet, "none")["result"].endswith("New labels: `DRUG`.")


def test_choosing_other_files_forgets_the_preview(session):
    look(session, paste="今天下雨。")
    data.dismiss(session)
    with pytest.raises(AppError):
        data.confirm(session, quiet, "auto")


def test_samples_come_once(session):
    first, second = data.add_samples(session), data.add_samples(session)
    assert first["result"].endswith("0 already present.")
    assert second["result"].startswith("Added 0 sample documents")
    assert [answer["to_annotate"]["visible"] for answer in (first, second)] == [True, False]


def test_after_an_import_one_click_leads_to_its_documents_the_first_raw_one_in_front(filled, tmp_path):
    workspace, project = filled.workspace, filled.project_id
    with pytest.raises(AppError, match="Import something first"):
        data.annotate_imported(filled)
    before = set(queue.matching(workspace, project))
    names = ["a.bmes", "b.bmes"]
    files = [upload(tmp_path, name, f"张 B-PER\n伟 E-PER\n{name} O\n") for name in names]
    files.append(upload(tmp_path, "c.txt", "今天下雨。\n昨天下雪。\n"))
    assert look(filled, files)["to_annotate"]["visible"] is False
    assert data.confirm(filled, quiet, "auto")["to_annotate"]["visible"]
    assert data.annotate_imported(filled)["selected"] == "annotate"
    asked = filled.memory["annotate"]
    new = queue.matching(workspace, project, Filter(imported_at=asked.imported_at))
    assert set(new) == set(queue.matching(workspace, project)) - before
    assert documents.get(workspace, asked.document).text == "今天下雨。"

    # What was there already is not new; what lay in the trash is.
    look(filled, paste="今天下雨。\n昨天下雪。\n")
    data.confirm(filled, quiet, "auto")
    look(filled, files)
    trash.trash_documents(workspace, project, [asked.document])
    assert data.confirm(filled, quiet, "auto")["to_annotate"]["visible"]
    data.annotate_imported(filled)
    assert filled.memory["annotate"].document == asked.document
    look(filled, files)
    assert data.confirm(filled, quiet, "auto")["to_annotate"]["visible"] is False
    with pytest.raises(AppError, match="no longer in the project"):
        data.annotate_imported(filled)


def page(session, search="", which="all", offset=0):
    return data_documents.show_page(session, search, which, offset)


def test_the_table_is_paged_and_knows_its_ends(filled, monkeypatch):
    monkeypatch.setattr(data_documents, "PAGE", 2)
    first, last = page(filled), page(filled, offset=4)
    assert (first["range"], first["previous"]["interactive"], first["next"]["interactive"]) == (
        "1–2 of 5",
        False,
        True,
    )
    assert (last["range"], last["previous"]["interactive"], last["next"]["interactive"]) == (
        "5–5 of 5",
        True,
        False,
    )
    assert page(filled, offset=6)["range"] == "5–5 of 5"


def test_an_empty_project_says_what_to_do_and_an_empty_search_that_nothing_fits(filled, session):
    assert page(filled, search="没有的")["empty"]["value"] == "No matching documents."
    for row in queue.page(filled.workspace, filled.project_id).rows:
        data_documents.trash.trash_documents(filled.workspace, filled.project_id, [row.id])
    assert "start with samples" in page(filled)["empty"]["value"]


def test_a_search_finds_one_character(filled):
    assert names(search="雨", session=filled) == ["raw"]


def names(session, **shown):
    return [row["name"] for row in page(session, **shown)["table"]["value"]["rows"]]


def choose(session, row, which="all"):
    number = page(session, which=which)["table"]["value"]["rows"][row]["id"]
    return data_documents.choose(session, which, SimpleNamespace(document=number))


def test_a_document_goes_to_the_trash_and_comes_back(filled):
    page(filled)
    chosen = choose(filled, 0)["chosen"]
    gone = data_documents.to_trash(filled, chosen, "", "all", 0)
    assert gone["message"] == "Document `d-0` is in the trash."
    assert documents.count(filled.workspace, filled.project_id)["all"] == 4
    page(filled, which="trash")
    back = data_documents.from_trash(filled, choose(filled, 0, "trash")["chosen"], "", "trash", 0)
    assert back["message"] == "Document `d-0` was restored."
    assert documents.count(filled.workspace, filled.project_id)["all"] == 5


def test_emptying_the_trash_is_for_good(filled):
    page(filled)
    data_documents.to_trash(filled, choose(filled, 0)["chosen"], "", "all", 0)
    assert data_documents.empty_trash(filled, "", "trash")["message"] == "1 document was deleted for good."
    assert names(filled, which="trash") == []


@pytest.mark.parametrize("document", [99, -1, "1", None])
def test_a_document_that_is_not_there_is_refused(filled, document):
    with pytest.raises(StoreError):
        data_documents.choose(filled, "all", SimpleNamespace(document=document))


def test_the_split_of_a_document_is_set(filled):
    page(filled)
    data_documents.set_split(filled, choose(filled, 0)["chosen"], "test")
    assert names(filled, which="test") == ["d-0"]


def test_dealing_says_how_many_went_where(filled):
    assert data_documents.deal(filled, 25, 25, False) == "2 documents to train, 1 to dev, 1 to test."


def test_annotating_turns_to_the_page_with_the_document(filled):
    page(filled)
    chosen = choose(filled, 1)["chosen"]
    assert data_documents.annotate_this(filled, chosen)["selected"] == "annotate"
    assert filled.memory["annotate"] == AskedDocument(chosen)


def test_a_page_that_is_shown_counts_no_losses_before_it_is_there(filled, monkeypatch):
    monkeypatch.setattr(data_export, "losses", None)
    first, again = (data_export.count_losses(filled, "jsonl", "all", False) for _ in range(2))
    assert first.keys() == again.keys() == {"counting"}
    assert first != again, "each time they are asked for"


def test_an_export_says_what_it_loses_before_it_is_written(filled):
    assert data_export.show_losses(filled, "jsonl", "all", False)["losses"].endswith(
        "holds everything in them."
    )
    assert (
        "8 spans (the format holds text only)"
        in data_export.show_losses(filled, "plain", "all", False)["losses"]
    )


def test_an_export_is_named_after_project_and_split(filled):
    made = data_export.write(filled, quiet, "bmes", "dev", False)
    assert made["file"]["value"].endswith("people-dev.bmes")


def test_what_many_documents_lose_is_said_once_they_are_written(filled, monkeypatch):
    before = data_export.show_losses(filled, "plain", "all", False)["losses"]
    monkeypatch.setattr(data_export, "MOST_LOOKED_AT", 0)
    told = data_export.show_losses(filled, "plain", "all", False)["losses"]
    assert told == "What this format cannot hold is counted while the file is written."
    assert data_export.write(filled, quiet, "plain", "all", False)["losses"] == before


def test_an_export_of_nothing_is_refused(session):
    with pytest.raises(AppError, match="nothing to export"):
        data_export.write(session, quiet, "jsonl", "all", False)


def test_an_export_follows_the_filter_on_the_screen(filled):
    made = data_export.write(filled, quiet, "plain", "shown", False, False, "雨", "all")
    assert len(Path(made["file"]["value"]).read_text(encoding="utf-8").splitlines()) == 1
    told = data_export.show_losses(filled, "jsonl", "shown", False, False, "雨", "all")["losses"]
    assert told.startswith("1 document.")
    assert data_export.show_losses(filled, "jsonl", "shown", False, False, "", "dev")["losses"].startswith(
        "1 document."
    )
    with pytest.raises(AppError, match="nothing to export"):
        data_export.write(filled, quiet, "jsonl", "shown", False, False, "没有的", "all")


def test_ignored_documents_are_exported_only_where_they_are_asked_for(filled):
    number = page(filled)["table"]["value"]["rows"][0]["id"]
    annotations.set_status(filled.workspace, number, "ignored", user="lin")

    def told(*choice):
        return data_export.show_losses(filled, "jsonl", *choice)["losses"].split(".")[0]

    assert [told("all", False), told("all", False, True), told("shown", False, False)] == [
        "4 documents", "5 documents", "4 documents",
    ]  # fmt: skip
    data_filter.choose(filled, "ignored", "", "", "", "", None, None, False)
    assert told("shown", False, False) == "1 document"


def test_the_doctor_names_the_way_of_counting_and_one_click_reads_so(session, tmp_path):
    content = "".join(
        f'{{"text": "{n}😀拜登在北京", "spans": [{{"start": 2, "end": 3, "label": "P", "text": "拜登"}}]}}\n'
        for n in range(2)
    )
    look(session, [upload(tmp_path, "a.jsonl", content)])
    found = data_offsets.examine(session)
    assert "`a.jsonl`: code points, end inclusive, decided by 2 records" in found["verdict"]
    assert [row[1:3] for row in found["offsets"]["value"]["data"]] == [
        ["code points, end inclusive", "2 / 2"],
        ["code points, end exclusive", "0 / 2"],
    ]
    assert found["choice"]["value"] == "code_points+inclusive"
    shown = preview.look_again(session, found["choice"]["value"])
    assert shown["summary"].startswith("2 documents with 2 labelled spans")


def test_files_without_offsets_have_nothing_to_examine(session):
    look(session, paste="今天下雨。")
    assert data_offsets.examine(session)["verdict"] == "None of these files has spans with offsets."
