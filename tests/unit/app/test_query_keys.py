"""An address with a key of Gradio's own opens the page all the same."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import gradio as gr
import httpx
import pytest
from molclip.app import query_keys
from molclip.app.links import Link, href
from molclip.app.search_form import form


@pytest.fixture(scope="module")
def link() -> Link:
    service: Any = None
    with gr.Blocks():
        return form(service, []).link()


@pytest.fixture(scope="module")
def client(launch: Any) -> httpx.Client:
    with gr.Blocks() as page:
        gr.HTML("x")
    return launch(page, query_keys.middleware())


@pytest.mark.parametrize(
    "query",
    [
        "tab=search&q=caffeine&page=2", "page=-5", "page=x", "page=", "p%61ge=2&q=%E9", "page",
        "deep_link=x", "deep_link=x&page=y",
    ],
)  # fmt: skip
def test_the_page_opens(client: httpx.Client, query: str) -> None:
    reply = client.get(f"/?{query}")
    assert reply.status_code == 200
    assert '"deep_link_state":"none"' in reply.text
    assert client.head(f"/?{query}").status_code == 200


def test_the_address_of_a_search_opens_it_again(client: httpx.Client, link: Link) -> None:
    given = {"q": "caffeine", "n": 24, "view": "table", "part": 2, "recorded": True}
    address = href("search", **given)
    assert client.get(f"/{address}").status_code == 200
    values, run = link.read(parse_qs(address.removeprefix("?")))
    assert run
    assert given.items() <= dict(zip(link.fields, values, strict=True)).items()


def test_no_tab_takes_such_a_key() -> None:
    with gr.Blocks(), pytest.raises(TypeError, match="cannot be the field of key 'page'"):
        Link("search", {"page": gr.Number()})


def test_other_keys_stay_as_they_were_written() -> None:
    assert (
        query_keys._without(b"q=a+%20b&page=2&x&homepage=1&q=%ff") == b"q=a+%20b&x&homepage=1&q=%ff"
    )
