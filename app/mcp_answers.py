"""Answers of MCP tools as JSON.

Gradio writes an answer as Python would (`{'a': None}`), which no JSON reader takes.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any


def available() -> bool:
    """Whether the packages for MCP are installed."""
    return find_spec("mcp") is not None


def as_json(page: Any) -> None:
    """Let the MCP server of a launched page answer in JSON; nothing where it has none."""
    server: Any = getattr(page, "mcp_server_obj", None)
    if server is None:
        return
    usual = server.postprocess_output_data

    def answered(data: Any, root_url: str) -> list[Any]:
        written = [
            json.dumps(item, ensure_ascii=False) if isinstance(item, dict | list) else item
            for item in data
        ]
        return list(usual(written, root_url))

    server.postprocess_output_data = answered
