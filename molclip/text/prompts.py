"""Prompt templates: how a bare label becomes sentences. Data, printed in every report."""

from __future__ import annotations

from collections.abc import Sequence

from molclip.errors import InputError
from molclip.text.grammar import as_kind

#: Sentences for a label; `{}` is the label as given, `{a}` the label behind its article.
DEFAULT_TEMPLATES = (
    "{}",
    "{a}",
    "The molecule is {a}.",
    "It has a role as {a}.",
)


def prompts_for(label: str, templates: Sequence[str] = DEFAULT_TEMPLATES) -> list[str]:
    """One sentence per template.

    Raises
    ------
    InputError
        For an empty label, or a template without a place for it.
    """
    clean = " ".join(label.split())
    if not clean:
        raise InputError("A label is empty.", "Give a word or a phrase for each label.")
    prompts = []
    for template in templates:
        if "{}" not in template and "{a}" not in template:
            raise InputError(
                f"The template {template!r} has no place for the label.", "Put {} or {a} into it."
            )
        prompts.append(template.replace("{a}", as_kind(clean)).replace("{}", clean))
    return prompts
