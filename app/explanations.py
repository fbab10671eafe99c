"""Explanations of a match as HTML: maps over atoms, words, sums, agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem.depict_weights import weighted_svg
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
from molclip.errors import MolclipError

from .markup import number, text

if TYPE_CHECKING:
    from molclip.explain import Attribution, Explanation

    from .explaining import Match

WIDTH, HEIGHT = 400, 280
AGREED, PARTLY = 0.7, 0.3
"""Rank correlations from which two methods agree, and agree in part."""
_FAINTEST = 0.06
_CAPTIONS = {
    "occlusion": ("Occlusion", "match minus the match without the part"),
    "gradient": ("Integrated gradients", "the part’s share on the way from nothing to all"),
}
_KINDS = {"maccs": "structural keys", "shape": "counts and charge", "ladder": "size classes"}

Values = npt.NDArray[np.float64]


def summary(match: Match, found: Explanation, above: float, background: int) -> str:
    """How the input was read, and how good the match is."""
    percent = number(100 * above, 1)
    return (
        f'<div class="mc-summary" role="status"><p class="mc-read">{text(match.said)}</p>'
        f'<p class="mc-facts">Match with “{text(match.text)}”: cosine '
        f"<strong>{number(found.score, 3)}</strong>, higher than that of {percent} % of "
        f"{background:,} molecules of the library.</p></div>"
    )


def explanation(found: Explanation) -> str:
    """Structures with their atoms weighed, words, sums, and how far the methods agree."""
    figures = "".join(_atoms(found, name) for name in _CAPTIONS)
    if _disagree(found.atoms):
        figures += _apart(found)
    words = "".join(_words(found, name) for name in _CAPTIONS)
    notes = "".join(
        f'<p class="mc-remark">{text(_sentence(remark))}</p>'
        for remark in found.remarks
        # Agreement has a line of its own.
        if not remark.startswith("the two methods disagree")
    )
    return f"""<section class="mc-why" aria-label="Which atoms and which words carry the match">
<div class="mc-maps">{figures}</div>
<p class="mc-legend"><span class="mc-plus">raises the match</span>
<span class="mc-minus">lowers it</span> <span>area and strength of colour: how much</span></p>
{words}
<p class="mc-agreement">{_agreement("atoms", found.atoms)} {_agreement("words", found.word_values)}
{_opposed(found)}</p>
<p class="mc-facts">{_sum("atoms", "no molecule", found.atoms)}
{_sum("words", "no words", found.word_values)} What occlusion finds does not add up: parts that
stand in for each other hide each other.</p>{notes}</section>"""


def weighted(mol: Any, values: Values, label: str) -> str:
    """A drawing with a disc behind each atom; a sentence where none can be made."""
    try:
        with capture():
            svg = weighted_svg(mol, values, WIDTH, HEIGHT)
    except (MolclipError, *RDKIT_ERRORS):
        return '<p class="mc-undrawn">No drawing of this molecule</p>'
    return labelled(svg, label)


def labelled(svg: str, label: str) -> str:
    """A drawing on one line, with what a screen reader says of it."""
    before, _, rest = svg.partition("aria-label='")
    _, _, after = rest.partition("'")
    return f"{before}aria-label='{text(label)}'{after}".replace("\n", " ")


def _atoms(found: Explanation, name: str) -> str:
    title, what = _CAPTIONS[name]
    values = getattr(found.atoms, name)
    label = f"{title}: {_strongest(found, values)}"
    return (
        f'<figure class="mc-map"><figcaption><strong>{title}</strong><span>{what}</span>'
        f"</figcaption>{weighted(found.molecule.mol, values, label)}</figure>"
    )


def _apart(found: Explanation) -> str:
    """Where the two maps differ, each scaled to its largest value."""
    assert found.atoms.gradient is not None
    assert found.atoms.occlusion is not None
    values = _scaled(found.atoms.gradient) - _scaled(found.atoms.occlusion)
    drawn = weighted(
        found.molecule.mol, values, f"Difference: {_strongest(found, values, 'more by gradients')}"
    )
    return (
        '<figure class="mc-map"><figcaption><strong>Where they differ</strong>'
        "<span>gradients minus occlusion, each over its largest value</span></figcaption>"
        f"{drawn}</figure>"
    )


def _scaled(values: Values) -> Values:
    return values / (float(np.abs(values).max(initial=0.0)) or 1.0)


def _strongest(found: Explanation, values: Values, what: str = "most") -> str:
    """The three atoms with the largest values, for those who cannot see the map."""
    mol = found.molecule.mol
    order = np.argsort(-values, kind="stable")[:3].tolist()
    named = ", ".join(
        f"{mol.GetAtomWithIdx(atom).GetSymbol()}{atom + 1} {number(float(values[atom]), 3)}"
        for atom in order
    )
    return f"{what} {named}"


def _words(found: Explanation, name: str) -> str:
    title, what = _CAPTIONS[name]
    values = getattr(found.word_values, name)
    shares = np.abs(_scaled(values)).tolist()
    chips = "".join(
        _chip(word, value, share)
        for word, value, share in zip(found.words, values.tolist(), shares, strict=True)
    )
    return (
        f'<div class="mc-words"><p class="mc-words-title"><strong>Words</strong> · {title}, {what}'
        f'</p><ul aria-label="Words by {title.lower()}">{chips}</ul></div>'
    )


def _chip(word: str, value: float, share: float) -> str:
    kind = "" if share < _FAINTEST else "mc-plus" if value > 0 else "mc-minus"
    sign = "+" if value > 0 else ""
    return (
        f'<li class="mc-word {kind}" style="--share: {share:.2f}"><span>{text(word)}</span>'
        f"<small>{sign}{number(value, 3)}</small></li>"
    )


def _disagree(found: Attribution) -> bool:
    return found.agreement is not None and found.agreement < AGREED


def _agreement(what: str, found: Attribution) -> str:
    value = found.agreement
    if value is None:
        return f"Too few {what} to compare the two methods."
    shown = f"rank correlation {number(value)}"
    if value >= AGREED:
        return f"The two methods agree about the {what} ({shown})."
    if value >= PARTLY:
        return f"The two methods agree about the {what} only in part ({shown})."
    return (
        f"<strong>The two methods disagree about the {what}</strong> ({shown}): neither is an "
        "explanation."
    )


def _opposed(found: Explanation) -> str:
    """Words that one method says raise the match and the other says lower it."""
    if not _disagree(found.word_values):
        return ""
    one, other = (_scaled(getattr(found.word_values, name)) for name in _CAPTIONS)
    rows = np.flatnonzero((one * other < 0) & (np.minimum(abs(one), abs(other)) >= _FAINTEST))
    if not len(rows):
        return ""
    named = ", ".join(f"“{text(found.words[row])}”" for row in rows[:5].tolist())
    return f"Of opposite sign: {named}."


def _sum(what: str, nothing: str, found: Attribution) -> str:
    assert found.gradient is not None
    assert found.baseline is not None
    rest = " and ".join(
        f"{number(value, 3)} of {_KINDS.get(kind, kind)}" for kind, value in found.remainder.items()
    )
    rest = f" with {rest}, which belong to no atom" if rest else ""
    return (
        f"The gradients of the {what} add up to {number(float(found.gradient.sum()), 3)}{rest}: "
        f"from {number(found.baseline, 3)} for {nothing} to {number(found.score, 3)}."
    )


def _sentence(remark: str) -> str:
    """A remark as a sentence."""
    return f"{remark[:1].upper()}{remark[1:]}".rstrip(".") + "."
