"""The look asks no outside host for anything."""

import re

import pytest

from app.ui.window.theme import ACCENT, ASSETS, css_paths, theme

OUTSIDE = re.compile(r"https?://(?!www\.w3\.org)|@import|//[a-z]+\.[a-z]+/")


def test_the_theme_brings_no_web_fonts():
    assert theme()._stylesheets == []


def test_style_sheets_and_scripts_name_no_host():
    for path in [*css_paths(), *ASSETS.glob("*.js"), *(ASSETS / "scripts").rglob("*.js")]:
        code = "\n".join(
            line for line in path.read_text(encoding="utf-8").splitlines() if "//" not in line[:4]
        )
        assert OUTSIDE.search(code) is None, path.name


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_words_stand_out_from_paper_in_both_modes():
    css = (ASSETS / "app.css").read_text(encoding="utf-8")
    for mode in (":root {", "\n.dark {"):
        block = css.split(mode)[1].split("}")[0]
        colours = dict(re.findall(r"--ll-(\w[\w-]*): (#[0-9a-f]{6})", block))
        for ink in ("ink", "quiet", "accent", "warn", "bad", "good"):
            for ground in ("paper", "wash"):
                assert _contrast(colours[ink], colours[ground]) >= 4.5, (mode, ink, ground)


@pytest.mark.parametrize("mode", ["", "_dark"])
def test_fields_and_what_they_ask_for_stand_out_in_both_modes(mode):
    look = theme()
    field = getattr(look, f"input_background_fill{mode}")
    # WCAG 2.2: 1.4.3 for what is read, 1.4.11 for the edge of what is filled in or ticked.
    assert _contrast(getattr(look, f"input_placeholder_color{mode}"), field) >= 4.5
    for edge in ("input_border_color", "checkbox_border_color"):
        for ground in (field, getattr(look, f"background_fill_primary{mode}")):
            assert _contrast(getattr(look, f"{edge}{mode}"), ground) >= 3, edge


@pytest.mark.parametrize(("mode", "accent"), [("", ACCENT.c500), ("_dark", ACCENT.c400)])
def test_the_field_that_has_the_keys_wears_a_ring_that_is_seen(mode, accent):
    look = theme()
    ring = getattr(look, f"input_shadow_focus{mode}")
    assert ring.startswith("0 0 0 1px ")
    assert getattr(look, ring.rpartition("*")[2]) == accent
    assert _contrast(accent, getattr(look, f"background_fill_primary{mode}")) >= 3
