"""The theme: one accent, system fonts, a 4 px grid; colours are in assets/app.css."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

ASSETS = Path(__file__).resolve().parents[3] / "assets"

ACCENT = gr.themes.Color(
    name="lattice",
    c50="#eef6f8",
    c100="#d7eaee",
    c200="#b0d5dd",
    c300="#7fbac7",
    c400="#4a9bac",
    c500="#2a7f92",
    c600="#1f6779",
    c700="#1b5463",
    c800="#184452",
    c900="#153945",
    c950="#0b232b",
)

# System fonts only: the stock theme would ask for web fonts.
FONT = ("system-ui", "-apple-system", "Segoe UI", "Noto Sans CJK SC", "PingFang SC", "sans-serif")
MONO = ("ui-monospace", "SFMono-Regular", "Consolas", "monospace")


def theme() -> gr.themes.Base:
    """The gradio theme for ``launch``."""
    base = gr.themes.Base(
        primary_hue=ACCENT,
        secondary_hue=ACCENT,
        neutral_hue=gr.themes.colors.slate,
        text_size=gr.themes.sizes.text_md,
        spacing_size=gr.themes.sizes.spacing_md,
        radius_size=gr.themes.sizes.radius_sm,
        font=[gr.themes.Font(name) for name in FONT],
        font_mono=[gr.themes.Font(name) for name in MONO],
    )
    return base.set(
        body_background_fill="#ffffff",
        body_background_fill_dark="#12181c",
        body_text_color="#1c262c",
        body_text_color_dark="#e4eaed",
        body_text_color_subdued="#55646d",
        body_text_color_subdued_dark="#9fb0b9",
        background_fill_primary="#ffffff",
        background_fill_primary_dark="#12181c",
        background_fill_secondary="#f5f8f9",
        background_fill_secondary_dark="#1a2329",
        border_color_primary="#d9e1e5",
        border_color_primary_dark="#2d3a42",
        block_background_fill="transparent",
        block_background_fill_dark="transparent",
        block_border_width="0px",
        block_border_width_dark="0px",
        block_shadow="none",
        block_shadow_dark="none",
        block_padding="0px",
        block_label_background_fill="transparent",
        block_label_background_fill_dark="transparent",
        block_label_border_width="0px",
        block_label_border_width_dark="0px",
        block_label_padding="0px",
        block_label_text_color="*body_text_color_subdued",
        block_label_text_color_dark="*body_text_color_subdued",
        block_title_text_color="*body_text_color_subdued",
        block_title_text_color_dark="*body_text_color_subdued",
        block_title_text_weight="500",
        block_info_text_color="*body_text_color_subdued",
        block_info_text_color_dark="*body_text_color_subdued",
        panel_background_fill="transparent",
        panel_background_fill_dark="transparent",
        panel_border_width="0px",
        input_background_fill="#ffffff",
        input_background_fill_dark="#1a2329",
        input_border_width="1px",
        input_border_width_dark="1px",
        # 3:1 against the page for what is drawn, 4.5:1 for what is read (WCAG 2.2, 1.4.3 and 1.4.11).
        input_border_color="#82929b",
        input_border_color_dark="#64757f",
        input_placeholder_color="#66747d",
        input_placeholder_color_dark="#8d9ca6",
        checkbox_border_color="#82929b",
        checkbox_border_color_dark="#64757f",
        input_border_color_focus="*primary_500",
        input_border_color_focus_dark="*primary_400",
        input_shadow="none",
        input_shadow_dark="none",
        input_shadow_focus="0 0 0 1px *primary_500",
        input_shadow_focus_dark="0 0 0 1px *primary_400",
        button_primary_background_fill="*primary_600",
        button_primary_background_fill_dark="*primary_600",
        button_primary_background_fill_hover="*primary_700",
        button_primary_background_fill_hover_dark="*primary_700",
        button_primary_text_color="#ffffff",
        button_primary_text_color_dark="#ffffff",
        button_primary_border_color="*primary_600",
        button_secondary_background_fill="#ffffff",
        button_secondary_background_fill_dark="#1f2a31",
        button_secondary_background_fill_hover="#eef3f5",
        button_secondary_background_fill_hover_dark="#2a3740",
        button_secondary_border_color="#b9c6cd",
        button_secondary_border_color_dark="#42535d",
        button_border_width="1px",
        button_primary_shadow="none",
        button_secondary_shadow="none",
        button_transform_hover="none",
        button_transform_active="none",
        button_transition="background-color 120ms",
        button_large_text_weight="500",
        button_medium_text_weight="500",
        slider_color="*primary_600",
        slider_color_dark="*primary_400",
        checkbox_background_color_selected="*primary_600",
        checkbox_background_color_selected_dark="*primary_500",
        table_even_background_fill="#ffffff",
        table_even_background_fill_dark="#12181c",
        table_odd_background_fill="#ffffff",
        table_odd_background_fill_dark="#12181c",
        table_border_color="#d9e1e5",
        table_border_color_dark="#2d3a42",
        link_text_color="*primary_600",
        link_text_color_dark="*primary_300",
    )


def css_paths() -> list[Path]:
    """Style sheets for ``launch``; the annotator brings its own, scoped to it."""
    return [ASSETS / "app.css", ASSETS / "lattice.css"]
