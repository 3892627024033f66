"""A name in a header is believed from the proxy alone, and refused aloud from anybody else."""

from ipaddress import ip_network

import pytest
from starlette.websockets import WebSocketDisconnect

from app.server.sign_in.trusted_header import HeaderRefused, TrustedHeader
from app.services.identity.identity import Identity
from tests.app.server.sign_in.conftest import Site, log_in

HEADER = "X-Forwarded-User"
PROXY, STRANGER = ("10.0.0.7", 4711), ("10.0.0.8", 4711)


def trusting(identity):
    networks = (ip_network("10.0.0.7"), ip_network("fd00::/64"))
    return Site(identity, TrustedHeader(HEADER, networks))


@pytest.fixture
def proxied():
    return trusting(Identity(proxy=True))


def test_whom_the_proxy_names_is_in(proxied):
    for client in (PROXY, ("::ffff:10.0.0.7", 1), ("fd00::5", 1)):
        for name in ("lin", "王芳", "a b"):
            browser = proxied.browser(client=client)
            header = [(HEADER.encode(), name.encode())]
            for path in ("/", "/gradio_api/queue/data", "/gradio_api/upload"):
                assert browser.get(path, headers=header).json() == {"user": name, "method": "proxy"}
    with proxied.browser(client=PROXY).websocket_connect("/socket", headers={HEADER: "lin"}) as connected:
        assert connected.receive_json() == {"user": "lin"}


def test_from_anybody_else_the_header_is_refused_on_every_path(proxied):
    for client in (STRANGER, ("127.0.0.1", 1), ("fd01::5", 1), ("testclient", 1)):
        browser = proxied.browser(client=client)
        for path in (
            "/",
            "/gradio_api/upload",
            "/gradio_api/queue/data",
            "/api/v1/projects",
            "/healthz",
            "/login",
        ):
            for answer in (
                browser.get(path, headers={HEADER: "lin"}),
                browser.post(path, headers={HEADER: "lin"}),
            ):
                assert answer.status_code == 403, path
                assert HEADER in answer.text
        with (
            pytest.raises(WebSocketDisconnect),
            browser.websocket_connect("/socket", headers={HEADER: "lin"}),
        ):
            pass


def test_forwarded_addresses_do_not_make_a_stranger_the_proxy(proxied):
    forged = {
        HEADER: "lin",
        "X-Forwarded-For": "10.0.0.7",
        "Forwarded": "for=10.0.0.7",
        "X-Real-IP": "10.0.0.7",
    }
    assert proxied.browser(client=STRANGER).get("/config", headers=forged).status_code == 403


@pytest.mark.parametrize("value", [b"", b"  ", b"\xff\xfe", b"x" * 500, b"a\x01b", b"a\xe2\x80\xaeb"])
def test_no_name_is_refused(value):
    scope = {"type": "http", "client": PROXY, "headers": [(HEADER.lower().encode(), value)]}
    with pytest.raises(HeaderRefused, match="no usable name"):
        TrustedHeader(HEADER, (ip_network("10.0.0.7"),)).user(scope)


def test_two_names_are_refused(proxied):
    twice = [(HEADER.encode(), b"lin"), (HEADER.lower().encode(), b"wang")]
    assert proxied.browser(client=PROXY).get("/config", headers=twice).status_code == 403


def test_who_comes_round_the_proxy_is_told_where_to_go(proxied):
    for client in (PROXY, STRANGER):
        page = proxied.browser(client=client).get("/")
        assert page.status_code == 403
        assert "through the proxy of your organisation" in page.text
        assert 'action="./login" hidden' in page.text
        assert proxied.browser(client=client).get("/config").status_code == 403
        assert proxied.browser(client=client).get("/healthz").status_code == 200


def test_beside_a_proxy_people_may_have_passwords(accounts):
    site = trusting(Identity(accounts, proxy=True))
    browser = site.browser(client=STRANGER)
    assert browser.get("/").status_code == 200
    assert log_in(browser).status_code == 200
    assert browser.get("/config").json() == {"user": "lin", "method": "password"}
    assert browser.get("/config", headers={HEADER: "wang"}).status_code == 403
