"""The ChEBI-20 benchmark: from its three text files, from a hub, or from a joined folder.

Whatever the origin, the rows have the same columns, and a row whose structure cannot be read
stays in its place with `valid` false and the reason in `failure`.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.datasets.local import FOLDER_VARIABLE, folder, read_cells
from molclip.datasets.tables import Column, description, features
from molclip.errors import InputError

if TYPE_CHECKING:
    from datasets import Dataset

HUB_ID = "liupf/ChEBI-20-MM"
"""Repository on the Hugging Face hub read by default; any with CID, SMILES and description."""

SPLITS = ("train", "validation", "test")

COLUMNS: tuple[Column, ...] = (
    Column("cid", "int", "PubChem compound id"),
    Column("split", "string", "train, validation or test"),
    Column("smiles", "string", "structure as the benchmark writes it, single backslashes"),
    Column("description", "string", "text written by curators; None where it is not given"),
    Column("chebi_id", "string", "ChEBI id, where joined"),
    Column("name", "string", "ChEBI name, where joined"),
    Column("valid", "flag", "whether the row holds a readable structure"),
    Column("failure", "string", "why not, with file and row"),
)

TEXT_COLUMNS = COLUMNS[:4]

_ORIGINAL = {
    "train": ("training.txt", "train.txt"),
    "validation": ("val.txt", "validation.txt"),
    "test": ("test.txt",),
}
_POOL = "chebi20_pool.tsv.gz"
_JOINED = "chebi20_train_val.tsv.gz"
_TEXT_FILES = {
    "train": "chebi20_train_text.tsv.gz",
    "validation": "chebi20_validation_text.tsv.gz",
}
_CITATION = "ChEBI-20 (Edwards, Zhai, Ji: Text2Mol, EMNLP 2021)"

Row = dict[str, Any]


def read_chebi20(
    path: str | PathLike[str] | None, hub_id: str | None, splits: tuple[str, ...] = SPLITS
) -> Dataset:
    """The benchmark's molecules and, where the origin has them, descriptions.

    Parameters
    ----------
    path
        Folder with the original `training.txt` (or `train.txt`), `val.txt`, `test.txt`,
        or with `chebi20_pool.tsv.gz`. With None the folder that MOLCLIP_DATA names, if it
        names one; else the hub.
    hub_id
        Repository on the hub, or a folder laid out like one; given, it is used.
    splits
        Splits to read; files of others are not opened.

    Raises
    ------
    molclip.errors.InputError
        When nothing there looks like ChEBI-20, or the hub cannot be read.
    """
    import os

    if hub_id is not None or (path is None and not os.environ.get(FOLDER_VARIABLE)):
        return _dataset(_hub_rows(hub_id or HUB_ID, splits), COLUMNS)
    found = folder(path, "chebi20")
    if (found / _POOL).is_file():
        return _dataset(_folder_rows(found, splits), COLUMNS)
    if any((found / file).is_file() for files in _ORIGINAL.values() for file in files):
        return _dataset(_original_rows(found, splits), COLUMNS)
    raise InputError(
        f"{found} holds neither training.txt, val.txt, test.txt nor {_POOL}.",
        "Give the folder of ChEBI-20, or hub_id=… to read it from the hub.",
    )


def read_chebi20_text(
    path: str | PathLike[str] | None, splits: tuple[str, ...] = SPLITS
) -> Dataset:
    """Real descriptions by PubChem id: those known of train, and all of validation.

    Validation text is for measuring and choosing, never for a gradient. There is no test text
    in these files, so the test split is empty.
    """
    return _dataset(_text_rows(folder(path, "chebi20-text"), splits), TEXT_COLUMNS)


def _text_rows(found: Path, splits: tuple[str, ...]) -> Iterator[Row]:
    smiles: dict[str, str] = {}
    if (found / _POOL).is_file():
        smiles = {cells["cid"]: cells["smiles"] for _, cells in read_cells(found / _POOL)}
    for split in splits:
        file = _TEXT_FILES.get(split)
        if file is None:
            continue
        for _, cells in read_cells(found / file):
            cid = cells["cid"]
            yield {
                "cid": int(cid),
                "split": split,
                "smiles": cells.get("smiles") or smiles.get(cid),
                "description": cells["description"],
            }


def _folder_rows(found: Path, splits: tuple[str, ...]) -> Iterator[Row]:
    joined: dict[str, dict[str, str]] = {}
    if (found / _JOINED).is_file():
        joined = {cells["cid"]: cells for _, cells in read_cells(found / _JOINED)}
    texts: dict[str, str] = {}
    for file in _TEXT_FILES.values():
        if (found / file).is_file():
            texts.update((c["cid"], c["description"]) for _, c in read_cells(found / file))
    for number, cells in read_cells(found / _POOL):
        if cells["split"] not in splits:
            continue
        cid = cells["cid"]
        yield _row(
            found / _POOL,
            number,
            cid,
            cells["split"],
            cells["smiles"],
            texts.get(cid),
            joined.get(cid, {}),
        )


def _original_rows(found: Path, splits: tuple[str, ...]) -> Iterator[Row]:
    for split in splits:
        file = next((found / f for f in _ORIGINAL[split] if (found / f).is_file()), None)
        if file is None:
            raise InputError(
                f"{found} holds no {_ORIGINAL[split][0]}.", "Get the file, or ask for other splits."
            )
        yield from _original_file(file, split)


def _original_file(file: Path, split: str) -> Iterator[Row]:
    """Rows of one original file: a line each, quotes without meaning, backslashes doubled."""
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    header = [cell.strip().casefold() for cell in lines[0].split("\t")] if lines else []
    if header[:3] != ["cid", "smiles", "description"]:
        raise InputError(
            f"{file} does not begin with the columns CID, SMILES and description.",
            "Is it a file of ChEBI-20?",
        )
    for number, line in enumerate(lines[1:], start=1):
        if not line.strip():
            continue
        cells = line.split("\t", 2)
        if len(cells) < 3:
            yield _failed(file, number, cells, split, f"{len(cells)} of 3 cells")
            continue
        cid, smiles, text = cells
        yield _row(file, number, cid, split, smiles.replace("\\\\", "\\"), _unquoted(text), {})


def _hub_rows(hub_id: str, splits: tuple[str, ...]) -> Iterator[Row]:
    from datasets import load_dataset

    for split in splits:
        try:
            table = load_dataset(hub_id, split=split)
        except Exception as error:  # the hub client raises a dozen kinds for "not there"
            raise InputError(
                f"Cannot read the split {split!r} of {hub_id} from the hub: "
                f"{str(error).splitlines()[0] if str(error) else type(error).__name__}.",
                "Check the name and the connection, or give path=… with the original files.",
            ) from error
        names = {name.casefold(): name for name in table.column_names}
        missing = [name for name in ("cid", "smiles", "description") if name not in names]
        if missing:
            raise InputError(
                f"{hub_id} has no column {missing[0]!r}; it has {', '.join(table.column_names)}.",
                "Choose another hub_id.",
            )
        for number, cells in enumerate(table, start=1):
            smiles = str(cells[names["smiles"]] or "").replace("\\\\", "\\")
            yield _row(
                Path(hub_id) / split,
                number,
                str(cells[names["cid"]]),
                split,
                smiles,
                cells[names["description"]],
                {},
            )


def _row(
    file: Path,
    number: int,
    cid: str,
    split: str,
    smiles: str,
    text: str | None,
    joined: dict[str, str],
) -> Row:
    if not cid.strip().isdigit():
        return _failed(file, number, [cid, smiles, text or ""], split, f"{cid!r} is no CID")
    failure = _failure(file, number, cid, smiles)
    return {
        "cid": int(cid),
        "split": split,
        "smiles": smiles,
        "description": text,
        "chebi_id": joined.get("chebi_id"),
        "name": joined.get("name"),
        "valid": failure is None,
        "failure": failure,
    }


def _failure(file: Path, number: int, cid: str, smiles: str) -> str | None:
    """Why a SMILES is no molecule; None where it is one."""
    from rdkit import Chem, rdBase

    from molclip.chem.molecule import ParseFailure
    from molclip.chem.parse import parse_molecule

    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
    if mol is not None and mol.GetNumAtoms():
        return None  # the common case, without the canonical SMILES that a Molecule carries
    found = parse_molecule(smiles, row=number, id=cid, file=file.name, format="smiles")
    return str(found) if isinstance(found, ParseFailure) else None


def _failed(file: Path, number: int, cells: list[str], split: str, reason: str) -> Row:
    padded = [*cells, "", ""]
    return {
        "cid": int(padded[0]) if padded[0].strip().isdigit() else None,
        "split": split,
        "smiles": padded[1] or None,
        "description": padded[2] or None,
        "chebi_id": None,
        "name": None,
        "valid": False,
        "failure": f"{file.name}, row {number}: {reason}",
    }


def _unquoted(text: str) -> str:
    """Undo the quoting that some copies of the files put around a description."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"')
    return text


def _dataset(rows: Iterator[Row], columns: tuple[Column, ...]) -> Dataset:
    from datasets import Dataset, DatasetInfo

    table: dict[str, list[Any]] = {column.name: [] for column in columns}
    for row in rows:
        for name, values in table.items():
            values.append(row[name])
    info = DatasetInfo(
        description=description("Molecules of ChEBI-20 with curators' descriptions.", columns),
        citation=_CITATION,
        license="CC BY 4.0",
        features=features(columns),
    )
    return Dataset.from_dict(table, features=info.features, info=info)
