"""The flags of launch.py and its file of users."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.server.options import AuthFileError, parse, read_auth_file


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


def test_users_are_checked_by_name_and_password(tmp_path):
    file = tmp_path / "users"
    file.write_text("# staff\n\nlin:a:b c\n王:密码\n", encoding="utf-8")
    check = read_auth_file(file)
    assert check("lin", "a:b c")
    assert check("王", "密码")
    assert not check("lin", "a")
    assert not check("nobody", "")
    assert not check("", "")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("lin:x\nbad\n", "line 2: write user:password"),
        (":x\n", "line 1"),
        ("lin:\n", "line 1"),
        ("lin:a\nlin:b\n", "line 2: user 'lin' is listed twice"),
        ("# nobody\n", "lists no user"),
        ("", "lists no user"),
    ],
)
def test_a_bad_file_of_users_is_refused_by_line(tmp_path, content, reason):
    file = tmp_path / "users"
    file.write_text(content)
    with pytest.raises(AuthFileError, match=reason):
        read_auth_file(file)


def test_a_missing_or_binary_file_of_users_is_refused(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name in ("missing", "binary"):
        with pytest.raises(AuthFileError, match="cannot be read"):
            read_auth_file(tmp_path / name)


@pytest.mark.parametrize(
    "flags",
    [
        ["--auth", "users"],
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
    options = parse([])
    assert (options.demo, options.host, options.port, options.browser) == (True, "0.0.0.0", 7860, False)
    monkeypatch.delenv("SPACE_ID")
    assert (parse([]).demo, parse([]).host) == (False, "127.0.0.1")
