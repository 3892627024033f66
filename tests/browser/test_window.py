"""The window around the pages, as a person meets it: languages, themes, a phone, visitors of a demo."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_page import app_page, choose, come_again, new_project, turn_to
from tests.browser.app_server import AppServer
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Route

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

PAGES = ("data", "annotate", "train", "tag", "inspect", "compare", "ledger", "dictionary", "settings")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with AppServer(tmp_path_factory.mktemp("window") / "workspace") as server:
        yield server


def test_every_page_opens_without_asking_another_host_and_without_an_error(windows, app):
    with app_page(windows, app, alone=True) as page:
        assert page.get_attribute("#ll-tab-annotate-button", "aria-selected") == "true"
        for name in PAGES:
            turn_to(page, name)
            wait_until_idle(page)
        assert page.locator(".toast-body").count() == 0


@pytest.mark.parametrize("name", ["annotate", "data"])
def test_a_page_is_seen_as_soon_as_it_is_filled(person, name):
    """Not only when the time is over after which a slow answer is no longer waited for."""
    turn_to(person, name)
    person.add_init_script(
        "const later = setTimeout;"
        "window.setTimeout = (fn, ms, ...more) => ms === 1500 || later(fn, ms, ...more);"
    )
    come_again(person)
    person.wait_for_selector("html.ll-ready:not(.ll-filling)")
    assert person.locator(f"#ll-tab-{name}").is_visible()


@pytest.mark.exhaustive
def test_a_page_whose_contents_are_late_is_seen_but_cannot_be_used_before(person):
    """They would come over what was begun on it."""
    person.evaluate(
        """() => {
          const ask = window.fetch;
          window.fetch = async (...question) => {
            const joins = String(question[0]?.url ?? question[0]).includes("/queue/join");
            if (joins) await new Promise((go) => setTimeout(go, 4000));
            return ask(...question);
          };
        }"""
    )
    person.click("#ll-tab-train-button")
    person.wait_for_selector("html.ll-late")
    style = person.locator("#ll-tab-train").evaluate(
        "panel => [getComputedStyle(panel).pointerEvents, getComputedStyle(panel).opacity]"
    )
    assert style == ["none", "0.5"]
    assert person.get_attribute("#ll-pages", "aria-busy") == "true"
    person.click("#ll-tab-data-button")  # whoever does not want to wait goes elsewhere
    person.wait_for_selector("html.ll-filling")
    person.wait_for_selector("html.ll-late")
    person.wait_for_selector("html:not(.ll-late):not(.ll-filling)")
    events = person.locator("#ll-tab-data").evaluate("panel => getComputedStyle(panel).pointerEvents")
    assert events == "auto"
    assert person.get_attribute("#ll-pages", "aria-busy") is None


def test_a_move_reaches_the_page_last_asked_for_though_it_is_not_drawn_yet(person):
    """The answer to what that page asked before the move is dropped."""
    handed = person.evaluate(
        """() => {
          const at = latticelens.page, { language, token, project } = latticelens;
          const moved = [language, "me", token, project, "", "", "1"].join("|");
          latticelens.page = "data";
          const handed = latticelens.handOn(moved, ["annotate", "data"], "annotate");
          latticelens.page = at;
          return handed.map((one) => one ?? "");
        }"""
    )
    assert [bool(one) for one in handed] == [False, True]
    wait_until_idle(person)


def test_the_address_says_where_one_is_through_back_reload_and_a_link(windows, app):
    with app_page(windows, app, silent=False) as page:

        def stands(address):
            page.wait_for_function("address => decodeURIComponent(location.hash) === address", arg=address)

        stands("#annotate?project=1&document=1")
        page.locator(".lla-document").nth(3).click()
        stands("#annotate?project=1&document=4")
        page.locator(".lla-filters select").first.select_option("new")
        page.locator(".lla-filters input[type=search]").fill("北京")
        stands("#annotate?project=1&document=4&search=北京&status=new")
        turn_to(page, "train")
        stands("#train?project=1&run=demo")
        wait_until_idle(page)
        page.go_back()
        stands("#annotate?project=1&document=4&search=北京&status=new")
        page.wait_for_selector("#ll-tab-annotate .lla-desk", state="visible")
        come_again(page)
        page.wait_for_function("document.querySelector('.lla-filters input[type=search]')?.value === '北京'")
        assert page.locator(".lla-filters select").first.input_value() == "new"
        stands("#annotate?project=1&document=4&search=北京&status=new")
        wait_until_idle(page)
        page.evaluate("location.hash = '#annotate?project=1&document=7&order=random'")  # as a link does
        page.wait_for_function("document.querySelector('.lla-order-button').innerText.includes('random')")
        stands("#annotate?project=1&document=7&order=random")
        assert page.locator(".lla-filters input[type=search]").input_value() == ""
        page.go_back()
        stands("#annotate?project=1&document=4&search=北京&status=new")
        wait_until_idle(page)


def test_an_address_of_what_is_not_there_leads_to_what_is(windows, app):
    with app_page(windows, app, silent=False) as page:
        for asked, stands in {
            "#train?project=1&run=gone": "#train?project=1&run=demo",
            "#nowhere?project=1": "#annotate?project=1&document=1",
            "#annotate?project=77&document=9": "#annotate?project=1&document=1",
            "#annotate?project=1&document=99999&order=best&label=<u>": "#annotate?project=1&document=1",
            "#annotate?project=<b>&document=<i>&search=<u>": "#annotate?project=1&document=1",
        }.items():
            page.goto("about:blank")
            page.goto(app.url + asked)
            page.wait_for_selector("html.ll-ready", state="attached")
            page.wait_for_function("address => decodeURIComponent(location.hash) === address", arg=stands)


def test_the_language_changes_in_place_and_is_remembered(people):
    page = people(silent=False)
    turn_to(page, "tag")
    page.fill("#tag-text textarea", "half a sentence")
    page.click("#ll-language")
    page.wait_for_selector("#ll-tab-tag-button:has-text('预标注')")
    assert page.input_value("#tag-text textarea") == "half a sentence"
    page.wait_for_function("document.documentElement.lang === 'zh-CN'")
    come_again(page)
    page.wait_for_selector("#ll-tab-tag-button:has-text('预标注')")


def test_the_theme_changes_and_is_remembered(people):
    page = people(silent=False)
    before = page.evaluate("document.body.classList.contains('dark')")
    page.click("#ll-theme")
    assert page.evaluate("document.body.classList.contains('dark')") is not before
    come_again(page)
    page.wait_for_function(f"document.body.classList.contains('dark') === {str(not before).lower()}")


def test_the_bar_tells_device_and_tagger_and_says_when_the_app_is_gone(windows, app):
    with app_page(windows, app, silent=False) as page:
        page.wait_for_function("document.querySelector('.ll-status-device').innerText.startsWith('CPU')")
        assert page.inner_text(".ll-status-job-name") == "nothing running"
        app.stop()
        try:
            page.wait_for_selector(".ll-status-lost:has-text('The app does not respond')")
            told = page.locator(".ll-status-active")
            assert told.evaluate("one => one.scrollWidth <= one.clientWidth"), "the sentence is cut"
        finally:
            app.start()  # for the next test


def test_a_page_whose_session_is_gone_asks_for_a_reload(person):
    page = person
    wait_until_idle(page)
    page.evaluate(
        """() => {
          const box = document.querySelector("#ll-token textarea, #ll-token input");
          box.value = "of another time";
          box.dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    )
    turn_to(page, "data")
    page.wait_for_selector(".toast-body:has-text('Reload the page')")
    toast = page.locator(".toast-body")
    assert "Error" not in toast.inner_text()  # gradio's title has one language
    assert toast.locator(".toast-icon").is_visible()
    toast.locator(".toast-icon").click(force=True)
    assert toast.locator("[data-testid=toast-text]").first.is_visible()  # the sign does not fold it away
    toast.locator("[data-testid=toast-close]").click()
    toast.wait_for(state="detached")
    page.reload()
    turn_to(page, "data")
    page.wait_for_selector("#data-range:has-text('of')")


