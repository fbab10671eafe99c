"""The training configuration: a TOML file, every key typed."""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from molclip.errors import ConfigError
from molclip.models.config import MoleculeConfig, TextConfig

PASSING = ("device", "threads", "checkpoint_minutes", "evaluate_every", "tracker", "prepare_ahead")
"""Keys of `run` that change nothing about its result: one that goes on may have others."""

Precision = Literal["auto", "bf16", "float32"]

WATCHED = "validation mrr"
"""What early stopping watches."""

_SHARES = {
    "chebi20": 1.0,
    "chebi": 1.0,
    "chebi-uncurated": 0.2,
    "drugs": 0.7,
    "uses": 0.7,
    "odours": 0.7,
    "natural products": 0.12,
    "nomenclature": 0.3,
}


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DataSection(_Section):
    """Where the pairs come from."""

    folder: Path | None = None
    """Folder of the ChEBI sources; the environment variable MOLCLIP_DATA by default."""
    nomenclature: Path | None = None
    """Names with structures to read beside the sources of `folder`; see `training.nomenclature`."""
    pairs: Path | None = None
    """Instead: a CSV or TSV of the user's own pairs, with the columns below."""
    structure_column: str = "smiles"
    text_column: str = "text"
    id_column: str = "id"
    """Need not be there: rows are then called by their number."""
    validation_pairs: Path | None = None
    """Pairs to evaluate on while training, with the columns id, smiles and text; their molecules are
    kept from training. ChEBI-20 validation text by default with `folder`."""
    shares: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default_factory=lambda: dict(_SHARES)
    )
    """Chance of each source's molecule to take part in an epoch. A table of one's own replaces this
    one, and sources that it does not name always take part."""
    repeat_described: int = Field(default=3, ge=1)
    """Times per epoch that a molecule with a real description is shown."""

    @field_validator("shares")
    @classmethod
    def _sources_are_known(cls, shares: dict[str, float]) -> dict[str, float]:
        for source in shares:
            if source not in _SHARES:
                close = get_close_matches(source, _SHARES, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(_SHARES)}"
                raise ValueError(f"unknown source {source!r}; {hint}")
        return shares


class CaptionSection(_Section):
    """Shares of caption kinds; see `text.captions.CaptionMix`."""

    real: float = Field(default=0.8, ge=0, le=1)
    short: float = Field(default=0.35, ge=0, le=1)
    label: float = Field(default=0.5, ge=0, le=1)
    name: float = Field(default=0.06, ge=0, le=1)
    properties: float = Field(default=0.05, ge=0, le=1)
    plain: float = Field(default=0.5, ge=0, le=1)
    questions: int = Field(default=0, ge=0)
    """Short questions per step beside the captions, for labels that molecules of the batch hold; see
    `training.label_questions`."""
    questions_weight: float = Field(default=0.5, ge=0)
    """Of their loss."""


class HeadSection(_Section):
    """The projection head of one tower; see `models.projection`."""

    kind: Literal["none", "linear", "mlp"] = "linear"
    depth: int = Field(default=2, ge=1, le=3)
    """Linear layers of an `mlp`."""
    hidden: int = Field(default=512, ge=8)
    """Width between them."""
    norm: Literal["none", "layer"] = "layer"
    """Normalisation between them."""


class ModelSection(_Section):
    """The two towers."""

    dimension: int = Field(default=256, ge=2, le=4096)
    """Width of the shared space."""
    vocabulary: int = Field(default=12000, ge=1)
    """Pieces of the tokenizer that is learned, where none comes with the text encoder."""
    tokenizer: str | None = None
    """Model whose tokenizer is used instead of one that is learned: a folder, `built-in`, or a hub id.
    Members of an ensemble share one."""
    text: dict[str, Any] = Field(default_factory=dict)
    """Overrides of `models.config.TextConfig`; `encoder` is merged key by key."""
    text_size: Literal["tiny", "small", "base"] = "small"
    """Size preset of the built-in text encoder, before the overrides of `text`."""
    molecule: dict[str, Any] = Field(default_factory=dict)
    """Overrides of `models.config.MoleculeConfig`; `encoder` names the kind: `fingerprint`,
    `graph` or `hybrid`."""
    text_head: HeadSection = Field(default_factory=HeadSection)
    molecule_head: HeadSection = Field(default_factory=HeadSection)
    freeze_text: Annotated[int, Field(ge=0)] | Literal["encoder"] = 0
    """Lowest layers of the text encoder that are not trained (with the embeddings), or all."""


