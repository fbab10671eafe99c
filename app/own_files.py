"""Requests for files that the page has no business to answer.

Gradio's file route also fetches web addresses on a visitor's behalf. This page never needs that,
and a server that fetches what strangers name reaches places the strangers cannot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Receive = Callable[[], Awaitable[Any]]
    Send = Callable[[Any], Awaitable[None]]

# A file is what the server says it is, whatever a browser makes of its content; and no other site
# learns from which state of the page a visitor came.
_HEADERS = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"same-origin"))
_REFUSED = ("/file=http:", "/file=https:", "/proxy=")


class OwnFilesOnly:
    """Answers 403 where a web address is asked for as a file."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one request."""
        path = str(scope.get("path", "")).lower()
        if scope["type"] == "http" and any(part in path for part in _REFUSED):
            await send({"type": "http.response.start", "status": 403, "headers": []})
            await send({"type": "http.response.body", "body": b"Not served here."})
            return

        async def careful(message: Any) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        await self._app(scope, receive, careful if scope["type"] == "http" else send)


def middleware() -> list[Any]:
    """For Gradio's `app_kwargs`."""
    from starlette.middleware import Middleware

    return [Middleware(OwnFilesOnly)]
