"""Mend structures that were read back from a standard InChI.

A standard InChI stores mobile hydrogens as a group, so a structure made from it carries them
anywhere: paracetamol comes back as an imidic acid, uracil as an enol, glutathionate(1-) with the
charge on an amide. The functions here move only hydrogens, protons and double bonds between
heteroatoms, and a result is kept only when its standard InChIKey is that of the source.

Three moves
-----------
proton
    from a neutral acid to an anionic site that is the weaker acid (COOH + imidate becomes
    carboxylate + amide), and from a weak base's cation to a stronger base;
shift
    of an H along alternating single and double bonds from N, O or S to N, O or S
    (imidic acid to amide, lactim to lactam, imino to amino);
zwitterion
    from an acid to an amine, asked for by the caller, who knows the name.
"""

from __future__ import annotations

from molclip.data.forms import NITROGEN, SULFUR, closed_smiles, open_form
from molclip.data.protons import pair_charges, place_protons, settle_amidinium
from molclip.data.tautomers import MAX_PATH_BONDS, shift_hydrogens
from rdkit import Chem

SHORT = 2
"""Bonds of the shift that makes an amide; tried alone where longer ones change the InChIKey."""


def repaired(mol: Chem.Mol, inchikey: str, *, zwitterion: bool = False) -> Chem.Mol | None:
    """The molecule with its mobile hydrogens where a chemist would draw them.

    Parameters
    ----------
    mol
        Sanitised molecule, read from an InChI.
    inchikey
        Standard InChIKey that the result must have.
    zwitterion
        Also pair amines with acids as charges, as ChEBI draws what it names a zwitterion.

    Returns
    -------
    rdkit.Chem.Mol or None
        None where nothing was to move, or no move kept the InChIKey.
    """
    elements = {atom.GetAtomicNum() for atom in mol.GetAtoms()}
    charged = any(atom.GetFormalCharge() for atom in mol.GetAtoms())
    if not charged and elements.isdisjoint({NITROGEN, SULFUR}):
        return None
    tried = {Chem.MolToSmiles(mol)}
    for pair, place, reach in (
        (True, True, MAX_PATH_BONDS),
        (False, True, MAX_PATH_BONDS),
        (True, True, SHORT),
        (False, True, SHORT),
        (False, False, SHORT),
    ):
        if (pair and not zwitterion) or (not place and not charged):
            continue
        work = open_form(mol)
        if place:
            place_protons(work)
        shift_hydrogens(work, reach)
        if place and place_protons(work):
            shift_hydrogens(work, reach)
        if pair:
            pair_charges(work)
        if place:
            settle_amidinium(work)
        smiles = closed_smiles(work)
        if smiles is None or smiles in tried:
            continue
        tried.add(smiles)
        result = Chem.MolFromSmiles(smiles)
        if result is not None and Chem.MolToInchiKey(result) == inchikey:
            return result
    return None
