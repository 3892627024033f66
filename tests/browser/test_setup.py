"""A new project in one dialog, and the guideline beside the text, as a person goes through them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from core.store import Workspace
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import guideline, members, projects
from core.text import Document, LabelSet, Span
from tests.browser.app_page import choose, come_again, turn_to, turn_to_section
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.app_server import AppServer

pytestmark = pytest.mark.browser

DIALOG = "dialog.ll-setup[open]"
PASTE = f"{DIALOG} .ll-setup-paste"
RULES = "# 规则\n\n标**全称**。<script>window.hostile = 1</script> ![x](https://evil.example/x.png)"


@pytest.fixture(autouse=True)
def a_project(app: AppServer) -> None:
    """Everybody begins in some project."""
    with Workspace.open(app.workspace) as workspace:
        if not projects.all_projects(workspace):
            projects.create(workspace, "to begin with")


def act(page: Page, name: str) -> None:
    page.click(f"{DIALOG} [data-act={name}]")


def wait_for_project(page: Page, name: str) -> None:
    page.wait_for_function("name => document.querySelector('#ll-project input').value === name", arg=name)
    page.wait_for_selector("#ll-tab-annotate .lla-desk .lla-text:not(:empty)")


def open_in(page: Page, project: str, tab: str) -> None:
    choose(page, "#ll-project", project)
    turn_to(page, tab)


def test_pasted_text_is_annotated_after_five_actions(person: Page, app: AppServer) -> None:
    page = person
    page.click("#ll-new-project")  # 1
    page.wait_for_selector(f"{PASTE}:focus")
    page.keyboard.insert_text("Ada visited Berlin.\nSecond sentence.")  # 2, as pasting does
    page.keyboard.press("Control+Enter")  # 3: with the defaults
    wait_for_project(page, "New project")
    assert page.inner_text(".lla-desk .lla-text") == "Ada visited Berlin."
    page.locator(".lla-desk .lla-text").dblclick(position={"x": 12, "y": 20})  # 4: a word
    page.keyboard.press("1")  # 5: its label
    page.wait_for_selector(".lla-desk .lla-bar[data-key*=PER]")
    wait_until_idle(page)
    with Workspace.open(app.workspace) as workspace:
        project = projects.by_name(workspace, "New project").id
        assert labels.get(workspace, project).names == ("PER", "LOC", "ORG", "TIME", "EVENT")
        first = next(documents.iterate(workspace, project))
        assert [first.surface(span) for span in first.spans] == ["Ada"]


@pytest.mark.exhaustive
def test_a_file_its_labels_and_a_word_list_go_through_the_three_steps(
    person: Page, app: AppServer, tmp_path: Path
) -> None:
    page = person
    table, words = tmp_path / "reports.csv", tmp_path / "words.txt"
    table.write_text("id,text,note\n1,short,王伟在青禾大学读书\n2,short,没有名字\n", encoding="utf-8")
    words.write_text("青禾大学\t1\t单位\n", encoding="utf-8")
    page.click("#ll-new-project")
    page.locator(f"{DIALOG} input[type=file]").set_input_files(str(table))
    page.locator(f"{DIALOG} .ll-setup-split select").nth(1).select_option("note")
    page.locator(f"{DIALOG} .ll-setup-documents").get_by_text("王伟在青禾大学读书").wait_for()
    assert page.input_value(f"{DIALOG} input[type=text]") == "reports"
    act(page, "next")
    page.locator(f"{DIALOG} .ll-setup-split select").first.select_option("none")
    act(page, "add")
    page.keyboard.insert_text("单位")
    page.click(f"{DIALOG} [data-row='0'] [data-field=colour]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.focus(f"{DIALOG} [data-row='0'] [data-field=hotkey]")
    page.keyboard.press("q")
    act(page, "next")
    page.check(f"{DIALOG} input[value=file]")
    act(page, "create")  # without the list: said where it is missing
    page.locator(f"{DIALOG} .ll-setup-wrong").get_by_text("Choose the word list").wait_for()
    page.locator(f"{DIALOG} .ll-setup-detail input[type=file]").set_input_files(str(words))
    page.locator(f"{DIALOG} .ll-setup-detail").get_by_text("单位 1").wait_for()
    act(page, "create")
    wait_for_project(page, "reports")
    page.wait_for_selector(".lla-desk .lla-dictionary[data-key*=单位]")
    page.keyboard.press("Enter")  # the suggestion
    page.wait_for_selector(".lla-desk .lla-person[data-key*=单位]")
    with Workspace.open(app.workspace) as workspace:
        (label,) = labels.get(workspace, projects.by_name(workspace, "reports").id)
    assert (label.name, label.colour, label.hotkey) == ("单位", "#D55E00", "q")


@pytest.mark.exhaustive
def test_what_was_entered_survives_back_close_and_reload_until_it_is_discarded(person: Page) -> None:
    page = person
    page.click("#ll-new-project")
    page.fill(PASTE, "第一句。\n第二句。")
    page.locator(f"{DIALOG} .ll-setup-documents li").nth(1).wait_for()
    act(page, "next")
    page.fill(f"{DIALOG} [data-row='0'] [data-field=name]", "人物")
    act(page, "back")
    assert page.input_value(PASTE) == "第一句。\n第二句。"
    page.keyboard.press("Escape")
    page.wait_for_selector(DIALOG, state="detached")
    come_again(page)
    page.wait_for_selector("html.ll-ready", state="attached")
    wait_until_idle(page)
    page.click("#ll-new-project")
    page.locator(f"{DIALOG} .ll-setup-summary").get_by_text("2 documents · labels: 人物, LOC").wait_for()
    act(page, "afresh")
    page.locator(f"{DIALOG} .ll-setup-kept .lla-wrong").wait_for()
    page.click(f"{DIALOG} [data-act='afresh.no']")
    assert page.input_value(PASTE) == "第一句。\n第二句。"
    act(page, "afresh")
    page.click(f"{DIALOG} [data-act='afresh.yes']")
    page.wait_for_function("() => document.querySelector('.ll-setup-paste').value === ''")


@pytest.mark.exhaustive
def test_a_wrong_field_says_so_where_it_is(person: Page, tmp_path: Path) -> None:
    page = person
    broken = tmp_path / "broken.json"
    broken.write_text("[1, 2", encoding="utf-8")
    page.click("#ll-new-project")
    page.locator(f"{DIALOG} input[type=file]").set_input_files(str(broken))
    page.locator(f"{DIALOG} .ll-setup-block [role=alert]").get_by_text("looks like JSON").wait_for()
    act(page, "create_now")
    assert page.locator(f"{PASTE}[aria-invalid=true]").count() == 1
    page.click(f"{DIALOG} .ll-setup-files button")
    page.fill(f"{DIALOG} input[type=text]", "to begin with")
    act(page, "create_now")
    page.locator(f"{DIALOG} .ll-setup-block [role=alert]").get_by_text("already").wait_for()
    assert page.evaluate("document.activeElement.value") == "to begin with"


@pytest.mark.exhaustive
def test_a_phone_has_the_whole_dialog_and_no_more(people: Callable[..., Page]) -> None:
    page = people(viewport={"width": 390, "height": 844}, has_touch=True, locale="zh-CN")
    page.click("#ll-new-project")
    page.fill(PASTE, "张伟在北京。\n李娜在青岛。")
    page.locator(f"{DIALOG} .ll-setup-documents li").nth(1).wait_for()
    for step in ("text", "labels", "dictionary"):
        page.click(f"{DIALOG} [data-step={step}]")
        wait_until_idle(page)
        sizes = page.evaluate(
            "() => [document.documentElement.scrollWidth, document.querySelector('.ll-setup').scrollWidth,"
            " document.querySelector('.ll-setup-foot').getBoundingClientRect().bottom]"
        )
        assert sizes[:2] == [390, 390], step
        assert sizes[2] <= 844, step
    act(page, "create")
    wait_for_project(page, "新建项目")
    page.wait_for_selector(".lla-desk .lla-dictionary[data-key*=地名]")  # of the base dictionary


@pytest.mark.exhaustive
def test_the_guideline_is_written_in_settings_and_read_beside_the_text(
    people: Callable[..., Page], app: AppServer
) -> None:
    with Workspace.open(app.workspace) as workspace:
        project = projects.create(workspace, "guided").id
        labels.put(workspace, project, LabelSet().extended(["PER"]))
        documents.add(workspace, project, [Document("1", "张伟在北京。")], user="ann")
        members.put(workspace, project, "ann", "manager", by="ann")
        members.put(workspace, project, "bo", "annotator", by="ann")
    manager = people("ann")
    choose(manager, "#ll-project", "guided")
    turn_to_section(manager, "guideline")
    manager.fill("#settings-guideline textarea", RULES)
    manager.click("#settings-guideline [data-act=save]")
    manager.get_by_text("Saved.", exact=True).wait_for()
    assert manager.inner_text("#settings-guideline .ll-markdown strong") == "全称"
    with Workspace.open(app.workspace) as workspace:
        assert guideline.current(workspace, project).text == RULES

    annotator = people("bo")
    open_in(annotator, "guided", "annotate")
    annotator.wait_for_selector(".lla-desk .lla-text:has-text('张伟')")
    wait_until_idle(annotator)
    annotator.keyboard.press("h")
    guide = annotator.locator(".lla-guide")
    guide.locator("h4").get_by_text("规则").wait_for()
    assert "<script>window.hostile = 1</script>" in guide.inner_text()
    assert guide.locator("script, img").count() == 0
    assert annotator.evaluate("window.hostile") is None
    guide.locator(".lla-guide-label").get_by_text("PER").wait_for()
    assert guide.get_by_role("button", name=re.compile("Settings")).count() == 0
    annotator.keyboard.press("Escape")
    guide.wait_for(state="hidden")
    turn_to_section(annotator, "guideline")
    annotator.wait_for_selector("#settings-guideline .ll-markdown")
    assert annotator.locator("#settings-guideline textarea").count() == 0


@pytest.mark.exhaustive
def test_labels_are_edited_in_settings(people: Callable[..., Page], app: AppServer) -> None:
    with Workspace.open(app.workspace) as workspace:
        project = projects.create(workspace, "labelled").id
        labels.put(workspace, project, LabelSet().extended([f"L{n}" for n in range(12)]))
        added = documents.add(workspace, project, [Document("1", "张伟在北京。")], user="ann")
        annotations.save(workspace, added.ids[0], 0, [Span(0, 2, "L0")], user="ann")
    page = people()
    open_in(page, "labelled", "settings")
    table = page.locator("#settings-labels")
    table.locator("[data-row='1'] [data-field=name]").fill("L0")
    table.locator("[role=alert]").get_by_text("There is another label L0").wait_for()
    table.locator("[data-row='1'] [data-field=name]").fill("ORG")
    table.locator("[data-act=label_studio]").click()
    table.locator("[data-act=save]").click()
    page.locator("#settings-labels-message").get_by_text("12 labels are saved").wait_for()
    with Workspace.open(app.workspace) as workspace:
        saved = list(labels.get(workspace, project))
    assert [label.name for label in saved[:2]] == ["L0", "ORG"]
    assert "".join(label.hotkey for label in saved) == "1234567890qw"
    table.locator("[data-row='0'] .ll-labels-remove").click()
    table.locator("[data-act=save]").click()
    table.get_by_text("label 'L0' is on 1 span").wait_for()  # it stays until its span is dealt with
