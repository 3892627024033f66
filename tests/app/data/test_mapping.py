"""The mapping step of an import, and the question where several formats fit."""

import json

import pytest

from app.data import mapping as step
from app.data import page as data
from app.services.errors import AppError
from app.services.importing import mappings
from core.formats import FormatError
from core.formats.mapping.mapping import Mapping
from core.store.document import documents

TEXT = "拜登在北京会见记者"
OWN = {"uid": "a-1", "beitrag": TEXT, "zustand": "offen", "funde": [{"von": 0, "bis": 2, "art": "PER"}]}
# Triples in one field and spans in another: doccano reads the one, LatticeLens the other.
BOTH = {"text": TEXT, "label": [[0, 2, "PER"], [3, 5, "LOC"]], "spans": []}


def upload(tmp_path, name, *records):
    path = tmp_path / name
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    return [str(path)]


def chosen(answer):
    """The values of the choices, as the page sends them back."""
    return [*(answer[step.role_of(name)]["value"] for name in step.ROLE_NAMES), answer["counted"]["value"]]


def test_guesses_are_chosen_and_what_they_give_is_drawn_and_imported(session, tmp_path):
    answer = step.open_step(session, upload(tmp_path, "own.jsonl", OWN, {**OWN, "uid": "a-2"}), "")
    assert answer["step"]["visible"]
    assert ["beitrag", TEXT, "2 / 2"] in answer["fields"]["value"]["data"]
    assert answer["map_text"]["value"] == "beitrag"
    assert [answer[step.role_of(name)]["value"] for name in ("spans", "start", "end", "label")] == [
        "funde", "von", "bis", "art",
    ]  # fmt: skip
    shown = step.read(session, *chosen(answer))
    assert [row["spans"][0]["label"] for row in shown["drawn"]["sentences"]] == ["PER", "PER"]
    assert shown["summary"].startswith("2 documents with 2 labelled spans")
    assert shown["table"]["value"]["data"][0][1] == "Fields mapped by hand"
    before = documents.count(session.workspace, session.project_id)["all"]
    data.confirm(session, lambda done, total: None, "auto")
    assert documents.count(session.workspace, session.project_id)["all"] == before + 2


def test_a_record_that_does_not_fit_is_told_with_its_line(session, tmp_path):
    bad = {**OWN, "funde": [{"von": 0, "bis": 99, "art": "PER"}]}
    answer = step.open_step(session, upload(tmp_path, "own.jsonl", OWN, bad), "")
    shown = step.read(session, *chosen(answer))
    name, line, reason = shown["refusals"]["value"]["data"][0]
    assert (name, line) == ("own.jsonl", 2)
    assert "does not lie in the text" in reason


def test_another_list_of_spans_brings_its_own_fields(session, tmp_path):
    record = {**OWN, "mehr": [["LOC", 3, 5]]}
    step.open_step(session, upload(tmp_path, "own.jsonl", record), "")
    answer = step.choose_spans(session, "mehr")
    assert [answer[step.role_of(name)]["value"] for name in ("start", "end", "label")] == ["1", "2", "0"]


def test_a_mapping_is_kept_by_name_used_again_and_deleted(session, tmp_path):
    files = upload(tmp_path, "own.jsonl", OWN)
    answer = step.open_step(session, files, "")
    kept = step.save(session, " our  corpus ", *chosen(answer))
    assert (kept["saved"]["choices"], kept["saved"]["value"]) == (["our corpus"], "our corpus")
    step.open_step(session, files, "")
    again = step.use_saved(session, "our corpus")
    assert chosen(again) == chosen(answer)
    assert step.remove(session, "our corpus")["saved"]["choices"] == []
    with pytest.raises(AppError, match="Choose a saved mapping"):
        step.remove(session, None)


@pytest.mark.parametrize("name", ["", "   ", "x" * 61])
def test_a_mapping_needs_a_name_of_some_length(session, name):
    with pytest.raises(AppError, match="name of 1 to 60 characters"):
        mappings.save(session.workspace, session.project_id, name, Mapping(text="a"))


def test_no_more_than_fifty_mappings_are_kept_and_damaged_ones_are_left_out(session):
    from core.store.project import settings

    many = {f"m{number}": {"text": "a"} for number in range(mappings.MOST)}
    settings.write(session.workspace, session.project_id, mappings.SETTING, {**many, "m0": {"txt": "?"}})
    assert len(mappings.saved(session.workspace, session.project_id)) == mappings.MOST - 1
    mappings.save(session.workspace, session.project_id, "one more", Mapping(text="a"))
    with pytest.raises(AppError, match="at most 50 mappings"):
        mappings.save(session.workspace, session.project_id, "too many", Mapping(text="a"))


def test_a_file_that_no_format_knows_opens_the_step_and_says_why(session, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"version": 2, "examples": [OWN, OWN]}, indent=1))
    answer = data.look_or_ask(session, [str(path)], "", "auto")
    assert answer["step"]["visible"]
    assert answer["why"]
    assert answer["map_text"]["value"] == "beitrag"
    shown = data.look_or_ask(session, [str(path)], "", "cluener")  # who names a format is not asked
    assert not shown["step"]["visible"]
    assert shown["refusals"]["value"]["data"]


def test_where_two_formats_fit_the_page_asks_and_reads_what_was_chosen(session, tmp_path):
    files = upload(tmp_path, "both.jsonl", BOTH, BOTH)
    answer = data.look_or_ask(session, files, "", "auto")
    assert answer["ask"]["visible"]
    assert not answer["preview"]["visible"]
    names = {value: name for name, value in answer["candidates"]["choices"]}
    assert set(names) == {"jsonl", "doccano"}
    assert names["doccano"] == f"doccano JSONL: 2 documents, 4 spans; the first: {TEXT}"
    shown = data.look_as(session, files, "", "doccano")
    assert shown["format"] == "doccano"
    assert "2 documents with 4 labelled spans" in shown["summary"]


def test_nothing_chosen_or_nothing_to_map_is_said(session, tmp_path):
    with pytest.raises(AppError, match="Choose a file or paste text"):
        step.open_step(session, None, " ")
    path = tmp_path / "a.txt"
    path.write_text("只有一行\n")
    with pytest.raises(FormatError, match="cannot be mapped"):
        step.open_step(session, [str(path)], "")
    step.close(session)
    with pytest.raises(AppError, match="no longer exist"):
        step.read(session, *[None] * (len(step.ROLE_NAMES) + 1))
    answer = step.open_step(session, upload(tmp_path, "own.jsonl", OWN), "")
    with pytest.raises(FormatError, match="neither a text nor tokens"):
        step.read(session, *["" if isinstance(value, str) else [] for value in chosen(answer)])
