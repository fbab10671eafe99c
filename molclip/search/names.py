"""Finding molecules by name: exact, prefix, part of a name, then similar spelling.

Letters are compared without case, spaces and hyphens, Greek letters as words: "Beta Lactam" finds
"β-lactam". One sorted index per segment, memory-mapped; no database is needed.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.search.rows import map_table, write_table

Integers = npt.NDArray[np.int64]
Entries = tuple[Integers, npt.NDArray[np.float64]]
"""Entries of an index and their scores."""

KINDS = ("name", "synonym", "id")
_LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
_SPELLED = (
    "alpha,beta,gamma,delta,epsilon,zeta,eta,theta,iota,kappa,lambda,mu,"
    "nu,xi,omicron,pi,rho,sigma,tau,upsilon,phi,chi,psi,omega"
)
_GREEK = dict(zip(_LETTERS, _SPELLED.split(","), strict=True))
_DROP = r"[\s\-\u2010-\u2015\u2212'\u2019\u2032\u00ad_]"
_DROPPED = re.compile(f"{_DROP}+")
_SIGNATURE_BITS = 256
_FUZZY_POOL = 96
_FUZZY_FLOOR = 0.7
_POPCOUNT = np.array([value.bit_count() for value in range(256)], dtype=np.uint8)


def spell_greek(text: str) -> str:
    """Lower case, compatibility forms resolved, Greek letters as words."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("ς", "σ")
    return "".join(_GREEK.get(letter, letter) for letter in folded)


def name_key(name: str) -> str:
    """The form in which names are compared."""
    return _DROPPED.sub("", spell_greek(name))


@dataclass(frozen=True)
class NameHit:
    """A row found by name."""

    row: int
    matched: str
    """The name, synonym or id that matched, as written in the library."""
    kind: str
    """`name`, `synonym` or `id`; for an identifier `InChIKey` or `formula`."""
    how: str
    """`exact`, `prefix`, `part` or `similar`."""
    score: float
    """Agreement: 1 exact, 0.8 to 1 prefix, 0.6 to 0.8 part, below 0.6 similar."""