class ObjectiveSection(_Section):
    """What is minimised; see `losses` for the formulas and when to prefer which."""

    name: Literal["clip", "siglip", "nt_xent", "moco", "vicreg", "wmse"] = "clip"
    add: dict[
        Literal["clip", "siglip", "nt_xent", "moco", "vicreg", "wmse"],
        Annotated[float, Field(ge=0)],
    ] = Field(default_factory=dict)
    """Further objectives and their weights, such as `{ vicreg = 0.1 }`."""
    modality: Literal["cross", "molecule", "text"] = "cross"
    """What `moco`, `vicreg` and `wmse` pair: text with molecule, or two views of one of them.
    `nt_xent` pairs two views of a molecule always, `clip` and `siglip` text with molecule."""
    temperature: float = Field(default=0.07, ge=0.01)
    """Initial temperature, not below the clamp of CLIP; for `siglip` 0.1, and for `nt_xent` 0.1, are
    usual. Where given, it also replaces that of the model that `init_from` names."""
    learn_temperature: bool = True
    """False: the initial temperature stays."""
    bias: float = -10.0
    """Initial bias of `siglip`."""
    queue: int = Field(default=8192, ge=2)
    """Keys that `moco` remembers per modality."""
    momentum: float = Field(default=0.99, ge=0, lt=1)
    """Of the key encoder of `moco`."""
    reconstruction: float = Field(default=0.0, ge=0)
    """Weight of the auxiliary task to read the molecule's features off the vectors of both towers;
    see `losses.reconstruction`. Needs an objective of text with molecule."""
    augmentations: dict[str, float] = Field(default_factory=dict)
    """Augmentations of a molecule's two views with their strengths, in order; see
    `chem.augmentations`. Empty: half of the fingerprint's bits dropped, or for `graph` and `hybrid`
    a quarter of the atoms removed in one piece."""


class NegativesSection(_Section):
    """Which negatives a batch holds and how they count."""

    beta: float = Field(default=0.0, ge=0)
    """Concentration of the weight on hard in-batch negatives; 0: all weigh the same."""
    semi_hard: float | None = Field(default=None, gt=0)
    """Keep only negatives less similar than the own partner by less than this cosine margin."""
    false: Literal["mask", "soft", "keep"] = "mask"
    """False negatives: no candidates, sharers of the target, or negatives like the others."""
    soft_share: float = Field(default=0.3, gt=0, lt=1)
    """Share of the target that the false negatives of a row get together under `soft`."""
    rules: list[Literal["facts", "description", "molecule", "skeleton", "tanimoto"]] = Field(
        default_factory=lambda: ["facts", "description", "molecule"]  # type: ignore[arg-type]
    )
    """What makes a negative false; see `training.false_negatives`."""
    tanimoto: float = Field(default=0.95, gt=0, le=1)
    """Count-Morgan similarity from which on the rule `tanimoto` holds."""
    batches: Literal["random", "neighbours", "mined", "related"] = "random"
    """How batches are put together; see `training.batches`."""
    batches_from: int = Field(default=0, ge=0)
    """First epoch, counted from 0, of such batches; random before."""
    group: int = Field(default=16, ge=2)
    """Rows per group of neighbours, mined negatives or relatives."""
    refresh: int = Field(default=1, ge=1)
    """Epochs between two updates of the index that neighbours and mined negatives come from."""
    curriculum: int = Field(default=0, ge=0)
    """Epochs in which the share of grouped rows in a batch grows from none to all; 0: at once."""


class OptimizerSection(_Section):
    """AdamW and its schedule."""

    learning_rate: float = Field(default=1e-3, gt=0)
    """The highest, after the warm-up."""
    text_learning_rate: float | None = Field(default=None, gt=0)
    """For the text encoder below its head, where it differs: a pretrained one wants less."""
    text_layer_decay: float = Field(default=1.0, gt=0, le=1)
    """Factor on the rate from each layer of the text encoder to the one below."""
    betas: tuple[float, float] = (0.9, 0.98)
    weight_decay: float = Field(default=0.1, ge=0)
    """Not applied to the temperature, norms and biases."""
    warmup: float = Field(default=0.05, ge=0, lt=1)
    """Share of all steps in which the rate rises from 0."""
    schedule: Literal["cosine", "constant"] = "cosine"
    """After the warm-up: down to 0, or as it is."""
    clip_norm: float = Field(default=1.0, gt=0)
    """Norm to which a larger gradient is scaled down."""


