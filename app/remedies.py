"""What to do about a row that cannot be read, in words for those who use the page or its API.

molclip's own sentence names a command, which visitors may not have.
"""

from __future__ import annotations

import re

_COMMAND = re.compile(r'Search by name with: molclip search ".*" --mode name', re.DOTALL)
_HERE = "Search for the name here: the hit has its structure."


def here(said: str) -> str:
    """A hint, or a sentence with one, for the page."""
    return _COMMAND.sub(_HERE, said)