@pytest.mark.parametrize("how", ["refused", "cut"])
def test_what_is_asked_after_a_stream_of_answers_broke_is_answered(windows, app, how):
    """Gradio's client alone would wait for ever: it takes that stream for an open one."""
    with app_page(windows, app, silent=False) as page:
        wait_until_idle(page)
        half = 'data: {"msg": "process_sta'
        broken = []

        def break_once(route):
            broken.append(route)
            if len(broken) > 1:
                route.continue_()
            elif how == "refused":
                route.abort()
            else:
                route.fulfill(status=200, content_type="text/event-stream", body=half)

        page.route("**/queue/data*", break_once)
        turn_to(page, "data")
        page.wait_for_selector("#data-range:has-text('of')")
        if not broken:  # asked in a stream that was still open (see `COUNTING`), which that answer closed
            wait_until_idle(page)
            turn_to(page, "dictionary")
            page.wait_for_function("latticelens.filled.has('dictionary')")
        assert broken


def test_a_page_from_before_a_restart_asks_for_a_reload_or_gradio_reloads_it(windows, app):
    with app_page(windows, app, silent=False) as page:
        wait_until_idle(page)
        page.evaluate("window.fromBefore = true")
        app.stop()
        app.start()
        turn_to(page, "data")
        told = "[...document.querySelectorAll('.toast-body, #ll-left-empty-said')]"
        asks = f"{told}.some((one) => one.innerText.includes('Reload the page'))"
        page.wait_for_function(f"!window.fromBefore || {asks}")
        if page.evaluate("window.fromBefore"):
            page.reload()
        page.wait_for_selector("html.ll-ready", state="attached")
        turn_to(page, "data")
        page.wait_for_selector("#data-range:has-text('of')")


