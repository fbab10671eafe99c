"""The model card that every trained model carries."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip import __version__
from molclip.training.config import WATCHED

if TYPE_CHECKING:
    from molclip.models.config import MolCLIPConfig, MoleculeConfig
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
    saved = _saved_epoch(scores, config)
    measured = "\n".join(
        f"| {name} | {value:.3f} |"
        for name, value in saved.items()
        if name.startswith("validation")
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
- Molecule: {_molecule(model_config.molecule)}.
- Objective: {_objective(config)}, batches of {config.run.batch_size}, {_length(config)}, learning
  rate {config.optimizer.learning_rate:g}.

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


def _saved_epoch(scores: list[dict[str, Any]], config: TrainingConfig) -> dict[str, Any]:
    """Record of the epoch whose weights were kept, where it was evaluated."""
    measured = [s for s in scores if any(name.startswith("validation") for name in s)]
    if not measured:
        return {}
    if config.run.patience is None:
        return measured[-1]
    return max(measured, key=lambda record: float(record.get(WATCHED, -1.0)))


def _molecule(config: MoleculeConfig) -> str:
    counts = f"{config.inputs} fingerprint counts"
    graph = f"{config.layers} rounds of {config.layer} message passing, {config.graph_width} wide"
    read = {"fingerprint": counts, "graph": graph, "hybrid": f"{counts} and {graph}"}
    return f"perceptron, {config.hidden} wide, over {read[config.encoder]}"


def _objective(config: TrainingConfig) -> str:
    section = config.objective
    added = "".join(f" + {weight:g} {name}" for name, weight in section.add.items())
    return f"{section.name}{added} (`molclip.losses`), {config.negatives.batches} batches"


def _length(config: TrainingConfig) -> str:
    if config.run.max_steps is not None:
        return f"at most {config.run.max_steps} steps"
    return f"{config.run.epochs} epochs"
