"""Contrastive objectives: pure functions of embeddings, one per file, one contract (`Loss`)."""

from molclip.losses.clip import clip_loss
from molclip.losses.moco import moco_loss
from molclip.losses.nt_xent import nt_xent_loss
from molclip.losses.siglip import siglip_loss
from molclip.losses.terms import ContrastiveLoss, Loss, Negatives, Terms
from molclip.losses.vicreg import vicreg_loss
from molclip.losses.wmse import wmse_loss

LOSSES: dict[str, Loss] = {
    "clip": clip_loss,
    "siglip": siglip_loss,
    "nt_xent": nt_xent_loss,
    "moco": moco_loss,
    "vicreg": vicreg_loss,
    "wmse": wmse_loss,
}
"""Objectives by the name a configuration gives them."""

__all__ = [
    "LOSSES",
    "ContrastiveLoss",
    "Loss",
    "Negatives",
    "Terms",
    "clip_loss",
    "moco_loss",
    "nt_xent_loss",
    "siglip_loss",
    "vicreg_loss",
    "wmse_loss",
]
