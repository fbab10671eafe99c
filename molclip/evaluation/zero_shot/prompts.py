"""Sentences for labels, by kind of label. The templates are printed in every report."""

from __future__ import annotations

from collections.abc import Sequence

from molclip.evaluation.zero_shot.label_set import DESCRIPTION, ENSEMBLE, NAME, PLAIN, Label
from molclip.text.prompts import prompts_for

TEMPLATES: dict[str, tuple[str, ...]] = {
    "class": ("{}", "{a}", "The molecule is {a}.", "It is {a}."),
    "role": ("{}", "{a}", "It has a role as {a}.", "used as {a}"),
    "natural product": ("{}", "{a}", "a natural product of the class {}", "a member of {}"),
    "use": ("{}", "used as {}", "a chemical used as {}", "a substance with the function {}"),
    "odour": ("{}", "smells {}", "{} odour", "a compound with {} scent"),
}
"""`{}` is the label, `{a}` the label behind its article. The first is the bare label."""


def make_label(
    id_: str,
    name: str,
    kind: str,
    *,
    plain: Sequence[str] = (),
    description: str = "",
) -> Label:
    """Return a label with its prompt variants.

    Parameters
    ----------
    id_, name
        Id in its source, and the label as a user would type it.
    kind
        A key of `TEMPLATES`.
    plain
        Everyday phrases that mean the same.
    description
        A written definition.
    """
    prompts = {NAME: (name,), ENSEMBLE: tuple(prompts_for(name, TEMPLATES[kind]))}
    if plain:
        prompts[PLAIN] = tuple(plain)
    if description:
        prompts[DESCRIPTION] = (description,)
    return Label(id_, name, prompts)
