"""How every function of the programming interface is called: the same call in three ways.

The arguments stand here once; the page shows them as Python, as a command for curl, and as an MCP
call, and the tests run what the page shows.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

EXAMPLES: dict[str, dict[str, Any]] = {
    "search": {"text": "bitter alkaloid from cinchona bark", "count": 3},
    "classify": {
        "molecules": ["caffeine", "CC(=O)Oc1ccccc1C(=O)O"],
        "labels": ["purine alkaloid", "dye", "painkiller = analgesic | relieves pain"],
    },
    "describe": {"molecule": "caffeine", "most": 3},
    "explain": {
        "molecule": "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O",
        "text": "beta-lactam antibiotic",
    },
    "counter_example": {
        "molecule": "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O",
        "text": "beta-lactam antibiotic",
    },
    "applicability": {"molecules": ["CCO", "C[U]"], "texts": ["zorgblat of the third kind"]},
    "rank_molecules": {"text": "solvent", "molecules": ["CCO", "cholesterol", "c1ccccc1"]},
    "embed_text": {"texts": ["plant flavonol"]},
    "embed_molecules": {"molecules": ["CCO", "caffeine"]},
    "read_input": {"text": "PCP"},
    "label_sets": {"key": "npclassifier-pathway"},
    "compare_with_pictures": {"text": "steroid", "count": 3},
    "library_info": {},
    "model_info": {},
}
"""Arguments by the name of the function."""

ROUTE = "gradio_api/call/v2"
MCP_ROUTE = "gradio_api/mcp/"


def python_call(name: str, arguments: dict[str, Any], base: str) -> str:
    """A script that prints the answer; `base` is the page's address, with a slash at its end."""
    values = "".join(f"    {key}={value!r},\n" for key, value in arguments.items())
    return (
        "from gradio_client import Client\n\n"
        f'client = Client("{base}", verbose=False)\n'
        f'answer = client.predict(\n{values}    api_name="/{name}",\n)\n'
        "print(answer)\n"
    )


def curl_call(name: str, arguments: dict[str, Any], base: str) -> str:
    """Two commands for a shell: one asks, the other waits for the answer."""
    body = shlex.quote(json.dumps(arguments, ensure_ascii=False))
    return (
        f"ID=$(curl -s {base}{ROUTE}/{name} -H 'Content-Type: application/json' \\\n"
        f"  -d {body} | cut -d'\"' -f4)\n"
        f"curl -sN {base}{ROUTE}/{name}/$ID\n"
    )


def mcp_call(name: str, arguments: dict[str, Any]) -> str:
    """The message that an MCP client sends."""
    params = {"name": name, "arguments": arguments}
    return json.dumps({"method": "tools/call", "params": params}, ensure_ascii=False, indent=2)


def mcp_settings(base: str) -> str:
    """What an MCP client wants to know of the server."""
    servers = {"molclip": {"url": f"{base}{MCP_ROUTE}"}}
    return json.dumps({"mcpServers": servers}, indent=2)
