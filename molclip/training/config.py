"""The training configuration: a TOML file, every key typed."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from molclip.errors import ConfigError


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DataSection(_Section):
    """Where the pairs come from."""

    folder: Path | None = None
    """Folder of the ChEBI sources; the environment variable MOLCLIP_DATA by default."""
    pairs: Path | None = None
    """Instead: a CSV or TSV of the user's own pairs, with the columns below."""
    structure_column: str = "smiles"
    text_column: str = "text"
    id_column: str = "id"
    validation_pairs: Path | None = None
    """Pairs to evaluate on while training; ChEBI-20 validation text by default with `folder`."""
    shares: dict[str, float] = Field(
        default_factory=lambda: {
            "chebi20": 1.0,
            "chebi": 1.0,
            "chebi-uncurated": 0.2,
            "drugs": 0.7,
            "uses": 0.7,
            "odours": 0.7,
            "natural products": 0.12,
        }
    )
    """Chance of each source's molecule to take part in an epoch."""
    repeat_described: int = Field(default=3, ge=1)
    """Times per epoch that a molecule with a real description is shown."""


class CaptionSection(_Section):
    """Shares of caption kinds; see `text.captions.CaptionMix`."""

    real: float = 0.8
    short: float = 0.35
    label: float = 0.5
    name: float = 0.06
    properties: float = 0.05
    plain: float = 0.5


class ModelSection(_Section):
    """Sizes of the two towers."""

    dimension: int = 256
    vocabulary: int = 12000
    text: dict[str, Any] = Field(default_factory=dict)
    """Overrides of `models.config.TextConfig`; `encoder` is merged key by key."""
    molecule: dict[str, Any] = Field(default_factory=dict)
    """Overrides of `models.config.MoleculeConfig`."""


class OptimizerSection(_Section):
    """AdamW and its schedule."""

    learning_rate: float = Field(default=1e-3, gt=0)
    betas: tuple[float, float] = (0.9, 0.98)
    weight_decay: float = Field(default=0.1, ge=0)
    warmup: float = Field(default=0.05, ge=0, lt=1)
    """Share of all steps in which the rate rises from 0."""
    schedule: Literal["cosine", "constant"] = "cosine"
    clip_norm: float = Field(default=1.0, gt=0)


class RunSection(_Section):
    """Length, batches, precision and book-keeping."""

    epochs: int = Field(default=8, ge=1)
    batch_size: int = Field(default=512, ge=2)
    neighbours_from: int | None = None
    """First epoch (counted from 0) whose batches are built from structural neighbours."""
    neighbour_group: int = Field(default=16, ge=2)
    """Molecules per group of neighbours."""
    mask_false_negatives: bool = True
    ema: float = Field(default=0.998, ge=0, lt=1)
    """Decay of the running average of the weights that is evaluated and saved; 0: no average."""
    precision: Literal["bf16", "float32"] = "bf16"
    device: str = "auto"
    threads: int | None = None
    seed: int = 0
    checkpoint_minutes: float = Field(default=3.0, ge=0)
    evaluate_every: int = Field(default=1, ge=0)
    """Epochs between evaluations on validation text; 0: never."""


class TrainingConfig(_Section):
    """A whole run."""

    output: Path
    """Folder for checkpoints, log and the final model."""
    init_from: str | None = None
    """Model whose weights and tokenizer the run starts from: a folder, `built-in`, or a hub id."""
    data: DataSection = Field(default_factory=DataSection)
    captions: CaptionSection = Field(default_factory=CaptionSection)
    model: ModelSection = Field(default_factory=ModelSection)
    optimizer: OptimizerSection = Field(default_factory=OptimizerSection)
    run: RunSection = Field(default_factory=RunSection)


def load_config(path: Path) -> TrainingConfig:
    """Read a TOML file.

    Raises
    ------
    ConfigError
        Naming the file, the key, what is wrong and, for an unknown key, the nearest known one.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"There is no configuration {path}.", "Check the path.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from None
    try:
        return TrainingConfig.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        hint = ""
        if first["type"] == "extra_forbidden":
            known = _known_keys(first["loc"][:-1])
            close = get_close_matches(str(first["loc"][-1]), known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Known keys: {', '.join(known)}."
            raise ConfigError(f"{path}: unknown key {where!r}.", hint) from None
        raise ConfigError(f"{path}: {where}: {first['msg']}.", hint) from None


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = TrainingConfig
    for part in location:
        annotation = model.model_fields[str(part)].annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            model = annotation
    return list(model.model_fields)
