"""Molecules outside ChEBI-20 that are kept from training, to measure labels on strangers."""

from __future__ import annotations

import hashlib

HELD_OUT_SHARE = 20
"""One in this many skeletons is kept."""

BLOCK = 14
"""Letters of an InChIKey's first block: the skeleton, without stereo, isotopes and charge."""


def is_held_out(inchikey: str) -> bool:
    """Whether a molecule outside ChEBI-20 is kept for evaluation, by a hash of its skeleton.

    Parameters
    ----------
    inchikey
        Standard InChIKey; only the first block counts, so stereoisomers share their fate.
    """
    digest = hashlib.sha256(f"held-out:{inchikey[:BLOCK]}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % HELD_OUT_SHARE == 0
