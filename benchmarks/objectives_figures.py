"""The figures of docs/contrastive-learning.md, from what `objectives.py` wrote.

`python benchmarks/objectives_figures.py runs/objectives docs/figures`
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt

from molclip.training.history_log import read_log

AXES = ("objective", "negatives", "heads", "encoders")
COLOURS = dict(zip(AXES, ("#2a6f97", "#bc4b51", "#5b8e7d", "#8a5a97"), strict=True))
# The same input gives the same file: no dates, no random ids.
mpl.rcParams |= {"svg.hashsalt": "molclip", "font.size": 9, "figure.dpi": 100}


def save(figure: Any, path: Path) -> None:
    """Write an SVG that does not change when nothing has changed."""
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def ranking(rows: list[dict[str, Any]], path: Path) -> None:
    """Validation MRR of every run, beside the spread of the base's repeats."""
    measured = [row for row in rows if row.get("validation mrr") is not None]
    repeats = [r for r in measured if r["run"].startswith(("base", "seed"))]
    equal = [row["validation mrr"] for row in repeats]
    shown = [row for row in measured if row["run"] == "base" or row not in repeats]
    figure, axis = plt.subplots(figsize=(7.5, 0.24 * len(shown) + 0.8))
    values = [row["validation mrr"] for row in shown][::-1]
    names = [row["run"] for row in shown][::-1]
    colours = [COLOURS.get(name.partition(":")[0], "#444444") for name in names]
    axis.barh(range(len(shown)), values, color=colours)
    axis.axvspan(min(equal), max(equal), color="#000000", alpha=0.12, label="base and its repeats")
    axis.set_yticks(range(len(shown)), names)
    axis.set_xlabel("validation MRR, text to molecule")
    axis.legend(loc="lower right")
    save(figure, path)


def curves(
    folder: Path, runs: dict[str, str], figures: tuple[tuple[str, str], ...], path: Path
) -> None:
    """Figures of some runs, epoch by epoch."""
    figure, axes = plt.subplots(1, len(figures), figsize=(3.4 * len(figures), 2.8))
    for name, run in runs.items():
        history = read_log(folder / "runs" / run / "history.jsonl")
        for axis, (key, title) in zip(axes, figures, strict=True):
            points = [(entry["epoch"], entry[key]) for entry in history if key in entry]
            if points:
                axis.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name)
            axis.set_title(title)
            axis.set_xlabel("epoch")
    handles = {}
    for axis in axes:
        found, labels = axis.get_legend_handles_labels()
        handles |= dict(zip(labels, found, strict=True))
    axes[-1].legend(handles.values(), handles.keys(), fontsize=7)
    save(figure, path)


def main() -> None:
    """Draw the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", type=Path)
    parser.add_argument("target", type=Path)
    arguments = parser.parse_args()
    arguments.target.mkdir(parents=True, exist_ok=True)
    rows = json.loads((arguments.study / "objectives.json").read_text(encoding="utf-8"))
    ranking(rows, arguments.target / "ranking.svg")
    folders = {row["run"]: row["folder"] for row in rows}

    def chosen(*names: str) -> dict[str, str]:
        return {name: folders[name] for name in names if name in folders}

    curves(
        arguments.study,
        chosen(
            "base",
            "objective: clip, temperature fixed at 0.5",
            "objective: clip, temperature fixed at 0.01",
        ),
        (
            ("temperature", "temperature"),
            ("effective_negatives", "effective negatives"),
            ("hardest_negative", "weight of the hardest negative"),
        ),
        arguments.target / "temperature.svg",
    )
    curves(
        arguments.study,
        chosen(
            "base",
            "objective: vicreg",
            "objective: wmse",
            "objective: clip + 0.1 vicreg",
            "objective: clip, temperature fixed at 0.5",
        ),
        (
            ("effective_rank_molecule", "effective rank, molecules"),
            ("effective_rank_text", "effective rank, texts"),
            ("modality_gap", "modality gap"),
        ),
        arguments.target / "collapse.svg",
    )


if __name__ == "__main__":
    main()
