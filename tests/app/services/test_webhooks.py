"""Webhooks are signed, sent to public addresses alone, and nothing waits for them."""

import hmac
import json

import httpx
import pytest

from app.services.addresses import address_of, resolved
from app.services.errors import AppError
from app.services.webhooks import SIGNATURE, Webhooks
from core.store.project import projects, webhooks
from core.store.run import runs

URL = "https://hooks.example/in?key=1"
PUBLIC = "93.184.216.34"


class Receiver:
    """Answers with these statuses, or raises these errors, in turn; keeps what it was sent."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer, headers={"Location": "http://127.0.0.1/"})


@pytest.fixture
def told(session, tmp_path):
    """``told(receiver)``: a run becomes active, and its delivery is attempted once."""
    hook = webhooks.make(session.workspace, session.project_id, URL, ("run.active",), user="lin")
    runs.register(session.workspace, session.project_id, "demo", "flat", tmp_path, {})

    def tell(receiver, addresses=(PUBLIC,), allowed=()):
        projects.set_active(session.workspace, session.project_id, "demo")
        sender = Webhooks(
            session.workspace, allowed, resolve=lambda host, port: list(addresses),
            transport=httpx.MockTransport(receiver),
        )  # fmt: skip
        assert sender.deliver() == 1
        (delivery,) = webhooks.deliveries(session.workspace, session.project_id)
        return hook, delivery

    return tell


def test_what_is_sent_is_signed_and_goes_to_the_address_that_was_checked(told, session):
    receiver = Receiver(204)
    hook, delivery = told(receiver)
    (request,) = receiver.requests
    assert str(request.url) == f"https://{PUBLIC}/in?key=1"
    assert request.headers["host"] == "hooks.example"
    assert request.extensions["sni_hostname"] == "hooks.example"
    expected = hmac.new(hook.secret.encode(), request.content, "sha256").hexdigest()
    assert request.headers[SIGNATURE] == f"sha256={expected}"
    body = json.loads(request.content)
    assert (body["kind"], body["run"], body["project"]) == ("run.active", "demo", session.project_id)
    assert (delivery.delivered, delivery.status) == (True, 204)


@pytest.mark.parametrize(
    ("answer", "status", "error"),
    [
        (500, 500, "refused"), (302, 302, "refused"), (httpx.ConnectTimeout("slow"), None, "timeout"),
        (httpx.ConnectError("no"), None, "unreachable"),
        (httpx.RemoteProtocolError("no"), None, "unreachable"),
    ],
)  # fmt: skip
def test_a_failure_is_kept_and_tried_again(told, answer, status, error):
    receiver = Receiver(answer)
    _, delivery = told(receiver)
    assert (delivery.status, delivery.error, delivery.attempts) == (status, error, 1)
    assert delivery.due is not None
    assert len(receiver.requests) == 1  # a redirect is not followed


PRIVATE = [
    "127.0.0.1", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "::1",
    "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1", "2002:7f00:1::", "224.0.0.1", "255.255.255.255",
    "no address",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_not_called_unless_the_operator_allows_the_host(told, address):
    receiver = Receiver(204)
    _, delivery = told(receiver, addresses=(PUBLIC, address))
    assert receiver.requests == []
    assert (delivery.delivered, delivery.error) == (False, "address")
    with pytest.raises(AppError, match="--webhook-host"):
        address_of(URL, resolve=lambda host, port: [address], flag="--webhook-host")
    allowed = address_of(URL, ["HOOKS.example"], lambda host, port: [address], flag="--webhook-host")
    assert allowed == ("hooks.example", 443, address)


@pytest.mark.parametrize(
    "url",
    [
        "", "hook", "ftp://hooks.example/", "file:///etc/passwd", "https://", "https://user:word@hooks.example/",
        "http://[::1", "https://hooks.example:99999/", "javascript:alert(1)", "//hooks.example/",
    ],
)  # fmt: skip
def test_what_is_no_web_address_is_refused(url):
    with pytest.raises(AppError, match="needs an address"):
        address_of(url, resolve=lambda host, port: [PUBLIC], flag="--webhook-host")


def test_a_host_without_an_address_is_refused():
    def fail(host, port):
        raise OSError("no such host")

    with pytest.raises(AppError, match="no address"):
        address_of(URL, resolve=fail, flag="--webhook-host")
    with pytest.raises(AppError, match="no address"):
        address_of(f"https://{'a' * 70}.example/", resolve=lambda host, port: [], flag="--webhook-host")


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "localhost", "127.0.0.1"])
def test_other_ways_to_write_this_machine_are_seen_through(host):
    with pytest.raises(AppError, match=r"webhook-host|no address"):
        address_of(f"http://{host}/", resolve=resolved, flag="--webhook-host")


def test_looking_returns_at_once_and_the_round_goes_on_in_the_background(session, tmp_path):
    webhooks.make(session.workspace, session.project_id, URL, ("run.active",), user="lin")
    runs.register(session.workspace, session.project_id, "demo", "flat", tmp_path, {})
    projects.set_active(session.workspace, session.project_id, "demo")
    receiver = Receiver(200)
    sender = Webhooks(
        session.workspace, resolve=lambda host, port: [PUBLIC], transport=httpx.MockTransport(receiver)
    )
    sender.look()
    assert session.workspace.background.finish("webhooks", 20)
    assert len(receiver.requests) == 1
    assert sender.deliver() == 0
