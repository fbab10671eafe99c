"""Augmentations: other views of the same molecule, for objectives that pair two of them.

Each file holds one, with what it does chemically, what it destroys, and where it comes from;
`docs/augmentations.md` shows when views are too weak or too strong.
"""

from molclip.chem.augmentations.registry import AUGMENTATIONS, Augmentation, checked
from molclip.chem.augmentations.views import augmented_inputs, two_views

__all__ = ["AUGMENTATIONS", "Augmentation", "augmented_inputs", "checked", "two_views"]
