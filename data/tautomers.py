"""Move mobile hydrogens of an open form to where a chemist draws them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from molclip.data.forms import DOUBLE, NITROGEN, OXYGEN, SINGLE, SULFUR, double_to
from rdkit import Chem

MAX_PATH_BONDS = 8
"""Longest shift; eight bonds reach across a flavin."""

MAX_SHIFTS = 120
"""Shifts per molecule at most; a guard, not a limit that is met."""

LARGE = 150
"""Heavy atoms above which only imidic acids become amides: each trial costs too much."""

Shift = tuple[int, ...]
"""Atom indices from the donor (loses H) to the acceptor (gains H)."""


def shift_hydrogens(work: Chem.RWMol, reach: int = MAX_PATH_BONDS) -> None:
    """Apply the best shift of at most `reach` bonds until none improves `form_score`."""
    while imidic := list(_imidic_acids(work)):
        done: set[int] = set()
        for path in imidic:
            if done.isdisjoint(path):
                _apply(work, path)
                done.update(path)
    if work.GetNumAtoms() > LARGE:
        return
    best: float | None = None
    for _ in range(MAX_SHIFTS):
        candidates = sorted(set(_shifts(work, reach)))
        if not candidates:
            return
        if best is None:
            best = form_score(work)
        chosen: Shift | None = None
        for path in candidates:
            trial = Chem.RWMol(work)
            _apply(trial, path)
            score = form_score(trial)
            if score > best:
                best, chosen = score, path
        if chosen is None:
            return
        _apply(work, chosen)


def form_score(work: Chem.RWMol) -> float:
    """How a chemist likes a tautomer: aromatic rings first, then amides, then amino groups."""
    copy = Chem.Mol(work)
    if Chem.SanitizeMol(copy, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE:
        return float("-inf")
    score = 0.0
    for ring in copy.GetRingInfo().BondRings():
        if all(copy.GetBondWithIdx(i).GetIsAromatic() for i in ring):
            carbons = all(
                copy.GetBondWithIdx(i).GetBeginAtom().GetAtomicNum() == 6
                and copy.GetBondWithIdx(i).GetEndAtom().GetAtomicNum() == 6
                for i in ring
            )
            score += 250 if carbons else 100
    for bond in work.GetBonds():
        if bond.GetBondType() != DOUBLE:
            continue
        for one, other in (
            (bond.GetBeginAtom(), bond.GetEndAtom()),
            (bond.GetEndAtom(), bond.GetBeginAtom()),
        ):
            if one.GetAtomicNum() != 6:
                continue
            element = other.GetAtomicNum()
            if element == OXYGEN:
                score += 4
            elif element == SULFUR:
                score += 3
            elif element == NITROGEN:
                score += _imine_score(work, one, other, bond)
    for atom in work.GetAtoms():
        if (
            atom.GetAtomicNum() == NITROGEN
            and atom.GetNumExplicitHs()
            and not atom.GetFormalCharge()
        ):
            score += _amino_score(atom)
    return score


def _imine_score(work: Chem.RWMol, carbon: Chem.Atom, nitrogen: Chem.Atom, bond: Chem.Bond) -> int:
    """C=N: worst on a ring's outside, poor with an H on the nitrogen."""
    if carbon.IsInRing() and not bond.IsInRing():
        rings = work.GetRingInfo()
        conjugated = any(
            all(work.GetBondWithIdx(i).GetIsConjugated() for i in ring)
            for index, ring in zip(rings.AtomRings(), rings.BondRings(), strict=True)
            if carbon.GetIdx() in index
        )
        if conjugated:
            return -2
    return 0 if nitrogen.GetTotalNumHs() else 1


def _amino_score(nitrogen: Chem.Atom) -> float:
    """N-H: best beside a carbonyl; in an azole away from the ring fusion's other nitrogens."""
    score = 0.0
    for carbon in nitrogen.GetNeighbors():
        if carbon.GetAtomicNum() != 6:
            continue
        if double_to(carbon, OXYGEN) or double_to(carbon, SULFUR):
            score += 1
            break
    if nitrogen.IsInRingSize(5):
        pyrazole = any(n.GetAtomicNum() == NITROGEN for n in nitrogen.GetNeighbors())
        for carbon in nitrogen.GetNeighbors():
            others = sum(
                n.GetAtomicNum() == NITROGEN and n.GetIdx() != nitrogen.GetIdx()
                for n in carbon.GetNeighbors()
            )
            score -= 0.25 * others
            if carbon.GetDegree() == 3:
                score += 0.1
            if pyrazole and _in_two_rings(carbon):
                score += 0.5
    return score


