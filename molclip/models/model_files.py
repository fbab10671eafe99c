"""The files of a model: where they lie, how they are known again, what their configuration says."""

from __future__ import annotations

import hashlib
import json
from os import PathLike
from pathlib import Path

from molclip.errors import ModelError
from molclip.models.config import MolCLIPConfig, TextConfig

WEIGHTS_FILE = "model.safetensors"
CONFIG_FILE = "config.json"
BUILT_IN = "built-in"


def resolve_folder(name_or_dir: str | PathLike[str] | None) -> Path:
    """The local folder of a model: built-in, given, or downloaded from the hub.

    Raises
    ------
    ModelError
        When there is none; offline says so.
    """
    if name_or_dir is None or str(name_or_dir) == BUILT_IN:
        from importlib.resources import files

        folder = Path(str(files("molclip.weights")))
        if not (folder / WEIGHTS_FILE).is_file():
            raise ModelError(
                "The built-in weights are missing from this installation.",
                "Install molclip again, from a wheel or a complete checkout.",
            )
        return folder
    folder = Path(name_or_dir).expanduser()
    if folder.is_dir():
        return folder
    name = str(name_or_dir)
    if name.count("/") != 1 or name.startswith((".", "/", "~")) or folder.exists():
        raise ModelError(
            f"There is no model folder {name!r}.",
            "Give a folder, a hub id such as organisation/name, or nothing for the built-in model.",
        )
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(
                name, allow_patterns=[WEIGHTS_FILE, "*.json", "*.md", "seen.bin", "words.txt"]
            )
        )
    except Exception as error:
        raise ModelError(
            f"{name!r} is no folder here, and the hub gave no model of that name "
            f"({type(error).__name__}).",
            "Check the name and the connection; offline, give a local folder.",
        ) from error


def hashes(folder: Path) -> tuple[str, str]:
    """SHA-256 of the weights, and `MolCLIP.model_hash`, of a model folder."""
    with (folder / WEIGHTS_FILE).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    weights = digest.hexdigest()
    digest.update((folder / "tokenizer.json").read_bytes())
    return weights, digest.hexdigest()[:16]


def read_config(folder: Path) -> MolCLIPConfig:
    """The configuration in a model folder.

    Raises
    ------
    ModelError
        When there is none, or it is another file.
    """
    path = folder / CONFIG_FILE
    try:
        return MolCLIPConfig.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ModelError(
            f"{folder} holds no {CONFIG_FILE}.", "Is it the folder of a molclip model?"
        ) from None
    except ValueError as error:
        raise ModelError(
            f"{path} is not the configuration of a molclip model: {str(error).splitlines()[0]}.",
            "Is it the folder of a molclip model?",
        ) from error


def without_download(config: MolCLIPConfig) -> MolCLIPConfig:
    """The same architecture with the weights of the file, whatever it was started from."""
    members = [member.model_copy(update={"text": _own(member.text)}) for member in config.members]
    return config.model_copy(update={"text": _own(config.text), "members": members})


def _own(text: TextConfig) -> TextConfig:
    return text.model_copy(update={"pretrained": None})
