"""What pages of other web sites ask is refused; the app's own page, links and programs are answered."""

import logging

import pytest

from app.server.options import parse
from app.server.origin import SameOrigin, is_loopback
from app.server.run import _guard
from tests import own_loop
from tests.app.server.asgi import messages

HERE = "127.0.0.1:7860"


async def answered(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"all documents"})


def asked(headers, method="POST", **options):
    """Status and body of what the app answers to a request with these headers."""
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": "/", "headers": raw}
    sent = messages(SameOrigin(answered, **options), scope)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent).decode()


@pytest.mark.parametrize(
    "headers",
    [
        {"host": HERE, "origin": f"http://{HERE}"},
        {"host": HERE, "origin": f"http://{HERE}", "sec-fetch-site": "same-origin"},
        {"host": "localhost:7860", "origin": "http://localhost:7860"},
        {"host": "[::1]:7860", "origin": "http://[::1]:7860"},
        {"host": HERE},  # no browser: the tests, a script of one's own
        {"host": HERE, "sec-fetch-site": "none", "sec-fetch-mode": "navigate"},  # typed into the address bar
    ],
)
def test_same_origin_and_programs_are_allowed(headers):
    assert asked(headers, only_here=True) == (200, "all documents")


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize(
    "foreign",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": ""},
        {"origin": f"http://{HERE}0"},  # another port is another page
        {"origin": "https://evil.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {"origin": "http://127.0.0.1:3000", "sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
    ],
)
def test_pages_of_other_sites_are_refused(foreign, method):
    status, body = asked({"host": HERE, **foreign}, method)
    assert status == 403
    assert "documents" not in body


def test_cross_site_links_open_the_app_and_cross_site_forms_do_nothing():
    link = {"host": HERE, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert asked(link, "GET")[0] == 200
    assert asked({**link, "origin": "https://evil.example"}, "POST")[0] == 403


@pytest.mark.parametrize("host", ["evil.example:7860", "127.0.0.1.evil.example", "0.0.0.0:7860", "[", ""])
def test_a_name_made_to_point_here_is_no_name_of_an_app_that_listens_here_alone(host):
    rebound = {"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}
    assert asked(rebound, only_here=True)[0] == 403
    assert asked(rebound, "GET", only_here=True)[0] == 403


def test_a_proxy_is_allowed_by_its_name_in_both_places_and_the_refusal_says_how():
    through = {"host": "ner.example.org", "origin": "https://ner.example.org"}
    status, body = asked(through, only_here=True)
    assert status == 403
    assert "“ner.example.org”" in body
    assert body.count("--allow-host") == 2, "in English and in Chinese"
    assert asked(through, only_here=True, names=["NER.example.org"])[0] == 200
    # A proxy that calls the app by its address: without https, only its name tells whose page it is.
    renamed = {"host": HERE, "origin": "http://ner.example.org"}
    assert asked(renamed, only_here=True)[0] == 403
    assert asked(renamed, only_here=True, names=["ner.example.org"])[0] == 200


def test_a_name_in_a_refusal_is_text_that_nothing_runs():
    status, body = asked({"host": "<img src=x onerror=alert(1)>"}, only_here=True)
    assert status == 403
    assert "Content-Type" not in body
    assert len(body) < 1000


def test_a_flood_of_refusals_does_not_fill_the_log(caplog):
    guard = SameOrigin(answered, only_here=True)

    async def ignore(message=None):
        return {}

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"evil.example")]}
    with caplog.at_level(logging.WARNING):
        for _ in range(50):
            own_loop.run(guard(scope, ignore, ignore))
    assert 0 < len(caplog.records) < 50


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("a.localhost", True),
        ("0.0.0.0", False), ("192.168.1.5", False), ("localhost.evil.example", False), ("", False),
    ],
)  # fmt: skip
def test_which_names_mean_this_machine(host, loopback):
    assert is_loopback(host) == loopback


def test_the_host_name_is_checked_on_localhost_and_not_in_a_public_demo():
    def guard_of(*flags):
        return {guard.cls: guard.kwargs for guard in _guard(parse(list(flags)))}

    def only_here(*flags):
        return guard_of(*flags)[SameOrigin]["only_here"]

    assert only_here()
    assert only_here("--host", "localhost")
    assert not only_here("--host", "0.0.0.0")
    assert not only_here("--share")
    assert SameOrigin not in guard_of("--demo")
    named = guard_of("--allow-host", "a.example", "--allow-host", "b.example")
    assert named[SameOrigin]["names"] == ("a.example", "b.example")
