"""Keys of an address that Gradio keeps for itself.

Gradio takes `page` for the name of one of several pages and fails where there is none of that name;
`deep_link` is the number of a state it has stored, which this page does not use. No tab may use
these keys, and an address that has them all the same opens as if they were not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Receive = Callable[[], Awaitable[Any]]
    Send = Callable[[Any], Awaitable[None]]

KEPT = frozenset({"page", "deep_link"})


class WithoutKeptKeys:
    """Takes Gradio's own keys out of the address of the page."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["path"].endswith("/"):
            scope = {**scope, "query_string": _without(scope["query_string"])}
        await self._app(scope, receive, send)


def _without(query: bytes) -> bytes:
    # Compared as Starlette decodes it; what is left stays as it was written.
    parts = query.decode("latin-1").split("&")
    return "&".join(p for p in parts if unquote_plus(p.partition("=")[0]) not in KEPT).encode(
        "latin-1"
    )


def middleware() -> list[Any]:
    """For Gradio's `app_kwargs`."""
    from starlette.middleware import Middleware

    return [Middleware(WithoutKeptKeys)]
