"""Which projects are anything to a person: their own and everybody's."""

from core.store.db.workspace import Workspace
from core.store.document import trash
from core.store.project import members, projects


def test_a_project_with_members_is_open_to_them_alone(tmp_path):
    with Workspace.open(tmp_path / "w") as workspace:
        everybodys, closed, gone = (projects.create(workspace, name).id for name in ("all", "team", "gone"))
        members.put(workspace, closed, "mia", "manager", by="mia")
        trash.trash_project(workspace, gone)
        assert [project.id for project in members.open_projects(workspace, "mia")] == [everybodys, closed]
        assert [project.name for project in members.open_projects(workspace, "eve")] == ["all"]
        assert [members.is_open(workspace, closed, user) for user in ("mia", "eve")] == [True, False]
