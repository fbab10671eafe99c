"""The configuration of the image model that is trained here: a TOML file, every key typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from molclip.training.config import (
    CaptionSection,
    DataSection,
    OptimizerSection,
    Precision,
    checked,
    read_toml,
)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _benchmark_alone() -> DataSection:
    """ChEBI-20's training molecules: what an hour on two cores can show a few times."""
    shares = DataSection().shares
    return DataSection(shares={name: float(name == "chebi20") for name in shares})


class DrawingSection(_Section):
    """How molecules are drawn."""

    size: int = Field(default=96, ge=16, le=512)
    """Side in pixels."""
    views: int = Field(default=3, ge=1)
    """Drawings of each molecule, each with its own orientation and style."""
    seed: int = 0
    workers: int | None = Field(default=None, ge=1)


class TowerSection(_Section):
    """The two towers, as open_clip describes them."""

    embed_dim: int = Field(default=256, ge=8)
    """Width of the shared space."""
    vision: dict[str, Any] = Field(
        default_factory=lambda: {"layers": [2, 2, 2, 2], "width": 32, "head_width": 32}
    )
    """open_clip's `vision_cfg`: a list of layers is a residual network, one number a vision
    transformer (which needs `patch_size`). `image_size` is the drawings' `size`."""
    text: dict[str, Any] = Field(
        default_factory=lambda: {
            "context_length": 77,
            "vocab_size": 49408,
            "width": 256,
            "heads": 4,
            "layers": 4,
        }
    )
    """open_clip's `text_cfg`."""


class MaskSection(_Section):
    """Which negatives are left out because the text is true of them."""

    false: Literal["mask", "keep"] = "mask"
    rules: list[Literal["facts", "description", "molecule", "skeleton"]] = Field(
        default_factory=lambda: ["facts", "description", "molecule"]  # type: ignore[arg-type]
    )
    """See `training.false_negatives`."""


class AdamSection(_Section):
    """AdamW with a warm-up and a cosine."""

    learning_rate: float = Field(default=1e-3, gt=0)
    betas: tuple[float, float] = (0.9, 0.98)
    weight_decay: float = Field(default=0.1, ge=0)
    """Not applied to the temperature, norms and biases."""
    warmup: float = Field(default=0.05, ge=0, lt=1)
    clip_norm: float = Field(default=1.0, gt=0)

    def schedule(self) -> OptimizerSection:
        """Return the settings as the training engine's schedule reads them."""
        return OptimizerSection(learning_rate=self.learning_rate, warmup=self.warmup)


class ImageRunSection(_Section):
    """Length, batches and book-keeping."""

    epochs: int = Field(default=12, ge=1)
    batch_size: int = Field(default=256, ge=2)
    precision: Precision = "auto"
    threads: int | None = Field(default=None, ge=1)
    seed: int = 0
    checkpoint_minutes: float = Field(default=3.0, ge=0)
    evaluate_every: int = Field(default=2, ge=0)
    """Epochs between evaluations among the validation molecules; 0: never."""


class ImageClipConfig(_Section):
    """A whole run."""

    output: Path
    """Folder for checkpoint, history and the finished model."""
    data: DataSection = Field(default_factory=_benchmark_alone)
    captions: CaptionSection = Field(default_factory=CaptionSection)
    """The captions of `molclip train`."""
    drawings: DrawingSection = Field(default_factory=DrawingSection)
    model: TowerSection = Field(default_factory=TowerSection)
    negatives: MaskSection = Field(default_factory=MaskSection)
    optimizer: AdamSection = Field(default_factory=AdamSection)
    run: ImageRunSection = Field(default_factory=ImageRunSection)


def image_config(
    output: Path,
    file: Path | None = None,
    folder: Path | None = None,
    epochs: int | None = None,
) -> ImageClipConfig:
    """Return the defaults, or what a TOML file says.

    Parameters
    ----------
    output
        Folder of the run; the file need not name one.
    file
        TOML with the keys of `ImageClipConfig`.
    folder
        Of the ChEBI sources, in place of the file's.
    epochs
        In place of the file's.

    Raises
    ------
    ConfigError
        Naming the file, the key, and what is wrong.
    """
    raw = read_toml(file) if file is not None else {}
    config = checked(ImageClipConfig, {**raw, "output": output}, str(file or "image"))
    if folder is not None:
        config.data.folder = folder
    if epochs is not None:
        config.run.epochs = epochs
    return config
