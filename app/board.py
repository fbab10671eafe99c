"""The drawing board: JSME in a frame, opened beside the structure field and served from here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from molclip.errors import MolclipError

from .reading import read_structure

if TYPE_CHECKING:
    from .service import Service

PATH = "/drawing-board"
_STATIC = Path(__file__).parent / "static"
_SCRIPT = (_STATIC / "board.js").read_text(encoding="utf-8")
_MARKUP = """<button type="button" class="mc-plain-button mc-draw" aria-expanded="false"
aria-controls="search-board">Draw a structure</button>
<div id="search-board" class="mc-board" role="group" aria-label="Drawing board" hidden>
<div class="mc-board-frame"></div>
<p class="mc-board-foot"><span role="status">Loading the drawing board …</span>
<button type="button" class="mc-plain-button" data-search>Search</button>
<button type="button" class="mc-plain-button" data-close>Close (Esc)</button></p>
</div>"""


def routes() -> list[Any]:
    """For Gradio's `app_kwargs`: the editor's files, and nothing else of the folder."""
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    return [Mount(PATH, StaticFiles(directory=_STATIC / "jsme"), name="drawing-board")]


def drawing_board(service: Service, structure: gr.Textbox) -> gr.HTML:
    """Lay out the button and the board; its `search` event asks for an answer.

    Parameters
    ----------
    service
        Reads what the field holds when the board opens, names too.
    structure
        Field that the board writes SMILES into.
    """
    board = gr.HTML(
        _MARKUP,
        js_on_load=f"const PATH = '{PATH}/board.html';\n{_SCRIPT}",
        elem_classes="mc-drawing",
    )
    held = gr.Textbox(visible=False, label="On the board")
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    shown = "(smiles) => { window.molclipBoard.show(smiles); return []; }"

    def held_by_field(structure: str) -> str:
        return smiles_of(structure or "", service)

    board.opened(held_by_field, structure, held, **quiet).then(None, held, None, js=shown, **quiet)
    board.drawn(None, None, structure, js="() => window.molclipBoard.smiles", **quiet)
    return board


def smiles_of(structure: str, service: Service) -> str:
    """SMILES of what a field holds, a name for instance; empty where it holds no structure."""
    if not structure.strip():
        return ""
    try:
        molecule, _ = read_structure(structure, service)
    except MolclipError:
        return ""
    return str(molecule.smiles)
