"""Which molecules a model is a stranger to: by InChIKey, and by skeleton.

A model folder lists the InChIKeys it was trained on as hashes. A stereoisomer or another
protonation of such a molecule has another key but the same first block, and is no stranger. So the
list is matched with every molecule of the data folder, and the first blocks of those found are
the skeletons the model knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from molclip.datasets.held_out import BLOCK, is_held_out
from molclip.datasets.refusal import RefusalList
from molclip.errors import InputError
from molclip.evaluation import cache

if TYPE_CHECKING:
    from molclip.search.seen import SeenMolecules

Progress = Callable[[str, int, int | None], None]

SOURCES = (
    "chebi20",
    "chebi-molecules",
    "npclassifier",
    "chemfunct",
    "odour",
    "drug-mechanisms",
)
"""Data sets that training draws molecules from.

Not all that it reads: names with structures (`training.nomenclature`) lie in a file of the user's
beside the folder, so `Strangers.of` says how much of a model's list it could compare by skeleton.
"""


@dataclass
class DataFolder:
    """The user's folder of data sets, with the InChIKeys of its molecules.

    Parameters
    ----------
    path
        The folder; None is the one that the environment variable `MOLCLIP_DATA` names.
    workers
        Processes for the chemistry.
    progress
        Told how many keys are done.
    """

    path: Path | None
    workers: int | None
    progress: Progress
    _tables: dict[tuple[str, str | None], Any] = field(default_factory=dict, repr=False)

    def table(self, name: str, split: str | None = None) -> Any:
        """Return a data set by its name in `molclip.datasets`, read once.

        Raises
        ------
        molclip.errors.InputError
            When its file is missing.
        """
        from molclip.datasets import load

        if (name, split) not in self._tables:
            self._tables[name, split] = load(name, self.path, split)
        return self._tables[name, split]

    def keys(self, smiles: Sequence[str]) -> list[str]:
        """Return the standard InChIKey of each SMILES, kept on disk; "" where it has none."""
        import rdkit

        path = cache.cache_file("inchikeys", rdkit.__version__, *smiles)
        stored = cache.load(path, ("keys",))
        if stored is None:
            keys = np.array(self._computed(smiles), dtype="S27")
            cache.save(path, {"keys": keys}, ())
        else:
            keys = stored[0]["keys"]
        return [key.decode() for key in keys.tolist()]

    def _computed(self, smiles: Sequence[str]) -> list[str]:
        from molclip.chem.parallel import guarded_stream

        keys = []
        made = guarded_stream(_inchikey, map(_Text, smiles), workers=self.workers)
        for done, key in enumerate(made, start=1):
            keys.append(key if isinstance(key, str) else "")
            if done % 500 == 0 or done == len(smiles):
                self.progress("InChIKeys", done, len(smiles))
        return keys

    def source_keys(self, seen: SeenMolecules | None) -> dict[str, list[str]]:
        """Return the InChIKeys of every source in the folder, in file order.

        Absent sources are left out. A key that the file gives is taken where the model's list has
        it, which spares most of the work; all others are made from the structure.

        Parameters
        ----------
        seen
            The model's list, if it has one.
        """
        found = {}
        for name in SOURCES:
            try:
                table = self.table(name)
            except InputError:
                continue
            smiles = [text or "" for text in table["smiles"][:]]
            known = [""] * len(smiles)
            if seen is not None and "inchikey" in table.column_names:
                known = [key if key in seen else "" for key in table["inchikey"][:]]
            made = iter(self.keys([s for s, k in zip(smiles, known, strict=True) if not k]))
            found[name] = [key or next(made) for key in known]
        return found


@dataclass(frozen=True)
class _Text:
    """A SMILES that is read without the parser's care: all that matters is its key."""

    text: str


def _inchikey(item: _Text) -> str:
    from rdkit import Chem

    mol = Chem.MolFromSmiles(item.text)
    if mol is None or not mol.GetNumAtoms():
        return ""
    return str(Chem.MolToInchiKey(mol))  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Strangers:
    """What a model was trained on, by key and by skeleton.

    Parameters
    ----------
    blocks
        First blocks of the molecules it was trained on.
    seen
        The model's own list; None where it has none.
    how
        In words, for the report.
    """

    blocks: frozenset[str]
    seen: SeenMolecules | None
    how: str

    @classmethod
    def of(
        cls,
        seen: SeenMolecules | None,
        source_keys: dict[str, list[str]],
        refusal: RefusalList | None = None,
    ) -> Strangers:
        """Match a model's list with the molecules of the sources.

        Parameters
        ----------
        seen
            `molclip.search.seen.SeenMolecules` of the model. Without one the rule of training
            decides: everything was seen that is neither held out nor refused.
        source_keys
            InChIKeys by source, see `DataFolder.source_keys`.
        refusal
            ChEBI-20 validation and test molecules; the shipped list by default.
        """
        if seen is not None:
            found = {key for keys in source_keys.values() for key in keys if key in seen}
            return cls(_blocks(found), seen, _how(len(seen), len(found), source_keys))
        refusal = refusal or RefusalList.load()
        taken: set[str] = set()
        for name, keys in source_keys.items():
            for key in keys:
                # The benchmark's own train split has no rule of its own but its exact molecules.
                refused = refusal.refuses(key, skeleton=name != "chebi20")
                if key and not refused and (name == "chebi20" or not is_held_out(key)):
                    taken.add(key)
        return cls(_blocks(taken), None, "the rule of training; the model has no list of its own")

    def is_stranger(self, inchikey: str) -> bool:
        """Whether neither this molecule nor one of the same skeleton was trained on."""
        if not inchikey or inchikey[:BLOCK] in self.blocks:
            return False
        return self.seen is None or inchikey not in self.seen


def _how(listed: int, found: int, sources: Iterable[str]) -> str:
    """What a model's list could be compared by, and why not all of it by skeleton."""
    how = (
        f"the model's own list of {listed:,} training molecules, {found:,} of them found in the "
        "data folder and compared by skeleton"
    )
    if found == listed:
        return how
    how += (
        f"; the other {listed - found:,} by exact key alone, because the list holds hashes, and "
        "training also reads files that are no data set of the folder, such as names with structures"
    )
    absent = [name for name in SOURCES if name not in sources]
    return f"{how}; absent data sets: {', '.join(absent)}" if absent else how


def _blocks(keys: Iterable[str]) -> frozenset[str]:
    return frozenset(key[:BLOCK] for key in keys)
