"""Warnings about molecules that were read, but deserve a second look.

Everything is read off the canonical SMILES: a regular expression over a string is several times
faster than a Python loop over RDKit atoms, and this runs for every row.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rdkit.Chem import Mol

# Elements of ordinary organic chemistry and the counter-ions of everyday salts.
USUAL_ELEMENTS = frozenset(
    "H B C N O F Si P S Cl Se Br I Li Na K Mg Ca b c n o p s se".split()  # noqa: SIM905
)
FEW_HEAVY_ATOMS = 2

_BRACKET = re.compile(r"\[\d*([A-Z][a-z]?|[a-z]+|\*|#\d+)([^\]]*)\]")
# Not Cl, Ca, Cr and so on; not the c of Sc, Tc and Ac.
_CARBON = re.compile(r"C(?![laroudesmf])|(?<![STA])c")


def cautions(smiles: str, mol: "Mol") -> list[str]:
    """Return warnings on attachment points, unusual elements, tiny molecules and stereo groups.

    Parameters
    ----------
    smiles
        Canonical SMILES of the molecule.
    mol
        The molecule itself.
    """
    found = []
    if "*" in smiles:
        found.append(
            "has an attachment point (*): read as an incomplete molecule, the rest of it unknown"
        )
    if "[" in smiles:
        unusual = {atom[0] for atom in _BRACKET.findall(smiles)} - USUAL_ELEMENTS - {"*"}
        if unusual:
            names = ", ".join(sorted(element.capitalize() for element in unusual))
            found.append(
                f"contains an unusual element ({names}): "
                "the model has seen few such molecules, trust its answers less"
            )
    heavy = mol.GetNumHeavyAtoms()
    if heavy <= FEW_HEAVY_ATOMS or not _CARBON.search(smiles):
        few = f"only {heavy} heavy atom{'' if heavy == 1 else 's'}"
        what = "no carbon" if heavy > FEW_HEAVY_ATOMS else few
        found.append(f"has {what}: outside what the model knows well")
    groups = mol.GetStereoGroups()
    if groups:
        kinds = sorted({str(group.GetGroupType()).removeprefix("STEREO_") for group in groups})
        words = {"AND": "racemic (&)", "OR": "relative (or)", "ABSOLUTE": "absolute"}
        kinds = [words.get(kind, kind.lower()) for kind in kinds]
        if kinds != ["absolute"]:
            found.append(
                f"enhanced stereo group kept: {', '.join(kinds)}; "
                "SMILES and the model's features show the drawn stereoisomer only"
            )
    return found
