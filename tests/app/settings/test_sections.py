"""The index of Settings: the sections a person may use, each of them on the page."""

from app.services.session import Session
from app.settings import page, sections
from core.store.project import members

FOR_MANAGERS = {"sources", "tokens", "webhooks", "backups", "audit_log"}


def names(session):
    return {one["name"] for group in sections.listed(session)["groups"] for one in group["sections"]}


def test_who_works_alone_has_every_section_but_that_of_logins(session):
    assert names(session) == sections.SECTIONS.keys() - {"logins"}


def test_sections_for_managers_are_not_listed_for_an_annotator(session, workbench):
    members.put(workbench.workspace, session.project_id, "lin", "manager", by="lin")
    members.put(workbench.workspace, session.project_id, "ann", "annotator", by="lin")
    annotator = Session("other", "ann", workbench, session.project_id)
    assert names(session) - names(annotator) == FOR_MANAGERS


def test_every_group_that_is_listed_has_a_section_and_speaks_the_language(session, workbench):
    members.put(workbench.workspace, session.project_id, "lin", "manager", by="lin")
    annotator = Session("other", "ann", workbench, session.project_id, language="zh")
    groups = sections.listed(annotator)["groups"]
    assert all(group["sections"] for group in groups)
    assert groups[0]["title"] == "本项目"


def test_the_page_has_a_column_for_every_section(frame):
    frame.page = "settings"
    with frame.tab["settings"]:
        page.layout(frame)
    built = {block.elem_id for block in frame.tab["settings"].children[-1].children[1].children}
    assert built == {f"settings-section-{name}" for name in sections.SECTIONS}
