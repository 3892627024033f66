"""Files are looked at first, then imported chunk by chunk."""

import zipfile

import pytest

from app.services.errors import AppError
from app.services.importing.documents import (
    check_limits,
    gathered,
    import_files,
    label_counts,
    look_at,
    look_at_all,
    pasted_file,
    split_of_name,
)
from app.services.limits.table import Limits
from core.formats import FormatError, ReadOptions
from core.store.document import documents
from core.store.queue import queue

ROWS = "张 B-PER\n伟 E-PER\n来 O\n\n去 O\n"


def write(path, content):
    path.write_text(content, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train.char.bmes", "train"),
        ("my-dev.jsonl", "dev"),
        ("VALID.csv", "dev"),
        ("test_1.txt", "test"),
        ("news.txt", "none"),
        ("latest.txt", "none"),
        ("devices.csv", "none"),
    ],
)
def test_a_files_name_may_speak_of_its_split(name, split):
    assert split_of_name(name) == split


def test_a_preview_counts_and_imports_nothing(session, tmp_path):
    preview = look_at(write(tmp_path / "train.bmes", ROWS))
    assert (preview.format, preview.split) == ("bmes", "train")
    assert (preview.documents, preview.spans, preview.labels, preview.longest) == (2, 1, {"PER": 1}, 3)
    assert preview.refused_file is None
    assert documents.count(session.workspace, session.project_id)["all"] == 0


