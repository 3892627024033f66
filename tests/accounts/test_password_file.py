"""The file of accounts: hashed, replaced as a whole, for its owner alone, read again when changed."""

import os
import stat

import argon2
import pytest

from core.accounts.password_file import AccountError, PasswordFile, hash_plain_lines
from core.accounts.passwords import PasswordError, Passwords, one_time_password

CHEAP = {"time_cost": 1, "memory_cost": 8, "parallelism": 1}
PASSWORD = "correct horse"


def passwords(**costs):
    return Passwords(argon2.PasswordHasher(**{**CHEAP, **costs}))


@pytest.fixture
def file(tmp_path):
    made = PasswordFile(tmp_path / "users", passwords(), create=True)
    made.put("lin", PASSWORD)
    return made


def test_a_password_is_stored_as_argon2id_and_nowhere_in_plain(file):
    text = file.path.read_text()
    assert text.startswith("lin:$argon2id$v=19$m=8,t=1,p=1$")
    assert PASSWORD not in text
    hashed = text.strip().partition(":")[2]
    assert argon2.PasswordHasher().verify(hashed, PASSWORD), "any other implementation reads it"
    assert file.check("lin", PASSWORD).name == "lin"
    assert [file.check(*pair) for pair in (("lin", "wrong"), ("nobody", PASSWORD), ("", ""))] == [None] * 3


def test_only_the_owner_may_read_the_file_and_a_link_stays_one(file, tmp_path):
    os.chmod(file.path, 0o644)
    link = tmp_path / "link"
    link.symlink_to(file.path)
    PasswordFile(link, passwords()).put("王", "另一个密码很长的")
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert link.is_symlink()
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".new")] == []
    assert [account.name for account in file.all()] == ["lin", "王"], "read again, as the file has changed"


def test_comments_and_marks_survive_a_change(file):
    file.path.write_text("# the team\n\n" + file.path.read_text().strip() + ":operator\n")
    file.put("lin", "another one", one_time=True)
    lines = file.path.read_text().splitlines()
    assert lines[:2] == ["# the team", ""]
    assert lines[2].endswith(":operator,one-time")
    file.put("lin", "yet another", operator=False)
    assert file.path.read_text().splitlines()[2].count(":") == 1


def test_a_hash_is_made_anew_when_the_parameters_have_risen(file):
    risen = PasswordFile(file.path, passwords(time_cost=2))
    assert risen.check("lin", "wrong") is None
    assert "t=1" in file.path.read_text()
    assert risen.check("lin", PASSWORD) is not None
    assert "t=2" in file.path.read_text()
    before = file.path.read_text()
    assert risen.check("lin", PASSWORD) is not None
    assert file.path.read_text() == before


def test_a_file_that_cannot_be_written_still_lets_people_in(file, monkeypatch):
    risen = PasswordFile(file.path, passwords(time_cost=2))
    monkeypatch.setattr("core.accounts.password_file.replacing", refuse)
    assert risen.check("lin", PASSWORD) is not None
    with pytest.raises(OSError, match="read-only"):
        risen.put("lin", "another one")
    assert "t=1" in file.path.read_text()


def refuse(path):
    raise OSError(30, "read-only")


def test_plain_passwords_are_refused_with_the_way_out_and_hashed_by_it(tmp_path):
    path = tmp_path / "users"
    path.write_text("# team\nlin:se:cret\n王: 对\n")
    with pytest.raises(AccountError, match=r"line 2: .*plain text; “python -m core user FILE hash”"):
        PasswordFile(path, passwords())
    assert hash_plain_lines(path, passwords()) == ["lin", "王"]
    file = PasswordFile(path, passwords())
    assert file.check("lin", "se:cret")
    assert file.check("王", " 对")
    assert hash_plain_lines(path, passwords()) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "lists nobody"),
        ("# only this\n", "lists nobody"),
        ("lin\n", "line 1: write NAME:HASH"),
        (":$argon2id$x\n", "line 1: write NAME:HASH"),
        ("lin:$argon2id$x:king\n", "line 1: write NAME:HASH"),
        ("lin:$argon2id$x\nlin:$argon2id$y\n", "line 2: this name is listed twice"),
    ],
)
def test_a_wrong_file_is_refused_by_line(tmp_path, content, reason):
    (tmp_path / "users").write_text(content)
    with pytest.raises(AccountError, match=reason):
        PasswordFile(tmp_path / "users", passwords())


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for name in ("missing", "bytes", "."):
        with pytest.raises(AccountError, match="cannot be read"):
            PasswordFile(tmp_path / name, passwords())


def test_a_file_that_breaks_while_the_app_runs_changes_nothing(file, caplog):
    text = file.path.read_text()
    file.path.write_text("lin\n")
    assert file.check("lin", PASSWORD)
    assert file.check("lin", PASSWORD)
    assert len([record for record in caplog.records if "kept as they were" in record.message]) == 1
    file.path.write_text(text.replace("lin", "lina"))
    assert (file.get("lin"), file.get("lina").name) == (None, "lina")


@pytest.mark.parametrize("name", ["", " ", "a:b", "#a", "a\x00b", "x" * 101, None, 7])
def test_a_name_that_would_break_the_file_is_refused(file, name):
    with pytest.raises(AccountError):
        file.put(name, PASSWORD)


@pytest.mark.parametrize("password", ["short", "", "x" * 1001, "aaaaaaaaaaaa", None, 12345678])
def test_a_password_that_cannot_be_one_is_refused(file, password):
    with pytest.raises(PasswordError):
        file.put("lin", password)
    with pytest.raises(PasswordError, match="easy to guess"):
        file.put("lin.zhang", "Lin.Zhang")
    assert file.check("lin", PASSWORD)


def test_the_last_person_is_not_removed(file):
    with pytest.raises(AccountError, match="lists nobody"):
        file.remove("lin")
    file.put("wang", PASSWORD)
    file.remove("lin")
    assert [account.name for account in file.all()] == ["wang"]
    for act in (file.remove, file.reset):
        with pytest.raises(AccountError, match="no account nobody"):
            act("nobody")


def test_composed_and_decomposed_letters_are_one_password(file):
    file.put("lin", "Café-straße")
    assert file.check("lin", "Cafe\u0301-straße")
    assert file.check("lin", "\ud800 half a character") is None


def test_one_time_passwords_differ_and_are_marked(file):
    assert len({one_time_password() for _ in range(50)}) == 50
    password = file.reset("lin")
    account = file.check("lin", password)
    assert account.one_time
    assert file.check("lin", PASSWORD) is None
