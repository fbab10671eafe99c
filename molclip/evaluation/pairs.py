"""Texts, the molecules they describe, and the pool they are looked up in, from files."""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from molclip.datasets.local import FOLDER_VARIABLE
from molclip.errors import InputError

_POOL = "chebi20_pool.tsv.gz"
_TEXTS = {
    "validation": "chebi20_validation_text.tsv.gz",
    "train": "chebi20_train_text.tsv.gz",
    "test": "chebi20_test_text.tsv.gz",
}
# Names under which the three original files of ChEBI-20 are found.
_ORIGINAL = {
    "train": ("training.txt", "train.txt"),
    "validation": ("val.txt", "validation.txt"),
    "test": ("test.txt",),
}
_COLUMNS = {
    "id": ("id", "cid"),
    "smiles": ("smiles",),
    "text": ("text", "description"),
    "split": ("split",),
}
_MENDED = "Each must be a row of the pool under the same id."


@dataclass(frozen=True)
class RetrievalData:
    """A retrieval task: each text's right answer is the pool row with the text's id."""

    name: str
    split: str
    text_variant: str
    text_ids: Sequence[str]
    texts: Sequence[str]
    pool_ids: Sequence[str]
    """Unique."""
    pool_smiles: Sequence[str]
    in_split: Sequence[bool]
    """For each pool row, whether the split has a text for it: the small pool."""
    files: Sequence[str] = ()
    """Name and short SHA-256 of each file read."""
    bank: Sequence[str] = ()
    """Training texts for the query-time correction; empty where there are none."""
    bank_ids: Sequence[str] = ()
    """Id of the molecule each of them describes, by custom a row of the pool."""
    captions: Sequence[str] = ()
    """Further texts for that correction, made from facts of training molecules."""
    trained: Sequence[bool] = ()
    """For each pool row, whether it stands in the train split; empty where that is not known."""

    def __post_init__(self) -> None:
        first: dict[str, int] = {}
        for row, identifier in enumerate(self.pool_ids, start=1):
            if first.setdefault(identifier, row) != row:
                raise InputError(
                    f"The pool of {self.name} has the id {identifier!r} twice, "
                    f"in rows {first[identifier]} and {row}.",
                    "Give each molecule of the pool an id of its own.",
                )
        lost = [identifier for identifier in self.text_ids if identifier not in first]
        if lost:
            shown = ", ".join(lost[:3]) + (", …" if len(lost) > 3 else "")
            raise InputError(
                f"{len(lost)} of {len(self.text_ids)} texts of {self.name} name a molecule that "
                f"is not in the pool: id {shown}.",
                _MENDED,
            )
        for identifier, text in zip(self.text_ids, self.texts, strict=True):
            if not text.strip():
                raise InputError(
                    f"{self.name} has an empty text for id {identifier!r}.",
                    "Write the text, or leave the row out of the file.",
                )
        if not self.texts:
            raise InputError(f"{self.name} has no texts.", "Name a file with at least one pair.")

    def sample(self, limit: int | None, seed: int) -> RetrievalData:
        """Return the task with at most `limit` texts, drawn at random; the pool stays whole."""
        if limit is None or limit >= len(self.texts):
            return self
        if limit < 1:
            raise InputError(f"--limit {limit} leaves no text.", "Ask for at least one.")
        import numpy as np

        drawn = np.random.default_rng(seed).choice(len(self.texts), limit, replace=False)
        rows = sorted(drawn.tolist())
        return replace(
            self,
            text_ids=[self.text_ids[row] for row in rows],
            texts=[self.texts[row] for row in rows],
        )


def load_chebi20(folder: str | Path | None, split: str = "validation") -> RetrievalData:
    """Read the ChEBI-20 benchmark from a folder.

    The folder holds either `chebi20_pool.tsv.gz` (cid, split, smiles) with a text file for the
    split, `chebi20_<split>_text.tsv.gz` (cid, description), or the three original files `training.txt`, `val.txt` and
    `test.txt`, where every backslash of a SMILES is doubled and read as one.

    Parameters
    ----------
    folder
        None looks into the folder that the environment variable `MOLCLIP_DATA` names.
    split
        `train`, `validation` or `test`.

    Raises
    ------
    InputError
        When the folder or a file is missing, or a text has no molecule.
    """
    if split not in _ORIGINAL:
        raise InputError(f"Unknown split {split!r}.", f"Use one of {', '.join(_ORIGINAL)}.")
    root = _data_folder(folder)
    originals = {name: _first_file(root, names) for name, names in _ORIGINAL.items()}
    # A folder may hold both kinds; the original files have the texts of every split, so they win.
    if all(originals.values()):
        return _from_originals({name: path for name, path in originals.items() if path}, split)
    pool_file, text_file = root / _POOL, root / _TEXTS[split]
    for path in (pool_file, text_file):
        if not path.is_file():
            raise InputError(
                f"The ChEBI-20 data are incomplete: {path} does not exist.",
                f"Put {_POOL} and {_TEXTS[split]} (or the original training.txt, val.txt and "
                f"test.txt) into one folder and name it with --data or {FOLDER_VARIABLE}.",
            )
    pool = list(_rows(pool_file, ("id", "smiles", "split"), quoted=False))
    texts = list(_rows(text_file, ("id", "text"), quoted=False))
    files = [_fingerprint(pool_file), _fingerprint(text_file)]
    bank_file = root / _TEXTS["train"]
    bank: list[dict[str, str]] = []
    if bank_file.is_file():
        bank = list(_rows(bank_file, ("id", "text"), quoted=False))
        files.append(_fingerprint(bank_file))
    return _chebi20(split, texts, pool, files, bank)


