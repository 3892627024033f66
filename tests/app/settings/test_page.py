"""The Settings page's callbacks."""

import shutil
from pathlib import Path

import pytest

from app.services.background.tasks import Stopped
from app.services.errors import AppError
from app.services.hosting import FilePolicy
from app.services.limits.table import Limits
from app.services.storage.snapshots import Kept, Snapshots
from app.settings import backups, label_change, label_editor, page
from app.settings import labels as settings_labels
from app.settings import projects as settings_projects
from core.store import LabelInUse, NameTaken, NotAWorkspace, NotFound
from core.store.annotation import annotations
from core.store.db import snapshots
from core.store.document import documents, trash
from core.store.label import labels
from core.store.project import nesting, projects
from core.store.run import runs
from core.text import Span
from core.training.run.run_state import RunState
from tests.app.asking import asked


def quiet(done: int, total: int) -> None:
    """Follows nothing."""


def rows(session):
    """The rows that the table of labels shows."""
    return label_change.show(session)["table"]["page"]["labels"]


def save(session, edited):
    """Save the table of labels as its script does; what the page says then."""
    asked(label_editor.save_labels, session, {"labels": edited})
    return settings_labels.saved(session)


def made(session, name):
    """A project that somebody has made, opened."""
    session.turn_to(projects.create(session.workspace, name).id)


def test_the_page_shows_the_current_values(session):
    shown = page.show(session)
    assert label_change.show(session)["label"]["value"] == "PER"
    assert (shown["name"]["placeholder"], shown["bin"]["visible"], shown["user"]) == ("people", False, "lin")
    assert str(session.workspace.folder) in shown["about"]


def test_a_demo_visitor_is_not_told_where_the_server_keeps_things(session):
    session.workbench.limits = Limits()
    assert str(session.workspace.folder) not in page.show(session)["about"]


def test_edited_labels_are_saved(session):
    edited = rows(session)
    edited[0]["description"] = "people, also 虚构"
    saved = save(session, [*edited, {"name": "ORG", "colour": "", "hotkey": "", "description": ""}])
    assert saved["message"] == "3 labels are saved."
    saved = labels.get(session.workspace, session.project_id)
    assert saved["PER"].description == "people, also 虚构"
    assert "ORG" in saved


def test_a_project_is_made_nested_and_flat_again(session):
    assert page.show(session)["nesting"]["value"] == "flat"
    assert settings_projects.set_nesting(session, "nested") == "Spans of this project may overlap."
    assert page.show(session)["nesting"]["value"] == "nested"
    settings_projects.set_nesting(session, "flat")
    assert nesting.is_nested(session.workspace, session.project_id) is False


def test_a_label_on_spans_is_not_dropped(filled):
    with pytest.raises(LabelInUse, match="PER"):
        save(filled, rows(filled)[1:])


def test_a_label_is_renamed_on_every_span(filled):
    changed = label_change.change_label(filled, "PER", "rename", " NAME ", None)
    assert changed["message"] == "`PER` is now called `NAME`, on 4 spans in 4 documents."
    first = next(documents.iterate(filled.workspace, filled.project_id))
    assert {span.label for span in first.spans} == {"NAME", "LOC"}


def test_a_label_is_merged_with_a_preview_and_brought_back(filled):
    shown = label_change.choose_kind(filled, "PER", "merge", "", "LOC")
    assert (shown["new_name"]["visible"], shown["into"]["visible"]) == (False, True)
    assert shown["preview"].startswith("This relabels 4 spans in 4 documents")
    merged = label_change.change_label(filled, "PER", "merge", "", "LOC")
    assert merged["message"] == "`PER` was merged into `LOC`: 4 spans in 4 documents."
    assert merged["label"]["choices"] == ["LOC"]
    (row,) = merged["history"]["data"]
    assert row[1:] == ["lin", "PER merged into LOC", "4 in 4 documents", "can be undone"]
    undone = label_change.undo(filled, merged["change"]["value"])
    assert undone["message"] == "Undone: `PER merged into LOC`."
    assert undone["history"]["data"][0][-1] == "undone"
    first = next(documents.iterate(filled.workspace, filled.project_id))
    assert {span.label for span in first.spans} == {"PER", "LOC"}