class RunSection(_Section):
    """Length, batches, precision and book-keeping."""

    epochs: int = Field(default=8, ge=1)
    max_steps: int | None = Field(default=None, ge=1)
    """Stop after so many steps, where the epochs are not over before; the schedule is laid out for
    whichever comes first."""
    batch_size: int = Field(default=512, ge=2)
    """Pairs that are contrasted with each other, over all processes."""
    chunk_size: int | None = Field(default=None, ge=1)
    """Pairs encoded at once per process: gradient caching, for batches larger than memory."""
    ema: float = Field(default=0.998, ge=0, lt=1)
    """Decay of the running average of the weights that is evaluated and saved; 0: no average."""
    precision: Precision = "auto"
    """Of the encoders; losses are always in float32. `auto`: bf16 where the device multiplies in it."""
    device: str = "auto"
    """`auto`, `cpu` or `cuda`."""
    threads: int | None = Field(default=None, ge=1)
    """Of torch on the CPU; as torch chooses by default."""
    prepare_ahead: bool = True
    """Make captions, tokens and masks of the next steps in a process of their own; the numbers are the
    same either way."""
    seed: int = Field(default=0, ge=0, lt=2**32)
    """Of first weights, batches, captions, dropout and augmentations."""
    checkpoint_minutes: float = Field(default=3.0, ge=0)
    """Between checkpoints; there is one after every epoch too."""
    evaluate_every: int = Field(default=1, ge=0)
    """Epochs between evaluations on validation text; 0: never."""
    patience: int | None = Field(default=None, ge=1)
    """Stop when the validation MRR has not risen for so many evaluations, and keep the weights of
    the best; needs them, so `evaluate_every` above 0."""
    tracker: Literal["none", "tensorboard", "wandb", "trackio"] = "none"
    """Where the numbers go besides the model folder."""

    @model_validator(mode="after")
    def _patience_has_something_to_watch(self) -> Self:
        if self.patience is not None and not self.evaluate_every:
            raise ValueError("patience watches evaluations, and evaluate_every = 0 makes none")
        return self


class TrainingConfig(_Section):
    """A whole run."""

    output: Path
    """Folder for checkpoints, log and the final model."""
    init_from: str | None = None
    """Model whose weights and tokenizer the run starts from: a folder, `built-in`, or a hub id."""
    data: DataSection = Field(default_factory=DataSection)
    captions: CaptionSection = Field(default_factory=CaptionSection)
    model: ModelSection = Field(default_factory=ModelSection)
    objective: ObjectiveSection = Field(default_factory=ObjectiveSection)
    negatives: NegativesSection = Field(default_factory=NegativesSection)
    optimizer: OptimizerSection = Field(default_factory=OptimizerSection)
    run: RunSection = Field(default_factory=RunSection)


def load_config(path: Path) -> TrainingConfig:
    """Read a TOML file.

    Raises
    ------
    ConfigError
        Naming the file, the key, what is wrong and, for an unknown key, the nearest known one.
    """
    return config_from(read_toml(path), str(path))


def config_from(raw: dict[str, Any], origin: str) -> TrainingConfig:
    """Check the keys and values of a run.

    Parameters
    ----------
    raw
        Nested tables, as TOML gives them.
    origin
        Where they are from, for messages: a file, or a run of a sweep.

    Raises
    ------
    ConfigError
        As in `load_config`.
    """
    config = checked(TrainingConfig, raw, origin)
    # The tables of the two towers are merged into configurations of the models.
    checked(MoleculeConfig, {**config.model.molecule, "inputs": 1}, f"{origin}: model.molecule")
    checked(TextConfig, config.model.text, f"{origin}: model.text")
    return config


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises
    ------
    ConfigError
        When there is no such file or it is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"There is no configuration {path}.", "Check the path.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from None


_Checked = TypeVar("_Checked", bound=BaseModel)


def checked(model: type[_Checked], raw: dict[str, Any], origin: str) -> _Checked:
    """An instance of a pydantic model; what is wrong with `raw` becomes one sentence.

    Raises
    ------
    ConfigError
        Naming `origin`, the key, what is wrong and, for an unknown key, the nearest known one.
    """
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            known = _known_keys(model, first["loc"][:-1])
            close = get_close_matches(str(first["loc"][-1]), known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Known keys: {', '.join(known)}."
            raise ConfigError(f"{origin}: unknown key {where!r}.", hint) from None
        hint = ""
        if first["type"] == "literal_error" and isinstance(first["input"], str):
            choices = re.findall(r"'([^']*)'", first["msg"])
            close = get_close_matches(first["input"], choices, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else ""
        raise ConfigError(f"{origin}: {where}: {first['msg']}.", hint) from None


def _known_keys(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    for part in location:
        annotation = model.model_fields[str(part)].annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            model = annotation
    return list(model.model_fields)
