"""API: how every function is called from Python, from a shell, and as an MCP tool."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_args, get_origin, get_type_hints

import gradio as gr

from .. import endpoints, mcp_answers
from ..examples import EXAMPLES, curl_call, mcp_call, mcp_settings, python_call
from ..links import Link
from ..markup import text
from ..service import Service

TITLE = "API"

# Where the page itself is served is known to the browser alone, behind a proxy for instance.
BASE = "http://127.0.0.1:7860/"
_HERE = """
const here = new URL('.', location.href).href;
const filled = (words) => words.replaceAll(BASE, here);
element.querySelectorAll('code').forEach((code) => {
  code.textContent = filled(code.textContent);
});
element.addEventListener('click', async (event) => {
  const button = event.target.closest('.mc-copy');
  if (!button) return;
  const code = button.parentElement.querySelector('code');
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = 'Selected';
  }
  setTimeout(() => { button.textContent = 'Copy'; }, 1500);
});
"""
_WAYS = ("Python", "curl", "MCP")


def build(service: Service) -> Link:
    """Lay out the tab."""
    offered = endpoints.Endpoints(service)
    script = _HERE.replace("BASE", f"'{BASE}'")
    gr.HTML(_intro(), elem_id="api-intro", js_on_load=script)
    way = gr.Radio(list(_WAYS), value="Python", label="Show calls for", elem_id="api-way")
    gr.HTML(
        "".join(_function(function) for function in offered.functions),
        elem_id="api-functions",
        js_on_load=script,
    )
    way.change(
        None,
        way,
        None,
        js="(way) => { document.querySelector('#api-functions').dataset.way = way; return []; }",
        show_progress="hidden",
        api_visibility="private",
    )
    link = Link("api", {"way": way}, starts=())
    link.remember(way.input)
    return link


def _intro() -> str:
    if mcp_answers.available():
        mcp = (
            "<h3>As MCP tools</h3><p>Give a client of the Model Context Protocol this address; it "
            "then finds every function below as a tool, with its description.</p>"
            f"{_code(mcp_settings(BASE), 'Settings of an MCP client')}"
        )
    else:
        mcp = (
            "<h3>As MCP tools</h3><p>This server has no MCP tools: the package <code>mcp</code> is "
            'not installed. <code>pip install -e ".[app]"</code> brings it.</p>'
        )
    return f"""<div class="mc-prose"><h2>Use molclip from a program</h2>
<p>Everything on this page can be called. Answers are plain JSON: numbers, strings, lists. Errors
are sentences that say what was wrong and what to do. A call waits in the same queue as visitors do;
<code>library_info</code> says how much one call may send. For more, run molclip on your own
machine.</p>
<h3>From Python</h3><p><code>pip install gradio_client</code>; behind a password also
<code>auth=("name", "word")</code> in <code>Client</code>.</p>
<h3>From a shell or any other language</h3><p>Two HTTP requests: one sends the arguments as a JSON
object and gets an id, the other waits for the answer, which stands behind <code>data:</code> as a
list of one.</p>{mcp}</div>"""


def _function(function: Callable[..., Any]) -> str:
    name = function.__name__
    told, arguments, answer = _documentation(function)
    rows = "".join(_argument(function, key, words) for key, words in arguments.items())
    table = f'<dl class="mc-arguments">{rows}</dl>' if rows else "<p>No arguments.</p>"
    example = EXAMPLES[name]
    calls = {
        "Python": python_call(name, example, BASE),
        "curl": curl_call(name, example, BASE),
        "MCP": mcp_call(name, example),
    }
    shown = "".join(
        f'<div class="mc-way mc-way-{way.lower()}">{_code(call, f"{name} from {way}")}</div>'
        for way, call in calls.items()
    )
    return f"""<section class="mc-function" aria-labelledby="api-{name}">
<h3 id="api-{name}"><code>{name}</code></h3><p>{text(told)}</p>{table}
<p class="mc-returns"><strong>Gives</strong> {text(answer)}</p>{shown}</section>"""


def _documentation(function: Callable[..., Any]) -> tuple[str, dict[str, str], str]:
    """Description, arguments and answer, as Gradio reads them from the docstring."""
    written = inspect.getdoc(function) or ""
    told, _, rest = written.partition("\n\nArgs:\n")
    if not rest:
        told, _, answer = written.partition("\n\nReturns:\n")
        return told, {}, " ".join(answer.split())
    arguments, _, answer = rest.partition("\n\nReturns:\n")
    lines = (line.strip().partition(": ") for line in arguments.splitlines())
    return told, {key: words for key, _, words in lines}, " ".join(answer.split())


def _argument(function: Callable[..., Any], key: str, words: str) -> str:
    default = inspect.signature(function).parameters[key].default
    usual = "" if default is inspect.Parameter.empty else f", usually {_value(default)}"
    kind = _kind(get_type_hints(function)[key])
    return (
        f"<dt><code>{text(key)}</code> <span>{text(kind)}{text(usual)}</span></dt>"
        f"<dd>{text(words)}</dd>"
    )


def _value(default: Any) -> str:
    if default is None:
        return "null"
    return "empty" if default == "" else str(default).lower()


def _kind(hint: Any) -> str:
    """A type in words."""
    names = {str: "string", int: "whole number", float: "number", bool: "true or false"}
    if hint in names:
        return names[hint]
    parts = [part for part in get_args(hint) if part is not type(None)]
    if get_origin(hint) is dict:
        return "object"
    if get_origin(hint) is list:
        return f"list of {_kind(parts[0])}s"
    if all(isinstance(part, str) for part in parts):
        return "string"
    return f"{_kind(parts[0])} or null"


def _code(words: str, label: str) -> str:
    return (
        f'<div class="mc-code"><button type="button" class="mc-copy" aria-label="Copy: '
        f'{text(label)}">Copy</button>'
        f'<pre tabindex="0" aria-label="{text(label)}"><code>{text(words)}</code></pre></div>'
    )