def test_that_the_connection_is_lost_is_said_in_the_language_of_the_page_until_it_is_back(windows, app):
    """Gradio has one English sentence for it, and no word that an app could translate."""
    with app_page(windows, app, silent=False, locale="zh-CN") as page:
        for place in ("data", "annotate"):  # their scripts are here
            turn_to(page, place)
            wait_until_idle(page)
        page.evaluate("window.fromBefore = true")
        app.stop()
        try:
            page.click("#ll-tab-data-button")
            page.wait_for_selector(".toast-body:has-text('与应用的连接已断开')")
        finally:
            app.start()
        page.wait_for_function("!window.fromBefore")  # reloaded by itself, as the sentence says
        page.wait_for_selector("html.ll-ready", state="attached")


def test_another_project_can_be_made_chosen_at_the_top_and_is_there_at_the_next_visit(person):
    page = person
    new_project(page, "second")
    turn_to(page, "data")
    page.wait_for_selector("text=This project has no documents yet")
    wait_until_idle(page)
    page.evaluate("sessionStorage.clear()")  # as if the tab had been closed
    come_again(page)
    page.wait_for_function("document.querySelector('#ll-project input')?.value === 'second'")
    turn_to(page, "data")
    page.wait_for_selector("text=This project has no documents yet")
    choose(page, "#ll-project", "Demo")
    page.wait_for_selector("#data-range:has-text('of')")


def test_a_document_that_opens_while_the_project_changes_is_not_shown_in_the_next(person):
    """It stood in the address of the next project, whose page then opened it."""
    page = person
    page.wait_for_selector(".lla-document")
    page.evaluate(
        """() => {
          const ask = window.fetch;
          window.fetch = async (...asked) => {
            const answer = await ask(...asked);
            if (!String(asked[1]?.body).includes("open_document") || window.held) return answer;
            window.held = true;
            await new Promise((go) => addEventListener("latticelens:moved", go, { once: true }));
            return answer;
          };
        }"""
    )
    page.locator(".lla-document").nth(2).click()
    page.wait_for_function("window.held")
    new_project(page, "meanwhile")
    assert "document" not in page.evaluate("location.hash")


def test_a_conflict_in_a_project_that_was_left_leads_back_to_its_document(windows, app, people):
    with app_page(windows, app, "ana", silent=False) as page:
        new_project(page, "elsewhere")
        choose(page, "#ll-project", "Demo")
        page.locator(".lla-document").nth(5).click()
        page.wait_for_function("location.hash.includes('document=6')")
        wait_until_idle(page)
        held: list[Route] = []

        def hold(route: Route) -> None:
            saves = "save_edit" in (route.request.post_data or "")
            held.append(route) if saves and not held else route.continue_()

        page.route("**/component_server/", hold)
        page.locator(".lla-text").press("d")
        other = people("bo")
        other.locator(".lla-document").nth(5).click()
        other.wait_for_function("location.hash.includes('document=6')")
        other.locator(".lla-text").press("d")
        wait_until_idle(other)
        choose(page, "#ll-project", "elsewhere")
        page.wait_for_selector("#ll-tab-annotate .lla-empty", state="visible")
        held[0].continue_()
        page.on("dialog", lambda dialog: dialog.accept())  # the edit is not saved yet
        page.locator("#annotate .lla-notices button", has_text="Resolve").click()
        page.wait_for_selector(".lla-conflict:visible")
        assert "project=1&document=6" in page.evaluate("location.hash")
        wait_until_idle(page)


