"""Fixtures that several rooms share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of measuring data beside the checkout; tests that need it are skipped without it."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip(f"the measuring data is not beside this checkout ({folder} does not exist)")
    return folder
