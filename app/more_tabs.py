"""The menu of the tabs that a narrow window has no room for, for keyboards and screen readers."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

_SCRIPT = (Path(__file__).parent / "static" / "more-tabs.js").read_text(encoding="utf-8")


def more_tabs() -> gr.HTML:
    """Complete Gradio's own menu; called once, after all tabs are built."""
    return gr.HTML("", visible="hidden", js_on_load=_SCRIPT)