def test_a_slow_preview_does_not_come_over_the_next_one(filled, monkeypatch):
    scope, told = label_change.label_changes.scope, []

    def slow(*given):
        monkeypatch.setattr(label_change.label_changes, "scope", scope)
        told.append(label_change.choose_kind(filled, "PER", "delete", "", None)["preview"])
        return scope(*given)

    monkeypatch.setattr(label_change.label_changes, "scope", slow)
    before = label_change.preview(filled, "PER", "rename", "", None)
    assert told[0].startswith("This deletes 4 spans")
    assert before == {"__type__": "update"}, "it leaves what is shown"


def test_a_change_is_previewed_while_it_is_in_sight(filled):
    asked = ("PER", "merge", "", "LOC")
    shown = label_change.show_kind(filled, *asked)
    assert (shown["into"]["visible"], shown["preview"]) == (True, "")
    opened = label_change.unfold(filled, *asked)
    assert opened.startswith("This relabels 4 spans")
    assert label_change.show_kind(filled, *asked)["preview"] == opened
    label_change.fold(filled)
    assert label_change.show_kind(filled, *asked)["preview"] == ""


def test_what_was_done_since_a_merge_stays_when_it_is_undone(filled):
    change = label_change.change_label(filled, "PER", "merge", "", "LOC")["change"]["value"]
    annotations.save(filled.workspace, 1, 1, [Span(3, 5, "LOC")], user="bo")
    undone = label_change.undo(filled, change)
    assert undone["message"] == "Undone: `PER merged into LOC`."
    assert annotations.current(filled.workspace, 1).document.spans == (Span(3, 5, "LOC"),)


def test_a_change_that_is_not_fully_chosen_says_what_is_missing(filled):
    with pytest.raises(AppError, match="Choose a label"):
        label_change.change_label(filled, None, "delete", "", None)
    with pytest.raises(AppError, match="merge into"):
        label_change.change_label(filled, "PER", "merge", "", None)
    with pytest.raises(AppError, match="new name"):
        label_change.change_label(filled, "PER", "rename", "  ", None)
    with pytest.raises(AppError, match="change to undo"):
        label_change.undo(filled, None)
    same = label_change.change_label(filled, "PER", "rename", "PER", None)
    assert same["message"] == "It already has that name."


def test_projects_are_made_renamed_thrown_away_and_brought_back(session):
    first = session.project_id
    made(session, "two")
    assert settings_projects.rename_project(session, "second")["message"].endswith("called `second`.")
    second = session.project_id
    settings_projects.trash_project(session)
    assert session.project_id == first
    assert page.show(session)["trashed"]["choices"] == [("second", second)]
    assert settings_projects.restore_project(session, second)["message"] == "Project `second` was restored."


def test_a_taken_name_and_the_last_project_are_refused(session):
    made(session, "two")
    with pytest.raises(NameTaken):
        settings_projects.rename_project(session, "people")
    settings_projects.trash_project(session)
    with pytest.raises(AppError, match="only project"):
        settings_projects.trash_project(session)


def test_a_backup_brings_back_what_was_there(filled):
    made = backups.make_backup(filled, quiet)["value"]
    projects.rename(filled.workspace, filled.project_id, "spoilt")
    assert "before-restore-" in backups.restore_backup(filled, made)["backup_message"]
    assert projects.get(filled.workspace, filled.project_id).name == "people"
    assert Path(made).name == "latticelens-people.sqlite"


def test_a_restore_is_refused_without_a_file_with_a_foreign_one_in_the_demo_and_while_training(
    session, tmp_path, monkeypatch
):
    (tmp_path / "x.sqlite").write_text("no database")
    with pytest.raises(AppError, match="Choose a backup"):
        backups.restore_backup(session, None)
    with pytest.raises(NotAWorkspace):
        backups.restore_backup(session, str(tmp_path / "x.sqlite"))
    monkeypatch.setattr(session.workbench.jobs, "running", lambda: RunState("flat-0001", "running"))
    with pytest.raises(AppError, match="A run is in progress"):
        backups.restore_backup(session, str(tmp_path / "x.sqlite"))
    session.workbench.limits = Limits()
    with pytest.raises(AppError, match="demo cannot restore"):
        backups.restore_backup(session, str(tmp_path / "x.sqlite"))


