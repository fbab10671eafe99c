"""Build `refused_inchikeys.bin`: hashes of the molecules that no training may see.

    python -m molclip.data.build_refusal FOLDER [--out FILE]

FOLDER holds `chebi20_test_inchikeys.tsv.gz` (column `inchikey`) and
`chebi20_validation_text.tsv.gz` (column `smiles`) of the ChEBI-20 benchmark. Only hashes are
written, so the list says whether a molecule is held out without naming the held-out molecules.

The file is: 8 bytes `MOLCLIPR`; version, number of keys, number of first blocks, each a
big-endian uint32; the keys' hashes, then the first blocks' hashes, each sorted, each the first
8 bytes of `SHA-256("key:" + InChIKey)` or `SHA-256("block:" + first 14 letters)`.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

from molclip.datasets.refusal import RefusalList

TEST = "chebi20_test_inchikeys.tsv.gz"
VALIDATION = "chebi20_validation_text.tsv.gz"


def held_out_inchikeys(folder: Path) -> Iterator[str]:
    """InChIKeys of the ChEBI-20 test and validation splits.

    Raises
    ------
    ValueError
        Where RDKit cannot read a validation SMILES: an unlisted molecule would be a leak.
    """
    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")
    for row in _rows(folder / TEST):
        yield row["inchikey"]
    for number, row in enumerate(_rows(folder / VALIDATION), start=1):
        mol = Chem.MolFromSmiles(row["smiles"])
        key = Chem.MolToInchiKey(mol) if mol is not None else ""
        if not key:
            raise ValueError(f"{folder / VALIDATION}, row {number}: no InChIKey of {row['smiles']}")
        yield key


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as handle:
        yield from csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)


def main(argv: list[str] | None = None) -> None:
    """Command line; see the text at the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "refused_inchikeys.bin")
    arguments = parser.parse_args(argv)
    refused = RefusalList.from_inchikeys(held_out_inchikeys(arguments.folder))
    refused.save(arguments.out)
    print(f"{arguments.out}: {refused.n_keys} InChIKeys, {refused.n_blocks} first blocks")


if __name__ == "__main__":
    main()
