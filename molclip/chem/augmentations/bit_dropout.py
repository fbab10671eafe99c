"""Entries of a fingerprint set to zero."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.uint8]


class BitDropout:
    """Set some entries of a count fingerprint to zero.

    `strength` is the chance of each entry that is not zero to be lost, independently; on average
    the share of a molecule's entries that are lost.

    An entry is how often one substructure occurs (or one property of the whole), so a view hides
    some substructures and does not say that they are hidden: it looks like a molecule without
    them. Which atoms they belong to plays no part, so one group, of which many entries speak, is
    seldom hidden wholly. No entry is added and no count changed otherwise. At strength 1 nothing
    is left.

    The cheapest augmentation: no structure is read and no fingerprint computed.

    References
    ----------
    Gao, Yao and Chen, SimCSE: Simple Contrastive Learning of Sentence Embeddings, EMNLP 2021:
    dropout alone as augmentation. Srivastava et al., Dropout, JMLR 2014, on input units.
    """

    name: ClassVar[str] = "bit_dropout"
    destroys: ClassVar[str] = "counts of substructures and properties, whichever they are"
    order_only: ClassVar[bool] = False

    def counts(self, counts: Counts, strength: float, rng: np.random.Generator) -> Counts:
        """One view of feature rows.

        Parameters
        ----------
        counts
            uint8 of shape ``(N, WIDTH)``; not changed.
        strength
            In [0, 1]; 0 gives an equal array.
        rng
            The same state gives the same view, and a stronger one loses all that a weaker loses.

        Returns
        -------
        uint8 array ``(N, WIDTH)``
        """
        view = counts.copy()
        flat = view.reshape(-1)
        filled = np.flatnonzero(flat)
        flat[filled[rng.random(len(filled), dtype=np.float32) < strength]] = 0
        return view
