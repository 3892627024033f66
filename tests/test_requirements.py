"""requirements*.txt and pyproject.toml say the same; a hosted Space reads only requirements.txt."""

import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - Python 3.10 has no tomllib; pytest itself brings tomli there
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _lines(name: str) -> list[str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def test_runtime_requirements_agree() -> None:
    shown_at_once = [
        line for extra in ("fast", "inspect", "zh", "lac") for line in PROJECT["optional-dependencies"][extra]
    ]
    assert _lines("requirements.txt") == PROJECT["dependencies"] + shown_at_once


def test_development_requirements_agree() -> None:
    development = PROJECT["optional-dependencies"]["dev"]
    assert _lines("requirements-dev.txt") == ["-r requirements.txt", *development]


def test_requirements_install_without_the_repository_around_them() -> None:
    for line in _lines("requirements.txt"):
        assert not line.startswith(("-", ".", "/")), f"{line!r} needs the repository or another file"
        assert "://" not in line


@pytest.mark.parametrize(("package", "bound"), [("torch", ">=2.8,<2.14"), ("gradio", ">=6.31,<7")])
def test_bounds_the_project_promises(package: str, bound: str) -> None:
    assert f"{package}{bound}" in _lines("requirements.txt")


def test_every_dependency_earns_its_line_in_contributing() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    optional = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    for line in PROJECT["dependencies"] + optional:
        name = re.match(r"[A-Za-z0-9_-]+", line)
        assert name is not None
        assert f"`{name[0]}`" in contributing, f"CONTRIBUTING.md does not say why {name[0]} is needed"