def test_where_there_are_snapshots_settings_say_where_the_last_one_is_and_what_went_wrong(session, tmp_path):
    assert "snapshot" not in backups.show(session)["schedule"]
    bench, storage = session.workbench, tmp_path / "storage"
    storage.mkdir()
    bench.snapshots = Snapshots(bench.workspace, bench.jobs, Kept(storage, "network", 30.0))
    said = backups.show(session)["schedule"]
    assert f"`{storage}`" in said
    assert "at most every 30 seconds" in said
    assert "None has been made" in said
    bench.snapshots.take()
    (made,) = snapshots.snapshots_of(storage)
    assert f"The last one is `{made.name}`" in backups.show(session)["schedule"]
    projects.create(bench.workspace, "one more")
    shutil.rmtree(storage)
    bench.snapshots.take()
    said = backups.show(session)["schedule"]
    assert "**The last snapshot failed**" in said
    assert f"`{made.name}`" in said
    bench.snapshots = None  # its last snapshot has nowhere to go


def test_where_others_reach_the_app_a_backup_brings_no_model_from_elsewhere(session, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    made_here = backups.make_backup(session, quiet)["value"]
    runs.register(session.workspace, session.project_id, "stolen", "flat", elsewhere, {})
    made = backups.make_backup(session, quiet)["value"]
    session.workbench.files = FilePolicy(anywhere=False)
    backups.restore_backup(session, made)  # a run that is here already may lie where it lies
    backups.restore_backup(session, made_here)
    with pytest.raises(NotAWorkspace, match="run 'stolen' has its model outside"):
        backups.restore_backup(session, made)
    assert [run.name for run in runs.all_runs(session.workspace, session.project_id)] == []
    session.workbench.files = FilePolicy(anywhere=False, folders=(tmp_path.resolve(),))
    backups.restore_backup(session, made)


def test_a_name_signs_from_now_on(session):
    saved = page.save_user(session, "  Li   Na ")
    assert (session.user, saved["user_message"]) == (
        "Li Na",
        "From now on your edits are recorded as `Li Na`.",
    )
    assert saved["moved"].split("|")[1] == "Li Na"
    with pytest.raises(AppError, match="Enter a name"):
        page.save_user(session, " ")


def test_a_logged_in_user_cannot_change_their_name(session):
    session.logged_in = True
    with pytest.raises(AppError, match="logged in as lin"):
        page.save_user(session, "boss")


def test_a_project_of_the_trash_is_deleted_for_good_once_its_name_is_typed(session):
    made(session, "second")
    second = session.project_id
    settings_projects.trash_project(session)
    with pytest.raises(AppError, match="type its name exactly: second"):
        settings_projects.purge_project(session, second, "secnd")
    assert trash.trashed_projects(session.workspace) == [(second, "second")]
    purged = settings_projects.purge_project(session, second, " second ")
    assert (purged["message"], purged["confirm"]) == ("Project `second` is deleted.", "")
    assert purged["bin"]["visible"] is False
    with pytest.raises(NotFound):
        settings_projects.purge_project(session, second, "second")
    assert trash.trashed_projects(session.workspace) == []


def test_a_backup_says_how_far_it_is_and_leaves_nothing_when_it_is_cancelled(filled, monkeypatch):
    told = []
    made = Path(backups.make_backup(filled, lambda *far: told.append(far))["value"])
    assert [far[0] == far[1] for far in told[-1:]] == [True]

    def cancel(done, total):
        raise Stopped

    with pytest.raises(Stopped):
        backups.make_backup(filled, cancel)
    assert [path.name for path in made.parent.iterdir()] == [made.name]
