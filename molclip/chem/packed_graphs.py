"""Molecule graphs in few bytes: each bond once, atom numbers in two bytes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from molclip.chem.graphs import BOND_FIELDS, DATIVE, DATIVE_BACK, MoleculeGraph


class PackedGraph(NamedTuple):
    """One graph of A atoms and B bonds."""

    atoms: npt.NDArray[np.uint8]
    """``(A, ATOM_FIELDS)``."""
    ends: npt.NDArray[np.uint16]
    """Begin and end atom of each bond, ``(B, 2)``."""
    fields: npt.NDArray[np.uint8]
    """Codes of the edge from begin to end, ``(B, BOND_FIELDS)``."""


def pack(graph: MoleculeGraph) -> PackedGraph:
    """Leave out what the other edge of a bond tells.

    Raises
    ------
    ValueError
        For more than 65,536 atoms.
    """
    if len(graph.atoms) > np.iinfo(np.uint16).max + 1:
        raise ValueError(f"{len(graph.atoms)} atoms cannot be numbered with 16 bits")
    ends = graph.bonds[:, ::2].T.astype(np.uint16)
    return PackedGraph(graph.atoms, ends, graph.bond_fields[::2])


def unpack(packed: PackedGraph) -> MoleculeGraph:
    """The graph that was packed."""
    count = len(packed.ends)
    bonds = np.empty((2, 2 * count), dtype=np.int32)
    bonds[:, ::2] = packed.ends.T
    bonds[:, 1::2] = packed.ends.T[::-1]
    fields = np.empty((2 * count, BOND_FIELDS), dtype=np.uint8)
    fields[::2] = packed.fields
    fields[1::2] = packed.fields
    # The way back of a dative bond has a code of its own.
    back = fields[1::2, 0]
    fields[1::2, 0] = np.where(back == DATIVE, DATIVE_BACK, back)
    return MoleculeGraph(np.array(packed.atoms), bonds, fields)
