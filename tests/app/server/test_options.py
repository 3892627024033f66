"""The flags of launch.py and who they let in."""

from pathlib import Path

import pytest

from app.server.options import parse


def test_without_flags_the_app_is_for_its_owner_alone():
    options = parse([])
    assert (options.host, options.port, options.share, options.demo) == ("127.0.0.1", None, False, False)
    assert (options.device, options.browser, options.auth) == ("auto", True, None)
    assert options.workspace.name == "latticelens"


def test_every_flag_is_taken():
    options = parse(
        [
            "--workspace",
            "w",
            "--host",
            "0.0.0.0",
            "--port",
            "80",
            "--share",
            "--auth",
            "f",
            "--device",
            "cpu",
            "--demo",
            "--no-browser",
        ]
    )
    assert options.workspace == Path("w")
    assert (options.host, options.port, options.share) == ("0.0.0.0", 80, True)
    assert (options.auth, options.device, options.demo, options.browser) == (Path("f"), "cpu", True, False)


@pytest.mark.parametrize(
    "flags", [["--port", "0"], ["--port", "65536"], ["--port", "x"], ["--device", "tpu"], ["--nope"]]
)
def test_a_bad_flag_ends_with_help(flags, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(flags)
    assert ended.value.code == 2
    assert flags[0] in capsys.readouterr().err


PROXY = ["--trust-header", "X-Forwarded-User", "--trust-from"]
OIDC = ["--oidc", "https://id.example.org"]


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setenv("OAUTH_CLIENT_ID", "lens")
    monkeypatch.setenv("OAUTH_CLIENT_SECRET", "hush")


def test_a_proxy_is_named_with_its_addresses():
    header = parse([*PROXY, "10.0.0.7, 10.1.0.0/16,::1"]).trust_header
    assert header.name == "X-Forwarded-User"
    assert [str(network) for network in header.networks] == ["10.0.0.7/32", "10.1.0.0/16", "::1/128"]


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (PROXY[:2], "go together"),
        ([*PROXY[2:], "10.0.0.7"], "go together"),
        ([*PROXY, "0.0.0.0/0"], "every address"),
        ([*PROXY, "proxy.example.org"], "addresses or networks"),
        ([*PROXY, "10.0.0.7", "--share"], "--share"),
        (["--trust-header", "X User", "--trust-from", "::1"], "a header's name alone"),
        (OIDC, "who may come in"),
        (["--oidc", "http://id.example.org", "--oidc-anybody"], "begins with https://"),
        ([*OIDC, "--oidc-group", "staff=People"], "GROUP=PROJECT:ROLE"),
        ([*OIDC, "--oidc-group", "staff=People:king"], "GROUP=PROJECT:ROLE"),
    ],
)
def test_a_door_that_would_stand_open_is_refused(flags, told, capsys, client):
    with pytest.raises(SystemExit):
        parse(flags)
    assert told in capsys.readouterr().err


def test_a_sign_in_service_needs_a_client_from_the_environment(capsys, monkeypatch, client):
    given = parse(
        [*OIDC, "--oidc-domain", "@Example.org", "--oidc-group", "a=b=My: Project:reviewer"]
    ).provider
    assert (given.client_id, given.client_secret, given.domains) == ("lens", "hush", ("example.org",))
    assert [(one.group, one.project, one.role) for one in given.roles] == [("a", "b=My: Project", "reviewer")]
    assert "hush" not in repr(given)
    monkeypatch.delenv("OAUTH_CLIENT_SECRET")
    with pytest.raises(SystemExit):
        parse([*OIDC, "--oidc-anybody"])
    assert "OAUTH_CLIENT_SECRET" in capsys.readouterr().err


def test_on_a_space_signing_in_is_offered_where_the_space_has_it(monkeypatch, client):
    for name, value in (
        ("SPACE_ID", "somebody/latticelens"),
        ("OPENID_PROVIDER_URL", "https://huggingface.co"),
        ("SPACE_HOST", "somebody-latticelens.hf.space"),
    ):
        monkeypatch.setenv(name, value)
    options = parse([])
    assert (options.demo, options.has_login, options.provider.shown) == (True, False, "Hugging Face")
    assert options.provider.public_url == "https://somebody-latticelens.hf.space"
    assert options.provider.anybody
    monkeypatch.delenv("OAUTH_CLIENT_ID")
    assert parse([]).provider is None


