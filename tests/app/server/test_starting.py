"""While the app starts, its address says so; then the port is the app's."""

import socket

import httpx
import pytest

from app.server.starting import starting_page


@pytest.fixture
def port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def get(port, path="/", method="GET", **headers):
    with httpx.Client(trust_env=False) as client:
        return client.request(method, f"http://127.0.0.1:{port}{path}", headers=headers)


def test_the_page_says_it_in_the_persons_language_and_all_else_is_told_to_come_again(port):
    with starting_page("127.0.0.1", port):
        page = get(port, "/?x=1", **{"Accept-Language": "en-GB,en"})
        assert page.status_code == 200
        assert "Starting." in page.text
        assert "location.reload()" in page.text
        assert "script-src 'unsafe-inline'" in page.headers["content-security-policy"]
        assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
        assert page.headers["cache-control"] == "no-store"
        chinese = get(port, "/", **{"Accept-Language": "zh-CN"}).text
        assert '<html lang="zh-CN">' in chinese
        assert "Starting." not in chinese
        for method, path in (("GET", "/readyz"), ("POST", "/gradio_api/queue/join"), ("GET", "//etc/passwd")):
            refused = get(port, path, method)
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
        assert get(port, "/", "HEAD").content == b""


def test_the_port_is_free_again_when_the_app_takes_it_though_somebody_still_holds_a_line(port):
    with starting_page("127.0.0.1", port) as free_the_port, socket.create_connection(("127.0.0.1", port)):
        get(port)
        free_the_port()
        free_the_port()
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", port))


def test_where_another_program_has_the_port_the_app_will_say_so(port):
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        with starting_page("127.0.0.1", port) as free_the_port:
            free_the_port()
