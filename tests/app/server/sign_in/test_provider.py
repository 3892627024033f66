"""Sign-in with OpenID Connect against a stand-in: who may come in does, and no lie opens anything."""

from urllib.parse import parse_qs, urlsplit

import pytest

from app.server.sign_in.provider import COOKIE, MOST_BEGUN, WAIT_SECONDS, Provider
from app.server.sign_in.provider_settings import ProviderSettings
from app.services.identity.identity import Identity
from tests.app.server.sign_in.conftest import Site
from tests.app.server.sign_in.stand_in import CLIENT, ISSUER, SECRET, StandIn


@pytest.fixture
def service():
    return StandIn()


def opened(service, identity=None, taken=None, **settings):
    """A site whose only, or other, way in is the service."""
    given = {"anybody": True} if not settings else {}
    settings = ProviderSettings(ISSUER, CLIENT, SECRET, **{**given, **settings})
    take = (
        (lambda user, groups: taken.append((user, groups)))
        if taken is not None
        else (lambda user, groups: None)
    )

    def provider(site):
        made = Provider(settings, site.identity, site.cookies, site.page, take)
        made._client.client_kwargs["transport"] = service.transport
        return made

    return Site(identity or Identity(provider=settings.shown), provider=provider)


def signs_in(browser, service, change=None):
    """The answer to what a browser brings back."""
    leaving = browser.get("/oidc/login")
    assert leaving.status_code == 302, leaving.text
    brought = service.authorize(leaving.headers["location"])
    return browser.get("/oidc/callback", params={**brought, **(change or {})})


def test_a_person_of_the_service_comes_in(service):
    site = opened(service)
    browser = site.browser()
    assert ">Log in with id.example.org</a>" in browser.get("/").text
    leaving = browser.get("/oidc/login")
    asked = {name: value for name, (value,) in parse_qs(urlsplit(leaving.headers["location"]).query).items()}
    assert asked["redirect_uri"] == "https://ner.example.org/oidc/callback"
    assert (asked["response_type"], asked["code_challenge_method"], asked["client_id"]) == (
        "code",
        "S256",
        CLIENT,
    )
    assert len(asked["state"]) >= 20
    assert len(asked["nonce"]) >= 20
    assert SECRET not in leaving.headers["location"]
    held = leaving.headers["set-cookie"].lower()
    assert all(
        part in held for part in (COOKIE, "httponly", "samesite=lax", "secure", f"max-age={WAIT_SECONDS}")
    )
    answer = browser.get("/oidc/callback", params=service.authorize(leaving.headers["location"]))
    assert (answer.status_code, answer.headers["location"]) == (303, "../")
    assert all("httponly" in cookie.lower() for cookie in answer.headers.get_list("set-cookie"))
    assert browser.get("/config").json() == {"user": "lin", "method": "provider"}
    assert site.told() == [("signed_in", "lin", "provider", "lin", "")]


LIES = [
    ({"signed": "foreign"}, "a key of somebody else"),
    ({"signed": "changed"}, "another name after signing"),
    ({"signed": "none"}, "no signature"),
    ({"signed": "HS256"}, "the public key as a secret"),
    ({"claims": {"nonce": "another"}}, "the nonce of another sign-in"),
    ({"claims": {"nonce": None}}, "no nonce"),
    ({"claims": {"exp": 1_000_000_000}}, "expired"),
    ({"claims": {"exp": None}}, "never expires"),
    ({"claims": {"iss": "https://evil.example"}}, "of another service"),
    ({"claims": {"aud": "another"}}, "for another app"),
    ({"claims": {"aud": "another", "azp": CLIENT}}, "for another app, by this one"),
    ({"claims": {"sub": None}}, "of nobody"),
    ({"token": {"id_token": None}}, "no id token"),
    ({"token": {"id_token": "x.y.z"}}, "no token at all"),
]


@pytest.mark.parametrize("lie", [lie for lie, _ in LIES], ids=[why for _, why in LIES])
def test_an_answer_that_is_not_valid_opens_nothing(service, lie):
    service.lies = lie
    site = opened(service)
    browser = site.browser()
    answer = signs_in(browser, service)
    assert answer.status_code == 400
    assert "The sign-in was not completed" in answer.text
    assert site.cookies.login not in browser.cookies
    assert browser.get("/config").status_code == 401
    assert [event[0] for event in site.told()] == ["sign_in_failed"]


def test_state_is_of_this_browser_and_of_one_sign_in(service):
    site = opened(service)
    hers, his = site.browser(), site.browser()
    assert signs_in(hers, service, {"state": "another"}).status_code == 400
    brought = service.authorize(hers.get("/oidc/login").headers["location"])
    his.get("/oidc/login")
    assert his.get("/oidc/callback", params=brought).status_code == 400, "begun in another browser"
    assert site.browser().get("/oidc/callback", params=brought).status_code == 400, "begun in none"
    assert hers.get("/oidc/callback", params=brought).status_code == 303
    again = {"cookie": f"{COOKIE}={hers.cookies.get(COOKIE, '')}"}
    assert hers.get("/oidc/callback", params=brought, headers=again).status_code == 400, "replayed"
    for nothing in (
        {},
        {"code": "x"},
        {"state": "x"},
        {"error": "access_denied", "error_description": "<b>no"},
    ):
        refused = site.browser().get("/oidc/callback", params=nothing)
        assert refused.status_code == 400
        assert "<b>no" not in refused.text


