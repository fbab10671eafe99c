"""`molclip app`: the web demo."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Annotated

import typer

from molclip.cli.options import LibraryOption, ModelOption
from molclip.errors import MolclipError, install_hint

EXAMPLES = (
    "**Examples**\n\n`molclip app`\n\n`molclip app --port 8000`\n\n"
    "`molclip app --host 0.0.0.0` lets other machines of your network in.\n\n"
    "`molclip app --auth anna:secret --auth ben:hidden`\n\n"
    "`molclip app --root-path /molclip` behind a proxy that serves the page there"
)


def run_app(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes any free one.")
    ] = 7860,
    share: Annotated[
        bool, typer.Option("--share", help="Make a public link through Gradio's servers.")
    ] = False,
    auth: Annotated[
        list[str] | None,
        typer.Option(
            "--auth",
            metavar="NAME:PASSWORD",
            help="Who may see the page; may be given several times. Other users of this machine "
            "can read a command line, the environment variable they cannot.",
            envvar="MOLCLIP_APP_AUTH",
            show_default=False,
        ),
    ] = None,
    root_path: Annotated[
        str,
        typer.Option(
            "--root-path",
            metavar="PATH",
            help="Path under which a proxy serves the page, such as /molclip.",
            show_default=False,
        ),
    ] = "",
    model: ModelOption = None,
    library: LibraryOption = None,
) -> None:
    """Start the web demo; Ctrl-C ends it."""
    if find_spec("gradio") is None:
        raise MolclipError(
            "The web demo needs Gradio, which is not installed.", install_hint("app")
        )
    # By name: the demo stands beside the command line, not below it.
    import_module("molclip.app.main").launch(
        host=host,
        port=port,
        share=share,
        auth=auth,
        root_path=root_path,
        model=model,
        library=None if library is None else str(library),
    )
