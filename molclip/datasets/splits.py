"""Training, validation and test sets that share no scaffold, or are drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rdkit import Chem
from rdkit.Chem.Scaffolds import MurckoScaffold

from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
from molclip.errors import InputError

IntArray = npt.NDArray[np.int64]
SHARES = (0.8, 0.1, 0.1)

#: Words that a split column may use.
WORDS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("validation", "valid", "val", "dev"), "validation"),
    **dict.fromkeys(("test", "testing"), "test"),
}


@dataclass(frozen=True)
class Split:
    """Row numbers of three sets, each ascending; rows may be in none."""

    train: IntArray
    validation: IntArray
    test: IntArray

    def set_of(self, rows: int) -> list[str]:
        """`train`, `validation`, `test` or an empty text for each of so many rows."""
        words = [""] * rows
        for word in ("train", "validation", "test"):
            for row in getattr(self, word).tolist():
                words[row] = word
        return words


def murcko_scaffold(mol: Chem.Mol) -> str:
    """SMILES of the Bemis-Murcko scaffold: rings and what links them [1]_, without stereo.

    Empty for a molecule without rings, and for one that RDKit finds no scaffold of.

    References
    ----------
    .. [1] Bemis and Murcko, The Properties of Known Drugs, J. Med. Chem. 1996, 39, 2887.
    """
    with capture():
        try:
            scaffold = MurckoScaffold.GetScaffoldForMol(mol)  # type: ignore[no-untyped-call]
            return str(Chem.MolToSmiles(scaffold, isomericSmiles=False))
        except RDKIT_ERRORS:
            return ""


def scaffold_split(
    scaffolds: Sequence[str], seed: int, shares: tuple[float, float, float] = SHARES
) -> Split:
    """Split so that molecules of one scaffold are in one set.

    Groups of one scaffold with more members than half of the test set go to training: as a test
    set they would measure one series of compounds. The others are taken in an order drawn with
    `seed`; each goes to the test set if it fits there, else to the validation set if it fits
    there, else to training. So the two sets are as large as asked or a little smaller, and made of
    many scaffolds. Molecules without rings are one group.

    This is not the split of MoleculeNet, which sorts scaffolds by size and so always tests on the
    rarest; its figures are lower, and it has no seeds.

    Parameters
    ----------
    scaffolds
        Scaffold of each of N molecules, as `murcko_scaffold` gives it.
    seed
        The same seed gives the same split.
    shares
        Of training, validation and test.

    Raises
    ------
    InputError
        When a set stays empty.
    """
    groups: dict[str, list[int]] = {}
    for row, scaffold in enumerate(scaffolds):
        groups.setdefault(scaffold, []).append(row)
    wanted = {"test": shares[2] * len(scaffolds), "validation": shares[1] * len(scaffolds)}
    # At least two, so that a small file is not all training.
    largest = max(min(wanted.values()) / 2, 2.0)
    room = {name: max(round(size), 1) for name, size in wanted.items()}
    sets: dict[str, list[int]] = {"train": [], "validation": [], "test": []}
    # Sorted first: the order of the file must not matter for which scaffolds are held out.
    names = sorted(groups)
    for place in np.random.default_rng(seed).permutation(len(names)).tolist():
        members = groups[names[place]]
        fits = (name for name in room if len(members) <= room[name] - len(sets[name]))
        chosen = next(fits, "train") if len(members) <= largest else "train"
        sets[chosen] += members
    return _checked(sets, "scaffold", f"there are {len(groups)} scaffolds")


def random_split(rows: int, seed: int, shares: tuple[float, float, float] = SHARES) -> Split:
    """Split rows at random; easier than by scaffold, as relatives of a test row are trained on.

    Raises
    ------
    InputError
        When a set stays empty.
    """
    order = np.random.default_rng(seed).permutation(rows).tolist()
    validation, test = (max(round(share * rows), 1) for share in shares[1:])
    sets = {
        "test": order[:test],
        "validation": order[test : test + validation],
        "train": order[test + validation :],
    }
    return _checked(sets, "random", f"there are {rows} rows")


def column_split(cells: Sequence[str], column: str) -> Split:
    """Split by what a column says (`WORDS`); rows with other words are in no set.

    Raises
    ------
    InputError
        When a set stays empty.
    """
    sets: dict[str, list[int]] = {"train": [], "validation": [], "test": []}
    for row, cell in enumerate(cells):
        word = WORDS.get(cell.strip().lower())
        if word is not None:
            sets[word].append(row)
    found = ", ".join(sorted({repr(cell) for cell in cells})[:6]) or "nothing"
    return _checked(sets, f"column {column!r}", f"it holds {found}")


def _checked(sets: dict[str, list[int]], kind: str, reason: str) -> Split:
    for name, rows in sets.items():
        if not rows:
            raise InputError(
                f"The split by {kind} leaves no molecule for {name}: {reason}.",
                "Give more molecules, or another split.",
            )
    return Split(*(np.array(sorted(sets[name])) for name in ("train", "validation", "test")))
