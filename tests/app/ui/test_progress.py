"""The progress bar."""

import pytest

from app.ui.progress import bar


@pytest.mark.parametrize(
    ("fraction", "width"), [(0, "0.00"), (0.5, "50.00"), (1, "100.00"), (7, "100.00"), (-1, "0.00")]
)
def test_the_bar_is_as_wide_as_what_is_done_and_never_wider(fraction, width):
    assert f"width:{width}%" in bar(fraction, "x")


def test_texts_are_escaped():
    drawn = bar(0.1, "<img src=x onerror=alert(1)>", "<b>")
    assert "<img" not in drawn
    assert "<b>" not in drawn
    assert "&lt;img" in drawn
