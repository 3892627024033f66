"""The section of access tokens: a token is shown once, and what it opens is said."""

import pytest

from app.services.errors import AppError
from app.services.limits.table import Limits
from app.settings import tokens as settings_tokens
from core.store.db.errors import NotFound, PayloadError
from core.store.project import members, projects, tokens
from core.store.project.members import NotAllowed


def test_a_token_is_shown_once(session):
    made = settings_tokens.make(session, "the `crawler`", "annotator")
    assert made["text"]["visible"] is True
    found = tokens.find(session.workspace, made["text"]["value"])
    assert (found.user, found.role, found.project_id) == ("lin", "annotator", session.project_id)
    assert "`` the `crawler` ``" in made["message"]
    shown = settings_tokens.show(session)
    assert shown["text"] == {"value": "", "visible": False, "__type__": "update"}
    (row,) = shown["table"]["data"]
    assert (row[0], row[1], row[2], row[4], row[5]) == (
        "the `crawler`",
        "annotator",
        "lin",
        "never",
        "active",
    )
    assert made["text"]["value"] not in str(shown)


def test_a_revoked_token_stays_in_the_list_until_it_is_deleted(session):
    made = settings_tokens.make(session, "crawler", "manager")
    token = made["token"]["value"]
    shown = settings_tokens.revoke(session, token)
    assert shown["table"]["data"][0][5] == "revoked"
    assert tokens.find(session.workspace, made["text"]["value"]) is None
    shown = settings_tokens.delete(session, token)
    assert (shown["table"]["data"], shown["made"]["visible"], shown["token"]["value"]) == ([], False, None)


def test_the_time_of_the_last_use_is_shown(session):
    settings_tokens.make(session, "crawler", "manager")
    (token,) = tokens.of(session.workspace, session.project_id)
    tokens.note_use(session.workspace, token)
    assert session.workspace.background.finish(("token used", token.id), 10)
    assert settings_tokens.show(session)["table"]["data"][0][4].startswith("20")


def test_others_than_managers_neither_see_nor_make_tokens(session):
    settings_tokens.make(session, "crawler", "manager")
    members.put(session.workspace, session.project_id, "mia", "manager", by="lin")
    members.put(session.workspace, session.project_id, "lin", "reviewer", by="mia")
    shown = settings_tokens.show(session)
    assert (shown["table"]["data"], shown["token"]["choices"]) == ([], [])
    for call in (
        lambda: settings_tokens.make(session, "mine", "annotator"),
        lambda: settings_tokens.revoke(session, 1),
        lambda: settings_tokens.delete(session, 1),
    ):
        with pytest.raises(NotAllowed):
            call()


def test_what_cannot_be_is_refused(session):
    with pytest.raises(PayloadError, match="token's name"):
        settings_tokens.make(session, " ", "annotator")
    with pytest.raises(PayloadError, match="role"):
        settings_tokens.make(session, "crawler", "owner")
    with pytest.raises(AppError, match="Choose a token"):
        settings_tokens.revoke(session, None)
    other = projects.create(session.workspace, "other").id
    theirs, _ = tokens.make(session.workspace, other, "theirs", "manager", user="lin")
    for call in (settings_tokens.revoke, settings_tokens.delete):
        with pytest.raises(NotFound):
            call(session, theirs.id)


def test_the_demo_makes_no_tokens(session):
    session.workbench.limits = Limits()
    with pytest.raises(AppError, match="no HTTP API"):
        settings_tokens.make(session, "crawler", "annotator")
