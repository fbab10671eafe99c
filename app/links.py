"""Deep links: every state of every tab has an address that opens it again.

An address is `?tab=search&q=beta-lactam+antibiotic`: the tab, then one key for each field that is
not at its default. On load, and when a link of that form is clicked on the page, the tab opens, its
fields are filled and it runs. After an answer the address bar says where the visitor is.

A tab takes part in three lines. `build` makes a `Link` of its fields, lets it start the same thing
as the button, lets it note the address, and returns it::

    def build(service: Service) -> Link:
        ...                                     # molecule, labels, start, answer: as before
        link = Link("classify", {"smiles": molecule, "labels": labels})
        for event in (start.click, molecule.submit, link.opened):
            link.remember(event(classify, inputs, outputs).then)
        return link

- The tab's name is `slug(TITLE)`: lower case, hyphens for spaces (`your-library`).
- Fields may be Textbox, Number, Slider, Checkbox, Radio, Dropdown or CheckboxGroup. What cannot be
  said in words (files, uploads) has no key. A `State` can be kept in a `visible="hidden"` Textbox.
- A value that does not fit its field (too long, no choice of it, out of bounds) is ignored, as are
  unknown keys. Fields without a key go back to their defaults, so a link says all there is to say.
- Keys that Gradio keeps for itself (`query_keys.KEPT`) cannot be used.
- `starts` names the keys of which one at least must be given for the tab to run; by default any.
- `link.opened(fn, inputs, outputs, ...)` is used as `button.click` is.
- `link.remember` takes an event (`start.click`) or what follows one (`start.click(...).then`): the
  fields are read at that moment, in the browser.
- `href("why", smiles="CCO", text="solvent")` makes the address of another tab's state. As an `<a>`
  inside any HTML of the page it opens without reloading; escape it with `markup.text`.

- `<button type="button" data-copy-link>Copy link</button>` anywhere copies the address.

Values come from strangers: they only ever become values of fields, never markup or code.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode
from uuid import uuid4

import gradio as gr

from .query_keys import KEPT

TAB = "tab"
QUERY_LENGTH = 8_000
"""Characters of everything after the question mark; servers and mail programs cut longer ones."""
VALUE_LENGTH = 2_000
"""Characters of one value."""

_KEYS = 40
_STATIC = Path(__file__).parent / "static"
_SCRIPT = (_STATIC / "links.js").read_text(encoding="utf-8")
_RUN = (_STATIC / "link-run.js").read_text(encoding="utf-8")


def slug(title: str) -> str:
    """The name of a tab in addresses."""
    return "-".join(title.lower().split())


def href(tab: str, **values: str | float | bool | None) -> str:
    """The address of a state, relative to the page; None and empty values are left out."""
    given = {
        key: str(int(value)) if isinstance(value, bool) else str(value)
        for key, value in values.items()
        if value is not None and value != ""
    }
    return "?" + urlencode({TAB: tab, **given})


class Link:
    """The fields of a tab that make up its address.

    Parameters
    ----------
    tab
        `slug` of the tab's title.
    fields
        Component of each key.
    starts
        Keys of which one at least must be given for the tab to run; None: any.

    Raises
    ------
    TypeError
        For a component whose value no address can hold, or a key that has another meaning.
    """

    def __init__(
        self, tab: str, fields: Mapping[str, Any], starts: Collection[str] | None = None
    ) -> None:
        for key, field in fields.items():
            if key == TAB or key in KEPT or not isinstance(field, _LINKABLE):
                raise TypeError(f"{type(field).__name__} cannot be the field of key {key!r}.")
        self.tab = tab
        self.fields = dict(fields)
        self.starts = frozenset(self.fields if starts is None else starts)
        self.defaults = {key: _usual(field) for key, field in self.fields.items()}
        # Not a State: Gradio reports a changed one before the fields of the tab are filled, and at
        # times one that has not changed.
        self.asked = gr.HTML("", visible="hidden", js_on_load=_RUN)

    @property
    def opened(self) -> Any:
        """Happens when a link asks for an answer; used as `button.click` is."""
        return self.asked.run

    def remember(self, event: Any) -> Any:
        """Write the state of the fields into the address bar when this happens."""
        fields = [{"key": key, "usual": value} for key, value in self.defaults.items()]
        limits = {"longest": QUERY_LENGTH, "longestValue": VALUE_LENGTH}
        place = json.dumps({"tab": self.tab, "fields": fields, **limits})
        return event(
            None,
            list(self.fields.values()),
            None,
            js=f"(...values) => {{ window.molclipLinks.remember({place}, values); return []; }}",
            show_progress="hidden",
            api_visibility="private",
        )

    def read(self, given: Mapping[str, Sequence[str]]) -> tuple[list[Any], bool]:
        """Values of all fields, and whether the tab should run.

        Parameters
        ----------
        given
            Values of each key, as `urllib.parse.parse_qs` returns them.
        """
        values: dict[str, Any] = {}
        for key, field in self.fields.items():
            value = _value(field, given[key]) if given.get(key) else None
            if value is not None:
                values[key] = value
        filled = [values.get(key, default) for key, default in self.defaults.items()]
        return filled, any(values.get(key, "") != "" for key in self.starts)


def wire(tabs: gr.Tabs, shown: Mapping[str, gr.Tab], links: Sequence[Link]) -> None:
    """Let the page follow addresses; called once, after all tabs are built.

    Parameters
    ----------
    tabs
        The bar of tabs.
    shown
        Every tab by its slug, in order.
    links
        What the tabs' `build` returned.
    """
    script = f"const TABS = {json.dumps(list(shown))};\n{_SCRIPT}"
    listener = gr.HTML("", visible="hidden", js_on_load=script, elem_id="page-links")
    outputs: list[Any] = [tabs]
    for link in links:
        outputs += [link.asked, *link.fields.values()]

    def follow(event: gr.EventData) -> list[Any]:
        return _followed(str(event._data.get("query", "")), list(shown), links)

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    listener.open(follow, None, outputs, concurrency_limit=None, **quiet)
    for name, tab in shown.items():
        place = json.dumps(name)
        turned = f"() => {{ window.molclipLinks?.turn({place}); return []; }}"
        tab.select(None, None, None, js=turned, **quiet)


def _followed(query: str, tabs: Sequence[str], links: Sequence[Link]) -> list[Any]:
    """New values of the bar of tabs and of every link's token and fields."""
    if len(query) > QUERY_LENGTH:
        query = ""
    try:
        given = parse_qs(query.removeprefix("?"), keep_blank_values=True, max_num_fields=_KEYS)
    except ValueError:
        given = {}
    name = given.get(TAB, [tabs[0]])[0]
    if name not in tabs:
        name, given = tabs[0], {}
    updates: list[Any] = [gr.Tabs(selected=name)]
    for link in links:
        if link.tab != name:
            updates += [gr.skip()] * (1 + len(link.fields))
            continue
        values, run = link.read(given)
        # A new token each time, for the same link may be followed twice.
        updates += [uuid4().hex if run else gr.skip(), *values]
    return updates


