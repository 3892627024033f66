"""Colour scales of heat maps: probabilities, and changes of them."""

from __future__ import annotations

from typing import Any

from app.i18n import Language, _, text
from app.ui.figures.template import ACCENT, SECOND


def probability_scale(language: Language) -> dict[str, Any]:
    """How a heatmap of probabilities is drawn."""
    return {
        "colorscale": "Viridis",
        "zmin": 0.0,
        "zmax": 1.0,
        "colorbar": {"title": {"text": text(_("probability"), language)}},
    }


def change_scale(language: Language) -> dict[str, Any]:
    """How a heatmap of differences is drawn: blue rose, orange fell, the page shows where nothing changed."""
    scale = [[0.0, SECOND], [0.5, "rgba(128, 136, 150, 0.12)"], [1.0, ACCENT]]
    bar = {"title": {"text": text(_("change of probability"), language)}}
    return {"colorscale": scale, "zmin": -1.0, "zmax": 1.0, "colorbar": bar}
