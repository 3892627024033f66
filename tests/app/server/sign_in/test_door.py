"""Nothing is answered without a login, and what a login opens ends with it."""

import json
import re

import pytest
from starlette.websockets import WebSocketDisconnect

from app.server.sign_in.cookies import BROWSER
from app.services.identity.login_limit import ONE_NAME
from app.services.identity.logins import IDLE_SECONDS
from tests.app.server.sign_in.conftest import PASSWORD, log_in

INSIDE = ("/gradio_api/queue/join", "/gradio_api/queue/data", "/gradio_api/upload", "/config", "/healthz2",
          "/api/v1", "/assets/x.js", "/login/x", "/gradio_api/heartbeat/abc")  # fmt: skip


def test_without_a_login_only_the_login_page_and_what_is_listed_is_answered(site):
    browser = site.browser()
    for path in INSIDE:
        for answer in (browser.get(path), browser.post(path, content=b"x")):
            assert answer.status_code == 401, path
            assert answer.headers["x-latticelens-login"] == "needed"
            assert "Log in again" in answer.json()["detail"]
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect("/socket"):
        pass
    assert browser.get("/healthz").json() == {"user": None, "method": None}
    assert browser.get("/api/v1/projects").status_code == 200, "which asks for a token itself"
    page = browser.get("/")
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_with_a_login_everything_is_answered_in_its_name(site):
    browser = site.browser()
    assert log_in(browser, name=" 王 ").json() == {"success": True}
    for path in ("/", *INSIDE):
        assert browser.get(path).json() == {"user": "王", "method": "password"}, path
        assert browser.post(path).json()["user"] == "王", path
    with browser.websocket_connect("wss://ner.example.org/socket") as connected:
        assert connected.receive_json() == {"user": "王"}
    assert site.told() == [("signed_in", "王", "password", "王", "")]


def test_a_cookie_that_was_made_up_or_of_another_app_opens_nothing(site):
    hers = site.browser()
    log_in(hers)
    real = hers.cookies[site.cookies.login]
    for name, value in (
        (site.cookies.login, "x"), (site.cookies.login, ""), (site.cookies.login, real[:-1]),
        ("latticelens-login", real), (site.cookies.login, "字" * 500),
    ):  # fmt: skip
        header = [(b"cookie", f"{name}={value}".encode())]
        assert site.browser().get("/config", headers=header).status_code == 401
    assert real not in repr(vars(site.identity.logins)), "only its hash is kept"


def test_cookies_are_hidden_from_scripts_and_other_sites_and_stay_inside_tls(site):
    assert "set-cookie" not in log_in(site.browser(), "wrong").headers
    for base, secure in (("https://ner.example.org", True), ("http://ner.example.org", False)):
        given = log_in(site.browser(base)).headers.get_list("set-cookie")
        assert [cookie.split("=")[0] for cookie in given] == [site.cookies.login, BROWSER]
        for cookie in given:
            parts = {part.strip().lower() for part in cookie.split(";")}
            assert {"httponly", "samesite=lax", "path=/"} <= parts
            assert ("secure" in parts) == secure


def test_logging_out_ends_this_session_alone_and_no_link_does_it(site):
    browser, other = site.browser(), site.browser()
    log_in(browser)
    log_in(other)
    assert browser.get("/logout").status_code == 303
    assert browser.get("/config").status_code == 200
    cookie = {"cookie": f"{site.cookies.login}={browser.cookies[site.cookies.login]}"}
    browser.post("/logout")
    assert browser.get("/config").status_code == 401
    assert site.browser().get("/config", headers=cookie).status_code == 401, "not only forgotten here"
    assert other.get("/config").status_code == 200
    assert site.told()[-1][0] == "signed_out"


def test_an_idle_session_ends(site, clock):
    site.identity.logins._clock = clock
    browser = site.browser()
    log_in(browser)
    clock.now += IDLE_SECONDS - 1
    assert browser.get("/config").status_code == 200
    clock.now += IDLE_SECONDS + 1
    assert browser.get("/config").status_code == 401


def test_another_password_or_none_ends_the_sessions_wherever_it_was_changed(site, accounts):
    browser = site.browser()
    log_in(browser, name="王")
    accounts.put("王", "another good one")
    assert browser.get("/config").status_code == 401
    log_in(browser, "another good one", "王")
    accounts.remove("王")
    assert browser.get("/config").status_code == 401
    assert log_in(browser, "another good one", "王").status_code == 400


