"""The programming interface without a server: documentation, schemas, arguments."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest
from gradio_client.utils import python_type_to_json_schema
from molclip.app import arguments as given
from molclip.app.endpoints import Endpoints
from molclip.app.examples import EXAMPLES, curl_call, mcp_call, python_call
from molclip.app.mcp_answers import as_json
from molclip.app.tabs.api import _documentation, _function

from molclip.errors import InputError

FUNCTIONS = Endpoints(None).functions  # type: ignore[arg-type]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_every_function_is_documented_and_typed(function: Any) -> None:
    told, arguments, answer = _documentation(function)
    parameters = inspect.signature(function).parameters
    assert told
    assert answer
    assert list(arguments) == list(parameters)
    for parameter in parameters.values():
        # Gradio turns annotations that are text into no schema at all.
        assert not isinstance(parameter.annotation, str)
        assert python_type_to_json_schema(parameter.annotation)
    returned = python_type_to_json_schema(inspect.signature(function).return_annotation)
    assert returned["type"] in ("object", "array")
    assert set(EXAMPLES[function.__name__]) <= set(parameters)
    html = _function(function)
    # Braces and dollars would be read as templates.
    assert not set("{}$`") & set(html)


def test_examples_are_all_and_runnable_as_they_stand() -> None:
    assert [function.__name__ for function in FUNCTIONS] == list(EXAMPLES)
    code = python_call("search", {"text": "it's", "count": 3}, "http://x/")
    compile(code, "example", "exec")
    assert 'text="it\'s"' in code
    assert """'{"text": "it'"'"'s"}'""" in curl_call("search", {"text": "it's"}, "http://x/")
    assert '"name": "search"' in mcp_call("search", {"text": "it's"})


def test_arguments_by_type_and_bounds() -> None:
    assert given.whole(10.0, "count", 1, 20) == 10
    for wrong in (True, "3", None, math.nan, 0, 21, 1.5):
        with pytest.raises(InputError, match="count is"):
            given.whole(wrong, "count", 1, 20)
    assert given.string(None, "text", 5) == ""
    with pytest.raises(InputError, match="6 characters"):
        given.string("abcdef", "text", 5)
    for wrong in ("CCO", [], {"a": 1}, [1], ["a"] * 4):
        with pytest.raises(InputError):
            given.strings(wrong, "molecules", 3, 10)
    with pytest.raises(InputError, match="flag is 1"):
        given.flag(1, "flag")


def test_answers_are_plain() -> None:
    made = given.plain(
        {"a": np.float32(0.1), 1: (np.int64(2), float("nan")), "b": np.array([[1.5, np.inf]])}
    )
    assert made == {"a": 0.1, "1": [2, None], "b": [[1.5, None]]}
    assert type(made["a"]) is float


def test_tools_answer_in_json() -> None:
    class Server:
        def postprocess_output_data(self, data: Any, root_url: str) -> list[str]:
            return [str(item) for item in data]

    class Page:
        mcp_server_obj = Server()

    as_json(Page())
    assert Page.mcp_server_obj.postprocess_output_data([{"a": None}, "b"], "") == [
        '{"a": null}',
        "b",
    ]
    as_json(object())
