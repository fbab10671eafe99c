"""Every call that the API tab shows, made: from Python, with curl, and as MCP tools."""

from __future__ import annotations

import asyncio
import json
import math
import shutil
import subprocess
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from molclip.app.examples import EXAMPLES, MCP_ROUTE, curl_call, mcp_call, python_call

PENICILLIN_ATOMS = 23


def search(answer: dict[str, Any]) -> None:
    assert [hit["rank"] for hit in answer["hits"]] == [1, 2, 3]
    assert answer["hits"][0]["smiles"]
    assert answer["read_as"] == "Read as words."


def classify(answer: dict[str, Any]) -> None:
    caffeine, aspirin = answer["molecules"]
    assert caffeine["answer"] == "purine alkaloid"
    assert aspirin["answer"] == "painkiller"
    assert answer["sentences"]["painkiller"] == ["analgesic", "relieves pain"]
    assert caffeine["labels"][0]["label"] == "purine alkaloid"


def describe(answer: dict[str, Any]) -> None:
    assert answer["record"]["id"] == "CHEBI:27732"
    recorded = [role["text"] for role in answer["roles"] if role["evidence"] == "recorded"]
    assert len(recorded) == 3
    # ChEBI gives caffeine these among others.
    assert {"central nervous system stimulant", "psychotropic drug"} & set(
        recorded + [above for role in answer["roles"] for above in role["broader"]]
    )


def explain(answer: dict[str, Any]) -> None:
    assert len(answer["atoms"]) == PENICILLIN_ATOMS
    assert [word["word"] for word in answer["words"]] == ["beta-lactam", "antibiotic"]
    sums = answer["atom_sums"]
    explained = sums["attributed"] + sum(sums["remainder"].values())
    assert math.isclose(explained, sums["difference"], rel_tol=0.01)


def counter_example(answer: dict[str, Any]) -> None:
    assert answer["found"]
    found = answer["counter_example"]
    assert found["similarity"] >= 0.3
    assert found["score"] <= found["score_of_the_molecule"] - 0.999 * found["deviation"]
    assert found["smiles"] != EXAMPLES["counter_example"]["molecule"]
    for groups in (found["only_in_the_molecule"], found["only_in_the_counter_example"]):
        assert all(isinstance(name, str) and count >= 1 for name, count in groups)


def applicability(answer: dict[str, Any]) -> None:
    ethanol, uranium = answer["molecules"]
    assert uranium["status"] in ("edge", "outside")
    assert uranium["reasons"]
    assert ethanol["status"] != "not known"
    (text,) = answer["texts"]
    assert "zorgblat" in text["unknown_words"]


def compare_with_pictures(answer: dict[str, Any]) -> None:
    for side in filter(None, (answer["molclip"], answer["pictures"])):
        assert [hit["rank"] for hit in side] == [1, 2, 3]
        scores = [hit["score"] for hit in side]
        assert scores == sorted(scores, reverse=True)
        assert all(isinstance(hit["recorded"], bool) for hit in side)
    assert (answer["pictures"] is None) == (answer["absent"] is not None)


def model_info(answer: dict[str, Any]) -> None:
    assert answer["parameters"] > 1e6
    assert 0.001 < answer["temperature"] < 1
    assert answer["sections"]
    assert len(answer["model_hash"]) == 16


def rank_molecules(answer: dict[str, Any]) -> None:
    assert {entry["row"] for entry in answer["molecules"]} == {1, 2, 3}
    assert answer["molecules"][-1]["input"] != "CCO"
    scores = [entry["score"] for entry in answer["molecules"]]
    assert scores == sorted(scores, reverse=True)


def embed(rows: int) -> Callable[[dict[str, Any]], None]:
    def check(answer: dict[str, Any]) -> None:
        assert len(answer["vectors"]) == rows
        for vector in answer["vectors"]:
            assert len(vector) == answer["dimension"]
            assert math.isclose(math.hypot(*vector), 1, rel_tol=1e-4)
        assert answer["failures"] == []

    return check


def read_input(answer: dict[str, Any]) -> None:
    assert answer["kind"] == "name"
    # Phencyclidine, not the SMILES P, C, P.
    assert answer["inchikey"] == "JTJMJGYZQZDUJJ-UHFFFAOYSA-N"


