"""Text to HTML: everything that comes from a user or a file goes through `text`."""

from __future__ import annotations

import re
from html import escape

from molclip.errors import MolclipError

NOTICE = "Not for clinical, legal or safety decisions."

# The page's HTML components are templates: braces, dollars and backticks have a meaning there.
_TEMPLATE = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;"})


def text(value: object) -> str:
    """HTML of a plain text, safe in content and in quoted attributes."""
    return escape(str(value), quote=True).translate(_TEMPLATE)


def literal(html: str) -> str:
    """HTML made elsewhere, safe in the page's components: no sign of it is read as a template."""
    return html.translate(_TEMPLATE)


def message(kind: str, title: str, detail: str = "") -> str:
    """A sentence where the answer would stand; `kind` is empty, busy, none or error."""
    # Errors interrupt a screen reader, everything else waits for its turn.
    role = "alert" if kind == "error" else "status"
    more = f"<p>{text(detail)}</p>" if detail else ""
    return (
        f'<div class="mc-message mc-{text(kind)}" role="{role}"><strong>{text(title)}</strong>'
        f"{more}</div>"
    )


def error(problem: MolclipError) -> str:
    """What was wrong with an input, and what to do."""
    return message("error", problem.message, problem.hint)


def badge(label: str, kind: str, title: str = "") -> str:
    """A small label; `title` is shown on hover."""
    hover = f' title="{text(title)}"' if title else ""
    return f'<span class="mc-badge mc-{text(kind)}"{hover}>{text(label)}</span>'


def formula(value: str) -> str:
    """A molecular formula with lowered counts."""
    return re.sub(r"(?<=[A-Za-z\])])(\d+)", r"<sub>\1</sub>", text(value))


def number(value: float, digits: int = 2) -> str:
    """A number with a real minus sign, and none before a zero."""
    return f"{value:z,.{digits}f}".replace("-", "\u2212")
