"""What is told of a structure from its text, and what is refused before RDKit works on it."""

import time
from itertools import combinations, product
from math import dist

import pytest
from rdkit import Chem

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.outline import (
    MOST_ATOMS,
    MOST_RINGS,
    inchi_heavy_atoms,
    many_rings,
    molblock_outline,
    too_much,
    too_much_inchi,
    too_much_smiles,
)
from molclip.chem.parallel import featurize_stream
from molclip.chem.parse import parse_molecule

C60 = (
    "c12c3c4c5c1c1c6c7c2c2c8c3c3c9c4c4c%10c5c5c1c1c6c6c%11c7c2c2c7c8c3c3c8c9c4c4c9c%10c5c5c1c1"
    "c6c6c%11c2c2c7c3c3c8c4c4c9c5c1c1c6c2c3c41"
)


def complete(atoms):
    return list(combinations(range(1, atoms + 1), 2))


def v3000(atoms, bonds, symbol="*", line_end=""):
    return "\n".join(
        [
            *("", "", "", "  0  0  0     0  0            999 V3000", "M  V30 BEGIN CTAB"),
            *(f"M  V30 COUNTS {atoms} {len(bonds)} 0 0 0", "M  V30 BEGIN ATOM"),
            *(f"M  V30 {n} {symbol} 0 0 0 0" for n in range(1, atoms + 1)),
            *("M  V30 END ATOM", "M  V30 BEGIN BOND"),
            *(f"M  V30 {n} 1 {line_end}{a} {b}" for n, (a, b) in enumerate(bonds, 1)),
            *("M  V30 END BOND", "M  V30 END CTAB", "M  END"),
        ]
    )


def v2000(atoms, bonds, symbol="*"):
    return "\n".join(
        [
            *("", "", "", f"{atoms:3}{len(bonds):3}  0  0  0  0            999 V2000"),
            *[f"    0.0000    0.0000    0.0000 {symbol:3} 0  0"] * atoms,
            *(f"{a:3}{b:3}  1  0" for a, b in bonds),
            "M  END",
        ]
    )


def smiles_of(atoms, bonds, tail=""):
    mol = Chem.MolFromMolBlock(v2000(atoms, bonds), sanitize=False)
    return Chem.MolToSmiles(mol, canonical=False) + tail


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (smiles_of(20, complete(20)), "too many bonds: 190 in the rings of 20 atoms"),
        # Chains and loose atoms do not hide what is in the middle.
        (smiles_of(20, complete(20), "C" * 300 + ".O" * 200), "too many bonds: 190"),
        (v2000(20, complete(20)), "too many bonds: 190"),
        (v3000(40, complete(40)), "too many rings: 741, at most 500"),
        (v3000(900, complete(40)), "too many rings: 741, at most 500"),
        # A line that goes on in the next.
        (v3000(40, complete(40), line_end="-\nM  V30 "), "too many rings: 741"),
        # Bonds that are announced and not found.
        (v3000(40, complete(40)).replace("BEGIN BOND", "BEGIN BONDS"), "too many rings: 780"),
        ("C" * (MOST_ATOMS + 1), "too large: 10,001 atoms, at most 10,000"),
        (v3000(MOST_ATOMS + 1, []), "too large: 10,001 atoms"),
        ("InChI=1S/C10001H20004/c1-2", "too large: 10,001 atoms"),
    ],
)
def test_what_no_molecule_is_fails_at_once(text, reason):
    begun = time.monotonic()
    failure = parse_molecule(text)
    assert time.monotonic() - begun < 2
    assert isinstance(failure, ParseFailure)
    assert failure.reason.startswith(reason)
    assert failure.hint


def test_dense_inchi():
    rest = "".join(f"({','.join(map(str, range(1, n)))})-{n + 1}" for n in range(3, 20))
    assert "too many bonds" in too_much_inchi(f"InChI=1S/W20/c1-2-3{rest}").reason


def test_streams_look_as_well():
    begun = time.monotonic()
    made = list(featurize_stream([smiles_of(14, complete(14)), "CCO"]))
    assert time.monotonic() - begun < 5
    assert "too many bonds" in made[0].reason
    assert not isinstance(made[1], ParseFailure)


def bonds_of_length(points, length):
    return [
        (i, j)
        for i, j in combinations(range(len(points)), 2)
        if dist(points[i], points[j]) < length
    ]


def test_the_most_ringed_real_molecules_pass():
    golden = (1 + 5**0.5) / 2
    corners = [(0.0, a, b * golden) for a, b in product((-1, 1), repeat=2)]
    corners += [(y, z, x) for x, y, z in corners] + [(z, x, y) for x, y, z in corners]
    assert len(bonds_of_length(corners, 2.1)) == 30  # a closed cage of twelve borons
    assert too_much(13, bonds_of_length([*corners, (0.0, 0.0, 0.0)], 2.1)) is None  # and a metal
    packed = [
        point
        for point in product(range(-2, 3), repeat=3)
        if sum(point) % 2 == 0 and sum(map(abs, point)) <= 4
    ]
    assert len(packed) == 55  # the core of a gold cluster
    assert too_much(55, bonds_of_length(packed, 1.5)) is None
    assert isinstance(parse_molecule(C60), Molecule)
    assert many_rings(C60)


def test_a_long_nucleic_acid_passes():
    nucleotide = "OC1CC(n2cnc3c(N)ncnc32)OC1COP(=O)(O)"
    assert isinstance(parse_molecule(nucleotide * 100), Molecule)
    assert (
        too_much_smiles(nucleotide * 200).reason
        == f"too many rings: 600, at most {MOST_RINGS} are read."
    )


@pytest.mark.parametrize(
    "smiles", ["CC(=O)Oc1ccccc1C(=O)O", "[2H]OC([2H])([2H])[2H]", "*CC.[Na+]", "[H][H]", C60]
)
def test_outlines_agree_with_rdkit(smiles):
    mol = Chem.MolFromSmiles(smiles, sanitize=False)
    heavy = sum(atom.GetAtomicNum() != 1 for atom in mol.GetAtoms())
    for version in (False, True):
        outline = molblock_outline(Chem.MolToMolBlock(mol, forceV3000=version, kekulize=False))
        assert outline.atoms == mol.GetNumAtoms()
        assert outline.heavy == heavy
        assert len(outline.bonds) == mol.GetNumBonds()
        assert outline.unread == 0


def test_heavy_atoms_of_an_inchi():
    assert inchi_heavy_atoms("InChI=1S/2C2H4O2.Ca/c2*1-2(3)4;/h2*1H3,(H,3,4);/q;;+2/p-2") == 9
    assert inchi_heavy_atoms("InChI=1S/CH4/h1H4") == 1
    assert inchi_heavy_atoms("InChI=1S/H2/h1H") == 0
    assert inchi_heavy_atoms("InChI=") == 0
