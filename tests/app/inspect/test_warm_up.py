"""The first look that nobody sees."""

from __future__ import annotations

import pytest

from app.inspect import warm_up
from core.store.run import runs


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(warm_up, "UNDISTURBED_SECONDS", 0.0)


def test_the_tagger_is_loaded_and_the_session_keeps_nothing(session, page):
    begun = warm_up.begin(session, page.panels, "flat-0001")
    begun.wait(60)
    assert session.workbench.taggers.is_loaded("flat-0001")
    assert session.memory == {}


def test_every_panel_of_the_run_is_drawn_once(session, page, monkeypatch):
    drawn = []

    def noting(panel):
        draw = panel.draw

        def noted(*given):
            drawn.append(panel.NAME)
            return draw(*given)

        return noted

    for panel, _ in page.panels:
        monkeypatch.setattr(panel, "draw", noting(panel))
    warm_up.begin(session, page.panels, "flat-0001").wait(60)
    assert drawn == ["why", "lattice", "crf", "attention", "distances", "what_if"]


def test_a_loaded_tagger_is_not_looked_through_again(session, page):
    with session.workbench.taggers.tagger(session.project_id, "flat-0001"):
        pass
    assert warm_up.begin(session, page.panels, "flat-0001") is None


def test_a_run_without_a_model_is_left_to_whoever_looks(session, page, tmp_path):
    runs.register(session.workspace, session.project_id, "gone", "flat", tmp_path / "nowhere", {})
    warm_up.begin(session, page.panels, "gone").wait(60)
    assert not session.workbench.taggers.is_loaded("gone")
    again = warm_up.begin(session, page.panels, "flat-0001")  # the one that failed holds nothing
    again.wait(60)
    assert session.workbench.taggers.is_loaded("flat-0001")
