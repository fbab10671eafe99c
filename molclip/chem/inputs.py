"""What one molecule is to an encoder: feature row, graph, or both.

=========== ==================================================
kind        input
=========== ==================================================
fingerprint uint8 array ``(WIDTH,)``; `chem.features`
graph       `MoleculeGraph`; `chem.graphs`
hybrid      `HybridInput`; `chem.graphs`
=========== ==================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from molclip.chem import versions
from molclip.errors import InputError

# RDKit is imported by need, so that naming a kind costs nothing.

if TYPE_CHECKING:
    from rdkit.Chem import Mol

Kind = Literal["fingerprint", "graph", "hybrid"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FINGERPRINT: Kind = "fingerprint"


def input_of(mol: Mol, kind: Kind = FINGERPRINT) -> Any:
    """Input of one molecule, for an encoder of that kind.

    Parameters
    ----------
    mol
        A sanitised RDKit molecule with stereo assigned, without explicit hydrogens.
    kind
        `fingerprint`, `graph` or `hybrid`.

    Raises
    ------
    InputError
        For another kind.
    RuntimeError, ValueError
        Whatever RDKit raises on a molecule it cannot handle.
    """
    if kind == FINGERPRINT:
        from molclip.chem.features import featurize

        return featurize(mol)
    from molclip.chem import graphs

    if kind == "graph":
        return graphs.graph_of(mol)
    if kind == "hybrid":
        return graphs.hybrid_of(mol)
    raise InputError(f"Unknown kind of molecule input {kind!r}.", f"Use one of {', '.join(KINDS)}.")


def gathered(inputs: Sequence[Any], kind: Kind = FINGERPRINT) -> Any:
    """N inputs as `MolCLIP.encode_features` takes them.

    Returns
    -------
    A uint8 array ``(N, WIDTH)`` of feature rows, or the list of the other kinds.
    """
    if kind != FINGERPRINT:
        return list(inputs)
    import numpy as np

    from molclip.chem.features import WIDTH

    if not len(inputs):
        return np.empty((0, WIDTH), dtype=np.uint8)
    return np.stack(list(inputs))


def input_version(kind: Kind = FINGERPRINT) -> str:
    """What the numbers of an input mean: changes with their definition, not with RDKit."""
    graphs = f"graph-{versions.GRAPHS}"
    return {
        "fingerprint": versions.FEATURES,
        "graph": graphs,
        "hybrid": f"{versions.FEATURES}-{graphs}",
    }[kind]


def golden_hash(kind: Kind = FINGERPRINT) -> str:
    """Hash of the inputs of reference molecules under the installed RDKit, 16 hexadecimal digits.

    Those of `chem.features.golden_hash` and `chem.graphs.golden_hash`, joined by `-` for `hybrid`.
    """
    from molclip.chem import features

    if kind == FINGERPRINT:
        return features.golden_hash()
    from molclip.chem import graphs

    if kind == "graph":
        return graphs.golden_hash()
    return f"{features.golden_hash()}-{graphs.golden_hash()}"
