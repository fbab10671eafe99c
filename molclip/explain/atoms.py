"""What each atom of a molecule does to its match with a text.

*Occlusion* scores the molecule with everything that covers one atom taken out and nothing put in
its place: from a fingerprint all environments, paths, pairs and matches of keys that contain the
atom, from a graph the atom with its bonds. Cutting the atom out of the structure instead would
make another molecule, with new environments at the cut, and show what these do.

*Integrated gradients* start from the empty molecule. For a fingerprint that is the feature row of
a molecule without atoms; the attribution of each input goes to the atoms it comes from
(`chem.feature_atoms`), and what belongs to the molecule as a whole stays a remainder. For a graph
it is the same graph with nothing told about its atoms and bonds (embeddings of zeros); the
attribution of a bond goes half and half to its ends.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from rdkit import Chem

from molclip.chem.feature_atoms import STARTS, FeatureAtoms
from molclip.chem.features import BLOCKS, featurize
from molclip.chem.graphs import MoleculeGraph
from molclip.chem.inputs import gathered
from molclip.explain.attribution import Attribution
from molclip.explain.integrated_gradients import Integral, Tap, integrate, private_copy

if TYPE_CHECKING:
    from torch import Tensor

    from molclip.models.molclip import MolCLIP

FloatArray = npt.NDArray[np.float64]

_OCCLUDED_AT_ONCE = 512
_ATOMS_AT_ONCE = 20_000  # of graphs in one run: some hundred megabytes
_COPIES_AT_ONCE = 64


def atom_attribution(
    model: MolCLIP,
    made: Any,
    owners: FeatureAtoms | None,
    text: npt.NDArray[np.float32],
    *,
    occlusion: bool,
    gradient: bool,
) -> Attribution:
    """Attribute the score of a molecule to its A atoms.

    Parameters
    ----------
    model
        Of any kind of molecule encoder.
    made
        The encoder's input of the molecule (`chem.inputs.input_of`).
    owners
        Where its inputs come from (`chem.feature_atoms`); None for a graph.
    text
        Unit vector of the text, ``(D,)``.
    occlusion, gradient
        Which methods.
    """
    score = float(model.encode_features(gathered([made], model.kind))[0] @ text)
    found = Attribution(None, None, score)
    if gradient:
        found = _integrated(model, made, owners, text)
    if occlusion:
        without = _scores_without(model, made, owners, text)
        found = replace(found, occlusion=score - without)
    return found


# -- occlusion --------------------------------------------------------------------------------


def _scores_without(
    model: MolCLIP,
    made: Any,
    owners: FeatureAtoms | None,
    text: npt.NDArray[np.float32],
) -> FloatArray:
    atoms = len(_graph(made).atoms) if owners is None else owners.atoms
    at_once = _OCCLUDED_AT_ONCE
    if model.kind != "fingerprint":
        at_once = max(1, min(at_once, _ATOMS_AT_ONCE // atoms))
        if atoms == 1:
            # A graph encoder has no word for no atoms; the nearest is an atom that says nothing.
            return np.array([_untold(model, made, text)])
    scores = []
    for start in range(0, atoms, at_once):
        chosen = range(start, min(start + at_once, atoms))
        inputs: list[Any]
        if model.kind == "graph":
            inputs = [_without_atom(made, atom) for atom in chosen]
        else:
            assert owners is not None
            rows = owners.without_each(made if model.kind == "fingerprint" else made.counts, chosen)
            inputs = list(rows)
            if model.kind == "hybrid":
                inputs = [
                    replace(made, counts=row, graph=_without_atom(made.graph, atom))
                    for row, atom in zip(rows, chosen, strict=True)
                ]
        scores.append(model.encode_features(gathered(inputs, model.kind)) @ text)
    return np.concatenate(scores).astype(np.float64)


def _without_atom(graph: MoleculeGraph, atom: int) -> MoleculeGraph:
    kept = (graph.bonds != atom).all(axis=0)
    bonds = graph.bonds[:, kept]
    return MoleculeGraph(
        np.delete(graph.atoms, atom, axis=0),
        (bonds - (bonds > atom)).astype(np.int32),
        graph.bond_fields[kept],
    )


def _untold(model: MolCLIP, made: Any, text: npt.NDArray[np.float32]) -> float:
    return _integral(model, made, text).baseline


def _graph(made: Any) -> MoleculeGraph:
    """The graph of a graph or hybrid input."""
    graph: MoleculeGraph = getattr(made, "graph", made)
    return graph


# -- integrated gradients ---------------------------------------------------------------------


def _integrated(
    model: MolCLIP, made: Any, owners: FeatureAtoms | None, text: npt.NDArray[np.float32]
) -> Attribution:
    graph = None if model.kind == "fingerprint" else _graph(made)
    integral = _integral(model, made, text)
    parts = list(integral.parts)
    shares: list[FloatArray] = []
    remainder = {}
    if owners is not None:
        mine, rest = owners.share(parts.pop(0).reshape(-1))
        shares.append(mine)
        remainder = _by_kind(rest)
    if graph is not None:
        shares.append(parts.pop(0))
        for bonds in parts:
            for ends in graph.bonds:
                halves = np.bincount(ends, weights=bonds / 2, minlength=len(graph.atoms))
                shares.append(halves.astype(np.float64))
    return Attribution(
        None,
        np.sum(shares, axis=0),
        integral.score,
        integral.baseline,
        remainder,
        integral.steps,
    )


def _integral(model: MolCLIP, made: Any, text: npt.NDArray[np.float32]) -> Integral:
    encoder = private_copy(model.network.molecule)
    vector = torch.from_numpy(np.asarray(text, dtype=np.float32)).to(model.device)
    at_once = _COPIES_AT_ONCE
    if model.kind != "fingerprint":
        at_once = max(1, min(at_once, _ATOMS_AT_ONCE // len(_graph(made).atoms)))

    def score(copies: int) -> Tensor:
        batch = encoder.collate([made] * copies).to(model.device)
        scores: Tensor = encoder(batch) @ vector
        return scores

    return integrate(score, _taps(encoder), at_once=at_once)


def _taps(encoder: Any) -> list[Tap]:
    """Where the inputs of a molecule encoder enter it: counts first, then atoms, then bonds."""
    taps = []
    if encoder.kind != "graph":
        taps.append(Tap(encoder.logs, torch.log1p(_nothing().float()), columns=True))
    if encoder.kind != "fingerprint":
        taps.append(Tap(encoder.trunk.atoms))
        taps += [Tap(layer.bonds) for layer in encoder.trunk.layers]
    return taps


@cache
def _nothing() -> Tensor:
    """Feature row of a molecule without atoms."""
    return torch.from_numpy(featurize(Chem.Mol()))


def _by_kind(rest: FloatArray) -> dict[str, float]:
    """Sums of what no atom got, by kind; kinds that hold nothing are left out."""
    sums = {
        block: float(rest[STARTS[block] : STARTS[block] + width].sum())
        for block, width in BLOCKS.items()
    }
    return {block: value for block, value in sums.items() if value}
