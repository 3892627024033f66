"""The direction of a text, as a browser finds it for ``dir="auto"``; the scripts take the same cases."""

import json
from pathlib import Path

import pytest

from core.text.direction import runs_left

CASES = Path(__file__).parents[1] / "scripts" / "direction.json"


@pytest.mark.parametrize(("text", "leftwards"), json.loads(CASES.read_text(encoding="utf-8")))
def test_the_first_letter_decides(text, leftwards):
    assert runs_left(text) is leftwards
