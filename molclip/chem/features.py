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
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from rdkit import Chem
from rdkit.Chem import rdFingerprintGenerator, rdMolDescriptors, rdqueries

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
VERSION = "1"

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
    numbers = np.array([atom.GetAtomicNum() for atom in mol.GetAtoms()], dtype=np.int64)
    elements = np.bincount(np.minimum(numbers, 119), minlength=BLOCKS["elements"])
    queries = _atom_queries()

    def atoms(query: str) -> Any:
        return mol.GetAtomsMatchingQuery(queries[query])

    plus = sum(atom.GetFormalCharge() for atom in atoms("positive"))
    minus = -sum(atom.GetFormalCharge() for atom in atoms("negative"))
    isotopes = [atom.GetIsotope() for atom in atoms("isotope")]
    labels = [atom.GetProp("_CIPCode") for atom in atoms("labelled")]
    charge = plus - minus
    orders = Chem.GetAdjacencyMatrix(mol, useBO=True)
    carbon = numbers == 6
    cc_doubles = int((orders[np.ix_(carbon, carbon)] == 2).sum()) // 2
    stereo = _bond_stereo(mol, orders)
    atom_rings = mol.GetRingInfo().AtomRings()
    ring_sizes = [len(ring) for ring in atom_rings]
    ring_members = {index for ring in atom_rings for index in ring}
    ring_carbons = sum(bool(carbon[index]) for index in ring_members)
    chain = _longest_carbon_chain(orders, carbon, atom_rings)
    fragments = len(Chem.GetMolFrags(mol))
    heavy = len(numbers)
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
        int((orders == 2).sum()) // 2,
        cc_doubles,
        int((orders == 3).sum()) // 2,
        stereo["E"],
        stereo["Z"],
        labels.count("R"),
        labels.count("S"),
        len(isotopes),
        max((isotope % 256 for isotope in isotopes), default=0),
        len(atoms("radical")),
        len(atoms("aromatic")),
        heavy,
        int(carbon.sum()) - ring_carbons,
        ring_carbons,
        chain,
        int(heavy == 1),
        int(elements[6] == 0),
        int(charge == 0 and plus > 0),
    ]
    row = np.zeros(BLOCKS["elements"] + BLOCKS["shape"] + BLOCKS["ladder"], dtype=np.uint8)
    row[: BLOCKS["elements"]] = np.minimum(elements, 255)
    start = BLOCKS["elements"]
    row[start : start + len(shape)] = [min(value, 255) for value in shape]
    start += BLOCKS["shape"]
    for size, value in (
        (64, int(elements[6])),
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


def _bond_stereo(mol: Chem.Mol, orders: npt.NDArray[np.float64]) -> dict[str, int]:
    """Double bonds with a stated E or Z geometry."""
    counts = {"E": 0, "Z": 0}
    for first, second in np.argwhere(np.triu(orders == 2)).tolist():
        stereo = mol.GetBondBetweenAtoms(first, second).GetStereo()
        if stereo in (Chem.BondStereo.STEREOE, Chem.BondStereo.STEREOTRANS):
            counts["E"] += 1
        elif stereo in (Chem.BondStereo.STEREOZ, Chem.BondStereo.STEREOCIS):
            counts["Z"] += 1
    return counts


def _longest_carbon_chain(
    orders: npt.NDArray[np.float64],
    carbon: npt.NDArray[np.bool_],
    atom_rings: tuple[tuple[int, ...], ...],
) -> int:
    """Carbons of the longest path over carbon-carbon bonds that lie in no ring.

    Without ring bonds the carbons form trees. The farthest carbon from any start is one end of a
    longest path of its tree, so a second sweep, from that end, gives the length.
    """
    bonded = orders > 0
    bonded[~carbon] = False
    bonded[:, ~carbon] = False
    for ring in atom_rings:
        members = np.array(ring)
        following = np.roll(members, 1)
        bonded[members, following] = bonded[following, members] = False
    neighbours: dict[int, list[int]] = {int(index): [] for index in np.flatnonzero(carbon)}
    for first, second in np.argwhere(bonded).tolist():
        neighbours[first].append(second)

    def sweep(start: int) -> tuple[int, int, set[int]]:
        seen = {start}
        frontier = [start]
        length, last = 0, start
        while frontier:
            length, last = length + 1, frontier[0]
            frontier = [n for f in frontier for n in neighbours[f] if n not in seen]
            seen.update(frontier)
        return length, last, seen

    longest = min(1, len(neighbours))
    left = {index for index, linked in neighbours.items() if linked}
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