def _usual(field: Any) -> Any:
    # An empty text field is None to Gradio's configuration and "" to the browser.
    return "" if field.value is None and isinstance(field, gr.Textbox) else field.value


def _value(field: Any, given: Sequence[str]) -> Any:
    """What a field makes of the address; None where it does not fit."""
    if isinstance(field, gr.CheckboxGroup) or getattr(field, "multiselect", False):
        values = [choice for text in given if (choice := _choice(field, text)) is not None]
        return values or None
    text = given[0]
    if isinstance(field, gr.Radio | gr.Dropdown):
        return _choice(field, text)
    if isinstance(field, gr.Checkbox):
        return {"1": True, "0": False}.get(text)
    if isinstance(field, gr.Slider | gr.Number):
        return _number(field, text)
    limit = min(VALUE_LENGTH, field.max_length or VALUE_LENGTH)
    clean = "".join(letter for letter in text if letter.isprintable() or letter in "\n\t")
    return clean if len(clean) <= limit else None


def _choice(field: Any, text: str) -> Any:
    return next((value for _, value in field.choices if str(value) == text), None)


def _number(field: Any, text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    low = -math.inf if field.minimum is None else field.minimum
    high = math.inf if field.maximum is None else field.maximum
    if not math.isfinite(value) or not low <= value <= high:
        return None
    return int(value) if value.is_integer() else value


_LINKABLE = (
    gr.Textbox, gr.Number, gr.Slider, gr.Checkbox, gr.Radio, gr.Dropdown, gr.CheckboxGroup,
)  # fmt: skip