@pytest.mark.parametrize(
    "flags",
    [
        ["--auth", "users"],
        [*PROXY, "10.0.0.7"],
        ["--share"],
        ["--demo"],
        ["--host", "0.0.0.0"],
        ["--host", "192.168.0.7"],
        ["--allow-host", "ner.example.org"],
    ],
)
def test_others_reach_the_app_by_any_of_these(flags):
    assert parse(flags).others_reach_it
    for alone in ([], ["--host", "localhost"], ["--host", "::1"], ["--host", "127.0.0.2"]):
        assert not parse(alone).others_reach_it


def test_allowed_folders_are_real_and_there(tmp_path, capsys):
    (tmp_path / "models").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "models")
    given = parse(["--allow-path", str(tmp_path / "link"), "--allow-path", str(tmp_path)])
    assert given.allow_path == ((tmp_path / "models").resolve(), tmp_path.resolve())
    (tmp_path / "file").touch()
    for wrong, reason in (
        (tmp_path / "file", "no folder"),
        (tmp_path / "none", "no folder"),
        ("/", "every file"),
    ):
        with pytest.raises(SystemExit):
            parse(["--allow-path", str(wrong)])
        assert reason in capsys.readouterr().err


def test_a_space_starts_the_demo_where_its_host_says(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "somebody/latticelens")
    monkeypatch.setenv("GRADIO_SERVER_NAME", "0.0.0.0")
    monkeypatch.delenv("GRADIO_SERVER_PORT", raising=False)
    monkeypatch.setenv("PORT", "7861")
    options = parse([])
    assert (options.demo, options.host, options.port, options.browser) == (True, "0.0.0.0", 7861, False)
    monkeypatch.setenv("GRADIO_SERVER_PORT", "7862")
    monkeypatch.setenv("LATTICELENS_FLAGS", "--snapshot-every 5m")
    assert (parse([]).port, parse([]).snapshot_every) == (7862, 300.0)
    assert parse([]).space.duplicate_address == (
        "https://huggingface.co/spaces/somebody/latticelens?duplicate=true"
    )
    monkeypatch.delenv("SPACE_ID")
    assert (parse([]).demo, parse([]).host, parse([]).space) == (False, "127.0.0.1", None)


@pytest.mark.parametrize("name", ["javascript:alert(1)", "a/b?x=1", 'a/"><script>', "a/../b", "a", "../x/y"])
def test_a_space_whose_name_is_none_has_no_page_to_duplicate_it(monkeypatch, name):
    monkeypatch.setenv("SPACE_ID", name)
    assert parse([]).space.duplicate_address == ""


def test_a_space_with_storage_keeps_the_work_for_those_who_sign_in(monkeypatch, tmp_path, client):
    monkeypatch.setenv("SPACE_ID", "somebody/latticelens")
    monkeypatch.setenv("SPACE_HOST", "somebody-latticelens.hf.space")
    monkeypatch.setenv("OPENID_PROVIDER_URL", "https://huggingface.co")
    monkeypatch.setattr("app.server.space.DATA", tmp_path)
    assert parse([]).demo, "a folder of the Space's own disk is no storage"
    monkeypatch.setattr("os.path.ismount", lambda path: str(path) == str(tmp_path))
    options = parse([])
    assert (options.demo, options.has_login) == (False, True)
    assert options.workspace == tmp_path / "latticelens"
    assert options.provider.people == ("somebody",)
    assert not options.provider.anybody
    assert options.allow_host == ("somebody-latticelens.hf.space",)
    assert parse(["--oidc-person", "ada"]).provider.people == ("ada",)
    assert parse(["--demo"]).demo
    monkeypatch.delenv("OAUTH_CLIENT_ID")
    assert parse([]).demo, "nobody would have to sign in"
