"""Every answer says who may show it in a frame: the app itself, named hosts, and around a demo a Space's."""

import pytest

from app.server.cookies import SafeCookies
from app.server.framing import FrameAncestors, frame_ancestors
from app.server.gradio_patches.gradio_files import GradioFiles
from app.server.gradio_patches.kept_page import KeptPage
from app.server.gradio_patches.stale_events import StaleEvents
from app.server.odd_requests import OddRequests
from app.server.one_page import OnePage
from app.server.options import parse
from app.server.origin import SameOrigin
from app.server.run import _guard
from tests.app.server.asgi import messages

POLICY = b"content-security-policy"


async def answered(scope, receive, send):
    own = [(POLICY, b"default-src 'none'")] if scope["path"] == "/file" else []
    await send({"type": "http.response.start", "status": 200, "headers": own})
    await send({"type": "http.response.body", "body": b"all documents"})


def policies(*flags, path="/", host="127.0.0.1"):
    """Status and policies of an answer of the app started with these flags."""
    app = answered
    for guard in reversed(_guard(parse(list(flags)))):
        app = guard.cls(app, *guard.args, **guard.kwargs)
    scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"host", host.encode())]}
    sent = messages(app, scope)
    return sent[0]["status"], [value.decode() for name, value in sent[0]["headers"] if name == POLICY]


def test_no_other_site_shows_the_app_in_a_frame():
    assert policies() == (200, ["frame-ancestors 'self'"])
    assert policies("--host", "0.0.0.0") == (200, ["frame-ancestors 'self'"])
    assert policies("--share") == (200, ["frame-ancestors 'self'"])


def test_what_refuses_other_sites_may_not_be_framed_either():
    assert policies(host="evil.example") == (403, ["frame-ancestors 'self'"])


def test_an_answer_with_a_policy_of_its_own_keeps_it():
    assert policies(path="/file") == (200, ["default-src 'none'", "frame-ancestors 'self'"])


def test_a_demo_is_shown_in_the_pages_of_a_spaces_host_and_in_no_others():
    (policy,) = policies("--demo")[1]
    assert policy.split() == [
        "frame-ancestors", "'self'", "https://huggingface.co", "https://*.huggingface.co",
    ]  # fmt: skip


def test_a_space_starts_with_that_policy_without_any_flag(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "somebody/latticelens")
    assert "https://huggingface.co" in policies()[1][0].split()


def test_hosts_named_at_the_start_may_frame_it():
    (policy,) = policies("--allow-host", "NER.example.org", "--allow-host", "portal", host="portal")[1]
    assert policy == "frame-ancestors 'self' ner.example.org:* portal:*"
    assert "portal:*" in policies("--demo", "--allow-host", "portal")[1][0].split()


def test_a_name_that_the_policy_has_no_word_for_is_left_out_of_it():
    assert frame_ancestors(["my_app", "::1", "a.example"]) == "frame-ancestors 'self' a.example:*"


def test_other_traffic_than_http_passes_untouched():
    async def lifespan(scope, receive, send):
        await send({"type": "lifespan.startup.complete"})

    guarded = FrameAncestors(lifespan, "frame-ancestors 'self'")
    assert messages(guarded, {"type": "lifespan"}) == [{"type": "lifespan.startup.complete"}]


@pytest.mark.parametrize(
    "name",
    ["a.example; script-src *", "*", "https://a.example", "a.example:80", "a b", "", "a\r\nb", "ä.example"],
)
def test_an_invalid_host_name_ends_the_start_with_help(name, capsys):
    with pytest.raises(SystemExit):
        parse(["--allow-host", name])
    assert "a host's name alone, as ner.example.org" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ner.example.org", "localhost", "my_app", "10.0.0.7", "::1"])
def test_names_and_addresses_are_taken(name):
    assert parse(["--allow-host", name]).allow_host == (name,)


def test_refusals_carry_the_policy_too():
    assert [guard.cls for guard in _guard(parse([]))] == [
        FrameAncestors,
        SameOrigin,
        OnePage,
        SafeCookies,
        OddRequests,
        StaleEvents,
        GradioFiles,
        KeptPage,
    ]
