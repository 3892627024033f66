"""A sign-in service gives and takes roles in the projects its groups are mapped to."""

import pytest

from core.store.db.errors import NotFound, PayloadError
from core.store.project import members, projects, provider_roles


@pytest.fixture
def project(workspace):
    made = projects.create(workspace, "staff")
    members.put(workspace, made.id, "boss", "manager", by="boss")
    return made.id


def roles(workspace, project):
    return {member.user: member.role for member in members.of(workspace, project)}


def test_the_highest_role_counts_and_goes_with_the_last_group(workspace, project):
    assert provider_roles.take(workspace, project, "lin", ["annotator", "reviewer"]) == "reviewer"
    assert provider_roles.take(workspace, project, "lin", ["annotator"]) == "annotator"
    assert roles(workspace, project) == {"boss": "manager", "lin": "annotator"}
    assert provider_roles.take(workspace, project, "lin", []) is None
    assert provider_roles.take(workspace, project, "stranger", []) is None
    assert roles(workspace, project) == {"boss": "manager"}


def test_the_last_manager_stays_one(workspace, project):
    assert provider_roles.take(workspace, project, "boss", []) == "manager"
    provider_roles.take(workspace, project, "lin", ["manager"])
    assert provider_roles.take(workspace, project, "boss", ["annotator"]) == "annotator"


def test_a_project_without_members_gets_a_manager_first(workspace):
    project = projects.create(workspace, "open").id
    assert provider_roles.take(workspace, project, "lin", ["annotator"]) is None
    assert roles(workspace, project) == {}
    assert provider_roles.take(workspace, project, "lin", ["manager"]) == "manager"
    assert roles(workspace, project) == {"lin": "manager"}


def test_what_cannot_be_changes_nothing(workspace, project):
    for user, asked, error in (("lin", ["king"], PayloadError), ("", ["manager"], PayloadError)):
        with pytest.raises(error):
            provider_roles.take(workspace, project, user, asked)
    with pytest.raises(NotFound):
        provider_roles.take(workspace, 999, "lin", ["manager"])
    assert roles(workspace, project) == {"boss": "manager"}
