"""How the page looks: Gradio's variables here, the rest in `static/`.

`static/app.css` is of the whole page; a tab that needs more has a file of its own name there.
"""

from __future__ import annotations

from pathlib import Path

import gradio as gr

_STATIC = Path(__file__).parent / "static"
CSS = [_STATIC / "app.css", *sorted(p for p in _STATIC.glob("*.css") if p.name != "app.css")]
_SANS = ("ui-sans-serif", "system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")


def theme() -> gr.themes.Base:
    """A quiet theme with the fonts of the visitor's system: nothing is fetched from elsewhere."""
    base = gr.themes.Base(
        primary_hue=gr.themes.colors.teal,
        neutral_hue=gr.themes.colors.slate,
        text_size=gr.themes.sizes.text_md,
        radius_size=gr.themes.sizes.radius_md,
        font=_SANS,
        font_mono=_MONO,
    )
    return base.set(
        body_background_fill="*neutral_50",
        body_background_fill_dark="#0d1420",
        background_fill_primary_dark="#131c2b",
        background_fill_secondary_dark="#0d1420",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_400",
        block_background_fill="*background_fill_primary",
        block_background_fill_dark="#131c2b",
        block_border_width="1px",
        block_shadow="none",
        block_shadow_dark="none",
        block_label_background_fill="transparent",
        block_label_background_fill_dark="transparent",
        block_title_text_weight="600",
        block_title_text_size="*text_sm",
        block_title_text_color="*neutral_700",
        block_title_text_color_dark="*neutral_300",
        input_placeholder_color="*neutral_500",
        input_placeholder_color_dark="*neutral_400",
        input_background_fill="*background_fill_primary",
        input_background_fill_dark="#0d1420",
        input_border_width="1px",
        input_border_color="*neutral_300",
        input_border_color_dark="#2d3b52",
        border_color_primary_dark="#243044",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover_dark="*primary_600",
        button_primary_text_color="white",
        button_secondary_background_fill="*background_fill_primary",
        button_secondary_background_fill_dark="#1a2536",
        button_secondary_border_color="*neutral_300",
        button_secondary_border_color_dark="#2d3b52",
        button_border_width="1px",
    )