def _in_two_rings(atom: Chem.Atom) -> bool:
    return bool(atom.GetOwningMol().GetRingInfo().NumAtomRings(atom.GetIdx()) > 1)


def _apply(work: Chem.RWMol, path: Shift) -> None:
    donor, acceptor = work.GetAtomWithIdx(path[0]), work.GetAtomWithIdx(path[-1])
    donor.SetNumExplicitHs(donor.GetNumExplicitHs() - 1)
    acceptor.SetNumExplicitHs(acceptor.GetNumExplicitHs() + 1)
    for begin, end in pairwise(path):
        bond = work.GetBondBetweenAtoms(begin, end)
        if bond.GetBondType() == SINGLE:
            bond.SetBondType(DOUBLE)
        else:
            bond.SetBondType(SINGLE)
            bond.SetStereo(Chem.BondStereo.STEREONONE)


def _imidic_acids(work: Chem.RWMol) -> Iterator[Shift]:
    """HO-C=N outside rings made of conjugated atoms only: always an amide."""
    for atom in work.GetAtoms():
        if atom.GetAtomicNum() != OXYGEN or not atom.GetNumExplicitHs() or atom.GetFormalCharge():
            continue
        for carbon in atom.GetNeighbors():
            if carbon.GetAtomicNum() != 6:
                continue
            for bond in carbon.GetBonds():
                other = bond.GetOtherAtom(carbon)
                if (
                    bond.GetBondType() == DOUBLE
                    and other.GetAtomicNum() == NITROGEN
                    and not other.GetFormalCharge()
                    and not (bond.IsInRing() and _conjugated_ring(work, bond.GetIdx()))
                ):
                    yield (atom.GetIdx(), carbon.GetIdx(), other.GetIdx())


def _conjugated_ring(work: Chem.RWMol, bond: int) -> bool:
    for ring in work.GetRingInfo().BondRings():
        if bond in ring and all(work.GetBondWithIdx(i).GetIsConjugated() for i in ring):
            return True
    return False


def _shifts(work: Chem.RWMol, reach: int) -> Iterator[Shift]:
    for atom in work.GetAtoms():
        if (
            atom.GetAtomicNum() in (NITROGEN, OXYGEN, SULFUR)
            and atom.GetNumExplicitHs()
            and not atom.GetFormalCharge()
        ):
            yield from _walk(work, (atom.GetIdx(),), reach)


def _walk(work: Chem.RWMol, path: Shift, reach: int) -> Iterator[Shift]:
    """Extend an alternating path by one single and one double bond."""
    for single in work.GetAtomWithIdx(path[-1]).GetBonds():
        middle = single.GetOtherAtomIdx(path[-1])
        if single.GetBondType() != SINGLE or middle in path:
            continue
        if work.GetAtomWithIdx(middle).GetAtomicNum() not in (6, NITROGEN):
            continue
        for double in work.GetAtomWithIdx(middle).GetBonds():
            end = double.GetOtherAtomIdx(middle)
            if double.GetBondType() != DOUBLE or end in path:
                continue
            longer = (*path, middle, end)
            if _accepts(work, longer):
                yield longer
            if len(longer) < reach and work.GetAtomWithIdx(end).GetAtomicNum() in (
                6,
                NITROGEN,
            ):
                yield from _walk(work, longer, reach)


def _accepts(work: Chem.RWMol, path: Shift) -> bool:
    donor, acceptor = work.GetAtomWithIdx(path[0]), work.GetAtomWithIdx(path[-1])
    if acceptor.GetAtomicNum() not in (NITROGEN, OXYGEN, SULFUR) or acceptor.GetFormalCharge():
        return False
    if acceptor.GetAtomicNum() == OXYGEN and donor.GetAtomicNum() == OXYGEN:
        return False  # acids and enols: the same thing drawn twice, or no mobile H for InChI
    # Amide to imidic acid is the way back; leaving it out saves most trials on peptides.
    return not (
        len(path) == 3 and donor.GetAtomicNum() == NITROGEN and acceptor.GetAtomicNum() != NITROGEN
    )
