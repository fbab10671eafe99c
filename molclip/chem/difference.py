"""What two molecules of much the same structure have in common, and what only one of them has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from rdkit import Chem

from molclip.chem.rdkit_log import RDKIT_ERRORS, capture

if TYPE_CHECKING:
    from rdkit.Chem import Mol

SECONDS = 2
"""Time that the common part is looked for; what was found until then counts."""

# Any charge state: a carboxylate is a carboxylic acid here, and charges are told apart.
_GROUPS = {
    "carboxylic acid": "[CX3](=O)[OX2H1,OX1-]",
    "ester": "[CX3;!R](=O)[OX2H0][#6;!$(C=[O,N,S])]",
    "lactone": "[CX3;R](=O)[OX2;R][#6]",
    "amide": "[CX3;!R](=O)[NX3;!$(N[!#6;!#1])]",
    "beta-lactam": "C1(=O)[#6][#6]N1",
    "lactam": "[CX3;R](=O)[NX3;R]",
    "aldehyde": "[CX3H1](=O)[#6]",
    "ketone": "[#6][CX3](=O)[#6]",
    "phenol": "c[OX2H,OX1-]",
    "alcohol": "[CX4][OX2H]",
    "ether": "[#6;!$(C=O)][OX2][#6;!$(C=O)]",
    "methoxy group": "[#6][OX2][CH3]",
    "amine": "[NX3,NX4+;$(N[#6]);!$(N[C,S,P]=[O,S,N]);!$(N[!#6;!#1])]",
    "nitrile": "C#N",
    "nitro group": "[$([NX3](=O)=O),$([NX3+](=O)[O-])]",
    "azo group": "[#6]N=N[#6]",
    "guanidine": "[NX3][CX3](=[NX2,NX3+])[NX3]",
    "urea": "[NX3][CX3](=O)[NX3]",
    "epoxide": "C1OC1",
    "thiol": "[#6][SX2H]",
    "thioether": "[#6][SX2][#6]",
    "sulfonamide": "[$(S(=O)(=O)[NX3])]",
    "sulfonic acid or sulfate": "[$(S(=O)(=O)[OX2H,OX1-])]",
    "phosphate or phosphonate": "[$(P(=O)([OX2H,OX1-])[OX2,OX1-])]",
    "fluorine": "[F;X1]",
    "chlorine": "[Cl;X1]",
    "bromine": "[Br;X1]",
    "iodine": "[I;X1]",
    "carbon-carbon double bond": "[C]=[C]",
    "carbon-carbon triple bond": "C#C",
    "benzene ring": "c1ccccc1",
    "pyridine ring": "n1ccccc1",
    "imidazole ring": "n1cncc1",
    "furan ring": "o1cccc1",
    "thiophene ring": "s1cccc1",
}


@dataclass(frozen=True)
class Difference:
    """Two molecules side by side."""

    common: tuple[tuple[int, int], ...]
    """Pairs of atoms of the largest connected part that both have, by index."""
    first_only: tuple[int, ...]
    """Atoms of the first outside that part, ascending."""
    second_only: tuple[int, ...]
    first_groups: tuple[tuple[str, int], ...]
    """Groups that the first has more of, and how many more."""
    second_groups: tuple[tuple[str, int], ...]
    remarks: tuple[str, ...]
    """Sentences about what atoms and groups do not show: charge, isotopes, stereo."""


def difference(first: Mol, second: Mol, seconds: int = SECONDS) -> Difference:
    """Compare two molecules.

    Parameters
    ----------
    first, second
        Sanitised, without explicit hydrogens.
    seconds
        For the search of the common part (RDKit's FMCS: equal elements, equal bonds, rings whole).
    """
    with capture():
        common = _common(first, second, seconds)
        here, there = _counts(first), _counts(second)
    one, other = zip(*common, strict=True) if common else ((), ())
    return Difference(
        common=common,
        first_only=tuple(sorted(set(range(first.GetNumAtoms())) - set(one))),
        second_only=tuple(sorted(set(range(second.GetNumAtoms())) - set(other))),
        first_groups=_more(here, there),
        second_groups=_more(there, here),
        remarks=tuple(_remarks(first, second)),
    )


def _common(first: Mol, second: Mol, seconds: int) -> tuple[tuple[int, int], ...]:
    from rdkit.Chem import rdFMCS

    try:
        found: Any = rdFMCS.FindMCS(
            [first, second], timeout=seconds, ringMatchesRingOnly=True, completeRingsOnly=True
        )
        # Two atoms that happen to be alike are no common part.
        if found.numAtoms < 2:
            return ()
        part = found.queryMol
        matches = [mol.GetSubstructMatch(part) for mol in (first, second)]
    except RDKIT_ERRORS:
        return ()
    if not all(matches):
        return ()
    return tuple(zip(*matches, strict=True))


@cache
def _patterns() -> dict[str, Mol]:
    return {name: Chem.MolFromSmarts(smarts) for name, smarts in _GROUPS.items()}


def _counts(mol: Mol) -> dict[str, int]:
    return {name: len(mol.GetSubstructMatches(group)) for name, group in _patterns().items()}


def _more(these: dict[str, int], those: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(
        (name, count - those[name]) for name, count in these.items() if count > those[name]
    )


def _remarks(first: Mol, second: Mol) -> list[str]:
    said = []
    charges = [Chem.GetFormalCharge(mol) for mol in (first, second)]
    if charges[0] != charges[1]:
        here, there = (f"{charge:+d}" if charge else "none" for charge in charges)
        said.append(f"charge: {here} here, {there} there")
    whole = [Chem.MolToSmiles(mol) for mol in (first, second)]
    flat = [
        Chem.MolToSmiles(_without_isotopes(mol), isomericSmiles=False) for mol in (first, second)
    ]
    if flat[0] == flat[1] and whole[0] != whole[1]:
        isotopes = [any(atom.GetIsotope() for atom in mol.GetAtoms()) for mol in (first, second)]
        said.append(
            "the same atoms and bonds; they differ in isotopes or in the arrangement in space"
            if any(isotopes)
            else "the same atoms and bonds; only the arrangement in space differs"
        )
    return said


def _without_isotopes(mol: Mol) -> Mol:
    plain = Chem.Mol(mol)
    for atom in plain.GetAtoms():
        atom.SetIsotope(0)
    return plain