def load_pairs(pairs_file: str | Path, pool_file: str | Path | None = None) -> RetrievalData:
    """Read a user's own pairs: CSV or TSV (also .gz) with columns id, smiles, text.

    A molecule may have several texts (rows with the same id and SMILES).

    Parameters
    ----------
    pairs_file
        Each row is one text and the molecule it describes.
    pool_file
        CSV or TSV with columns id and smiles: further molecules to look among. Rows whose id is
        also in the pairs must carry the same SMILES. None: the pairs' molecules are the pool.

    Raises
    ------
    InputError
        When a file or column is missing or one id stands for two structures.
    """
    path = Path(pairs_file)
    rows = list(_rows(path, ("id", "smiles", "text")))
    pool: dict[str, str] = {}
    described = {row["id"] for row in rows}
    files = [_fingerprint(path)]
    for source, entries in (
        (path, rows),
        *([(Path(pool_file), list(_rows(Path(pool_file), ("id", "smiles"))))] if pool_file else []),
    ):
        for number, row in enumerate(entries, start=1):
            if pool.setdefault(row["id"], row["smiles"]) != row["smiles"]:
                raise InputError(
                    f"{source}, row {number}: the id {row['id']!r} already stands for another "
                    f"structure, {pool[row['id']]}.",
                    "Give each molecule an id of its own.",
                )
    if pool_file:
        files.append(_fingerprint(Path(pool_file)))
    return RetrievalData(
        name=path.name,
        split="all",
        text_variant="as in the file",
        text_ids=[row["id"] for row in rows],
        texts=[row["text"] for row in rows],
        pool_ids=list(pool),
        pool_smiles=list(pool.values()),
        in_split=[identifier in described for identifier in pool],
        files=files,
    )


def _from_originals(paths: dict[str, Path], split: str) -> RetrievalData:
    parts = {
        name: list(_rows(path, ("id", "smiles", "text"), quoted=False))
        for name, path in paths.items()
    }
    for name, rows in parts.items():
        for row in rows:
            row["split"] = name
    pool = [row for name in ("train", "validation", "test") for row in parts[name]]
    for row in pool:
        row["smiles"] = row["smiles"].replace("\\\\", "\\")
        row["text"] = _unquoted(row["text"])
    files = [_fingerprint(path) for path in paths.values()]
    return _chebi20(split, parts[split], pool, files, parts["train"])


def _chebi20(
    split: str,
    texts: Sequence[dict[str, str]],
    pool: Sequence[dict[str, str]],
    files: Sequence[str],
    bank: Sequence[dict[str, str]],
) -> RetrievalData:
    described = {row["id"] for row in texts}
    return RetrievalData(
        name="ChEBI-20",
        split=split,
        text_variant="the curators' descriptions, unchanged",
        text_ids=[row["id"] for row in texts],
        texts=[row["text"] for row in texts],
        pool_ids=[row["id"] for row in pool],
        pool_smiles=[row["smiles"] for row in pool],
        in_split=[row["id"] in described for row in pool],
        files=files,
        bank=[row["text"] for row in bank],
        bank_ids=[row["id"] for row in bank],
        trained=[row["split"] == "train" for row in pool],
    )


def _unquoted(text: str) -> str:
    """Undo the quoting that some copies of the files put around a description."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('""', '"')
    return text


def _data_folder(folder: str | Path | None) -> Path:
    named = folder or os.environ.get(FOLDER_VARIABLE)
    if not named:
        raise InputError(
            "No folder with the ChEBI-20 data is named.",
            f"Name it with --data or in the environment variable {FOLDER_VARIABLE}; "
            "for your own pairs use --pairs FILE.",
        )
    root = Path(named)
    if not root.is_dir():
        raise InputError(
            f"The data folder {root} does not exist.",
            f"Name a folder with the ChEBI-20 files with --data or {FOLDER_VARIABLE}.",
        )
    return root


def _first_file(root: Path, names: Sequence[str]) -> Path | None:
    return next((root / name for name in names if (root / name).is_file()), None)


def _rows(path: Path, wanted: Sequence[str], *, quoted: bool = True) -> Iterator[dict[str, str]]:
    """Rows of a delimited text file under our own column names."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    opener = gzip.open if suffixes[-1:] == [".gz"] else open
    tabs = not quoted or ".tsv" in suffixes
    # The benchmark's files hold bare quotation marks (5"-phosphate), which csv would swallow.
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as handle:
            lines = csv.reader(handle, delimiter="\t" if tabs else ",", quoting=quoting)
            header = [cell.strip().lower() for cell in next(lines, [])]
            places = {}
            for column in wanted:
                found = [header.index(name) for name in _COLUMNS[column] if name in header]
                if not found:
                    raise InputError(
                        f"{path} has no column {column!r}; its columns are "
                        f"{', '.join(header) or 'none'}.",
                        f"Name the columns {', '.join(wanted)} in the first line.",
                    )
                places[column] = found[0]
            for number, cells in enumerate(lines, start=1):
                if not cells:
                    continue
                if len(cells) <= max(places.values()):
                    raise InputError(
                        f"{path}, row {number} has {len(cells)} columns, fewer than its header.",
                        "Check the delimiter and the quotation marks of that row.",
                    )
                yield {column: cells[place].strip() for column, place in places.items()}
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.", "Check the name of the file.") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Save it as UTF-8 text.") from error


def _fingerprint(path: Path) -> str:
    with path.open("rb") as handle:
        return f"{path.name} {hashlib.file_digest(handle, 'sha256').hexdigest()[:12]}"