def label_sets(answer: list[dict[str, Any]]) -> None:
    (found,) = answer
    assert found["size"] == len(found["labels"]) == 7
    assert "terpenoids" in found["labels"]


def library_info(answer: dict[str, Any]) -> None:
    assert answer["rows"] > 100_000
    assert "CC BY 4.0" in answer["source"]
    assert answer["limits"]["heavy_atoms"] == 300
    assert "/" not in str(answer.get("path", "")), "a path of the server is told"


CHECKS: dict[str, Callable[[Any], None]] = {
    "search": search,
    "classify": classify,
    "describe": describe,
    "explain": explain,
    "counter_example": counter_example,
    "applicability": applicability,
    "rank_molecules": rank_molecules,
    "embed_text": embed(1),
    "embed_molecules": embed(2),
    "read_input": read_input,
    "label_sets": label_sets,
    "compare_with_pictures": compare_with_pictures,
    "library_info": library_info,
    "model_info": model_info,
}


def _json(url: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as reply:
        return json.load(reply)


def test_functions_are_offered_and_nothing_else(url: str) -> None:
    offered = _json(f"{url}gradio_api/info")
    assert {name.lstrip("/") for name in offered["named_endpoints"]} == set(EXAMPLES) == set(CHECKS)
    assert offered["unnamed_endpoints"] == {}
    for name, told in offered["named_endpoints"].items():
        assert len(told["description"]) > 20, name
        assert told["returns"][0]["type"]["type"] in ("object", "array"), name


def test_python_calls(url: str) -> None:
    for name, arguments in EXAMPLES.items():
        answers: list[Any] = []
        code = python_call(name, arguments, url)
        exec(compile(code, f"{name}.py", "exec"), {"print": answers.append})
        CHECKS[name](answers[0])


def test_curl_calls(url: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    for name, arguments in EXAMPLES.items():
        done = subprocess.run(
            ["bash", "-c", curl_call(name, arguments, url)],
            capture_output=True,
            text=True,
            timeout=180,
            check=True,
        )
        event, data = [line for line in done.stdout.splitlines() if line.strip()][-2:]
        assert event == "event: complete", done.stdout
        (answer,) = json.loads(data.removeprefix("data: "))
        CHECKS[name](answer)


def _tool_calls(url: str, calls: list[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    from mcp import ClientSession
    from mcp.client import streamable_http

    # Renamed in mcp 1.24.
    connect = getattr(streamable_http, "streamable_http_client", None)
    connect = connect or streamable_http.streamablehttp_client

    async def call() -> tuple[list[Any], list[Any]]:
        async with (
            connect(f"{url}{MCP_ROUTE}") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = (await session.list_tools()).tools
            return tools, [await session.call_tool(**params) for params in calls]

    # Playwright keeps an event loop in the tests' own thread.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, call()).result()


def test_mcp_calls(url: str) -> None:
    calls = [json.loads(mcp_call(name, EXAMPLES[name]))["params"] for name in EXAMPLES]
    tools, answers = _tool_calls(url, calls)
    assert {tool.name for tool in tools} == set(EXAMPLES)
    for tool in tools:
        assert tool.description
        for name, argument in tool.inputSchema["properties"].items():
            assert argument["description"], f"{tool.name}: {name}"
    for name, answer in zip(EXAMPLES, answers, strict=True):
        assert not answer.isError, answer
        CHECKS[name](json.loads(answer.content[0].text))


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("search", {}, "Nothing is asked yet."),
    ("search", {"text": "dye", "count": 1000}, "count is 1000. Give a number from 1 to 100."),
    ("search", {"text": "dye", "bounds": {"logp": [5, 1]}}, "Give the lower bound first"),
    ("search", {"text": "dye", "bounds": {"name": [5, 1]}}, "no column of numbers 'name'"),
    ("search", {"text": "dye", "bounds": {"logp": 3}}, "bounds of logp is 3. Give the lowest"),
    ("search", {"text": "dye", "bounds": [3]}, "bounds is [3]. Give an object"),
    ("search", {"text": "dye", "sort": "nosuch"}, "no column 'nosuch' to sort by"),
    ("search", {"text": 5}, "text is 5. Give a string."),
    ("classify", {"molecules": "CCO", "labels": ["dye"]}, "molecules is 'CCO'. Give a list"),
    ("classify", {"molecules": ["CCO"]}, "There are no labels yet."),
    ("classify", {"molecules": ["CCO"], "label_set": "nosuch"}, "no set of labels 'nosuch'"),
    (
        "classify",
        {"molecules": ["CCO"] * 201, "labels": ["dye"]},
        "201 entries; one call takes 200",
    ),
    ("explain", {"molecule": "C1CC(", "text": "dye"}, "cannot be read"),
    ("explain", {"molecule": "CCO", "text": " "}, "There are no words yet."),
    ("explain", {"molecule": "C" * 301, "text": "dye"}, "301 heavy atoms; this page takes 300"),
    ("explain", {"molecule": "C" * 121, "text": "dye"}, "121 atoms; this page explains up to 120"),
    ("applicability", {}, "Nothing is asked."),
    ("rank_molecules", {"text": "w" * 1001, "molecules": ["CCO"]}, "1,001 characters"),
    ("embed_text", {"texts": []}, "texts is empty."),
    ("embed_text", {"texts": ["dye", None, 3]}, "texts, entry 3 is 3."),
]


@pytest.mark.parametrize(("name", "arguments", "sentence"), WRONG)
def test_wrong_calls_get_a_sentence(
    url: str, name: str, arguments: dict[str, Any], sentence: str
) -> None:
    event = _json(f"{url}gradio_api/call/v2/{name}", arguments)["event_id"]
    with urllib.request.urlopen(f"{url}gradio_api/call/v2/{name}/{event}", timeout=120) as reply:
        said = reply.read().decode()
    assert "event: error" in said
    told = json.loads(said.split("data: ")[1].splitlines()[0])["error"]
    assert sentence in told
    assert "Traceback" not in told
    assert "/tmp" not in told


def test_pages_bounds_and_order(url: str) -> None:
    from gradio_client import Client

    client = Client(url, verbose=False)
    asked = {"text": "steroid", "bounds": {"mol_weight": [None, 300]}, "api_name": "/search"}
    both = client.predict(count=20, **asked)
    pages = [client.predict(count=10, page=page, **asked) for page in (1, 2)]
    assert both["hits"] == pages[0]["hits"] + pages[1]["hits"]
    assert pages[0]["more"]
    assert all(hit["properties"]["mol_weight"] <= 300 for hit in both["hits"])
    heavy = client.predict(count=10, sort="-mol_weight", **asked)["hits"]
    weights = [hit["properties"]["mol_weight"] for hit in heavy]
    assert weights == sorted(weights, reverse=True)


def test_bad_rows_keep_their_places(url: str) -> None:
    event = _json(
        f"{url}gradio_api/call/v2/embed_molecules", {"molecules": ["CCO", "C1CC(", "", "C" * 301]}
    )["event_id"]
    route = f"{url}gradio_api/call/v2/embed_molecules/{event}"
    with urllib.request.urlopen(route, timeout=120) as reply:
        (answer,) = json.loads(reply.read().decode().split("data: ")[-1])
    assert [vector is None for vector in answer["vectors"]] == [False, True, True, True]
    assert [failure["row"] for failure in answer["failures"]] == [2, 3, 4]


def test_wrong_mcp_calls_get_a_sentence(url: str) -> None:
    _, (missing, wrong) = _tool_calls(
        url,
        [
            {"name": "search", "arguments": {}},
            {"name": "explain", "arguments": {"molecule": "nosuchmolecule", "text": "dye"}},
        ],
    )
    assert missing.isError
    assert "Nothing is asked yet." in missing.content[0].text
    assert wrong.isError
    assert "neither a structure nor a name" in wrong.content[0].text


def test_events_of_the_page_are_private(url: str) -> None:
    from gradio_client import Client

    events = [event for event in _json(f"{url}config")["dependencies"] if event["backend_fn"]]
    private = [e["api_name"] for e in events if e["api_name"] not in EXAMPLES]
    assert len(private) > 3
    assert {e["api_visibility"] for e in events if e["api_name"] in private} == {"private"}
    client = Client(url, verbose=False)
    for name in private[:3]:
        with pytest.raises(ValueError, match="Cannot find a function"):
            client.predict(api_name=f"/{name}")
