"""A folder as open_clip pushes it to a hub, with the weights of a tiny model."""

from __future__ import annotations

import json
from pathlib import Path

CONFIG = {
    "model_cfg": {
        "embed_dim": 24,
        "vision_cfg": {
            "image_size": 32,
            "layers": 1,
            "width": 32,
            "head_width": 16,
            "patch_size": 16,
        },
        "text_cfg": {
            "context_length": 77,
            "vocab_size": 49408,
            "width": 32,
            "heads": 2,
            "layers": 1,
        },
    },
    "preprocess_cfg": {"mean": [0.5, 0.4, 0.3], "std": [0.2, 0.2, 0.2]},
}


def write_open_clip(folder: Path) -> Path:
    """Write configuration and weights; the folder is made."""
    import open_clip
    import torch
    from safetensors.torch import save_file

    folder.mkdir(parents=True)
    towers = CONFIG["model_cfg"]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = open_clip.CLIP(towers["embed_dim"], towers["vision_cfg"], towers["text_cfg"])
    (folder / "open_clip_config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    save_file(model.state_dict(), folder / "open_clip_model.safetensors")
    return folder
