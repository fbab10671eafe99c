"""The numbers that the fingerprint encoder sees: count fingerprints, keys and composition.

One molecule becomes one row of unsigned bytes. Counts are kept (not only presence), chirality and
isotopes are part of the hashed environments, because a fifth of ChEBI differs from a neighbour by
a proton, a stereocentre or a chain length alone.

Blocks, in order (see `BLOCKS`):

========== ===== ==============================================================================
block      width what it holds
========== ===== ==============================================================================
morgan      4096 folded counts of circular environments up to radius 3, with chirality [1]_
torsion     2048 folded counts of topological torsions, with chirality [2]_
atompair    2048 folded counts of atom pairs with their distance, with chirality [3]_
maccs        167 presence of the public MACCS keys
elements     120 atoms of each element, by atomic number; 0 counts attachment points
shape         64 charge, fragments, rings by size, bonds by kind, stereo labels, isotopes, ...
ladder       176 one-hot ladders of the numbers that names spell out: carbons, chain, double bonds
========== ===== ==============================================================================

References
----------
.. [1] Rogers and Hahn, Extended-Connectivity Fingerprints, J. Chem. Inf. Model. 2010, 50, 742.
.. [2] Nilakantan et al., Topological torsion, J. Chem. Inf. Comput. Sci. 1987, 27, 82.
.. [3] Carhart et al., Atom pairs as molecular features, J. Chem. Inf. Comput. Sci. 1985, 25, 64.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from rdkit import Chem
from rdkit.Chem import rdFingerprintGenerator, rdMolDescriptors, rdqueries

from molclip.chem import versions

FeatureRow = npt.NDArray[np.uint8]

#: Name and width of each block of a feature row, in order.
BLOCKS: dict[str, int] = {
    "morgan": 4096,
    "torsion": 2048,
    "atompair": 2048,
    "maccs": 167,
    "elements": 120,
    "shape": 64,
    "ladder": 176,
}

#: Number of inputs in one feature row.
WIDTH = sum(BLOCKS.values())

#: Changes whenever the meaning of a column changes; stored with every model and library.
VERSION = versions.FEATURES

# Molecules whose hashes are compared when a model is loaded under another RDKit version: charged,
# chiral, E/Z, isotopic, metal, multi-fragment and macrocyclic structures.
GOLDEN_SMILES = (
    "CCO",
    "CC(=O)[O-]",
    "[125Te]",
    r"OC(=O)/C=C\C(O)=O",
    "C[C@H](N)C(=O)O",
    "N[Pt](N)(Cl)Cl",
    "COc1ccc2nccc([C@@H](O)[C@@H]3C[C@@H]4CCN3C[C@@H]4C=C)c2c1",
    "C1=CC(=C(C=C1[N+](=O)[O-])Cl)NC(=O)C2=C(C=CC(=C2)Cl)O.C(CO)N",
)

_RING_SIZES = range(3, 12)
_E_LABELS = {Chem.BondStereo.STEREOE, Chem.BondStereo.STEREOTRANS}
_Z_LABELS = {Chem.BondStereo.STEREOZ, Chem.BondStereo.STEREOCIS}


@cache
def _generators() -> tuple[Any, Any, Any]:
    return (
        rdFingerprintGenerator.GetMorganGenerator(
            radius=3, fpSize=BLOCKS["morgan"], includeChirality=True
        ),
        rdFingerprintGenerator.GetTopologicalTorsionGenerator(
            fpSize=BLOCKS["torsion"], includeChirality=True
        ),
        rdFingerprintGenerator.GetAtomPairGenerator(
            fpSize=BLOCKS["atompair"], includeChirality=True
        ),
    )


def featurize(mol: Chem.Mol) -> FeatureRow:
    """Feature row of one molecule.

    Parameters
    ----------
    mol
        A sanitised RDKit molecule with stereo assigned, without explicit hydrogens.

    Returns
    -------
    uint8 array of shape ``(WIDTH,)``; counts above 255 stay at 255.

    Raises
    ------
    RuntimeError, ValueError
        Whatever RDKit raises on a molecule it cannot handle; callers turn it into a failure row.
    """
    row = np.empty(WIDTH, dtype=np.uint8)
    start = 0
    for generator in _generators():
        counts = generator.GetCountFingerprintAsNumPy(mol)
        np.minimum(counts, 255, out=counts)
        row[start : start + len(counts)] = counts
        start += len(counts)
    keys = rdMolDescriptors.GetMACCSKeysFingerprint(mol)
    row[start : start + 167] = np.frombuffer(keys.ToBitString().encode(), dtype=np.uint8) - 48
    start += 167
    row[start:] = _composition(mol)
    return row


@cache
def _atom_queries() -> dict[str, Any]:
    # One pass in RDKit per query costs less than touching every atom from Python.
    return {
        "positive": rdqueries.FormalChargeGreaterQueryAtom(0),
        "negative": rdqueries.FormalChargeLessQueryAtom(0),
        "isotope": rdqueries.IsotopeGreaterQueryAtom(0),
        "radical": rdqueries.NumRadicalElectronsGreaterQueryAtom(0),
        "aromatic": rdqueries.IsAromaticQueryAtom(),
        "labelled": rdqueries.HasPropQueryAtom("_CIPCode"),
    }


def _composition(mol: Chem.Mol) -> FeatureRow:
    """Element counts, shape numbers and ladders: the blocks after the MACCS keys."""
    # By index: the iterator that GetAtoms() gives costs three times as much.
    atom_at = mol.GetAtomWithIdx
    numbers = [atom_at(index).GetAtomicNum() for index in range(mol.GetNumAtoms())]
    carbon = [number == 6 for number in numbers]
    queries = _atom_queries()

    def atoms(query: str) -> Any:
        return mol.GetAtomsMatchingQuery(queries[query])

    plus = sum(atom.GetFormalCharge() for atom in atoms("positive"))
    minus = -sum(atom.GetFormalCharge() for atom in atoms("negative"))
    isotopes = [atom.GetIsotope() for atom in atoms("isotope")]
    labels = [atom.GetProp("_CIPCode") for atom in atoms("labelled")]
    charge = plus - minus
    bonds = _bonds(mol)
    doubles = [(first, second) for first, second, order in bonds if order == 2]
    cc_doubles = sum(carbon[first] and carbon[second] for first, second in doubles)
    stereo = _bond_stereo(mol, doubles)
    atom_rings = mol.GetRingInfo().AtomRings()
    ring_sizes = [len(ring) for ring in atom_rings]
    ring_carbons = sum(carbon[index] for index in set().union(*atom_rings))
    chain = _longest_carbon_chain(bonds, carbon, atom_rings)
    fragments = len(Chem.GetMolFrags(mol))
    heavy = len(numbers)
    carbons = sum(carbon)
    shape = [
        max(charge, 0),
        max(-charge, 0),
        plus,
        minus,
        fragments,
        len(ring_sizes),
        *(ring_sizes.count(size) for size in _RING_SIZES),
        sum(size >= 12 for size in ring_sizes),
        rdMolDescriptors.CalcNumAromaticRings(mol),
        rdMolDescriptors.CalcNumAliphaticRings(mol),
        rdMolDescriptors.CalcNumHeterocycles(mol),
        rdMolDescriptors.CalcNumSpiroAtoms(mol),
        rdMolDescriptors.CalcNumBridgeheadAtoms(mol),
        rdMolDescriptors.CalcNumHBD(mol),
        rdMolDescriptors.CalcNumLipinskiHBA(mol),
        rdMolDescriptors.CalcNumAmideBonds(mol),
        int(rdMolDescriptors.CalcTPSA(mol) / 4),
        len(doubles),
        cc_doubles,
        sum(order == 3 for _, _, order in bonds),
        stereo["E"],
        stereo["Z"],
        labels.count("R"),
        labels.count("S"),
        len(isotopes),
        max((isotope % 256 for isotope in isotopes), default=0),
        len(atoms("radical")),
        len(atoms("aromatic")),
        heavy,
        carbons - ring_carbons,
        ring_carbons,
        chain,
        int(heavy == 1),
        int(carbons == 0),
        int(charge == 0 and plus > 0),
    ]
    row = np.zeros(BLOCKS["elements"] + BLOCKS["shape"] + BLOCKS["ladder"], dtype=np.uint8)
    for number, count in Counter(numbers).items():
        column = min(number, BLOCKS["elements"] - 1)
        row[column] = min(int(row[column]) + count, 255)
    start = BLOCKS["elements"]
    row[start : start + len(shape)] = [min(value, 255) for value in shape]
    start += BLOCKS["shape"]
    for size, value in (
        (64, carbons),
        (40, chain),
        (12, cc_doubles),
        (16, charge + 8),
        (12, len(ring_sizes)),
        (16, len(labels)),
        (8, fragments),
        (8, stereo["E"] + stereo["Z"]),
    ):
        row[start + min(max(value, 0), size - 1)] = 1
        start += size
    return row


def _bonds(mol: Chem.Mol) -> list[tuple[int, int, float]]:
    """Bonds as `(atom, atom, order)`, the lower atom first; aromatic bonds have order 1.5.

    One matrix from RDKit costs less than touching every bond from Python.
    """
    orders = Chem.GetAdjacencyMatrix(mol, useBO=True)
    first, second = np.nonzero(orders)
    upper = first < second
    first, second = first[upper], second[upper]
    return list(zip(first.tolist(), second.tolist(), orders[first, second].tolist(), strict=True))


def _bond_stereo(mol: Chem.Mol, doubles: list[tuple[int, int]]) -> dict[str, int]:
    """Double bonds with a stated E or Z geometry."""
    counts = {"E": 0, "Z": 0}
    for first, second in doubles:
        stereo = mol.GetBondBetweenAtoms(first, second).GetStereo()
        if stereo in _E_LABELS:
            counts["E"] += 1
        elif stereo in _Z_LABELS:
            counts["Z"] += 1
    return counts


def _longest_carbon_chain(
    bonds: list[tuple[int, int, float]],
    carbon: list[bool],
    atom_rings: tuple[tuple[int, ...], ...],
) -> int:
    """Carbons of the longest path over carbon-carbon bonds that lie in no ring.

    Without ring bonds the carbons form trees. The farthest carbon from any start is one end of a
    longest path of its tree, so a second sweep, from that end, gives the length.
    """
    in_ring = {
        (min(pair), max(pair))
        for ring in atom_rings
        for pair in zip(ring, (*ring[1:], ring[0]), strict=True)
    }
    neighbours: dict[int, list[int]] = {}
    for first, second, _ in bonds:
        if carbon[first] and carbon[second] and (first, second) not in in_ring:
            neighbours.setdefault(first, []).append(second)
            neighbours.setdefault(second, []).append(first)

    def sweep(start: int) -> tuple[int, int, set[int]]:
        seen = {start}
        frontier = [start]
        length, last = 0, start
        while frontier:
            length, last = length + 1, frontier[0]
            frontier = [n for f in frontier for n in neighbours[f] if n not in seen]
            seen.update(frontier)
        return length, last, seen

    longest = int(any(carbon))
    left = set(neighbours)
    while left:
        _, end, tree = sweep(next(iter(left)))
        if len(tree) > longest:
            longest = max(longest, sweep(end)[0])
        left -= tree
    return longest


def golden_hash() -> str:
    """Hash of the features of `GOLDEN_SMILES` under the RDKit that is installed.

    A model stores this value. When it differs at load time, RDKit has changed a fingerprint and
    the model's answers may have changed with it.
    """
    digest = hashlib.sha256()
    for smiles in GOLDEN_SMILES:
        digest.update(featurize(Chem.MolFromSmiles(smiles)).tobytes())
    return digest.hexdigest()[:16]
