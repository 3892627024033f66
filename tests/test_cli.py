"""``python -m core`` as a whole: help everywhere, quick, documented, and one line when it says no."""

import argparse
import io
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from core import cli
from core.commands import doctor
from core.commands.terminal.errors import CommandError
from core.commands.terminal.progress_line import ProgressLine, duration
from core.corpus.errors import DiskFullError
from core.runtime.message import ToldValueError
from core.taggers.base.config_fields import config_fields
from core.taggers.base.registry import available, by_name

ROOT = Path(__file__).resolve().parents[1]


def parsers(parser: argparse.ArgumentParser, name: str = "") -> dict[str, argparse.ArgumentParser]:
    """Every command and action by its words."""
    found = {name: parser}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                found.update(parsers(inner, f"{name} {word}".strip()))
    return found


ALL = parsers(cli._parser())


def test_every_command_of_the_list_is_there():
    assert set(cli.COMMANDS) == {name for name in ALL if name and " " not in name}
    assert set(cli.COMMANDS) == {
        "train",
        "tag",
        "suggest",
        "evaluate",
        "convert",
        "doctor",
        "lexicon",
        "distant",
        "workspace",
        "user",
        "bilm",
        "recipe",
        "probe",
        "curve",
        "ensemble",
        "distil",
        "self-train",
        "best",
        "agree",
        "distant-train",
        "mlm",
        "vectors",
        "simulate",
        "similar",
        "key-sentences",
        "export-model",
        "push",
    }


def test_help_works_everywhere_and_every_flag_says_what_it_does(capsys):
    for name, parser in ALL.items():
        with pytest.raises(SystemExit) as stop:
            cli.main([*name.split(), "--help"])
        assert stop.value.code == 0, name
        assert "usage: python -m core" in capsys.readouterr().out, name
        for action in parser._actions:
            assert action.help or isinstance(action, argparse._SubParsersAction), f"{name} {action.dest}"


@pytest.mark.parametrize("command", ["train", "distant-train"])
@pytest.mark.parametrize("name", available())
def test_help_behind_a_tagger_lists_every_option_of_it(command, name, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main([command, "--tagger", name, "--help"])
    assert stop.value.code == 0
    told = capsys.readouterr().out
    assert "--epochs N" in told
    options = " ".join(told.partition(f"options of {name} (")[2].split())
    for field in config_fields(by_name(name).Config):
        assert f"{field.name}={field.default} {field.help} ({field.allowed})" in options


def test_help_without_a_tagger_says_how_to_list_options_and_a_wrong_one_is_refused(capsys):
    with pytest.raises(SystemExit):
        cli.main(["train", "--help"])
    told = capsys.readouterr().out
    assert "--tagger NAME --help lists the options of a tagger; flat is the default" in told
    with pytest.raises(SystemExit) as stop:
        cli.main(["train", "--tagger", "nosuch", "--help"])
    assert stop.value.code == 2
    assert "no tagger 'nosuch'" in capsys.readouterr().err


def test_every_command_and_flag_is_documented():
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    by_command = {section.split("\n", 1)[0].strip("` "): section for section in sections}
    for name, parser in ALL.items():
        if not name:
            continue
        section = by_command[name.split()[0]]
        assert name in section
        for action in parser._actions:
            for flag in action.option_strings:
                if flag not in ("-h", "--help"):
                    assert f"`{flag}" in section, f"docs/cli.md: {name} {flag} is missing"


def test_the_page_documents_no_flag_that_does_not_exist():
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    known = {flag for parser in ALL.values() for action in parser._actions for flag in action.option_strings}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page)) <= known


@pytest.mark.parametrize("arguments", [[], ["trian"], ["train"], ["tag", "--modle", "x"]])
def test_no_command_and_a_wrong_command_are_one_line(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert "--help" in captured.err


def test_the_package_is_a_command():
    command = [sys.executable, "-m", "core", "lexicon", "check", "no such file"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("core lexicon: ")
    assert len(answer.stderr.splitlines()) == 1


def test_help_does_not_wait_for_torch():
    check = "import sys; from core.cli import _parser; _parser(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT, timeout=60).returncode == 0


def test_an_error_of_several_lines_is_told_in_one():
    error = CommandError("first\n  second")
    assert str(error) == "first second"
    assert error.status == 2


def test_an_error_of_any_room_is_told_in_one_line(monkeypatch, capsys):
    for error, status in ((ToldValueError("{n}\n  rows", n=3), 2), (DiskFullError(Path("a/rows.txt")), 1)):
        monkeypatch.setattr(doctor, "run", Mock(side_effect=error))
        assert cli.main(["doctor", "a file"]) == status
        assert capsys.readouterr().err == f"core doctor: {' '.join(str(error).split())}\n"


def test_progress_is_rewritten_on_a_terminal_and_rare_elsewhere(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    line = ProgressLine()
    line.show("Working", 0.5, 65)
    line.show("W", 1, None)
    line.say("Done")
    written = sys.stderr.getvalue()
    assert "\rWorking: 50%, 1:05 min left" in written
    assert written.endswith("\rDone\n")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    plain = ProgressLine()
    for number in range(100):
        plain.show("Working", number / 100, None)
    assert sys.stderr.getvalue() == ""


def test_durations_are_read_at_a_glance():
    assert [duration(value) for value in (0.4, 59.4, 60, 3599, 3600, 7325)] == [
        "0 s",
        "59 s",
        "1:00 min",
        "59:59 min",
        "1:00 h",
        "2:02 h",
    ]
