"""The guideline section: reading, saving on top of somebody else's version, and who may."""

import pytest

from app.annotate.guideline import read_guideline
from app.settings import guideline as settings_guideline
from app.ui.server_function import ServerError
from core.store.project import guideline, members
from core.store.project.members import NotAllowed
from tests.app.asking import asked


def save(session, text, base=0):
    return asked(settings_guideline.guideline_save, session, {"text": text, "base": base})


def test_what_is_saved_is_read_beside_the_text_with_its_versions(session):
    assert asked(read_guideline, session) == {"parts": [], "user": "", "at": 0, "may_change": True}
    first = save(session, "# one")
    second = save(session, "# two", first["revision"])
    assert [version["revision"] for version in second["versions"]] == [second["revision"], first["revision"]]
    assert asked(settings_guideline.guideline_read, session) == second
    read = asked(read_guideline, session)
    assert read["parts"] == [{"tag": "h4", "children": ["two"]}]
    assert (read["user"], read["at"]) == ("lin", second["at"])
    previewed = asked(settings_guideline.guideline_preview, session, {"text": "*one*"})
    assert previewed == {"parts": [{"tag": "p", "children": [{"tag": "em", "children": ["one"]}]}]}
    earlier = asked(settings_guideline.guideline_version, session, {"revision": first["revision"]})
    assert earlier == {"text": "# one"}


def test_a_conflict_carries_the_other_version(session):
    theirs = guideline.save(session.workspace, session.project_id, "theirs", 0, user="bo")
    with pytest.raises(ServerError) as conflict:
        save(session, "mine")
    assert conflict.value.code == "conflict"
    assert conflict.value.details == {
        "revision": theirs.revision,
        "user": "bo",
        "at": theirs.at,
        "text": "theirs",
    }
    assert save(session, "mine", theirs.revision)["text"] == "mine"


def test_an_annotator_reads_it_and_may_not_change_it(session):
    save(session, "# rules")
    members.put(session.workspace, session.project_id, "ana", "annotator", by="lin")
    session.user = "ana"
    read = asked(read_guideline, session)
    assert (read["parts"], read["may_change"]) == ([{"tag": "h4", "children": ["rules"]}], False)
    assert settings_guideline.show(session)["page"]["may_change"] is False
    with pytest.raises(NotAllowed):
        save(session, "# mine")
