"""Runs the tests of the scripts under node; they stand beside this file."""

import os
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = sorted(HERE.glob("*.test.js"))


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
