"""Small English helpers for sentences about chemicals."""

from __future__ import annotations

import re
from collections.abc import Sequence

_VOWEL_SOUND = re.compile(r"^(?:[aio]|e(?!u)|u(?!ni|r[aei])|8|11(?!\d)|18(?!\d))", re.IGNORECASE)
_SINGULAR_ENDINGS = ("ss", "us", "is", "gas", "os")


def is_plural(name: str) -> bool:
    """Whether a class name is a plural noun, as `pterocarpans` is and `gas` is not."""
    word = name.partition(" ")[0] if " of " in name else name
    return word.endswith("s") and not word.endswith(_SINGULAR_ENDINGS) and len(word) > 3


def with_article(name: str) -> str:
    """`name` behind the indefinite article that its first sound asks for."""
    return f"an {name}" if _VOWEL_SOUND.match(name) else f"a {name}"


def as_kind(name: str) -> str:
    """A class name as one member of it: `an alkaloid`, `a member of pterocarpans`."""
    return f"a member of {name}" if is_plural(name) else with_article(name)


def singular(name: str) -> str:
    """A plural class name as a singular noun; other names unchanged."""
    if not is_plural(name):
        return name
    if name.endswith("ies") and not name.endswith("series"):
        return name[:-3] + "y"
    return name[:-1]


def joined(parts: Sequence[str], conjunction: str = "and") -> str:
    """`a, b and c`: the list style of the descriptions that curators write."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {conjunction} {parts[-1]}"
