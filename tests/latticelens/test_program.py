"""``latticelens``: the commands under its own name, and the app behind one more word."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from app.server import options
from core import __version__
from core.cli import main as run_command
from latticelens.cli import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("door", [main, run_command, lambda flags: main(["app", *flags]), options.parse])
def test_every_door_tells_the_version(door, capsys):
    with pytest.raises(SystemExit) as stop:
        door(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"LatticeLens {__version__}\n"


def test_its_help_names_itself_and_the_app(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    assert said.startswith("usage: latticelens ")
    assert "latticelens app opens the workbench" in said


def test_errors_begin_with_its_name(tmp_path, capsys):
    assert main(["workspace", "--workspace", str(tmp_path), "list"]) == 2
    assert capsys.readouterr().err.startswith("latticelens workspace: there is no workspace in")
    with pytest.raises(SystemExit) as stop:
        main(["dance"])
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith("latticelens: ")


def test_the_app_is_given_its_flags(tmp_path, monkeypatch):
    from app.server import run

    given = []
    monkeypatch.setattr(run, "run", lambda asked: given.append(asked) or 7)
    assert main(["app", "--no-browser", "--port", "7999", "--workspace", str(tmp_path)]) == 7
    assert (given[0].port, given[0].browser, given[0].workspace) == (7999, False, tmp_path)


def test_a_wrong_flag_of_the_app_is_one_line_of_help(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["app", "--dance"])
    assert stop.value.code == 2
    assert "latticelens app: error:" in capsys.readouterr().err


def test_the_module_runs_as_the_program(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["latticelens", "--version"])
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("latticelens", run_name="__main__")
    assert stop.value.code == 0
    assert __version__ in capsys.readouterr().out


def test_importing_the_package_loads_no_torch_and_no_app():
    heavy = ("torch", "transformers", "gradio", "app")
    code = f"import sys, latticelens; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
