"""The guideline of a project and its versions."""

import pytest

from core.store import NotFound, PayloadError
from core.store.db.backup import backup, restore
from core.store.project import guideline, projects
from core.store.project.guideline import StaleGuideline


@pytest.fixture
def save(workspace, project):
    return lambda text, base, user="ana": guideline.save(workspace, project.id, text, base, user=user)


def test_every_version_stays_with_who_and_when(workspace, project, save):
    assert guideline.current(workspace, project.id) == guideline.NONE
    first = save("# 人名", 0)
    second = save("# 人名\n\n- 不含称呼", first.revision, "bo")
    assert guideline.current(workspace, project.id) == second
    assert guideline.versions(workspace, project.id) == [second, first]
    assert (first.user, second.user) == ("ana", "bo")
    assert first.at <= second.at
    assert guideline.version(workspace, project.id, first.revision).text == "# 人名"


def test_the_same_text_again_is_no_version(workspace, project, save):
    first = save("text", 0)
    assert save("text", 0) == first
    assert guideline.versions(workspace, project.id) == [first]


def test_who_saves_on_an_older_version_is_told_whose_is_newer(workspace, project, save):
    first = save("mine", 0)
    theirs = save("theirs", first.revision, "bo")
    with pytest.raises(StaleGuideline, match="bo has saved") as stale:
        save("mine again", first.revision)
    assert stale.value.current == theirs
    assert guideline.current(workspace, project.id) == theirs
    assert save("both", theirs.revision).text == "both"


def test_projects_have_guidelines_of_their_own(workspace, project, save):
    first = save("ours", 0)
    other = projects.create(workspace, "other")
    assert guideline.current(workspace, other.id) == guideline.NONE
    with pytest.raises(NotFound):
        guideline.version(workspace, other.id, first.revision)


def test_a_text_that_is_too_long_is_refused(save):
    with pytest.raises(PayloadError, match="at most 100000 characters"):
        save("x" * (guideline.LONGEST + 1), 0)


def test_a_backup_has_every_version(workspace, project, save, tmp_path):
    second = save("two", save("one", 0).revision)
    kept = backup(workspace, tmp_path / "kept.sqlite")
    save("three", second.revision)
    restore(workspace, kept)
    assert [version.text for version in guideline.versions(workspace, project.id)] == ["two", "one"]
