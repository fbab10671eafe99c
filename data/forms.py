"""A molecule opened for moves: Kekulé bonds, every hydrogen counted on its atom."""

from __future__ import annotations

from rdkit import Chem

SINGLE = Chem.BondType.SINGLE
DOUBLE = Chem.BondType.DOUBLE
NITROGEN, OXYGEN, PHOSPHORUS, SULFUR = 7, 8, 15, 16


def open_form(mol: Chem.Mol) -> Chem.RWMol:
    """Copy with Kekulé bonds and every hydrogen count explicit, ready for moves."""
    work = Chem.RWMol(mol)
    Chem.Kekulize(work, clearAromaticFlags=True)
    for atom, source in zip(work.GetAtoms(), mol.GetAtoms(), strict=True):
        atom.SetNumExplicitHs(source.GetTotalNumHs())
        atom.SetNoImplicit(True)
    return work


def closed_smiles(work: Chem.RWMol) -> str | None:
    """Canonical isomeric SMILES of an open form, or None if it is no molecule."""
    copy = Chem.Mol(work)
    if Chem.SanitizeMol(copy, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE:
        return None
    Chem.AssignStereochemistry(copy, cleanIt=True, force=True)
    return str(Chem.MolToSmiles(copy))


def double_to(atom: Chem.Atom, element: int) -> bool:
    """Whether `atom` has a double bond to an atom of this element."""
    return any(
        b.GetBondType() == DOUBLE and b.GetOtherAtom(atom).GetAtomicNum() == element
        for b in atom.GetBonds()
    )
