"""What an address may say, and what is made of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import gradio as gr
import pytest
from molclip.app import links
from molclip.app.links import Link

TABS = ["search", "classify"]


def _link() -> Link:
    with gr.Blocks():
        return Link(
            "search",
            {
                "q": gr.Textbox(),
                "short": gr.Textbox("usual", max_length=5),
                "n": gr.Radio([12, 24], value=12),
                "share": gr.Slider(0, 1, value=0.5),
                "from": gr.Number(None, minimum=0),
                "all": gr.Checkbox(True),
                "sets": gr.CheckboxGroup(["a", "b", "c"], value=["a"]),
                "one": gr.Dropdown([("First", "1st"), ("Second", "2nd")], value="1st"),
            },
            starts=("q",),
        )


DEFAULTS = ["", "usual", 12, 0.5, None, True, ["a"], "1st"]


def _read(query: str) -> tuple[list[Any], bool]:
    values, run = _link().read(parse_qs(query, keep_blank_values=True))
    return values, run


def test_every_kind_of_field_is_read() -> None:
    values, run = _read("q=a+b%26c&short=abc&n=24&share=0.25&from=10&all=0&sets=b&sets=c&one=2nd")
    assert values == ["a b&c", "abc", 24, 0.25, 10, False, ["b", "c"], "2nd"]
    assert run


@pytest.mark.parametrize(
    "query",
    [
        "n=13", "n=12.0", "share=1.5", "share=nan", "share=inf", "share=x", "from=-1", "from=",
        "all=yes", "sets=d", "one=First", "short=toolong", f"q={'a' * 2001}", "nokey=1", "",
    ],
)  # fmt: skip
def test_what_does_not_fit_is_ignored(query: str) -> None:
    assert _read(query) == (DEFAULTS, False)


def test_it_runs_only_with_something_to_run_on() -> None:
    assert not _read("n=24")[1]
    assert not _read("q=")[1]
    assert _read("q=x")[1]


def test_a_field_may_be_emptied() -> None:
    assert _read("short=")[0][1] == ""


def test_control_characters_are_left_out() -> None:
    assert _read("q=a%00b%1bc%0Ad%e2%80%ae")[0][0] == "abc\nd"


def test_the_tab_of_the_address_opens_and_the_others_stay() -> None:
    link = _link()
    updates = links._followed("?tab=search&q=caffeine", TABS, [link])
    assert updates[0].selected == "search"
    assert updates[1] != links._followed("?tab=search&q=caffeine", TABS, [link])[1]
    assert updates[2] == "caffeine"
    other = links._followed("?tab=classify&q=caffeine", TABS, [link])
    assert other[0].selected == "classify"
    assert other[1:] == [gr.skip()] * 9


@pytest.mark.parametrize("query", ["?tab=nosuch&q=x", "?" + "a=1&" * 50, "?q=" + "a" * 9000])
def test_an_address_of_nothing_opens_the_first_tab(query: str) -> None:
    updates = links._followed(query, TABS, [_link()])
    assert updates[0].selected == "search"
    assert updates[1:] == [gr.skip(), *DEFAULTS]


def test_addresses_are_escaped_and_read_back() -> None:
    address = links.href("why", smiles="C#N.[Na+]", text="a & b <i>", n=3, all=False, none=None)
    assert address.startswith("?tab=why&")
    assert not set("#<> ") & set(address)
    assert parse_qs(urlsplit(address).query) == {
        "tab": ["why"], "smiles": ["C#N.[Na+]"], "text": ["a & b <i>"], "n": ["3"], "all": ["0"],
    }  # fmt: skip


def test_names_of_tabs() -> None:
    assert links.slug("Your library") == "your-library"


def test_a_field_no_address_can_hold() -> None:
    with gr.Blocks(), pytest.raises(TypeError, match="File cannot be the field of key 'file'"):
        Link("classify", {"file": gr.File()})
