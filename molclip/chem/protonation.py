"""The partner of a molecule at physiological pH, with the name a curator would give it.

Rules of thumb, not a pKa model: carboxy, phospho and sulfo groups lose their protons, an aliphatic
amine takes one up. Good enough to pair names with charged structures for training.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from rdkit import Chem

from molclip.chem.rdkit_log import capture

_ACID = "[OX2H1;$(OC=O),$(O[PX4]),$(O[SX4](=O)=O)]"
# An aliphatic amine that is no amide, no aniline, no enamine.
_AMINE = "[NX3;!$(N[C,S,P]=[O,S,N]);!$(N[c,n,N,O]);!$(NC=[C,N]);!$(N=*);!$(N#*)]"


class Partner(NamedTuple):
    """A charged relative of a molecule."""

    smiles: str
    name: str
    relation: str
    """Of the partner to the molecule it was made from, as ChEBI names it."""


@cache
def _pattern(smarts: str) -> Any:
    return Chem.MolFromSmarts(smarts)


def partner(smiles: str, name: str) -> Partner | None:
    """Conjugate base, zwitterion or conjugate acid; None where no rule applies.

    Parameters
    ----------
    smiles
        A neutral molecule.
    name
        Its name.
    """
    # OPSIN reads names of structures that RDKit refuses; those are left out without a word each.
    with capture():
        mol = Chem.MolFromSmiles(smiles)
    if mol is None or any(atom.GetFormalCharge() for atom in mol.GetAtoms()):
        return None
    acids = [match[0] for match in mol.GetSubstructMatches(_pattern(_ACID))]
    amines = [match[0] for match in mol.GetSubstructMatches(_pattern(_AMINE))]
    if len(acids) > 8 or len(amines) > 1:
        return None
    for place in acids:
        mol.GetAtomWithIdx(place).SetFormalCharge(-1)
        mol.GetAtomWithIdx(place).SetNumExplicitHs(0)
    for place in amines:
        atom = mol.GetAtomWithIdx(place)
        atom.SetNumExplicitHs(atom.GetTotalNumHs() + 1)
        atom.SetFormalCharge(1)
        atom.SetNoImplicit(True)
    if acids and amines:
        if len(acids) > 1:
            return None
        called, relation = f"{name} zwitterion", "is_tautomer_of"
    elif acids:
        called, relation = _base_name(name, len(acids)), "is_conjugate_base_of"
    elif amines:
        called, relation = f"{name}(1+)", "is_conjugate_acid_of"
    else:
        return None
    if Chem.SanitizeMol(mol, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE:
        return None
    return Partner(Chem.MolToSmiles(mol), called, relation)


def _base_name(name: str, charges: int) -> str:
    if charges == 1 and name.endswith("ic acid"):
        return f"{name.removesuffix('ic acid')}ate"
    return f"{name}({charges}-)"
