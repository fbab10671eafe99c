"""Elements and atoms read off a SMILES are those that RDKit finds in the molecule."""

from collections import Counter

import pytest
from rdkit import Chem

from molclip.chem.elements import element_counts, elements, heavy_atoms

SMILES = [
    "CCO",
    "[Na+].CC(=O)[O-]",
    "N[Pt](N)(Cl)Cl",
    "c1ccc2[nH]ccc2c1",
    "c1cc[se]c1",
    "C[Si](C)(C)Cl",
    "[13CH3][2H]",
    "[Sc+3].[Cl-].[Co]",
    "Brc1ccsc1B(O)O",
    "[H][H]",
    "OS(=O)(=O)O.[Cs]",
    "*C(=O)NP",
    "[n+]1ccccc1",
    "F[Sn]I",
]


@pytest.mark.parametrize("smiles", SMILES)
def test_as_rdkit_reads_them(smiles):
    mol = Chem.MolFromSmiles(smiles)
    counts = Counter(atom.GetSymbol() for atom in mol.GetAtoms() if atom.GetSymbol() != "*")
    assert elements(Chem.MolToSmiles(mol)) == set(counts)
    assert element_counts(Chem.MolToSmiles(mol)) == counts


@pytest.mark.parametrize("smiles", SMILES)
def test_heavy_atoms_as_rdkit_counts_them(smiles):
    mol = Chem.MolFromSmiles(smiles)
    assert heavy_atoms(Chem.MolToSmiles(mol)) == mol.GetNumHeavyAtoms()
