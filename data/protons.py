"""Put the protons and charges of an open form on the atoms that hold them in water."""

from __future__ import annotations

from molclip.data.forms import DOUBLE, NITROGEN, OXYGEN, PHOSPHORUS, SINGLE, SULFUR, double_to
from rdkit import Chem

MAX_MOVES = 120
"""Protons moved per molecule at most; a guard, not a limit that is met."""

SULFONIC, PHOSPHORIC, CARBOXYLIC, PHOSPHATE_2, THIOL, PHENOL, ALCOHOL, AMIDE = range(8)
"""Acids, strongest first; only the order matters."""

AMIDE_N, ANILINE, PYRIDINE, IMIDAZOLE, AMINE, AMIDINE = range(6)
"""Bases, weakest first."""


def place_protons(work: Chem.RWMol) -> bool:
    """Move protons from the strongest neutral acid to the weakest anion, and likewise cations.

    Returns whether any was moved.
    """
    atoms = list(work.GetAtoms())
    moved = False
    if not any(atom.GetFormalCharge() for atom in atoms):
        return moved
    for _ in range(MAX_MOVES):
        anions = [(acidity(a), a.GetIdx()) for a in atoms if _is_anion(a)]
        acids = [(acidity(a), a.GetIdx()) for a in atoms if _is_acid(a)]
        if not anions or not acids:
            break
        weakest, strongest = max(anions), min(acids)
        if strongest[0] >= weakest[0]:
            break
        _ionise(work.GetAtomWithIdx(strongest[1]), -1)
        _ionise(work.GetAtomWithIdx(weakest[1]), +1)
        moved = True
    for _ in range(MAX_MOVES):
        cations = [(basicity(a), a.GetIdx()) for a in atoms if _is_protonated(a)]
        bases = [(basicity(a), a.GetIdx()) for a in atoms if _is_base(a)]
        if not cations or not bases:
            break
        weakest, strongest = min(cations), max(bases)
        if strongest[0] <= weakest[0]:
            break
        _ionise(work.GetAtomWithIdx(weakest[1]), -1)
        _ionise(work.GetAtomWithIdx(strongest[1]), +1)
        moved = True
    return moved


def pair_charges(work: Chem.RWMol) -> None:
    """Give every amine the proton of an acid, strongest with strongest, until one runs out."""
    atoms = list(work.GetAtoms())
    for _ in range(MAX_MOVES):
        acids = [(acidity(a), a.GetIdx()) for a in atoms if _is_acid(a)]
        bases = [(basicity(a), a.GetIdx()) for a in atoms if _is_base(a)]
        acids = [item for item in acids if item[0] <= PHOSPHATE_2]
        bases = [item for item in bases if item[0] >= AMINE]
        if not acids or not bases:
            return
        _ionise(work.GetAtomWithIdx(min(acids)[1]), -1)
        _ionise(work.GetAtomWithIdx(max(bases)[1]), +1)


def settle_amidinium(work: Chem.RWMol) -> None:
    """Put the charge of an amidinium or guanidinium on the substituted nitrogen.

    Resonance, not chemistry: one drawing for all, the one PubChem uses.
    """
    for atom in work.GetAtoms():
        if not _is_protonated(atom) or atom.GetDegree() != 1:
            continue
        carbon = atom.GetNeighbors()[0]
        bond = work.GetBondBetweenAtoms(atom.GetIdx(), carbon.GetIdx())
        if carbon.GetAtomicNum() != 6 or bond.GetBondType() != DOUBLE:
            continue
        for other in carbon.GetNeighbors():
            if (
                other.GetAtomicNum() == NITROGEN
                and other.GetFormalCharge() == 0
                and other.GetDegree() == 2
                and other.GetNumExplicitHs() == 1
                and not other.IsInRing()
            ):
                bond.SetBondType(SINGLE)
                work.GetBondBetweenAtoms(other.GetIdx(), carbon.GetIdx()).SetBondType(DOUBLE)
                atom.SetFormalCharge(0)
                other.SetFormalCharge(1)
                break