def test_a_sign_in_that_took_too_long_or_that_nobody_ended_is_forgotten(service, clock, monkeypatch):
    monkeypatch.setattr("app.server.sign_in.provider.time.monotonic", clock)
    site = opened(service)
    browser = site.browser()
    brought = service.authorize(browser.get("/oidc/login").headers["location"])
    clock.now += WAIT_SECONDS + 1
    assert browser.get("/oidc/callback", params=brought).status_code == 400
    monkeypatch.setattr("app.server.sign_in.provider.MOST_BEGUN", 3)
    for _ in range(5):
        site.browser().get("/oidc/login")
    assert len(site.provider._begun) == 3 < MOST_BEGUN


@pytest.mark.parametrize(
    "lie",
    [{"down": True}, {"status": 500}, {"status": 200}, {"discovery": {"issuer": "https://evil.example"}},
     {"discovery": {"authorization_endpoint": None}}],
    ids=["down", "broken", "no json", "another issuer", "no endpoint"],
)  # fmt: skip
def test_a_service_that_does_not_answer_is_said_with_the_way_out_and_asked_again(service, lie):
    service.lies = lie
    site = opened(service)
    answer = site.browser().get("/oidc/login")
    assert answer.status_code == 502
    assert "The sign-in service does not answer" in answer.text
    assert 'href="../oidc/login"' in answer.text, "to try again"
    if "discovery" not in lie:
        service.lies = {}
        assert signs_in(site.browser(), service).status_code == 303


def test_a_service_that_fails_between_is_said(service):
    site = opened(service)
    browser = site.browser()
    brought = service.authorize(browser.get("/oidc/login").headers["location"])
    service.lies = {"down": True}
    assert browser.get("/oidc/callback", params=brought).status_code == 502


@pytest.mark.parametrize(
    ("settings", "person", "comes_in"),
    [
        ({"domains": ("example.org",)}, {}, True),
        ({"domains": ("example.org",)}, {"email_verified": False}, False),
        ({"domains": ("example.org",)}, {"email_verified": "true"}, False),
        ({"domains": ("example.org",)}, {"email": "lin@example.org.evil"}, False),
        ({"domains": ("example.org",)}, {"email": "lin@sub.example.org"}, False),
        ({"people": ("ana", "lin")}, {}, True),
        ({"people": ("Lin", "lin2")}, {}, False),
        ({"groups": ("staff",)}, {}, True),
        ({"groups": ("staff",)}, {"groups": "staff"}, True),
        ({"groups": ("staff",)}, {"groups": ["Staff", 7]}, False),
        ({"groups": ("staff",)}, {"groups": {"staff": True}}, False),
        ({"operators": ("staff",)}, {}, True),
    ],
)
def test_only_admitted_people_come_in(service, settings, person, comes_in):
    service.person |= person
    site = opened(service, **settings)
    answer = signs_in(site.browser(), service)
    assert answer.status_code == (303 if comes_in else 403)
    assert ("lin may not use this server" in answer.text) == (not comes_in)
    assert site.told()[-1][0] == ("signed_in" if comes_in else "sign_in_failed")
    if comes_in:
        (login,) = site.identity.logins.of("lin")
        assert site.identity.is_operator(login) == ("operators" in settings)


@pytest.mark.parametrize("name", [None, "", "  ", 7, "x" * 500, "a\u202eb", ["lin"]])
def test_a_person_without_a_usable_name_does_not_come_in(service, name):
    service.lies = {"claims": {"preferred_username": name}}
    answer = signs_in(opened(service).browser(), service)
    assert answer.status_code == 403
    assert "did not say your name (preferred_username)" in answer.text


def test_a_name_from_the_email_must_be_verified(service):
    by_email = {"name_claim": "email", "anybody": True}
    site = opened(service, **by_email)
    signs_in(site.browser(), service)
    assert site.told()[-1][:2] == ("signed_in", "lin@example.org")
    service.person["email_verified"] = False
    assert signs_in(opened(service, **by_email).browser(), service).status_code == 403


def test_nobody_takes_the_name_of_somebody_with_a_password(service, accounts):
    site = opened(service, Identity(accounts, provider="id"))
    answer = signs_in(site.browser(), service)
    assert answer.status_code == 403
    assert "The name lin has a password here" in answer.text


def test_what_the_token_leaves_out_is_asked_for_and_must_be_of_the_same_person(service):
    del service.person["groups"]
    service.more = {"groups": ["staff"], "preferred_username": "root"}
    taken = []
    assert signs_in(opened(service, taken=taken, groups=("staff",)).browser(), service).status_code == 303
    assert taken == [("lin", {"staff"})], "and the token counts more"
    service.more["sub"] = "8"
    assert signs_in(opened(service, groups=("staff",)).browser(), service).status_code == 400


def test_the_address_to_come_back_to_can_be_given(service):
    site = opened(service, anybody=True, public_url="https://portal.example.org/ner/")
    location = site.browser("http://10.0.0.1:7860").get("/oidc/login").headers["location"]
    assert parse_qs(urlsplit(location).query)["redirect_uri"] == [
        "https://portal.example.org/ner/oidc/callback"
    ]


def test_in_a_demo_everybody_is_in_and_who_signs_in_has_a_name(service):
    site = opened(service, Identity(optional=True, provider="Hugging Face"))
    browser = site.browser()
    assert browser.get("/config").json() == {"user": None, "method": None}
    assert signs_in(browser, service).status_code == 303
    assert browser.get("/config").json()["user"] == "lin"
    browser.post("/logout")
    assert browser.get("/config").json()["user"] is None
