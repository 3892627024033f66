"""``.ci/run`` fails with any of its parts, and shows what each of them said."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUB = """#!/bin/sh
echo "{name} said this"
exit {status}
"""
MAKES_A_VENV = """#!/bin/sh
mkdir -p .venv-ci/bin
: > .venv-ci/bin/activate
"""


def ci(folder: Path, **statuses: int) -> subprocess.CompletedProcess[str]:
    """Run it in a folder where every program that it calls only ends with a status."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
    shutil.copy(ROOT / "requirements.txt", folder)
    programs = folder / "bin"
    programs.mkdir()
    for name in ("chromium", "node", "pip", "ruff", "mypy", "python"):
        (programs / name).write_text(STUB.format(name=name, status=statuses.get(name, 0)))
    (programs / "fc-list").write_text("#!/bin/sh\necho Noto Sans CJK\n")
    (programs / "python3").write_text(MAKES_A_VENV)
    for program in programs.iterdir():
        program.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [folder / ".ci/run"], env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("part", ["pip", "ruff", "mypy", "python"])
def test_it_fails_with_each_part(tmp_path, part):
    run = ci(tmp_path, **{part: 3})
    assert run.returncode == 3
    assert f"{part} said this" in run.stdout


def test_it_passes_where_all_do_and_shows_types_after_the_tests(tmp_path):
    run = ci(tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-2:] == ["python said this", "mypy said this"]