def acidity(atom: Chem.Atom) -> int:
    """Rank of an acid (or of the acid of an anion) on N, O or S; small is strong."""
    if atom.GetAtomicNum() == NITROGEN:
        return AMIDE
    for neighbour in atom.GetNeighbors():
        element = neighbour.GetAtomicNum()
        if element == SULFUR and double_to(neighbour, OXYGEN):
            return SULFONIC
        if element == PHOSPHORUS:
            other_charge = any(
                n.GetIdx() != atom.GetIdx() and n.GetFormalCharge() == -1
                for n in neighbour.GetNeighbors()
            )
            return PHOSPHATE_2 if other_charge else PHOSPHORIC
        if element == 6:
            if double_to(neighbour, OXYGEN) or double_to(neighbour, SULFUR):
                return CARBOXYLIC
            if double_to(neighbour, NITROGEN):
                return AMIDE
            if atom.GetAtomicNum() == SULFUR:
                return THIOL
            if any(b.GetBondType() == DOUBLE for b in neighbour.GetBonds()):
                return PHENOL
    return ALCOHOL


def basicity(atom: Chem.Atom) -> int:
    """Rank of a nitrogen as a base (or of the base of a cation); large is strong."""
    double = any(b.GetBondType() == DOUBLE for b in atom.GetBonds())
    carbons = [n for n in atom.GetNeighbors() if n.GetAtomicNum() == 6]
    if double:
        for bond in atom.GetBonds():
            carbon = bond.GetOtherAtom(atom)
            if bond.GetBondType() != DOUBLE or carbon.GetAtomicNum() != 6:
                continue
            amino = sum(
                n.GetAtomicNum() == NITROGEN and n.GetIdx() != atom.GetIdx()
                for n in carbon.GetNeighbors()
            )
            if amino and not bond.IsInRing():
                return (
                    ANILINE
                    if carbon.IsInRing()
                    and bond.GetIsConjugated()
                    and any(
                        b.IsInRing() and b.GetBondType() == DOUBLE
                        for n in carbon.GetNeighbors()
                        if n.IsInRing()
                        for b in n.GetBonds()
                    )
                    else AMIDINE
                )
            return IMIDAZOLE if amino else PYRIDINE
        return AMIDE_N
    for carbon in carbons:
        if any(
            b.GetBondType() == DOUBLE
            and b.GetOtherAtom(carbon).GetAtomicNum() in (NITROGEN, OXYGEN, SULFUR)
            for b in carbon.GetBonds()
        ):
            return AMIDE_N
        if any(b.GetBondType() == DOUBLE for b in carbon.GetBonds()):
            return ANILINE
    if any(n.GetAtomicNum() != 6 for n in atom.GetNeighbors()):
        return AMIDE_N
    return AMINE


def _is_anion(atom: Chem.Atom) -> bool:
    return (
        atom.GetFormalCharge() == -1
        and atom.GetAtomicNum() in (NITROGEN, OXYGEN, SULFUR)
        and atom.GetDegree() > 0
        and all(n.GetFormalCharge() <= 0 for n in atom.GetNeighbors())
    )


def _is_acid(atom: Chem.Atom) -> bool:
    return (
        atom.GetFormalCharge() == 0
        and atom.GetAtomicNum() in (OXYGEN, SULFUR)
        and atom.GetNumExplicitHs() > 0
        and atom.GetDegree() == 1
    )


def _is_protonated(atom: Chem.Atom) -> bool:
    return (
        atom.GetFormalCharge() == 1
        and atom.GetAtomicNum() == NITROGEN
        and atom.GetNumExplicitHs() > 0
        and atom.GetDegree() > 0
    )


def _is_base(atom: Chem.Atom) -> bool:
    return (
        atom.GetFormalCharge() == 0
        and atom.GetAtomicNum() == NITROGEN
        and (atom.GetDegree() > 0 or atom.GetNumExplicitHs() == 3)
        and all(n.GetFormalCharge() == 0 for n in atom.GetNeighbors())
        and not any(b.GetBondType() == Chem.BondType.TRIPLE for b in atom.GetBonds())
    )


def _ionise(atom: Chem.Atom, step: int) -> None:
    """Add (+1) or take (-1) one proton."""
    atom.SetFormalCharge(atom.GetFormalCharge() + step)
    atom.SetNumExplicitHs(atom.GetNumExplicitHs() + step)
