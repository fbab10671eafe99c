"""Molecules that no training may see: the ChEBI-20 validation and test splits, as hashes.

The list ships with the package. Hashes are the first 8 bytes of SHA-256, so a molecule outside
the list is refused by accident about once in 10**15 look-ups.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from os import PathLike
from pathlib import Path

from molclip.errors import DataLeakError, InputError

FILE_NAME = "refused_inchikeys.bin"
_MAGIC = b"MOLCLIPR"
_VERSION = 1
_HEADER = struct.Struct(">8sIII")
_HASH_BYTES = 8
_BLOCK_LETTERS = 14


@dataclass(frozen=True)
class RefusalList:
    """Hashed InChIKeys, and hashed first blocks (the skeleton, without stereo and charge).

    Parameters
    ----------
    keys, blocks
        8-byte hashes of whole InChIKeys and of their first 14 letters.
    """

    keys: frozenset[bytes]
    blocks: frozenset[bytes]

    @classmethod
    def load(cls, path: str | PathLike[str] | None = None) -> RefusalList:
        """The shipped list, or one from a file of the same form.

        Raises
        ------
        molclip.errors.InputError
            When the file is missing, cut short or of another form. Training must then stop:
            without the list nothing says that it does not cheat.
        """
        if path is None:
            return _shipped()
        return _parse(_read(Path(path)), str(path))

    @classmethod
    def from_inchikeys(cls, inchikeys: Iterable[str]) -> RefusalList:
        """Hash InChIKeys (27 letters each)."""
        keys, blocks = set(), set()
        for inchikey in inchikeys:
            keys.add(_hash("key", inchikey))
            blocks.add(_hash("block", inchikey[:_BLOCK_LETTERS]))
        return cls(frozenset(keys), frozenset(blocks))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the list; the same keys give the same bytes."""
        Path(path).write_bytes(
            _HEADER.pack(_MAGIC, _VERSION, self.n_keys, self.n_blocks)
            + b"".join(sorted(self.keys))
            + b"".join(sorted(self.blocks))
        )

    @property
    def n_keys(self) -> int:
        """Number of refused InChIKeys."""
        return len(self.keys)

    @property
    def n_blocks(self) -> int:
        """Number of refused first blocks."""
        return len(self.blocks)

    def contains(self, inchikey: str) -> bool:
        """Whether exactly this molecule is held out."""
        return _hash("key", inchikey) in self.keys

    def contains_skeleton(self, inchikey: str) -> bool:
        """Whether a held-out molecule has the same first block (same graph, any stereo)."""
        return _hash("block", inchikey[:_BLOCK_LETTERS]) in self.blocks

    def refuses(self, inchikey: str | None, *, skeleton: bool) -> bool:
        """Whether a training row with this InChIKey must be left out.

        Parameters
        ----------
        inchikey
            27 letters; None or empty for a row without a molecule, which is never refused.
        skeleton
            Compare first blocks: right for every source but ChEBI-20's own train split, whose
            official split holds stereoisomers of test molecules.
        """
        if not inchikey:
            return False
        return self.contains_skeleton(inchikey) if skeleton else self.contains(inchikey)

    def check(
        self,
        inchikeys: Sequence[str | None],
        source: str,
        *,
        ids: Sequence[str | None] | None = None,
        rows: Sequence[int] | None = None,
        skeleton: bool = False,
    ) -> None:
        """Raise if any of these is held out; the last gate before training.

        Parameters
        ----------
        inchikeys
            One for each training row.
        source
            File or data set name, for the message.
        ids, rows
            Id and 1-based row number of each; rows count from 1 in order by default.
        skeleton
            See `refuses`.

        Raises
        ------
        molclip.errors.DataLeakError
            Naming the source, the first refused row, its id, and how many there are.
        """
        refused = [i for i, key in enumerate(inchikeys) if self.refuses(key, skeleton=skeleton)]
        if not refused:
            return
        first = refused[0]
        row = rows[first] if rows is not None else first + 1
        id_ = ids[first] if ids is not None else None
        label = f" (id {id_})" if id_ else ""
        kind = "shares its skeleton with" if skeleton else "is"
        more = f"; {len(refused)} rows in all" if len(refused) > 1 else ""
        raise DataLeakError(
            f"{source}, row {row}{label}: {inchikeys[first]} {kind} a molecule of the ChEBI-20 "
            f"validation or test split{more}.",
            "Leave these rows out of the training data: a score measured after training on them "
            "means nothing.",
        )


@lru_cache(maxsize=1)
def _shipped() -> RefusalList:
    path = files("molclip.data") / FILE_NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(
            f"The refusal list {FILE_NAME} is missing from the installed package.",
            "Reinstall molclip.",
        ) from error
    return _parse(data, FILE_NAME)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"Cannot read the refusal list {path}: {error.strerror}.") from error


def _parse(data: bytes, source: str) -> RefusalList:
    bad = InputError(f"{source} is not a refusal list of version {_VERSION}.", "Build it again.")
    if len(data) < _HEADER.size:
        raise bad
    magic, version, n_keys, n_blocks = _HEADER.unpack_from(data)
    body = data[_HEADER.size :]
    if magic != _MAGIC or version != _VERSION or len(body) != _HASH_BYTES * (n_keys + n_blocks):
        raise bad
    hashes = [body[i : i + _HASH_BYTES] for i in range(0, len(body), _HASH_BYTES)]
    return RefusalList(frozenset(hashes[:n_keys]), frozenset(hashes[n_keys:]))


def _hash(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}:{text}".encode()).digest()[:_HASH_BYTES]
