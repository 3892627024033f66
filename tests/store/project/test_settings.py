"""Settings of a project are found again, belong to it alone, and refuse what no JSON holds."""

import pytest

from core.store.db.errors import NotFound, PayloadError
from core.store.db.workspace import Workspace
from core.store.project import projects
from core.store.project import settings as project_settings


def test_a_setting_is_found_again_after_a_restart(tmp_path):
    with Workspace.open(tmp_path) as workspace:
        project = projects.create(workspace, "news").id
        project_settings.write(workspace, project, "thresholds", {"tagger": 0.5, "词典": 0})
    with Workspace.open(tmp_path) as workspace:
        assert project_settings.read(workspace, project, "thresholds") == {"tagger": 0.5, "词典": 0}


def test_settings_belong_to_one_project_and_none_forgets_them(workspace):
    one, other = (projects.create(workspace, name).id for name in ("one", "other"))
    project_settings.write(workspace, one, "seed", 3)
    project_settings.write(workspace, one, "seed", 4)
    assert project_settings.read(workspace, one, "seed") == 4
    assert project_settings.read(workspace, other, "seed", 9) == 9
    project_settings.write(workspace, one, "seed", None)
    assert project_settings.read(workspace, one, "seed") is None


@pytest.mark.parametrize("value", [object(), float("nan"), "字" * 100_001])
def test_what_cannot_be_kept_is_refused(workspace, value):
    project = projects.create(workspace, "news").id
    with pytest.raises(PayloadError, match="thresholds"):
        project_settings.write(workspace, project, "thresholds", value)


def test_a_project_that_is_not_there_has_no_settings(workspace):
    with pytest.raises(NotFound):
        project_settings.read(workspace, 77, "seed")
    with pytest.raises(NotFound):
        project_settings.write(workspace, 77, "seed", 1)
