"""The open_clip model that is trained here: built, saved, and seen as a baseline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from molclip.baselines.image_config import ImageClipConfig
from molclip.errors import ConfigError, ModelError, install_hint

if TYPE_CHECKING:
    from molclip.models.image import ImageBaseline

CONFIG_FILE = "open_clip_config.json"
WEIGHTS_FILE = "open_clip_model.safetensors"
# From bytes to -1 … 1; stands in the model's folder, so an evaluation does the same.
_MEAN = _STD = (0.5, 0.5, 0.5)


def build_network(config: ImageClipConfig) -> Any:
    """An open_clip model of the configured size, with fresh weights.

    Raises
    ------
    ModelError
        When open_clip is not installed.
    ConfigError
        When it does not take the towers' settings.
    """
    try:
        import open_clip
    except ImportError as error:
        raise ModelError(
            "The image baseline needs open_clip, which is not installed.", install_hint("image")
        ) from error
    torch.manual_seed(config.run.seed)
    towers = described(config)["model_cfg"]
    try:
        return open_clip.CLIP(towers["embed_dim"], towers["vision_cfg"], towers["text_cfg"])
    # open_clip raises all sorts for towers that do not fit together.
    except Exception as error:
        raise ConfigError(
            f"open_clip cannot build these towers ({str(error).splitlines()[0]}).",
            "See model.vision and model.text, and vision_cfg and text_cfg in open_clip.",
        ) from error


def save_image_clip(network: Any, config: ImageClipConfig, folder: Path) -> None:
    """Write weights and configuration as open_clip pushes them to a hub."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    state = {name: tensor.detach().contiguous() for name, tensor in network.state_dict().items()}
    part = folder / f"{WEIGHTS_FILE}.part"
    save_file(state, part)
    part.replace(folder / WEIGHTS_FILE)
    text = json.dumps(described(config), indent=2) + "\n"
    (folder / CONFIG_FILE).write_text(text, encoding="utf-8")


def described(config: ImageClipConfig) -> dict[str, Any]:
    """What open_clip's configuration file says of the model."""
    vision = dict(config.model.vision) | {"image_size": config.drawings.size}
    return {
        "model_cfg": {
            "embed_dim": config.model.embed_dim,
            "vision_cfg": vision,
            "text_cfg": dict(config.model.text),
        },
        "preprocess_cfg": {
            "mean": list(_MEAN),
            "std": list(_STD),
            "interpolation": "bicubic",
            "resize_mode": "shortest",
        },
    }


def normalised(pixels: npt.NDArray[np.uint8]) -> Tensor:
    """Pixels (N, S, S, 3) as the image tower reads them, float32 (N, 3, S, S)."""
    scaled = torch.from_numpy(pixels).permute(0, 3, 1, 2).float() / 255
    mean, std = (torch.tensor(each)[:, None, None] for each in (_MEAN, _STD))
    return (scaled - mean) / std


def as_baseline(network: Any, config: ImageClipConfig) -> ImageBaseline:
    """The network in training behind the interface that is evaluated."""
    import open_clip

    from molclip.models.image import ImageBaseline

    preprocess = open_clip.image_transform(
        config.drawings.size, is_train=False, mean=_MEAN, std=_STD, interpolation="bicubic"
    )
    return ImageBaseline(
        "in training",
        network.eval(),
        preprocess,
        tokenizer(config),
        "in training",
    )


def tokenizer(config: ImageClipConfig) -> Any:
    """CLIP's tokenizer, cutting at the text tower's context."""
    import open_clip

    return open_clip.SimpleTokenizer(
        context_length=int(config.model.text.get("context_length", 77))
    )
