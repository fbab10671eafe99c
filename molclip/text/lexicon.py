"""Plain-language words for ontology terms, written by hand (`data/lexicon_*.tsv`)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

FILES = ("lexicon_roles.tsv", "lexicon_classes.tsv")


@cache
def load_lexicon() -> dict[str, tuple[str, ...]]:
    """Everyday phrases of each term, by ChEBI id; roles and classes together."""
    phrases: dict[str, tuple[str, ...]] = {}
    for name in FILES:
        lines = (files("molclip.data") / name).read_text(encoding="utf-8").splitlines()[1:]
        for line in lines:
            term, _, plain = line.split("\t")
            phrases[term] = tuple(dict.fromkeys([*phrases.get(term, ()), *plain.split("|")]))
    return phrases
