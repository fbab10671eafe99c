"""What makes the molecules of a pool easy or hard to tell apart: identity, charge, scaffold."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import ParseFailure
from molclip.evaluation import cache

if TYPE_CHECKING:
    from molclip.evaluation.encoding import Progress

_VERSION = "1"
_KEY = 27
_ARRAYS = ("inchikeys", "charges", "zwitterions", "scaffolds")


@dataclass(frozen=True)
class PoolFacts:
    """Row-aligned with the pool; rows that RDKit cannot read have empty keys."""

    inchikeys: npt.NDArray[np.str_]
    """(P,) standard InChIKeys, 27 letters."""
    charges: npt.NDArray[np.int64]
    """(P,) net formal charge."""
    zwitterions: npt.NDArray[np.bool_]
    """(P,) no net charge, but a proton's worth of positive and of negative charge on atoms that
    are not neighbours, so not a nitro group or an N-oxide."""
    scaffolds: npt.NDArray[np.uint64]
    """(P,) hash of the Bemis–Murcko scaffold [1]_; 0 where there is no ring.

    References
    ----------
    .. [1] Bemis and Murcko, J. Med. Chem. 1996, 39, 2887.
    """

    def __len__(self) -> int:
        return len(self.inchikeys)

    def subset(self, rows: npt.NDArray[np.int64]) -> PoolFacts:
        """Return the facts of some rows: a pool of its own, whose rows have no partner outside it.

        Parameters
        ----------
        rows
            (N,) places in this pool.
        """
        return PoolFacts(
            self.inchikeys[rows], self.charges[rows], self.zwitterions[rows], self.scaffolds[rows]
        )

    @property
    def skeletons(self) -> npt.NDArray[np.str_]:
        """First blocks of the InChIKeys: the connectivity, without stereo, isotopes and protons."""
        return self.inchikeys.astype("U14")

    def stereo_twins(self) -> npt.NDArray[np.bool_]:
        """Rows whose skeleton another row has with other stereo (or isotopes), bool (P,)."""
        return _shared(self.skeletons, self.inchikeys.astype("U25"))

    def conjugates(self) -> npt.NDArray[np.bool_]:
        """Rows that another row equals but for protons, bool (P,): acids and their anions.

        InChI writes protons that come and go as the last letter of the key alone.
        """
        return _shared(self.inchikeys.astype("U25"), self.inchikeys)


def _shared(group: npt.NDArray[np.str_], kind: npt.NDArray[np.str_]) -> npt.NDArray[np.bool_]:
    """Whether a row's group holds rows of another kind."""
    _, places = np.unique(group, return_inverse=True)
    pairs = np.unique(np.stack([places, np.unique(kind, return_inverse=True)[1]]), axis=1)
    kinds = np.bincount(pairs[0], minlength=int(places.max(initial=-1)) + 1)
    return np.asarray((kinds[places] > 1) & (group != ""))


def pool_facts(
    smiles: Sequence[str], workers: int | None = None, progress: Progress | None = None
) -> PoolFacts:
    """Compute the facts of a pool, or read them from the cache of an earlier evaluation.

    Parameters
    ----------
    smiles
        (P,) of the pool.
    workers
        Processes; one per core by default.
    progress
        Told how far it is.
    """
    import rdkit

    path = cache.cache_file("pool-facts", _VERSION, rdkit.__version__, *smiles)
    stored = cache.load(path, _ARRAYS)
    if stored is not None:
        return PoolFacts(**stored[0])
    from molclip.chem.parallel import guarded_stream

    rows: list[tuple[str, int, bool, int]] = []
    # In tuples, because bare text would pass through the whole parser, which costs thrice as much.
    for done, made in enumerate(guarded_stream(_facts, [(s,) for s in smiles], workers=workers)):
        if progress:
            progress("pool facts", done, len(smiles))
        rows.append(("", 0, False, 0) if isinstance(made, ParseFailure) else made)
    if progress:
        progress("pool facts", len(smiles), len(smiles))
    keys, charges, zwitterions, scaffolds = zip(*rows, strict=True) if rows else ((), (), (), ())
    arrays: dict[str, npt.NDArray[Any]] = {
        "inchikeys": np.array(keys, dtype=f"U{_KEY}"),
        "charges": np.array(charges, dtype=np.int64),
        "zwitterions": np.array(zwitterions, dtype=bool),
        "scaffolds": np.array(scaffolds, dtype=np.uint64),
    }
    cache.save(path, arrays, [])
    return PoolFacts(**arrays)


def _facts(item: tuple[str]) -> tuple[str, int, bool, int]:
    from rdkit import Chem
    from rdkit.Chem.Scaffolds import MurckoScaffold

    mol: Any = Chem.MolFromSmiles(item[0])
    if mol is None or not mol.GetNumAtoms():
        return "", 0, False, 0
    key = str(Chem.MolToInchiKey(mol))  # type: ignore[no-untyped-call]
    charge = int(Chem.GetFormalCharge(mol))
    scaffold = 0
    if mol.GetRingInfo().NumRings():
        text = MurckoScaffold.MurckoScaffoldSmiles(mol=mol)  # type: ignore[no-untyped-call]
        digest = hashlib.sha256(text.encode()).digest()
        scaffold = int.from_bytes(digest[:8], "big")
    return key, charge, charge == 0 and _is_zwitterion(mol), scaffold


def _is_zwitterion(mol: Any) -> bool:
    def lone(sign: int) -> bool:
        return any(
            atom.GetFormalCharge() * sign > 0
            and not any(n.GetFormalCharge() * sign < 0 for n in atom.GetNeighbors())
            for atom in mol.GetAtoms()
        )

    return lone(1) and lone(-1)
