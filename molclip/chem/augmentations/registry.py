"""Augmentations by name, and the check of what a configuration asks for."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from molclip.chem.augmentations.atom_masking import AtomMasking
from molclip.chem.augmentations.bit_dropout import BitDropout
from molclip.chem.augmentations.bond_deletion import BondDeletion
from molclip.chem.augmentations.random_smiles import RandomSmiles
from molclip.chem.augmentations.structure import StructureAugmentation
from molclip.chem.augmentations.subgraph_removal import SubgraphRemoval
from molclip.chem.inputs import KINDS
from molclip.errors import ConfigError

Augmentation = StructureAugmentation | BitDropout

AUGMENTATIONS: dict[str, Augmentation] = {
    augmentation.name: augmentation
    for augmentation in (
        AtomMasking(),
        BondDeletion(),
        SubgraphRemoval(),
        BitDropout(),
        RandomSmiles(),
    )
}
"""Every augmentation by its name in the configuration."""


def checked(augmentations: Mapping[str, float], kind: str) -> list[tuple[Augmentation, float]]:
    """The augmentations of a configuration with their strengths, in order.

    Parameters
    ----------
    augmentations
        Strength by name.
    kind
        Kind of encoder input: `fingerprint`, `graph` or `hybrid`.

    Raises
    ------
    molclip.errors.ConfigError
        On an unknown name (with the nearest known one), a strength outside [0, 1], or
        `bit_dropout` where there is no fingerprint, or an unknown kind.
    """
    if kind not in KINDS:
        raise ConfigError(
            f"There are no augmentations for the encoder input {kind!r}.",
            f"Use one of {', '.join(KINDS)}.",
        )
    steps = []
    for name, strength in augmentations.items():
        if name not in AUGMENTATIONS:
            close = get_close_matches(name, AUGMENTATIONS, n=1)
            raise ConfigError(
                f"Unknown augmentation {name!r}.",
                f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(AUGMENTATIONS)}.",
            )
        if not 0 <= strength <= 1:
            raise ConfigError(
                f"The strength of the augmentation {name!r} is {strength}.",
                "Give a share between 0 and 1.",
            )
        if name == BitDropout.name and kind == "graph":
            raise ConfigError(
                f"The augmentation {name!r} needs a fingerprint, and a graph encoder sees none.",
                "Take atom_masking, bond_deletion or subgraph_removal, or another encoder.",
            )
        steps.append((AUGMENTATIONS[name], float(strength)))
    return steps