def write_names(path: Path, names: Iterable[tuple[int, str, int]]) -> None:
    """Write the index of a segment.

    Parameters
    ----------
    path
        Arrow file to make.
    names
        `(row within the segment, name as written, index into KINDS)`.
    """
    import pyarrow as pa

    entries = sorted((name_key(text), kind, row, text) for row, text, kind in names if text.strip())
    keys = [entry[0] for entry in entries]
    columns = {
        "key": pa.array(keys, pa.large_string()),
        "kind": pa.array([entry[1] for entry in entries], pa.int8()),
        "row": pa.array([entry[2] for entry in entries], pa.int64()),
        "text": pa.array([entry[3] for entry in entries], pa.large_string()),
        "signature": pa.FixedSizeBinaryArray.from_buffers(
            pa.binary(_SIGNATURE_BITS // 8),
            len(keys),
            [None, pa.py_buffer(_signatures(keys).tobytes())],
        ),
    }
    batch = pa.RecordBatch.from_pydict(columns)
    write_table(path, batch.schema, [batch])


def _signatures(keys: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Which of 256 hashed letter triples each key has, packed: shape `(N, 32)` uint8."""
    packed = np.zeros((len(keys), _SIGNATURE_BITS // 8), dtype=np.uint8)
    for start in range(0, len(keys), 8192):
        part = keys[start : start + 8192]
        text = np.frombuffer("".join(f"\x02{key}\x03" for key in part).encode(), dtype=np.uint8)
        letters = text.astype(np.uint32)
        triples = letters[:-2] * 7919 + letters[1:-1] * 104729 + letters[2:] * 1299709
        owner = np.cumsum(text == 2)[:-2] - 1
        inside = (text[2:] != 2) & (text[1:-1] != 2)
        bits = np.zeros((len(part), _SIGNATURE_BITS), dtype=bool)
        bits[owner[inside], (triples[inside] >> 3) % _SIGNATURE_BITS] = True
        packed[start : start + len(part)] = np.packbits(bits, axis=1)
    return packed


class NameIndex:
    """The names of one segment.

    Parameters
    ----------
    path
        File made by `write_names`.
    start
        Number of the segment's first row in the library.
    """

    def __init__(self, path: Path, start: int) -> None:
        table = map_table(path)
        batches = table.to_batches()
        self._start = start
        self._size: int = table.num_rows
        if not batches:
            return
        batch = batches[0]
        self._keys: Any = batch.column("key")
        # From the buffers: `np.asarray` of an Arrow array would import pandas, half a second.
        self._kind = np.frombuffer(batch.column("kind").buffers()[1], np.int8, self._size)
        self._row = np.frombuffer(batch.column("row").buffers()[1], np.int64, self._size)
        self._text: Any = batch.column("text")
        _, offsets, data = self._keys.buffers()
        self._offsets = np.frombuffer(offsets, dtype=np.int64)[: self._size + 1]
        self._data = data
        self._signature = np.frombuffer(
            batch.column("signature").buffers()[1], dtype=np.uint8
        ).reshape(-1, _SIGNATURE_BITS // 8)

    def __len__(self) -> int:
        return self._size

    def _key(self, entry: int) -> str:
        return str(self._keys[entry].as_py())

    def hits(
        self,
        how: str,
        key: str,
        mask: npt.NDArray[np.bool_],
        limit: int,
    ) -> list[NameHit]:
        """Rows of `mask` found in one way: `exact`, `prefix`, `part` or `similar`.

        Parameters
        ----------
        how
            The way.
        key
            Result of `name_key`.
        mask
            Rows of the whole library that may be found, `(N,)`.
        limit
            Number of rows wanted; some more entries are returned, since rows have several names.
        """
        if not self._size:
            return []
        entries, scores = getattr(self, f"_{how}")(key)
        keep = mask[self._start + self._row[entries]]
        entries, scores = entries[keep], scores[keep]
        order = np.argsort(-scores, kind="stable")[: 8 * limit]
        return [
            NameHit(
                row=self._start + int(self._row[entry]),
                matched=str(self._text[entry].as_py()),
                kind=KINDS[int(self._kind[entry])],
                how=how,
                score=float(score),
            )
            for entry, score in zip(entries[order].tolist(), scores[order], strict=True)
        ]

    def _lower_bound(self, key: str) -> int:
        return bisect_left(range(self._size), key, key=self._key)

    def _lengths(self, entries: Integers) -> Integers:
        return self._offsets[entries + 1] - self._offsets[entries]

    def _exact(self, key: str) -> Entries:
        first = self._lower_bound(key)
        last = first
        while last < self._size and self._key(last) == key:
            last += 1
        return np.arange(first, last), np.ones(last - first)

    def _prefix(self, key: str) -> Entries:
        entries = np.arange(self._lower_bound(key), self._lower_bound(key + "\U0010ffff"))
        size = len(key.encode())
        entries = entries[self._lengths(entries) > size]
        return entries, 0.8 + 0.19 * size / self._lengths(entries)

    def _part(self, key: str) -> Entries:
        wanted = key.encode()
        size = len(wanted)
        if len(key) < 3:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        places = np.array(
            [match.start() for match in re.finditer(re.escape(wanted), self._data)],
            dtype=np.int64,
        )
        places = places[places < self._offsets[-1]]
        entries = np.searchsorted(self._offsets, places, side="right") - 1
        # A match may run from one name into the next, and those at the start are prefixes.
        inside = (places > self._offsets[entries]) & (places + size <= self._offsets[entries + 1])
        entries = np.unique(entries[inside])
        return entries, 0.6 + 0.19 * size / self._lengths(entries)

    def _similar(self, key: str) -> Entries:
        if len(key) < 4:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        mine = _signatures([key])[0]
        shared = _POPCOUNT[self._signature & mine].sum(axis=1, dtype=np.int32)
        either = _POPCOUNT[self._signature | mine].sum(axis=1, dtype=np.int32)
        pool = np.argsort(-(shared / np.maximum(either, 1)), kind="stable")[:_FUZZY_POOL]
        matcher = difflib.SequenceMatcher(autojunk=False)
        matcher.set_seq2(key)
        ratios = np.zeros(len(pool))
        for place, entry in enumerate(pool.tolist()):
            matcher.set_seq1(self._key(entry))
            ratios[place] = matcher.ratio()
        near = (ratios >= _FUZZY_FLOOR) & (ratios < 1)
        return pool[near], 0.6 * ratios[near]


def look_up(
    indexes: Sequence[NameIndex],
    name: str,
    limit: int,
    allowed: npt.NDArray[np.bool_],
    preferred: npt.NDArray[np.bool_],
    *,
    guess: bool = True,
    strict: bool = False,
) -> list[NameHit]:
    """Rows by name, best first, each row once.

    Parameters
    ----------
    indexes
        One per segment.
    name
        What the user wrote.
    limit
        How many rows at most.
    allowed
        Rows that may be found, shape `(N,)`.
    preferred
        Rows to find; others of `allowed` only when named exactly.
    guess
        Whether to try similar spellings when fewer than `limit` are found otherwise.
    strict
        Whether beside an exact name only such names are found as hold it as a word of its own:
        "caffeine citrate" beside "caffeine", but not "betaxolol" beside "taxol".
    """
    key = name_key(name)
    alone: re.Pattern[str] | None = None
    found: dict[int, NameHit] = {}
    steps = ("exact", "prefix", "part", *(("similar",) if guess else ()))
    for how in steps if key else ():
        if len(found) >= limit or (alone is not None and how == "similar"):
            break
        mask = allowed if how == "exact" else allowed & preferred
        hits = [hit for index in indexes for hit in index.hits(how, key, mask, limit)]
        if strict and how == "exact" and hits:
            alone = _as_a_word(key)
        elif alone is not None:
            hits = [hit for hit in hits if alone.search(spell_greek(hit.matched))]
        # Names before synonyms, curated before others, then library order.
        hits.sort(key=lambda h: (-h.score, not preferred[h.row], KINDS.index(h.kind), h.row))
        for hit in hits:
            found.setdefault(hit.row, hit)
    return list(found.values())[:limit]


def _as_a_word(key: str) -> re.Pattern[str]:
    """Finds a key in a name as written, with spaces and hyphens anywhere in it."""
    letters = f"{_DROP}*".join(re.escape(letter) for letter in key)
    return re.compile(f"(?<![a-z0-9]){letters}(?![a-z0-9])")
