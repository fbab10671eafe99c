"""Reading the facts: what it imports, and what a damaged file says."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from molclip.datasets import Ontology, load_facts
from molclip.errors import InputError


def test_facts_are_read_without_heavy_imports() -> None:
    code = (
        "import sys; from molclip.datasets import Ontology, load_facts; load_facts()[0]; "
        "Ontology.load(); heavy = {'datasets', 'pandas', 'rdkit', 'torch'} & set(sys.modules); "
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("load", [load_facts, Ontology.load])
def test_a_file_that_is_no_parquet_is_one_sentence(tmp_path, load) -> None:
    (tmp_path / "x.parquet").write_bytes(b"not a table")
    with pytest.raises(InputError, match=r"Cannot read .*x\.parquet"):
        load(tmp_path / "x.parquet")


@pytest.mark.parametrize(("load", "column"), [(load_facts, "name"), (Ontology.load, "name")])
def test_a_missing_column_is_named(tmp_path, load, column) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"chebi_id": ["CHEBI:1"], "id": ["CHEBI:1"]}), path)
    with pytest.raises(InputError, match=f"lacks the column '{column}'"):
        load(path)
