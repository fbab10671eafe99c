"""Contrastive objectives: pure functions of embeddings, one per file."""

from molclip.losses.clip import ContrastiveLoss, clip_loss

__all__ = ["ContrastiveLoss", "clip_loss"]