def test_a_one_time_password_is_changed_at_the_login(site, accounts):
    once = accounts.reset("王")
    browser = site.browser()
    asked = log_in(browser, once, "王")
    assert (asked.status_code, asked.json()["code"]) == (403, "one_time")
    assert browser.get("/config").status_code == 401
    for wrong, told in (("short", "8 to 1000"), (once, "had"), ("", "8 to 1000")):
        refused = log_in(browser, once, "王", new_password=wrong)
        assert refused.status_code == 400
        assert told in refused.json()["detail"]
    assert log_in(browser, once, "王", new_password="my own words").status_code == 200
    assert browser.get("/config").json()["user"] == "王"
    assert log_in(site.browser(), once, "王").status_code == 400
    assert ("password_changed", "王", "password", "王", "") in site.told()


def test_too_many_wrong_passwords_wait_before_they_are_checked(site, clock):
    browser = site.browser()
    for _ in range(ONE_NAME.free):
        assert log_in(browser, "wrong").status_code == 400
    refused = log_in(browser)
    assert (refused.status_code, refused.headers["retry-after"], refused.json()["seconds"]) == (429, "1", 1)
    assert "Try again in 1 second;" in refused.json()["detail"]
    told = log_in(site.browser(**{"Accept-Language": "zh-CN,zh;q=0.9"})).json()["detail"]
    assert "等待 1 秒" in told
    clock.now += 1
    assert log_in(browser).status_code == 200
    assert {event[4] for event in site.told() if event[0] == "sign_in_failed"} == {"password", "wait"}
    assert not [event for event in site.told() if PASSWORD in repr(event)]


def test_a_name_that_does_not_exist_is_answered_like_one_that_does(site):
    browser = site.browser()
    answers = {
        name: [(answer.status_code, answer.text) for answer in
               (log_in(browser, "wrong", name) for _ in range(ONE_NAME.free + 1))]
        for name in ("lin", "nobody")
    }  # fmt: skip
    assert answers["lin"] == answers["nobody"]


def test_an_attack_does_not_lock_out_a_known_browser_and_its_mark_is_signed(site):
    hers, strangers = site.browser(), site.browser()
    log_in(hers)
    for _ in range(50):
        log_in(strangers, "wrong")
    assert log_in(strangers).status_code == 429
    assert log_in(hers).status_code == 200
    for made_up in ("", ".", "x.y", "字", "a" * 5000, hers.cookies[BROWSER][:-1]):
        header = [(b"cookie", f"{BROWSER}={made_up}".encode())]
        form = {"username": "lin", "password": PASSWORD}
        assert site.browser().post("/login", data=form, headers=header).status_code == 429


@pytest.mark.parametrize(
    "form", [{}, {"username": "lin"}, {"password": PASSWORD}, {"username": "lin", "password": "x" * 5000}]
)
def test_a_form_that_lacks_something_is_wrong_and_no_fault(site, form):
    assert site.browser().post("/login", data=form).status_code == 400
    assert site.browser().post("/login", json={"username": "lin"}).status_code == 400
    assert site.browser().post("/login", data={"username": "x" * 20_000}).status_code == 413


def test_the_login_page_speaks_both_languages_and_names_nobody(site):
    page = site.browser(**{"Accept-Language": "zh-CN"}).get("/").text
    assert '<html lang="zh-CN"' in page
    assert ">登录</button>" in page
    assert page.count("<script") == page.count("</script>") == 2
    texts = json.loads(re.search(r'id="texts">(.*?)</script>', page)[1])
    assert texts["en"].keys() == texts["zh"].keys()
    assert not re.search(r"\{[a-z_]+\}", page.partition("<body>")[2].partition("<script")[0])
    assert "王" not in page


def test_an_operator_ends_the_sessions_of_others_and_nobody_else_does(site):
    hers, his = site.browser(), site.browser()
    log_in(hers)
    log_in(his, name="王")
    (of_lin,), (of_wang,) = site.identity.logins.of("lin"), site.identity.logins.of("王")
    with pytest.raises(Exception, match="Only an operator"):
        site.identity.end(of_lin.id, of_wang)
    site.identity.end(of_wang.id, of_lin)
    assert his.get("/config").status_code == 401
    assert hers.get("/config").status_code == 200
    assert site.told()[-1] == ("session_ended", "王", "password", "lin", "")
    with pytest.raises(Exception, match="ended already"):
        site.identity.end(of_wang.id, of_lin)


def test_a_listener_that_fails_keeps_nobody_out(site, caplog):
    def fail(event):
        raise RuntimeError("no space")

    site.identity.events.attach(fail)
    assert log_in(site.browser()).status_code == 200
    assert "was not recorded" in caplog.text
