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

from collections.abc import Iterator

from rdkit import Chem

MAX_PATH_BONDS = 9
"""Longest shift; nine bonds reach across a flavin."""

MAX_SHIFTS = 120
"""Shifts per molecule; an oligonucleotide needs two for each base."""

LARGE = 150
"""Heavy atoms from which every shift that helps is taken at once, not the best one first."""

_SINGLE = Chem.BondType.SINGLE
_DOUBLE = Chem.BondType.DOUBLE
_N, _O, _S = 7, 8, 16

Shift = tuple[int, ...]
"""Atom indices from the donor (loses H) to the acceptor (gains H)."""


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
    if not elements & {_N, _S} and not any(a.GetFormalCharge() for a in mol.GetAtoms()):
        return None
    start = Chem.MolToSmiles(mol)
    attempts = [(True, True), (False, True)] if zwitterion else [(False, True)]
    tried = {start}
    for pair, place in [*attempts, (False, False)]:
        work = open_form(mol)
        if place:
            place_protons(work)
        shift_hydrogens(work)
        if place and place_protons(work):
            shift_hydrogens(work)
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


# --- shifts -----------------------------------------------------------------------------------


def shift_hydrogens(work: Chem.RWMol) -> None:
    """Apply the best shift again and again until none improves :func:`form_score`."""
    while imidic := list(_imidic_acids(work)):
        done: set[int] = set()
        for path in imidic:
            if done.isdisjoint(path):
                _apply(work, path)
                done.update(path)
    large = work.GetNumAtoms() > LARGE
    best: float | None = None
    for _ in range(MAX_SHIFTS):
        candidates = sorted(set(_shifts(work)))
        if not candidates:
            return
        if best is None:
            best = form_score(work)
        chosen: Shift | None = None
        for path in candidates:
            if large and not _possible(work, path):
                continue
            trial = Chem.RWMol(work)
            _apply(trial, path)
            score = form_score(trial)
            if score > best:
                best, chosen = score, path
                if large:
                    _apply(work, path)
        if chosen is None:
            return
        if not large:
            _apply(work, chosen)


