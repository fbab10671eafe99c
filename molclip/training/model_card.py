"""The model card that every trained model carries."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip import __version__

if TYPE_CHECKING:
    from molclip.models.config import MolCLIPConfig
    from molclip.training.config import TrainingConfig
    from molclip.training.pairs import Pairs


def write_card(
    folder: Path,
    config: TrainingConfig,
    model_config: MolCLIPConfig,
    pairs: Pairs,
    scores: list[dict[str, Any]],
    seconds: float,
) -> None:
    """Write `README.md` into a model folder: what it is, what it was trained on, how it does."""
    import torch
    import transformers

    described = sum(bool(facts.texts) for facts in pairs.facts)
    origins = Counter(identifier.partition(":")[0] for identifier in pairs.ids)
    measured_epochs = [s for s in scores if any(name.startswith("validation") for name in s)]
    last = measured_epochs[-1] if measured_epochs else {}
    measured = "\n".join(
        f"| {name} | {value:.3f} |" for name, value in last.items() if name.startswith("validation")
    )
    table = (
        "Early evaluation on up to 1,000 validation texts over the whole pool (pessimistic ties, "
        f"plain cosine, float32):\n\n| figure | value |\n| --- | --- |\n{measured}\n"
        if measured
        else "No evaluation was run.\n"
    )
    text = model_config.text
    sources = ", ".join(f"{count:,} {name or 'other'}" for name, count in origins.most_common())
    (folder / "README.md").write_text(
        f"""# molclip model

Text and molecules on one unit sphere of {model_config.dimension} dimensions. Trained with molclip
{__version__} (torch {torch.__version__}, transformers {transformers.__version__}, RDKit
{model_config.rdkit_version}) on {time.strftime("%Y-%m-%d", time.gmtime())}; this process ran
{seconds / 60:.0f} minutes.

Not for clinical, legal or safety decisions.

## Parts

- Text: {text.pretrained or text.encoder.get("model_type")}, {text.pooling} pooling, up to
  {text.max_tokens} pieces.
- Molecule: perceptron over {model_config.molecule.inputs} fingerprint counts,
  {model_config.molecule.hidden} wide.
- Objective: symmetric cross-entropy, batches of {config.run.batch_size}, {config.run.epochs}
  epochs, learning rate {config.optimizer.learning_rate:g}.

## Training data

{len(pairs):,} molecules ({sources});
{described:,} of them with a description that a person wrote, the others with captions made from
facts. Molecules of the ChEBI-20 validation and test splits are refused by InChIKey; from other
sources also everything that shares a first InChIKey block with one.

## Figures

{table}
`molclip evaluate retrieval --model FOLDER` gives the full report.
""",
        encoding="utf-8",
    )
