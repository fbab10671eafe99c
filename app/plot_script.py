"""Plotly's script, served from the installed package: the page fetches nothing from elsewhere."""

from __future__ import annotations

import gzip
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.requests import Request

PATH = "/plots/plotly.js"
_KEPT = "public, max-age=604800"


def address() -> str:
    """Path of the script with its version, so that a browser's copy of another is not taken."""
    try:
        return f"{PATH}?v={metadata.version('plotly')}"
    except metadata.PackageNotFoundError:
        return PATH


def routes() -> list[Any]:
    """For Gradio's `app_kwargs`."""
    from starlette.routing import Route

    return [Route(PATH, _script)]


def _script(request: Request) -> Any:
    from starlette.responses import Response

    found = _file()
    if found is None:
        return Response("plotly is not installed.", 404)
    headers = {"Cache-Control": _KEPT, "Vary": "Accept-Encoding"}
    content = found.read_bytes()
    if "gzip" in request.headers.get("accept-encoding", ""):
        content = _packed(found)
        headers["Content-Encoding"] = "gzip"
    return Response(content, media_type="text/javascript", headers=headers)


def _file() -> Path | None:
    spec = find_spec("plotly")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / "package_data" / "plotly.min.js"
        if path.is_file():
            return path
    return None


@cache
def _packed(path: Path) -> bytes:
    """Packed once: 4.8 MB become 1.5."""
    return gzip.compress(path.read_bytes(), 6, mtime=0)
