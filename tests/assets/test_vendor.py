"""Scripts of others are those that were published, and their licences stand beside them."""

import hashlib
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[2] / "assets" / "vendor"
# Of dist/*.min.js in the packages that npm has.
PUBLISHED = {
    "d3-5.7.0.min.js": "bdad5585ef9a965ff25458738309b006058c55f2c78d794d25fbecae35014609",
    "jquery-3.7.1.min.js": "fc9a93dd241f6b045cbff0481cf4e1901becd0e12fb45166a8f17f95823f0b1a",
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_it_is_the_published_file_with_its_licence(name):
    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == PUBLISHED[name]
    licence = (VENDOR / f"{name.split('-')[0]}-LICENSE.txt").read_text("utf-8")
    assert "Copyright" in licence
    assert name in (VENDOR / "README.md").read_text("utf-8")


def test_nothing_else_is_there():
    assert {path.name for path in VENDOR.glob("*.js")} == set(PUBLISHED)
