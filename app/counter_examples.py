"""A counter-example as HTML: two structures side by side, what differs, what it is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rdkit import Chem

from molclip.chem.depict import depict_svg
from molclip.chem.layout import lay_out
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
from molclip.errors import MolclipError
from molclip.explain.counter import BACKGROUND, CLEARLY, LEAST_SIMILARITY

from . import markup
from .explanations import HEIGHT, WIDTH, labelled
from .links import href
from .markup import number, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from molclip.explain import CounterExample, Explanation

    from .explaining import Match

_HEAD = "<h2>A counter-example</h2>"
_MARKED = "Amber: what the other one lacks."


def nothing(match: Match) -> str:
    """The sentence where every neighbour matches as well."""
    said = (
        f"Everything in the library that is close in structure (similarity {LEAST_SIMILARITY:g} or "
        f"more) matches “{match.text}” about as well, so nothing shows what the match hangs on."
    )
    return f'<section class="mc-counter">{_HEAD}{markup.message("none", "There is none.", said)}</section>'


def counter(match: Match, found: CounterExample, explained: Explanation) -> str:
    """The molecule that was asked about beside its neighbour without the match."""
    name = str(found.record.get("name") or found.record.get("id") or found.molecule.smiles)
    both = _drawings(found, match)
    other = href("why", smiles=found.molecule.smiles, text=match.text)
    links = [f'<a href="{text(other)}">Explain this one</a>']
    id_ = str(found.record.get("id") or "")
    if id_.startswith("CHEBI:"):
        links.append(
            f'<a href="https://www.ebi.ac.uk/chebi/{quote(id_, safe=":")}" target="_blank" '
            f'rel="noopener noreferrer" aria-label="{text(name)} in ChEBI">ChEBI</a>'
        )
    lowest = number(CLEARLY * found.deviation, 3)
    return f"""<section class="mc-counter" aria-label="Counter-example">{_HEAD}
<p>Of the molecules that match these words clearly less, the closest in structure is
<strong>{text(name)}</strong>: match {number(found.score, 3)} instead of
{number(found.own_score, 3)}, at a similarity of {number(found.similarity)}.</p>
<div class="mc-maps">
<figure class="mc-map">{both[0]}<figcaption><strong>{text(match.molecule.name or "The molecule asked about")}</strong>
<span>match {number(found.own_score, 3)}</span></figcaption></figure>
<figure class="mc-map">{both[1]}<figcaption><strong>{text(name)}</strong>
<span>match {number(found.score, 3)} · {" · ".join(links)}</span></figcaption></figure></div>
<p class="mc-legend">{_MARKED}</p>
<ul class="mc-differences">{_differences(found)}</ul>
<p class="mc-facts">{_worth(found, explained)} Clearly less: at least {lowest} lower, which is one
standard deviation of the scores of these words over {BACKGROUND:,} molecules of the library.
Similarity: count Tanimoto of Morgan environments, at least {LEAST_SIMILARITY:g}.</p></section>"""


def _differences(found: CounterExample) -> str:
    apart = found.difference
    lines = []
    for where, groups, atoms in (
        ("Only in the molecule asked about", apart.first_groups, apart.first_only),
        ("Only in the counter-example", apart.second_groups, apart.second_only),
    ):
        if groups:
            lines.append(f"{where}: {', '.join(_counted(*group) for group in groups)}.")
        elif atoms:
            lines.append(f"{where}: {_number_of_atoms(len(atoms))}, no group with a name here.")
    lines += [f"{remark[0].upper()}{remark[1:]}." for remark in apart.remarks]
    if not lines:
        lines.append("The same atoms and groups, bound together in another way.")
    return "".join(f"<li>{text(line)}</li>" for line in lines)


def _counted(name: str, count: int) -> str:
    return name if count == 1 else f"{count} × {name}"


def _number_of_atoms(count: int) -> str:
    return "one atom" if count == 1 else f"{count} atoms"


def _worth(found: CounterExample, explained: Explanation) -> str:
    """What the maps above give to the atoms that the neighbour lacks."""
    values = explained.atoms.gradient
    marked = list(found.difference.first_only)
    if values is None or not marked or len(marked) == len(values):
        return ""
    share = number(float(values[marked].sum()), 3)
    return (
        f"The marked {'atom' if len(marked) == 1 else f'{len(marked)} atoms'} of the molecule asked "
        f"about {'has' if len(marked) == 1 else 'have'} {share} of the {number(float(values.sum()), 3)} "
        "that the gradients give to its atoms."
    )


def _drawings(found: CounterExample, match: Match) -> tuple[str, str]:
    """Both structures, the common part at the same place, the rest on an amber ground."""
    first, second = Chem.Mol(match.molecule.mol), Chem.Mol(found.molecule.mol)
    with capture():
        try:
            lay_out(first)
            _place_like(second, first, found.difference.common)
        except RDKIT_ERRORS:
            first, second = match.molecule.mol, found.molecule.mol
    apart = found.difference
    return (
        _drawn(first, apart.first_only, f"The molecule asked about: {match.molecule.smiles}"),
        _drawn(second, apart.second_only, f"Counter-example: {found.molecule.smiles}"),
    )


def _place_like(mol: Any, other: Any, common: Sequence[tuple[int, int]]) -> None:
    from rdkit.Chem import rdDepictor

    if len(common) > 2:
        try:
            rdDepictor.GenerateDepictionMatching2DStructure(mol, other, list(common))
        except RDKIT_ERRORS:
            pass
        else:
            return
    lay_out(mol)


def _drawn(mol: Any, marked: Sequence[int], label: str) -> str:
    try:
        with capture():
            return labelled(depict_svg(mol, WIDTH, HEIGHT, marked), label)
    except (MolclipError, *RDKIT_ERRORS):
        return '<p class="mc-undrawn">No drawing of this molecule</p>'
