"""The page: header, tabs, notice; and how it is served."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import gradio as gr

from molclip.errors import InputError

from . import endpoints, links, markup, mcp_answers, own_files, plot_script, query_keys
from .address import check_address
from .board import routes
from .describing import describing_of
from .ending import end_on_sigterm
from .limits import FILE_BYTES
from .more_tabs import more_tabs
from .passwords import read_root_path, read_users
from .service import Service
from .tabs import TABS
from .theme import CSS, theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from molclip.models.molclip import MolCLIP
    from molclip.search.library import Library

HOST, PORT = "127.0.0.1", 7860
QUEUE = 200
"""Waiting calls; whoever comes later is told that the page is full."""


def build_app(
    model: MolCLIP | str | None = None, library: Library | str | None = None
) -> gr.Blocks:
    """Lay out the page.

    Parameters
    ----------
    model
        Model, name or folder; None is the one the library was embedded with.
    library
        Library or its folder; None is the embedded one.

    Raises
    ------
    MolclipError
        When either cannot be loaded.
    """
    return _laid_out(Service.open(model, library))


def _laid_out(service: Service) -> gr.Blocks:
    # delete_cache: seconds between looks, and the age at which uploads are removed.
    page = gr.Blocks(
        title="molclip", analytics_enabled=False, delete_cache=(600, 3600), fill_width=True
    )
    with page:
        # First, so that their names are theirs: an event of a tab may be called `search` too.
        endpoints.register(service)
        gr.HTML(_header(service), elem_classes="mc-header")
        shown: dict[str, gr.Tab] = {}
        built = []
        with gr.Tabs(elem_id="page-tabs") as tabs:
            for tab in TABS:
                name = links.slug(tab.TITLE)
                with gr.Tab(tab.TITLE, id=name) as shown[name]:
                    built.append(tab.build(service))
        gr.HTML(_footer(), elem_classes="mc-footer")
        links.wire(tabs, shown, [link for link in built if link is not None])
        more_tabs()
    return page


def launch(
    host: str = HOST,
    port: int | None = PORT,
    share: bool = False,
    *,
    auth: Iterable[str | tuple[str, str]] | None = None,
    root_path: str = "",
    model: MolCLIP | str | None = None,
    library: Library | str | None = None,
    block: bool = True,
    **options: Any,
) -> gr.Blocks:
    """Serve the page.

    Parameters
    ----------
    host
        Address to listen on; the default is reachable from this machine only.
    port
        None or 0 takes a free one.
    share
        Make the page public through Gradio's relay.
    auth
        Names and passwords of those who may see the page, `NAME:PASSWORD` or pairs. MCP clients
        know no password, so there are no MCP tools then.
    root_path
        Path under which a proxy serves the page, such as `/molclip`.
    model, library
        As in `build_app`.
    block
        Serve until interrupted; False returns while the server runs on.
    options
        Passed on to `gradio.Blocks.launch`.

    Raises
    ------
    MolclipError
        When model or library cannot be loaded, or nothing can be served at the address: the port
        is taken, for instance.
    """
    port = port or None
    users, root_path = read_users(auth), read_root_path(root_path)
    check_address(host, port)
    if block:
        end_on_sigterm()
    print("Loading the library and the model …", file=sys.stderr, flush=True)
    service = Service.open(model, library)
    service.warm()
    page = _laid_out(service)
    page.queue(default_concurrency_limit=4, max_size=QUEUE)
    settings: dict[str, Any] = {
        "theme": theme(),
        "css_paths": CSS,
        "footer_links": [],
        # A file above the page's own limit still gets the page's sentence, up to this size.
        "max_file_size": 4 * FILE_BYTES,
        "app_kwargs": {
            "middleware": [*own_files.middleware(), *query_keys.middleware()],
            "routes": [*routes(), *plot_script.routes()],
        },
        "ssr_mode": False,
        "enable_monitoring": False,
        "auth": users or None,
        "root_path": root_path,
        "mcp_server": mcp_answers.available() and not users,
        "quiet": True,
    }
    try:
        _, local, public = page.launch(
            server_name=host,
            server_port=port,
            share=share,
            prevent_thread_lock=True,
            **(settings | options),
        )
    except OSError as problem:
        # What `check_address` could not see. Gradio's sentence names options that are not ours.
        raise InputError(
            f"Nothing can be served at {host}{f', port {port}' if port else ''}.",
            "Choose another port with --port, or another address with --host.",
        ) from problem
    mcp_answers.as_json(page)
    # Takes a while once for each model; nobody has to wait for it but those who ask.
    describing_of(service).start()
    if share and not public:
        print(
            "No public address could be made: Gradio's relay was not reached. The page is served "
            "without one.",
            file=sys.stderr,
        )
    for address in filter(None, (local, public)):
        print(f"molclip is at {address} (Ctrl+C ends it)", file=sys.stderr, flush=True)
    if block:
        page.block_thread()
    return page


def _header(service: Service) -> str:
    size = f"{len(service.library):,}"
    source = "molecules of ChEBI" if service.library.embedded else "molecules"
    return f"""<header><h1>molclip</h1>
<p>Molecules from words, and words for molecules. {size} {source}.</p></header>"""


def _footer() -> str:
    return f"""<footer><p><strong>{markup.NOTICE}</strong></p>
<p>Scores are a model’s opinion, not a measurement. Molecules, names, classes and roles:
<a href="https://www.ebi.ac.uk/chebi/" target="_blank" rel="noopener noreferrer">ChEBI</a>,
CC BY 4.0.</p></footer>"""
