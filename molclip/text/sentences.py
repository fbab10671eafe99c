"""Where the sentences of a description end."""

from __future__ import annotations

import re

_END = re.compile(r"(?<=[a-z0-9)\]])\.\s+(?=[A-Z(\[\d]|it )")


def split_sentences(text: str) -> list[str]:
    """Sentences of a description; locants and abbreviations do not end one."""
    pieces = [piece.strip() for piece in _END.split(text) if piece.strip()]
    return [piece if piece.endswith(".") else f"{piece}." for piece in pieces]
