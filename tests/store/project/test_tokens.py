"""A token opens what it was made for until it is revoked, and the store cannot tell anybody what it is."""

import pytest

from core.store.db.backup import backup, restore
from core.store.db.errors import NotFound, PayloadError
from core.store.document import trash
from core.store.project import members, projects, tokens
from core.store.project.members import NotAllowed


@pytest.fixture
def project(workspace):
    return projects.create(workspace, "news").id


def test_a_token_is_found_by_its_text_and_by_no_other(workspace, project):
    token, text = tokens.make(workspace, project, "  the  crawler ", "annotator", user="lin")
    assert (token.name, token.role, token.user, token.used) == ("the crawler", "annotator", "lin", None)
    assert tokens.find(workspace, text) == token
    _, other = tokens.make(workspace, project, "other", "manager", user="lin")
    swapped = f"ll_{token.id}_{other.split('_', 2)[2]}"
    wrong = [text[:-1] + ("A" if text[-1] != "A" else "B"), swapped, text + "A", text.upper(), "", None, 7]
    assert [tokens.find(workspace, each) for each in wrong] == [None] * len(wrong)


def test_the_file_of_the_workspace_does_not_hold_the_text(workspace, project):
    _, text = tokens.make(workspace, project, "crawler", "annotator", user="lin")
    with workspace.reading() as db:
        dump = "\n".join(db.iterdump())
    assert text.split("_", 2)[2] not in dump


def test_a_revoked_token_is_found_no_more_and_stays_in_the_list(workspace, project):
    token, text = tokens.make(workspace, project, "crawler", "annotator", user="lin")
    revoked = tokens.revoke(workspace, project, token.id, user="lin").revoked
    assert tokens.find(workspace, text) is None
    assert tokens.revoke(workspace, project, token.id, user="lin").revoked == revoked
    assert [each.id for each in tokens.of(workspace, project)] == [token.id]
    tokens.delete(workspace, project, token.id, user="lin")
    assert tokens.of(workspace, project) == []


def test_the_use_is_noted_in_the_background_once_a_minute(workspace, project):
    token, text = tokens.make(workspace, project, "crawler", "annotator", user="lin")
    tokens.note_use(workspace, token)
    assert workspace.background.finish(("token used", token.id), 10)
    used = tokens.find(workspace, text)
    assert used.used is not None
    tokens.note_use(workspace, used)
    assert workspace.background.finish(("token used", token.id), 10)
    assert tokens.find(workspace, text) == used


def test_only_managers_make_and_revoke_tokens_and_only_of_their_project(workspace, project):
    token, _ = tokens.make(workspace, project, "crawler", "annotator", user="lin")
    members.put(workspace, project, "mia", "reviewer", by="lin")
    for user in ("mia", "somebody"):
        with pytest.raises(NotAllowed):
            tokens.make(workspace, project, "mine", "annotator", user=user)
        with pytest.raises(NotAllowed):
            tokens.revoke(workspace, project, token.id, user=user)
        with pytest.raises(NotAllowed):
            tokens.delete(workspace, project, token.id, user=user)
    other = projects.create(workspace, "other").id
    for change in (tokens.revoke, tokens.delete):
        with pytest.raises(NotFound, match="token"):
            change(workspace, other, token.id, user="lin")
    assert tokens.of(workspace, project) == [token]


def test_the_token_of_a_project_in_the_trash_opens_nothing_until_it_is_restored(workspace, project):
    token, text = tokens.make(workspace, project, "crawler", "annotator", user="lin")
    trash.trash_project(workspace, project)
    assert tokens.find(workspace, text) is None
    trash.restore_project(workspace, project)
    assert tokens.find(workspace, text) == token


@pytest.mark.parametrize("name", ["", "  ", "字" * 81, "a\u202eb", None, 7])
def test_a_name_that_nobody_can_read_is_refused(workspace, project, name):
    with pytest.raises(PayloadError, match="token's name"):
        tokens.make(workspace, project, name, "annotator", user="lin")


def test_an_unknown_role_and_too_many_tokens_are_refused(workspace, project, monkeypatch):
    with pytest.raises(PayloadError, match="role"):
        tokens.make(workspace, project, "crawler", "owner", user="lin")
    monkeypatch.setattr(tokens, "MOST", 1)
    tokens.make(workspace, project, "first", "annotator", user="lin")
    with pytest.raises(PayloadError, match="at most 1"):
        tokens.make(workspace, project, "second", "annotator", user="lin")


def test_a_backup_brings_no_token_back(workspace, project, tmp_path):
    _, text = tokens.make(workspace, project, "crawler", "manager", user="lin")
    made = backup(workspace, tmp_path / "backup.sqlite")
    restore(workspace, made)
    assert tokens.find(workspace, text) is None
    assert tokens.of(workspace, project) == []