def _possible(work: Chem.RWMol, path: Shift) -> bool:
    """Whether a path found earlier still alternates and ends in an H, after other shifts."""
    if not work.GetAtomWithIdx(path[0]).GetNumExplicitHs():
        return False
    kinds = [
        work.GetBondBetweenAtoms(begin, end).GetBondType()
        for begin, end in zip(path, path[1:], strict=False)
    ]
    return all(kind == (_DOUBLE if i % 2 else _SINGLE) for i, kind in enumerate(kinds))


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
        if bond.GetBondType() != _DOUBLE:
            continue
        for one, other in (
            (bond.GetBeginAtom(), bond.GetEndAtom()),
            (bond.GetEndAtom(), bond.GetBeginAtom()),
        ):
            if one.GetAtomicNum() != 6:
                continue
            element = other.GetAtomicNum()
            if element == _O:
                score += 4
            elif element == _S:
                score += 3
            elif element == _N:
                score += _imine_score(work, one, other, bond)
    for atom in work.GetAtoms():
        if atom.GetAtomicNum() == _N and atom.GetNumExplicitHs() and not atom.GetFormalCharge():
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
        if _double_to(carbon, _O) or _double_to(carbon, _S):
            score += 1
            break
    if nitrogen.IsInRingSize(5):
        pyrazole = any(n.GetAtomicNum() == _N for n in nitrogen.GetNeighbors())
        for carbon in nitrogen.GetNeighbors():
            others = sum(
                n.GetAtomicNum() == _N and n.GetIdx() != nitrogen.GetIdx()
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
    for begin, end in zip(path, path[1:], strict=False):
        bond = work.GetBondBetweenAtoms(begin, end)
        if bond.GetBondType() == _SINGLE:
            bond.SetBondType(_DOUBLE)
        else:
            bond.SetBondType(_SINGLE)
            bond.SetStereo(Chem.BondStereo.STEREONONE)


def _imidic_acids(work: Chem.RWMol) -> Iterator[Shift]:
    """HO-C=N outside rings made of conjugated atoms only: always an amide."""
    for atom in work.GetAtoms():
        if atom.GetAtomicNum() != _O or not atom.GetNumExplicitHs() or atom.GetFormalCharge():
            continue
        for carbon in atom.GetNeighbors():
            if carbon.GetAtomicNum() != 6:
                continue
            for bond in carbon.GetBonds():
                other = bond.GetOtherAtom(carbon)
                if (
                    bond.GetBondType() == _DOUBLE
                    and other.GetAtomicNum() == _N
                    and not other.GetFormalCharge()
                    and not (bond.IsInRing() and _conjugated_ring(work, bond.GetIdx()))
                ):
                    yield (atom.GetIdx(), carbon.GetIdx(), other.GetIdx())


def _conjugated_ring(work: Chem.RWMol, bond: int) -> bool:
    for ring in work.GetRingInfo().BondRings():
        if bond in ring and all(work.GetBondWithIdx(i).GetIsConjugated() for i in ring):
            return True
    return False


def _shifts(work: Chem.RWMol) -> Iterator[Shift]:
    for atom in work.GetAtoms():
        if (
            atom.GetAtomicNum() in (_N, _O, _S)
            and atom.GetNumExplicitHs()
            and not atom.GetFormalCharge()
        ):
            yield from _walk(work, (atom.GetIdx(),))


def _walk(work: Chem.RWMol, path: Shift) -> Iterator[Shift]:
    """Extend an alternating path by one single and one double bond."""
    for single in work.GetAtomWithIdx(path[-1]).GetBonds():
        middle = single.GetOtherAtomIdx(path[-1])
        if single.GetBondType() != _SINGLE or middle in path:
            continue
        if work.GetAtomWithIdx(middle).GetAtomicNum() not in (6, _N):
            continue
        for double in work.GetAtomWithIdx(middle).GetBonds():
            end = double.GetOtherAtomIdx(middle)
            if double.GetBondType() != _DOUBLE or end in path:
                continue
            longer = (*path, middle, end)
            if _accepts(work, longer):
                yield longer
            if len(longer) <= MAX_PATH_BONDS - 1 and work.GetAtomWithIdx(end).GetAtomicNum() in (
                6,
                _N,
            ):
                yield from _walk(work, longer)


def _accepts(work: Chem.RWMol, path: Shift) -> bool:
    donor, acceptor = work.GetAtomWithIdx(path[0]), work.GetAtomWithIdx(path[-1])
    if acceptor.GetAtomicNum() not in (_N, _O, _S) or acceptor.GetFormalCharge():
        return False
    if acceptor.GetAtomicNum() == _O and donor.GetAtomicNum() == _O:
        return False  # acids and enols: the same thing drawn twice, or no mobile H for InChI
    # Amide to imidic acid is the way back; leaving it out saves most trials on peptides.
    return not (len(path) == 3 and donor.GetAtomicNum() == _N and acceptor.GetAtomicNum() != _N)


# --- protons ----------------------------------------------------------------------------------


def place_protons(work: Chem.RWMol) -> bool:
    """Move protons from the strongest neutral acid to the weakest anion, and likewise cations.

    Returns whether any was moved.
    """
    atoms = list(work.GetAtoms())
    moved = False
    if not any(atom.GetFormalCharge() for atom in atoms):
        return moved
    for _ in range(MAX_SHIFTS):
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
    for _ in range(MAX_SHIFTS):
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
    for _ in range(MAX_SHIFTS):
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
        if carbon.GetAtomicNum() != 6 or bond.GetBondType() != _DOUBLE:
            continue
        for other in carbon.GetNeighbors():
            if (
                other.GetAtomicNum() == _N
                and other.GetFormalCharge() == 0
                and other.GetDegree() == 2
                and other.GetNumExplicitHs() == 1
                and not other.IsInRing()
            ):
                bond.SetBondType(_SINGLE)
                work.GetBondBetweenAtoms(other.GetIdx(), carbon.GetIdx()).SetBondType(_DOUBLE)
                atom.SetFormalCharge(0)
                other.SetFormalCharge(1)
                break


SULFONIC, PHOSPHORIC, CARBOXYLIC, PHOSPHATE_2, THIOL, PHENOL, ALCOHOL, AMIDE = range(8)
"""Acids, strongest first; only the order matters."""

AMIDE_N, ANILINE, PYRIDINE, IMIDAZOLE, AMINE, AMIDINE = range(6)
"""Bases, weakest first."""


def acidity(atom: Chem.Atom) -> int:
    """Rank of an acid (or of the acid of an anion) on N, O or S; small is strong."""
    if atom.GetAtomicNum() == _N:
        return AMIDE
    for neighbour in atom.GetNeighbors():
        element = neighbour.GetAtomicNum()
        if element == _S and _double_to(neighbour, _O):
            return SULFONIC
        if element == 15:
            other_charge = any(
                n.GetIdx() != atom.GetIdx() and n.GetFormalCharge() == -1
                for n in neighbour.GetNeighbors()
            )
            return PHOSPHATE_2 if other_charge else PHOSPHORIC
        if element == 6:
            if _double_to(neighbour, _O) or _double_to(neighbour, _S):
                return CARBOXYLIC
            if _double_to(neighbour, _N):
                return AMIDE
            if atom.GetAtomicNum() == _S:
                return THIOL
            if any(b.GetBondType() == _DOUBLE for b in neighbour.GetBonds()):
                return PHENOL
    return ALCOHOL


def basicity(atom: Chem.Atom) -> int:
    """Rank of a nitrogen as a base (or of the base of a cation); large is strong."""
    double = any(b.GetBondType() == _DOUBLE for b in atom.GetBonds())
    carbons = [n for n in atom.GetNeighbors() if n.GetAtomicNum() == 6]
    if double:
        for bond in atom.GetBonds():
            carbon = bond.GetOtherAtom(atom)
            if bond.GetBondType() != _DOUBLE or carbon.GetAtomicNum() != 6:
                continue
            amino = sum(
                n.GetAtomicNum() == _N and n.GetIdx() != atom.GetIdx()
                for n in carbon.GetNeighbors()
            )
            if amino and not bond.IsInRing():
                return (
                    ANILINE
                    if carbon.IsInRing()
                    and bond.GetIsConjugated()
                    and any(
                        b.IsInRing() and b.GetBondType() == _DOUBLE
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
            b.GetBondType() == _DOUBLE and b.GetOtherAtom(carbon).GetAtomicNum() in (_N, _O, _S)
            for b in carbon.GetBonds()
        ):
            return AMIDE_N
        if any(b.GetBondType() == _DOUBLE for b in carbon.GetBonds()):
            return ANILINE
    if any(n.GetAtomicNum() != 6 for n in atom.GetNeighbors()):
        return AMIDE_N
    return AMINE


def _double_to(atom: Chem.Atom, element: int) -> bool:
    return any(
        b.GetBondType() == _DOUBLE and b.GetOtherAtom(atom).GetAtomicNum() == element
        for b in atom.GetBonds()
    )


def _is_anion(atom: Chem.Atom) -> bool:
    return (
        atom.GetFormalCharge() == -1
        and atom.GetAtomicNum() in (_N, _O, _S)
        and atom.GetDegree() > 0
        and all(n.GetFormalCharge() <= 0 for n in atom.GetNeighbors())
    )


def _is_acid(atom: Chem.Atom) -> bool:
    return (
        atom.GetFormalCharge() == 0
        and atom.GetAtomicNum() in (_O, _S)
        and atom.GetNumExplicitHs() > 0
        and atom.GetDegree() == 1
    )


def _is_protonated(atom: Chem.Atom) -> bool:
    return (
        atom.GetFormalCharge() == 1
        and atom.GetAtomicNum() == _N
        and atom.GetNumExplicitHs() > 0
        and atom.GetDegree() > 0
    )


def _is_base(atom: Chem.Atom) -> bool:
    return (
        atom.GetFormalCharge() == 0
        and atom.GetAtomicNum() == _N
        and (atom.GetDegree() > 0 or atom.GetNumExplicitHs() == 3)
        and all(n.GetFormalCharge() == 0 for n in atom.GetNeighbors())
        and not any(b.GetBondType() == Chem.BondType.TRIPLE for b in atom.GetBonds())
    )


def _ionise(atom: Chem.Atom, step: int) -> None:
    """Add (+1) or take (-1) one proton."""
    atom.SetFormalCharge(atom.GetFormalCharge() + step)
    atom.SetNumExplicitHs(atom.GetNumExplicitHs() + step)
