"""Calculate ``library_properties.parquet``: property columns and substructure screens.

    python -m molclip.data.build_properties [--previous FOLDER]

Row i belongs to row i of ``library.parquet``. Calculating them takes minutes; shipped, the first
query on a new machine takes seconds. The screens hold for the RDKit release named in the file's
metadata; under another one they are left unused.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import rdkit

from molclip.chem.descriptors import PROPERTY_COLUMNS, properties
from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.parallel import guarded_stream
from molclip.search.columns import BASE_TYPES, arrow_type
from molclip.search.describe import rounded
from molclip.search.embedded import LIBRARY_FILE, PROPERTIES_FILE, data_folder, file_hash
from molclip.search.rows import PATTERN
from molclip.search.substructure import PATTERN_BITS, pattern_bits


def calculate(molecule: Molecule) -> tuple[dict[str, Any], bytes]:
    """Properties and packed pattern fingerprint of one molecule."""
    return rounded(properties(molecule.mol)), pattern_bits(molecule.mol)


def previous_rows(folder: Path | None) -> dict[str, tuple[dict[str, Any], bytes]]:
    """What an earlier pair of files says, by SMILES; nothing where another RDKit made it."""
    if folder is None:
        return {}
    table = pq.read_table(folder / PROPERTIES_FILE)
    metadata = table.schema.metadata
    if metadata[b"rdkit"].decode() != rdkit.__version__ or metadata[
        b"library_sha256"
    ].decode() != file_hash(folder / LIBRARY_FILE):
        return {}
    smiles = pq.read_table(folder / LIBRARY_FILE, columns=["smiles"]).column("smiles").to_pylist()
    bits = table.column(PATTERN).to_pylist()
    values = table.select(list(PROPERTY_COLUMNS)).to_pylist()
    return dict(zip(smiles, zip(values, bits, strict=True), strict=True))


def build(folder: Path, workers: int, previous: Path | None = None) -> Path:
    """Write the file beside the library; return its path.

    Parameters
    ----------
    folder
        Of the library.
    workers
        Processes.
    previous
        Folder of an earlier library and its properties; rows with the same SMILES are taken over.

    Raises
    ------
    SystemExit
        When a row of the library cannot be calculated: the library itself is wrong then.
    """
    source = folder / LIBRARY_FILE
    library = file_hash(source)
    smiles = pq.read_table(source, columns=["smiles"]).column("smiles").to_pylist()
    known = previous_rows(previous)
    new = list(dict.fromkeys(text for text in smiles if text not in known))
    for text, result in zip(new, guarded_stream(calculate, new, workers=workers), strict=True):
        if isinstance(result, ParseFailure):
            raise SystemExit(str(result))
        known[text] = result
    results = [known[text] for text in smiles]
    fields = [(name, arrow_type(BASE_TYPES[name])) for name in PROPERTY_COLUMNS]
    columns: dict[str, list[Any]] = {
        name: [values[name] for values, _ in results] for name in PROPERTY_COLUMNS
    }
    columns[PATTERN] = [bits for _, bits in results]
    schema = pa.schema(
        [*fields, (PATTERN, pa.binary(PATTERN_BITS // 8))],
        metadata={"rdkit": rdkit.__version__, "library_sha256": library},
    )
    target = folder / PROPERTIES_FILE
    pq.write_table(pa.table(columns, schema=schema), target, compression="zstd")
    return target


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=data_folder(), help="of library.parquet")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--previous", type=Path, help="folder of an earlier pair of files")
    options = parser.parse_args()
    target = build(options.folder, options.workers, options.previous)
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
