"""Requests for files that the page has no business to answer.

Gradio also fetches web addresses on a visitor's behalf: where its file route is asked for one, and
where a call names one as the path of a file. This page never needs that, and a server that fetches
what strangers name reaches places the strangers cannot.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Receive = Callable[[], Awaitable[Any]]
    Send = Callable[[Any], Awaitable[None]]

# A file is what the server says it is, whatever a browser makes of its content; and no other site
# learns from which state of the page a visitor came.
_HEADERS = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"same-origin"))
_WEB = ("http:", "https:")
_FILE = "/file="
_REFUSED = (*(f"/file{sign}{web}" for sign in "=/" for web in _WEB), "/proxy=")


class OwnFilesOnly:
    """Answers 403 where a web address is asked for as a file, and 404 where a file is just gone."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = str(scope.get("path", "")).lower()
        if any(part in path for part in _REFUSED):
            await _answer(send, 403, b"Not served here.")
            return
        if scope["method"] == "POST" and not _is_form(scope):
            messages = await _whole(receive)
            if _asks_for_the_web(b"".join(part.get("body", b"") for part in messages)):
                await _answer(send, 403, b"Not served here.")
                return
            receive = _again(messages, receive)

        # A file may be deleted with its library while it is asked for: found, and gone when it is
        # opened. So the start of an answer is kept until there is content.
        waits = _FILE in path
        start: list[Any] = []
        begun = False

        async def careful(message: Any) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                message["headers"] = [*message["headers"], *_HEADERS]
                if waits:
                    start.append(message)
                    return
            begun = True
            if start:
                await send(start.pop())
            await send(message)

        try:
            await self._app(scope, receive, careful)
        except FileNotFoundError:
            if begun or not waits:
                raise
            await _answer(send, 404, b"No such file.")


async def _answer(send: Send, status: int, body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})


def _is_form(scope: Any) -> bool:
    """Whether the body is a form, as uploads are: it may be large, and Gradio reads no path in it."""
    return any(
        name == b"content-type" and value.strip().lower().startswith(b"multipart/")
        for name, value in scope["headers"]
    )


async def _whole(receive: Receive) -> list[Any]:
    """The messages of a body up to its end, or until the visitor is gone."""
    messages = [await receive()]
    while messages[-1]["type"] == "http.request" and messages[-1].get("more_body"):
        messages.append(await receive())
    return messages


def _again(messages: list[Any], receive: Receive) -> Receive:
    """Gives these messages first, then what comes."""
    left = iter(messages)

    async def following() -> Any:
        for message in left:
            return message
        return await receive()

    return following


def _asks_for_the_web(body: bytes) -> bool:
    """Whether a JSON body names a web address as the path of a file, however deep it lies.

    The `url` of a file is not looked at: browsers put this server's own address there, and Gradio
    fetches none of it.
    """
    found = False

    def look(pairs: list[tuple[str, Any]]) -> None:
        # The pairs as written, for a key may be there twice.
        nonlocal found
        found = found or any(key == "path" and _is_web(value) for key, value in pairs)

    try:
        json.loads(body, object_pairs_hook=look)
    except RecursionError:
        return True
    except ValueError:
        return found  # no JSON: Gradio says so
    return found


def _is_web(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower().startswith(_WEB)


def middleware() -> list[Any]:
    """For Gradio's `app_kwargs`."""
    from starlette.middleware import Middleware

    return [Middleware(OwnFilesOnly)]
