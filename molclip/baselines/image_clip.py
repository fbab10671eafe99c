"""An open_clip model whose image tower is trained here, on drawings with the project's captions.

It differs from the project's own models in the tower that sees the molecule, and in open_clip's
text tower and tokenizer; molecules, captions, false negatives and objective are the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from molclip.baselines.drawings import Drawings, draw
from molclip.baselines.image_config import ImageClipConfig
from molclip.baselines.image_model import as_baseline, build_network, described, save_image_clip
from molclip.baselines.image_run import ImageRun, Report
from molclip.errors import ConfigError
from molclip.training.checkpoints import load_checkpoint
from molclip.training.config import TrainingConfig
from molclip.training.pairs import Pairs, data_folder, load_pairs

if TYPE_CHECKING:
    from molclip.evaluation.pairs import RetrievalData

_EVALUATION_TEXTS = 1000


def train_image_clip(config: ImageClipConfig, report: Report | None = None) -> Path:
    """Draw, train and save; goes on where a killed run stopped.

    Parameters
    ----------
    config
        See `image_config`; `config.output` gets checkpoint, `history.jsonl`, and at the end the
        model in `model/`, which `ImageBaseline.from_pretrained` loads, and the curve as a report.
    report
        Called with the numbers of every step and of every evaluation.

    Returns
    -------
    Path
        The model folder.

    Raises
    ------
    molclip.errors.MolclipError
        For wrong settings, missing or leaking data, a loss that is no number, a full disk, or
        when open_clip is not installed.
    """
    if config.run.threads:
        torch.set_num_threads(config.run.threads)
    folder = config.output
    folder.mkdir(parents=True, exist_ok=True)
    _pin(config, folder)
    network = build_network(config)
    cache = Path(os.environ.get("MOLCLIP_CACHE") or folder / "cache")
    engine = TrainingConfig(output=folder, data=config.data, captions=config.captions)
    pairs = load_pairs(engine, cache, _told(report, "features"))
    drawn = _drawings(config, pairs, report)
    run = ImageRun(config, network, pairs, drawn, report)
    evaluate = _evaluator(engine, config)
    run.train(evaluate)
    target = folder / "model"
    save_image_clip(run.network, config, target)
    _write_curve(run.history, config, folder, pairs)
    return target


def _pin(config: ImageClipConfig, folder: Path) -> None:
    """Refuse to continue a run under other settings; the first start writes them down."""
    path = folder / "config.json"
    lasting = config.model_dump(mode="json", exclude={"output": True})
    for key in ("threads", "checkpoint_minutes", "evaluate_every"):
        lasting["run"].pop(key)
    lasting["drawings"].pop("workers")
    text = json.dumps(lasting, indent=2, sort_keys=True) + "\n"
    if path.is_file() and load_checkpoint(folder) is not None:
        if path.read_text(encoding="utf-8") != text:
            raise ConfigError(
                f"{folder} holds a run with other settings (see {path}).",
                "Choose another output folder, or restore the settings.",
            )
    else:
        path.write_text(text, encoding="utf-8")


def _drawings(config: ImageClipConfig, pairs: Pairs, report: Report | None) -> Drawings:
    """Drawings of the molecules that an epoch may show; the others have none."""
    wanted = np.flatnonzero(pairs.chances > 0)
    smiles = pairs.store.smiles(pairs.feature_rows[wanted])
    settings = config.drawings
    told = _told(report, "drawings")
    made = draw(
        smiles,
        settings.size,
        settings.views,
        seed=settings.seed,
        workers=settings.workers,
        progress=None if told is None else lambda _, done, total: told(done, total),
    )
    if not made.drawn.any():
        raise ConfigError("None of the molecules can be drawn.", "Look at the structures.")
    pictures: list[Any] = [[]] * len(pairs)
    for row, views in zip(wanted.tolist(), made.pictures, strict=True):
        pictures[row] = views
    return Drawings(pictures, settings.size)


def _told(report: Report | None, what: str) -> Callable[[int, int], None] | None:
    if report is None:
        return None
    return lambda done, total: report({what: float(done), "of": float(total)})


def _evaluator(
    engine: TrainingConfig, config: ImageClipConfig
) -> Callable[[Any], dict[str, float]] | None:
    """Text to molecule on validation text among the molecules of the split."""
    data = _validation(engine)
    if data is None or not config.run.evaluate_every:
        return None
    data = data.sample(_EVALUATION_TEXTS, config.run.seed)

    def evaluate(network: Any) -> dict[str, float]:
        from molclip.evaluation.retrieval import evaluate_retrieval

        result = evaluate_retrieval(as_baseline(network, config), data, pool="split", samples=1)
        found = result["text_to_molecule_split"].figures["pessimistic"]
        return {f"validation {name}": found[name] for name in ("hits@1", "hits@10", "mrr")}

    return evaluate


def _validation(engine: TrainingConfig) -> RetrievalData | None:
    from molclip.evaluation.pairs import load_chebi20
    from molclip.evaluation.pairs import load_pairs as load_task

    if engine.data.validation_pairs is not None:
        return load_task(engine.data.validation_pairs)
    if engine.data.pairs is not None:
        return None
    return load_chebi20(data_folder(engine), "validation")


def _write_curve(
    history: list[dict[str, float]], config: ImageClipConfig, folder: Path, pairs: Pairs
) -> None:
    from molclip.evaluation.plots import curves
    from molclip.evaluation.report import Report as Page
    from molclip.evaluation.report import Table, versions

    steps = [each for each in history if "loss" in each]
    scores = [each for each in history if "loss" not in each]
    names = [name for name in (scores[0] if scores else ()) if name != "epoch"]

    def line(records: list[dict[str, float]], name: str) -> tuple[list[float], list[float]]:
        return [each["epoch"] for each in records], [each[name] for each in records]

    plots = [curves("Loss", {"loss": line(steps, "loss")}, "epoch", "nats")]
    if scores:
        lines = {name: line(scores, name) for name in names}
        plots.append(curves("Validation, pool of the split", lines, "epoch", "share"))
    rows = [[f"{each['epoch']:g}", *(f"{each[name]:.3f}" for name in names)] for each in scores]
    shown = int((pairs.chances > 0).sum())
    speed = float(np.mean([each["pairs_per_second"] for each in steps])) if steps else 0.0
    header: dict[str, str | float | None] = {
        "molecules": f"{shown:,}, in {config.drawings.views} drawings of {config.drawings.size} px",
        "towers": json.dumps(described(config)["model_cfg"]),
        "batch": config.run.batch_size,
        "pairs per second": round(speed, 1),
        "seed": config.run.seed,
        "versions": versions(),
    }
    tables = [Table("Validation text to molecule", ["epoch", *names], rows)] if rows else []
    page = Page("Image model trained on drawings", header, tables, {"history": history}, (), plots)
    page.write(folder, "training")
