"""Labels as a visitor writes them, with the sentences that the model reads for each.

One label per line, or several separated by semicolons. `label = sentence | sentence` gives a label
sentences of its own. In a sentence `{}` is the label and `{a}` the label behind its article.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from molclip.errors import InputError
from molclip.text.grammar import as_kind
from molclip.text.negation import negated_label
from molclip.text.prompts import DEFAULT_TEMPLATES, prompts_for

from .label_sets import LabelSet
from .limits import (
    ALL_SENTENCES,
    LABEL_LENGTH,
    LABELS,
    SENTENCE_LENGTH,
    SENTENCES,
    check_length,
)

# With spaces around it: a bare = is a double bond.
_OWN = re.compile(r"\s=(?:\s|$)")


@dataclass(frozen=True)
class Label:
    """A label and the sentences whose vectors are averaged for it."""

    name: str
    sentences: tuple[str, ...]
    own: bool = False
    """Whether the sentences were written for this label."""
    denies: bool = False
    """Whether the label denies what the sentences say (*not an opioid*): it is their opposite."""


def read_labels(
    text: str, templates: Sequence[str] = DEFAULT_TEMPLATES
) -> tuple[list[Label], list[str]]:
    """Labels of a text field, and remarks.

    Parameters
    ----------
    text
        In the syntax above; may be empty.
    templates
        Sentences for labels without their own.

    Raises
    ------
    InputError
        For a label or sentence that is too long, or a label with too many sentences.
    """
    read = (_label(part, templates) for part in _parts(text))
    return merged(label for label in read if label is not None)


def labels_of(chosen: LabelSet, templates: Sequence[str] = ()) -> list[Label]:
    """The labels of a set, with its own sentences unless others are given."""
    return [_around(name, templates or chosen.templates) for name in chosen.labels]


def merged(labels: Iterable[Label]) -> tuple[list[Label], list[str]]:
    """Each label once, the first one counts; and remarks about the others."""
    kept: dict[str, Label] = {}
    twice: dict[str, None] = {}
    for label in labels:
        if kept.setdefault(label.name.casefold(), label) is not label:
            twice[label.name] = None
    said = [f"The label {name!r} is given twice and counts once." for name in twice]
    return list(kept.values()), said


def check_labels(labels: Sequence[Label]) -> None:
    """Refuse none and too many.

    Raises
    ------
    InputError
        With the number and the limit.
    """
    if not labels:
        raise InputError("There are no labels yet.", "Type some, one per line, or choose a set.")
    if len(labels) > LABELS:
        raise InputError(
            f"There are {len(labels):,} labels; this page takes {LABELS}.", "Leave some out."
        )
    sentences = sum(len(label.sentences) for label in labels)
    if sentences > ALL_SENTENCES:
        raise InputError(
            f"The labels have {sentences:,} sentences; this page takes {ALL_SENTENCES:,}.",
            "Leave some out, or give fewer sentences around each label.",
        )


def read_templates(text: str) -> tuple[str, ...]:
    """Sentences around labels, one per line; none where the field is empty.

    Raises
    ------
    InputError
        For one without a place for the label, too long a one, or too many.
    """
    templates = tuple(dict.fromkeys(filter(None, (_clean(line) for line in text.splitlines()))))
    if templates:
        _check(templates, "There")
        prompts_for("label", templates)
    return templates


def _parts(text: str) -> Iterable[str]:
    for line in text.splitlines():
        # A semicolon inside a label's own sentences is punctuation.
        yield from [line] if _OWN.search(line) else line.split(";")


def _around(name: str, templates: Sequence[str]) -> Label:
    """A label with the templates around it, or around what it denies."""
    denied = negated_label(name)
    return Label(name, tuple(prompts_for(denied or name, templates)), denies=denied is not None)


def _label(part: str, templates: Sequence[str]) -> Label | None:
    name, *own = _OWN.split(part, maxsplit=1)
    name = _clean(name)
    if not name:
        if own:
            raise InputError(
                f"There is no label before the = in {part.strip()[:60]!r}.",
                "Write label = sentence | sentence.",
            )
        return None
    check_length(name, LABEL_LENGTH, f"The label {name[:40]!r}")
    if not own:
        return _around(name, templates)
    written = filter(None, (_clean(sentence) for sentence in own[0].split("|")))
    sentences = tuple(
        dict.fromkeys(s.replace("{a}", as_kind(name)).replace("{}", name) for s in written)
    )
    if not sentences:
        raise InputError(
            f"The label {name!r} has no sentence behind its =.",
            "Write label = sentence | sentence, or the label alone.",
        )
    _check(sentences, f"The label {name[:40]!r}")
    return Label(name, sentences, own=True)


def _check(sentences: Sequence[str], whose: str) -> None:
    if len(sentences) > SENTENCES:
        verb = "are" if whose == "There" else "has"
        raise InputError(
            f"{whose} {verb} {len(sentences)} sentences; this page takes {SENTENCES}.",
            "Leave some out.",
        )
    for sentence in sentences:
        check_length(sentence, SENTENCE_LENGTH, f"The sentence {sentence[:40]!r}")


def _clean(text: str) -> str:
    return " ".join(text.split())
