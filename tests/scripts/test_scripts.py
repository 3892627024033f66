"""Runs the tests of the scripts under node; they stand beside this file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TESTS = sorted(HERE.glob("*.test.js"))
OLDEST = 18  # of Debian 12


@pytest.fixture(scope="session")
def node():
    """The program; without it, or with an older one, the test is skipped, but in CI that is a failure."""
    found = shutil.which("node") or shutil.which("nodejs")
    version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout if found else ""
    if found and int(re.match(r"v(\d+)", version)[1]) >= OLDEST:
        return found
    reason = (
        f"the scripts are tested with node {OLDEST} or newer, found {version.strip() or 'none'}; "
        "install Debian's package 'nodejs'"
    )
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def test_the_scripts_pass_their_tests(node):
    ran = subprocess.run(
        [node, "--test", "--test-reporter=tap", *map(str, TESTS)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=HERE,
        env={**os.environ, "TZ": "UTC", "LANG": "C.UTF-8"},
    )
    assert ran.returncode == 0, _failures(ran.stdout) or ran.stdout + ran.stderr
    passed = int(re.search(r"^# pass (\d+)$", ran.stdout, re.MULTILINE)[1])
    assert passed > 100
    assert re.search(r"^# skipped 0$", ran.stdout, re.MULTILINE)


def _failures(report: str) -> str:
    """What TAP says of the tests that failed: their names and the lines indented under them."""
    blocks = re.split(r"(?m)^(?=not ok |ok |# )", report)
    return "\n".join(block for block in blocks if block.startswith(("not ok", "# Error", "# SyntaxError")))
