"""``python -m core user`` edits the file of accounts; passwords never stand on the command line."""

import io
import json

import argon2
import pytest

from core.accounts.password_file import PasswordFile
from core.cli import main


@pytest.fixture
def ask(tmp_path, capsys, monkeypatch):
    """Runs an action on the file with lines of input; gives status, output and error."""
    monkeypatch.setattr("core.accounts.passwords.PasswordHasher", lambda: CHEAP)

    def run(*action, typed=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        status = main(["user", str(tmp_path / "users"), *action])
        said = capsys.readouterr()
        return status, json.loads(said.out) if said.out else None, said.err

    run.file = tmp_path / "users"
    return run


CHEAP = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def test_people_are_added_changed_listed_and_removed(ask):
    assert ask("put", "lin", "--operator", typed="a good one\n")[:2] == (
        0,
        {"name": "lin", "operator": True, "one_time_password": False},
    )
    made = ask("put", "wang", "--one-time")[1]
    assert PasswordFile(ask.file).check("wang", made["one_time_password"]).one_time
    assert ask("put", "lin", typed="another one\n")[1]["operator"], "stays one"
    assert ask("operator", "lin", "--remove")[1]["operator"] is False
    assert [user["name"] for user in ask("list")[1]["users"]] == ["lin", "wang"]
    assert ask("remove", "wang")[1] == {"removed": "wang"}
    assert "good" not in ask.file.read_text()


def test_what_cannot_be_is_said_in_one_line(ask):
    for action, typed, told in (
        (("list",), "", "cannot be read"),
        (("put", "lin"), "short\n", "8 to 1000 characters"),
        (("put", "lin"), "", "8 to 1000 characters"),
        (("put", "a:b"), "long enough\n", "no “:” among them"),
        (("hash",), "", "cannot be read"),
    ):
        status, out, error = ask(*action, typed=typed)
        assert (status, out) == (2, None)
        assert told in error
        assert "Traceback" not in error
    assert not ask.file.exists()


def test_a_person_types_it_twice_unseen(ask, monkeypatch):
    typed = iter(["long enough", "long enough", "long enough", "long enouhg"])
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(typed))

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("io.StringIO", Terminal)
    assert ask("put", "lin")[0] == 0
    status, _, error = ask("put", "lin")
    assert (status, "differ" in error) == (2, True)


def test_plain_lines_are_hashed(ask):
    ask.file.write_text("lin:secret\n")
    assert ask("list")[0] == 2
    assert ask("hash")[1] == {"hashed": ["lin"]}
    assert PasswordFile(ask.file).check("lin", "secret")
