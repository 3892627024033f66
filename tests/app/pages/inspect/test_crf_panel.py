"""The crf panel of the Inspect page."""

from __future__ import annotations

from app.pages.inspect import crf


def test_every_picture_of_the_crf_can_be_chosen(session, look):
    look()
    for panel in ("emissions", "marginals", "transitions"):
        assert crf.draw_panel(session, panel).data