def test_a_duplicated_tab_has_a_session_of_its_own_and_a_reloaded_one_keeps_its(windows, app):
    """Both had one: what was done in one tab was done in the project of the other."""
    with app_page(windows, app) as page:
        new_project(page, "here")
        token = page.evaluate("latticelens.token")
        come_again(page)
        page.wait_for_selector("html.ll-ready")
        assert page.evaluate("latticelens.token") == token
        wait_until_idle(page)
        other = page.context.new_page()
        other.add_init_script(f"sessionStorage.setItem('latticelens.token', {token!r})")
        other.goto(page.url)
        other.wait_for_selector("html.ll-ready")
        assert other.evaluate("latticelens.token") not in ("", token)
        assert other.input_value("#ll-project input") == "here"
        choose(other, "#ll-project", "Demo")
        other.wait_for_selector("#ll-tab-annotate .lla-desk", state="visible")
        turn_to(page, "data")
        page.wait_for_selector("text=This project has no documents yet")
        assert page.input_value("#ll-project input") == "here"
        other.close()


def test_nothing_of_one_project_is_shown_in_the_next(person):
    page = person
    turn_to(page, "tag")
    page.fill("#tag-text textarea", "周敏在青岛工作。")
    page.click("#tag-go")
    page.wait_for_selector("#tag-sentences .lla-text:not(:empty)")
    turn_to(page, "data")
    wait_until_idle(page)
    page.fill("#data-search textarea, #data-search input", "no such words")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=No matching documents")
    new_project(page, "third")
    turn_to(page, "data")
    page.wait_for_selector("text=This project has no documents yet")
    assert page.input_value("#data-search textarea, #data-search input") == ""
    turn_to(page, "tag")
    page.wait_for_selector("#tag-empty", state="visible")
    assert not page.is_visible("#tag-result")
    choose(page, "#ll-project", "Demo")
    page.wait_for_selector("#tag-page", state="visible")
    wait_until_idle(page)
    assert not page.is_visible("#tag-result")


def test_the_tags_of_a_long_paste_are_drawn_without_styling_the_whole_page_for_each_row(person):
    page = person
    turn_to(page, "tag")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", "\n".join(["周敏在青岛工作。" * 5] * 9000))
    page.focus("#tag-text textarea")
    page.keyboard.press("Control+V")
    page.wait_for_function("document.querySelector('#tag-text textarea').value.length > 350_000")
    page.fill("#tag-text textarea", "\n".join(["周敏在青岛工作。"] * 60))
    page.context.browser.start_tracing(page=page, categories=["devtools.timeline"])
    page.click("#tag-go")
    page.wait_for_function("document.querySelectorAll('#tag-sentences .lla-bar').length >= 50")
    wait_until_idle(page)
    events = json.loads(page.context.browser.stop_tracing())["traceEvents"]
    styled = sum(
        event["args"]["elementCount"]
        for event in events
        if event["name"] == "UpdateLayoutTree" and event["ph"] == "X"
    )
    assert styled < 8 * page.evaluate("document.querySelectorAll('*').length")  # it was once for every row


def test_visitors_of_a_demo_share_nothing_and_a_reload_keeps_ones_own(windows, tmp_path):
    with (
        AppServer(tmp_path / "workspace", "--demo") as app,
        app_page(windows, app, silent=False) as mine,
    ):
        mine.wait_for_selector("#ll-banner:has-text('your own copy')")
        new_project(mine, "my secret project")
        come_again(mine)
        mine.wait_for_function("document.querySelector('#ll-project input')?.value === 'my secret project'")
        with app_page(windows, app) as theirs:
            theirs.click("#ll-project input")
            theirs.wait_for_selector("#ll-project [role=option]:has-text('Demo')")
            assert theirs.locator("#ll-project [role=option]").count() == 1