def test_refused_records_are_named_by_line_and_kept_to_be_mended(tmp_path):
    preview = look_at(write(tmp_path / "bad.bmes", "张 B-PER\n伟 E-PER\n\n北\n京 O\n"))
    assert (preview.documents, preview.refused, preview.refusals[0].line) == (1, 1, 4)
    assert "北" in preview.refused_file.read_text(encoding="utf-8")
    assert preview.refused_file.name == "refused-bad.bmes"


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.txt", b""), ("binary.txt", b"\x00\xff\x00\x01" * 50), ("none.jsonl", b"\n\n")],
)
def test_a_file_without_documents_is_refused_by_name(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises((FormatError, AppError), match=name):
        look_at(tmp_path / name)


def test_pasted_text_goes_the_way_of_a_file():
    preview = look_at(pasted_file("今天下雨。\r\n明天天晴。"))
    assert (preview.format, preview.documents) == ("plain", 2)
    assert look_at(pasted_file(ROWS)).format == "bmes"
    with pytest.raises(AppError, match="Choose a file or paste text"):
        pasted_file(" \n")


def run(session, previews, split="auto"):
    return list(import_files(session.workspace, session.project_id, previews, split, user="lin"))


def test_an_import_reports_progress_and_result(session, tmp_path, monkeypatch):
    monkeypatch.setattr("core.store.document.documents.IMPORTED", 2)
    preview = look_at(write(tmp_path / "dev.txt", "一\n二\n三\n"))
    states = run(session, [preview])
    assert [(state.done, state.total) for state in states] == [(0, 3), (2, 3), (3, 3)]
    assert (states[-1].added, states[-1].duplicates) == (3, 0)
    assert documents.count(session.workspace, session.project_id)["dev"] == 3


def test_a_repeated_import_adds_nothing_twice(session, tmp_path):
    preview = look_at(write(tmp_path / "a.bmes", ROWS))
    run(session, [preview])
    again = run(session, [preview])[-1]
    assert (again.added, again.duplicates) == (0, 2)
    assert documents.count(session.workspace, session.project_id)["all"] == 2


def test_a_cancelled_import_keeps_what_was_added(session, tmp_path, monkeypatch):
    monkeypatch.setattr("core.store.document.documents.IMPORTED", 1)
    preview = look_at(write(tmp_path / "a.txt", "一\n二\n三\n"))
    steps = import_files(session.workspace, session.project_id, [preview], "none", user="lin")
    next(steps), next(steps)
    steps.close()
    assert documents.count(session.workspace, session.project_id)["all"] == 1


def test_a_chosen_split_beats_the_files_name_and_a_records_own_beats_it_too(session, tmp_path):
    named = look_at(
        write(tmp_path / "test.jsonl", '{"text": "一", "meta": {"split": "train"}}\n{"text": "二"}\n')
    )
    run(session, [named])
    counts = documents.count(session.workspace, session.project_id)
    assert (counts["train"], counts["test"]) == (1, 1)
    run(session, [look_at(write(tmp_path / "test-2.txt", "三\n"))], split="dev")
    assert documents.count(session.workspace, session.project_id)["dev"] == 1


def test_empty_records_are_annotated_only_in_labelled_files(session, tmp_path):
    run(session, [look_at(write(tmp_path / "a.bmes", ROWS)), look_at(write(tmp_path / "a.txt", "明天\n"))])
    done = queue.page(session.workspace, session.project_id, queue.Filter(status="done"))
    assert [row.excerpt for row in done.rows] == ["去"]
    assert documents.count(session.workspace, session.project_id)["labelled"] == 2


def test_labels_are_counted_over_all_files(tmp_path):
    previews = [look_at(write(tmp_path / name, ROWS)) for name in ("a.bmes", "b.bmes")]
    assert label_counts(previews) == {"PER": 2}


def test_the_demo_refuses_too_many_documents_and_too_long_ones(tmp_path):
    preview = look_at(write(tmp_path / "a.txt", "一二三四\n五\n"))
    check_limits([preview], 10_000, Limits.of_people())
    check_limits([preview], 1, Limits(documents=3))
    with pytest.raises(AppError, match="at most 3 documents and there would be 4"):
        check_limits([preview], 2, Limits(documents=3))
    with pytest.raises(AppError, match="this one has 4"):
        check_limits([preview], 0, Limits(characters=3))


def test_all_or_nothing_leaves_out_a_file_with_refused_records(session, tmp_path):
    bad = look_at(write(tmp_path / "bad.bmes", "张 B-PER\n伟 E-PER\n\n北\n京 O\n"))
    good = look_at(write(tmp_path / "good.bmes", ROWS))
    steps = import_files(session.workspace, session.project_id, [bad, good], "none", user="lin", whole=True)
    *_, last = steps
    assert (last.added, last.left_out) == (2, ("bad.bmes",))


def test_all_or_nothing_takes_a_dropped_file_back_but_not_what_was_there(session, tmp_path, monkeypatch):
    monkeypatch.setattr("core.store.document.documents.IMPORTED", 1)
    run(session, [look_at(write(tmp_path / "a.txt", "一\n"))], split="none")
    preview = look_at(write(tmp_path / "b.txt", "二\n三\n四\n"))
    steps = import_files(session.workspace, session.project_id, [preview], "none", user="lin", whole=True)
    next(steps), next(steps), next(steps)
    assert documents.count(session.workspace, session.project_id)["all"] == 3
    steps.close()
    assert [d.text for d in documents.iterate(session.workspace, session.project_id)] == ["一"]
    assert run(session, [preview], split="none")[-1].added == 3


def test_uploads_that_share_a_name_are_all_read(tmp_path):
    pairs = []
    for number, text in enumerate(("拜登在北京。", "周敏在上海。")):
        folder = tmp_path / str(number)
        folder.mkdir()
        pairs.append(write(folder / "a.txt", text))
        pairs.append(write(folder / "a.ann", f"T1\tPER 0 2\t{text[:2]}\n"))
    (together,) = gathered(pairs)
    preview = look_at(together)
    assert (preview.documents, preview.spans, preview.refused) == (2, 2, 0)


def test_uploaded_pairs_are_put_together_and_archives_taken_apart(tmp_path):
    (tmp_path / "1").mkdir()
    text, ann = (
        write(tmp_path / "a.txt", "拜登在北京"),
        write(tmp_path / "1" / "a.ann", "T1\tPER 0 2\t拜登\n"),
    )
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        archive.writestr("train.bmes", ROWS)
        archive.writestr("more/dev.txt", "明天\n")
    found = gathered([text, ann, tmp_path / "many.zip"])
    previews = [look_at(path) for path in found]
    assert [(p.format, p.documents, p.split) for p in previews] == [
        ("brat", 1, "none"),
        ("bmes", 2, "train"),
        ("plain", 1, "dev"),
    ]
    assert previews[0].labels == {"PER": 1}


def test_a_file_that_cannot_be_read_keeps_none_of_the_others_out(tmp_path):
    word = tmp_path / "report.docx"
    with zipfile.ZipFile(word, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<document>北京</document>")
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK\x03\x04" + bytes(40))
    text = write(tmp_path / "a.txt", "明天\n")
    previews, unreadable = look_at_all(gathered([word, text, broken]))
    assert [preview.name for preview in previews] == ["a.txt"]
    assert [one.name for one in unreadable] == ["report.docx", "broken.zip"]
    assert "a Word document" in str(unreadable[0].error)
    with pytest.raises(FormatError, match="a Word document"):
        look_at_all(gathered([word]))


def test_a_file_is_imported_with_the_offsets_of_its_preview(session, tmp_path):
    path = write(tmp_path / "a.jsonl", '{"text": "😀拜登在北京", "label": [[2, 4, "PER"]]}\n')
    run(session, [look_at(path, "doccano", ReadOptions(offsets="utf16"))])
    (document,) = documents.iterate(session.workspace, session.project_id)
    assert document.surface(document.spans[0]) == "拜登"
