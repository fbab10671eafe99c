"""Views of molecules as encoder inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from rdkit import Chem

from molclip.chem.augmentations.bit_dropout import BitDropout, Counts
from molclip.chem.augmentations.registry import Augmentation, checked
from molclip.chem.augmentations.structure import StructureAugmentation
from molclip.chem.features import featurize
from molclip.chem.graphs import HybridInput, MoleculeGraph
from molclip.chem.inputs import Kind, gathered, input_of
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
from molclip.errors import InputError

Steps = list[tuple[Augmentation, float]]
MolAt = Callable[[int], Chem.Mol | None]


def augmented_inputs(
    inputs: Any,
    smiles: Sequence[str] | None,
    kind: str,
    augmentations: Mapping[str, float],
    rng: np.random.Generator,
) -> Any:
    """One view of each molecule, as input of a molecule encoder.

    Structural augmentations are made in the order given, then `bit_dropout`. What it costs depends
    on what must be read (figures in `docs/augmentations.md`):

    - `fingerprint` with `bit_dropout` alone: some ten microseconds per molecule.
    - `graph`: the same order.
    - `fingerprint` and `hybrid` with a structural augmentation: the SMILES is read, the molecule
      edited and its fingerprint computed anew, milliseconds per molecule. In `hybrid` both parts
      show the same edit.
    - `random_smiles` changes no fingerprint, so none is computed for it.

    Parameters
    ----------
    inputs
        As `FeatureStore.inputs` gives them: for `fingerprint` a uint8 array ``(N, WIDTH)``, for
        `graph` and `hybrid` a list of N. They are not changed.
    smiles
        SMILES of each, from which the inputs were made (atoms in the same order); needed only for
        structural augmentations of `fingerprint` and `hybrid`.
    kind
        `fingerprint`, `graph` or `hybrid`.
    augmentations
        Strength in [0, 1] by name, see `AUGMENTATIONS`; with none, the inputs come back equal.
    rng
        The same state gives the same views.

    Returns
    -------
    As `inputs`. A molecule whose SMILES cannot be read keeps its fingerprint, and so does one whose
    edited form RDKit cannot describe.

    Raises
    ------
    molclip.errors.ConfigError
        See `registry.checked`.
    molclip.errors.InputError
        When structures are needed and `smiles` is None or of another length.
    """

    def read(row: int) -> Chem.Mol | None:
        if smiles is None or len(smiles) != len(inputs):
            count = "no" if smiles is None else str(len(smiles))
            raise InputError(
                f"Structural augmentations of fingerprints need one SMILES per molecule: "
                f"{len(inputs)} inputs came with {count} SMILES.",
                "Pass the SMILES, or use bit_dropout alone.",
            )
        with capture():
            return Chem.MolFromSmiles(smiles[row])

    return _views(inputs, read, kind, _active(augmentations, kind), rng)


def two_views(
    molecules: Sequence[Chem.Mol],
    kind: Kind,
    augmentations: Mapping[str, float],
    rng: np.random.Generator,
) -> tuple[Any, Any]:
    """Two independent views of each molecule, as inputs of a molecule encoder.

    For molecules in hand. Training, which has inputs and SMILES on disk, calls `augmented_inputs`
    twice instead.

    Parameters
    ----------
    molecules
        Sanitised RDKit molecules.
    kind, augmentations, rng
        See `augmented_inputs`.

    Returns
    -------
    tuple
        Two uint8 arrays ``(N, WIDTH)`` for `fingerprint`, two lists of N else.
    """
    steps = _active(augmentations, kind)
    inputs = gathered([input_of(mol, kind) for mol in molecules], kind)
    first = _views(inputs, molecules.__getitem__, kind, steps, rng)
    return first, _views(inputs, molecules.__getitem__, kind, steps, rng)


def _active(augmentations: Mapping[str, float], kind: str) -> Steps:
    return [(step, strength) for step, strength in checked(augmentations, kind) if strength > 0]


def _views(inputs: Any, mol_at: MolAt, kind: str, steps: Steps, rng: np.random.Generator) -> Any:
    structure = [step for step in steps if isinstance(step[0], StructureAugmentation)]
    if kind == "graph":
        return [_graph_view(graph, structure, rng) for graph in inputs]
    dropout = [step for step in steps if isinstance(step[0], BitDropout)]
    # A fingerprint is the same in any order of atoms.
    renew = any(not step.order_only for step, _ in structure)
    if kind == "fingerprint":
        counts = inputs.copy()
        if renew:
            for row in range(len(counts)):
                counts[row] = _edited(counts[row], None, mol_at(row), structure, rng)[0]
        return _dropped(counts, dropout, rng)
    pairs = []
    for row, both in enumerate(inputs):
        mol = mol_at(row) if renew else None
        if mol is not None and mol.GetNumAtoms() == len(both.graph.atoms):
            pairs.append(_edited(both.counts, both.graph, mol, structure, rng))
        else:
            pairs.append((both.counts, _graph_view(both.graph, [] if renew else structure, rng)))
    counts = _dropped(np.stack([row for row, _ in pairs]), dropout, rng) if pairs else []
    return [HybridInput(row, graph) for row, (_, graph) in zip(counts, pairs, strict=True)]


def _graph_view(graph: MoleculeGraph, steps: Steps, rng: np.random.Generator) -> MoleculeGraph:
    for step, strength in steps:
        assert isinstance(step, StructureAugmentation)
        graph = step.graph(graph, strength, rng)
    return graph


def _edited(
    counts: Counts,
    graph: Any,
    mol: Chem.Mol | None,
    steps: Steps,
    rng: np.random.Generator,
) -> tuple[Counts, Any]:
    """Counts and, where there is one, the graph of the edited molecule."""
    if mol is None or not mol.GetNumAtoms():
        return counts, graph
    edited, view = mol, graph
    for step, strength in steps:
        assert isinstance(step, StructureAugmentation)
        if graph is None:
            edited = step.mol(edited, strength, rng)
        else:
            edited, view = step.both(edited, view, strength, rng)
    if edited is mol:
        return counts, graph
    try:
        with capture():
            return featurize(edited), view
    except RDKIT_ERRORS:
        return counts, graph


def _dropped(counts: Counts, steps: Steps, rng: np.random.Generator) -> Counts:
    for step, strength in steps:
        assert isinstance(step, BitDropout)
        counts = step.counts(counts, strength, rng)
    return counts
