"""When are two views of a molecule too alike to learn from, and when too different?

    python benchmarks/augmentations.py --output FOLDER [--quick] [--encoder fingerprint|graph]

Some 1,900 molecules of the embedded library, each in exactly one of 24 ChEBI classes; skeletons of
the ChEBI-20 validation and test splits are left out. Two thirds train a small encoder with NT-Xent
(temperature 0.1, no dropout: the augmentation alone makes the views) for a fixed number of epochs,
one run per augmentation and strength. One third, with other skeletons, is measured:

told apart    share of views whose partner is nearest among all views (2N - 1 candidates)
  untrained   by the encoder before training
  by size     by the number of atoms (and bonds, where a graph says it) alone, ties lost
  by elements by the element counts alone, ties lost
  by overlap  by what the inputs share: cosine of log counts, or of the bags of atom codes
equal         share of molecules whose two views are one to the untrained encoder
alignment     mean squared distance of the two views; uniformity, effective rank: of whole molecules
view's class  5-NN class accuracy of views among whole training molecules, by overlap: what of the
              class the augmentation leaves, whatever the encoder
class         5-NN class accuracy of whole molecules, by the cosine of features before the head
  head        by that of the vectors after it
  untrained   by that of features before the head, before training
  plain       without encoder, by overlap

Views are too weak where the untrained encoder or a trivial key tells them apart: the loss is then
solved without chemistry. They are too strong where `class` falls under that of weaker views.
Writes `augmentations.json` and `augmentations.html` (plotly, from the extra `app`).
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, fields
from multiprocessing import get_context
from pathlib import Path

from augmentation_runs import CLASSES, Outcome, Setting, begin, load, measure
from rich.console import Console
from rich.table import Table

from molclip.chem.augmentations import AUGMENTATIONS

STRENGTHS = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9)


def chart(outcomes: list[Outcome], path: Path) -> None:
    """One panel per encoder and augmentation."""
    from plotly.subplots import make_subplots

    panels = list(dict.fromkeys((o.encoder, o.augmentation) for o in outcomes))
    columns = min(len(panels), 4)
    figure = make_subplots(
        -(-len(panels) // columns), columns, shared_yaxes=True,
        subplot_titles=[f"{encoder}: {name}" for encoder, name in panels],
    )  # fmt: skip
    lines = {
        "told_apart": ("views told apart, trained", "#1f6feb", "solid"),
        "untrained": ("views told apart, untrained", "#1f6feb", "dot"),
        "by_elements": ("views told apart by element counts", "#8b949e", "dash"),
        "class_knn": ("class kNN, trained", "#d1242f", "solid"),
        "class_head": ("class kNN after the head", "#d1242f", "dash"),
        "class_untrained": ("class kNN, untrained", "#d1242f", "dot"),
        "view_class": ("class kNN of views, no encoder", "#bf8700", "dash"),
    }
    for number, panel in enumerate(panels):
        rows = [o for o in outcomes if (o.encoder, o.augmentation) == panel]
        for field, (label, colour, dash) in lines.items():
            figure.add_scatter(
                x=[o.strength for o in rows], y=[getattr(o, field) for o in rows], name=label,
                legendgroup=field, showlegend=number == 0, mode="lines+markers",
                line={"color": colour, "dash": dash},
                row=number // columns + 1, col=number % columns + 1,
            )  # fmt: skip
    figure.update_xaxes(title_text="strength", range=[0, 1.02])
    figure.update_yaxes(range=[0, 1.02])
    figure.update_layout(height=700, legend={"orientation": "h", "y": -0.12})
    figure.write_html(path)


def show(outcomes: list[Outcome]) -> None:
    """The table."""
    names = [field.name for field in fields(Outcome) if field.name != "seconds"]
    table = Table(box=None, padding=(0, 1, 0, 0))
    for name in names:
        header = name.replace("_", "\n")
        table.add_column(header, justify="left" if name in names[:2] else "right", no_wrap=True)
    for outcome in outcomes:
        cells = [getattr(outcome, name) for name in names]
        table.add_row(*(cell if isinstance(cell, str) else f"{cell:.2f}" for cell in cells))
    Console(width=170).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--output", type=Path, required=True, help="folder for the JSON and the chart"
    )
    parser.add_argument("--encoder", choices=["fingerprint", "graph"], help="only this one")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--per-class", type=int, default=80)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="few molecules, strengths and epochs")
    options = parser.parse_args()
    if options.quick:
        options.epochs, options.per_class = 4, 16
    strengths = (0.05, 0.9) if options.quick else STRENGTHS
    started = time.perf_counter()
    parts = load(options.per_class, options.seed)
    settings = [
        Setting(encoder, name, strength, options.epochs, options.seed)
        for encoder in ("fingerprint", "graph")
        if options.encoder in (None, encoder)
        for name in AUGMENTATIONS
        if (encoder, name) != ("graph", "bit_dropout")
        for strength in ((1.0,) if AUGMENTATIONS[name].order_only else strengths)
    ]
    options.output.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(
        options.workers, get_context("spawn"), initializer=begin, initargs=(parts,)
    ) as pool:
        outcomes = list(pool.map(measure, settings))
    sizes = [len(part[0]) for part in parts]
    print(
        f"{sizes[0]} molecules to train on, {sizes[1]} held out, {len(CLASSES)} classes, "
        f"{options.epochs} epochs, {time.perf_counter() - started:.0f} s"
    )
    show(outcomes)
    report = {
        "molecules": sizes,
        "classes": CLASSES,
        "epochs": options.epochs,
        "seed": options.seed,
        "rows": [asdict(outcome) for outcome in outcomes],
    }
    (options.output / "augmentations.json").write_text(json.dumps(report, indent=1))
    chart(outcomes, options.output / "augmentations.html")


if __name__ == "__main__":
    main()
