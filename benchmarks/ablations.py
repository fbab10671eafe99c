"""Parts of the built-in model's recipe, one taken away or added at a time, at an equal budget.

`python benchmarks/ablations.py --data FOLDER --names names.tsv.gz --output FOLDER` trains what is
missing of the runs of `ablations.toml` and prints one table; it goes on where it was stopped.
FOLDER of `--data` holds the sources that docs/training.md lists, `names.tsv.gz` is from
`python -m molclip.training.nomenclature names.tsv.gz --seeds 12000 --catalogue 5000`. `--only` takes
the runs with one of the words in their name, so that two processes can share the runs.

Columns: ChEBI-20 validation text to molecule over the whole pool, pessimistic ties, plain cosine,
float32, texts as wholes; the longest bare name likewise (`bare_names.py`); macro ROC-AUC of ChEBI
roles and of ChEBI classes with their ancestors, bare names as prompts, molecules that were not
trained on. Averaged weights after the last step.
"""

from __future__ import annotations

import argparse
import json
import os
import tomllib
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from bare_names import longest_names
from ensemble import molecule_vectors
from objectives import as_toml
from rich.console import Console
from rich.table import Table
from sklearn.metrics import roc_auc_score

from molclip import MolCLIP
from molclip.evaluation.metrics import figures
from molclip.evaluation.pairs import load_chebi20
from molclip.evaluation.ranks import rank_vectors
from molclip.evaluation.zero_shot.chebi import Graph, chebi_ancestors, chebi_roles
from molclip.evaluation.zero_shot.molecules import DataFolder, Strangers
from molclip.training.features import FeatureStore
from molclip.training.sweep import FINISHED, RunRecord, run_sweep
from molclip.training.sweep_plan import BASE, Sweep, SweepRun, load_sweep

COLUMNS = {
    "hits@1": "Hits@1",
    "hits@10": "Hits@10",
    "mrr": "MRR",
    "names": "names, MRR",
    "roles": "roles",
    "classes": "classes",
}
SEEDS = (BASE, "seed")
"""What the runs of the base under other seeds begin with."""


def planned(data: Path, names: Path, output: Path, only: list[str]) -> Sweep:
    """The sweep of `ablations.toml`, with the paths filled in."""
    raw = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    raw["output"] = str(output / "runs")
    raw["base"]["data"] |= {"folder": str(data), "nomenclature": str(names)}
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"ablations{os.getpid()}.toml"
    path.write_text(as_toml(raw), encoding="utf-8")
    sweep = load_sweep(path)
    path.unlink()
    runs = tuple(r for r in sweep.runs if not only or any(word in r.name for word in only))
    return Sweep(sweep.file, sweep.output, sweep.mode, sweep.base, runs)


class Measure:
    """Figures of a finished run, kept in its folder."""

    def __init__(self, data: Path, cache: Path) -> None:
        self.data = load_chebi20(data, "validation")
        self.store = FeatureStore(cache)
        self.rows = self.store.rows(list(self.data.pool_smiles))
        self.place = {identifier: row for row, identifier in enumerate(self.data.pool_ids)}
        self.names = longest_names()
        folder = DataFolder(data, None, lambda *_: None)
        # Of ChEBI-20's validation split every molecule is measured, whatever a model has seen.
        everyone = Strangers.of(None, {})
        graph = Graph.read(folder)
        self.label_sets = {
            "roles": chebi_roles(folder, everyone, graph),
            "classes": chebi_ancestors(folder, everyone, graph),
        }

    def __call__(self, run: SweepRun) -> dict[str, float]:
        """Every column but those of the run itself."""
        path = run.folder / "ablation.json"
        if not path.is_file():
            path.write_text(json.dumps(self._measured(run.folder / "model")), encoding="utf-8")
        found: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def _measured(self, folder: Path) -> dict[str, float]:
        model = MolCLIP.from_pretrained(folder)
        molecules = molecule_vectors(model, self.store, self.rows)
        right = [self.place[identifier] for identifier in self.data.text_ids]
        measured = figures(self._ranks(model, molecules, self.data.texts, right))
        keys = self.store.keys(list(self.data.pool_smiles))
        named = [row for row in right if self.names.get(keys[row])]
        asked = [self.names[keys[row]] for row in named]
        by_name = figures(self._ranks(model, molecules, asked, named))
        found = {name: measured[name] for name in ("hits@1", "hits@10", "mrr")}
        found["names"] = by_name["mrr"]
        for column, label_set in self.label_sets.items():
            inputs = molecule_vectors(model, self.store, self.store.rows(list(label_set.smiles)))
            prompts = model.encode_text([label.name for label in label_set.labels])
            found[column] = float(roc_auc_score(label_set.truth, inputs @ prompts.T))
        return found

    @staticmethod
    def _ranks(model: MolCLIP, molecules: Any, texts: Any, right: list[int]) -> Any:
        task = (np.array(right), np.arange(len(molecules)))
        return rank_vectors(model.encode_text(list(texts)), molecules, *task)


def rows_of(sweep: Sweep, records: list[RunRecord], measure: Measure) -> list[dict[str, Any]]:
    """One row per finished run."""
    return [
        {"run": run.name, **measure(run), "minutes": record.seconds / 60}
        for run, record in zip(sweep.runs, records, strict=True)
        if record.status == FINISHED
    ]


def lines_of(rows: list[dict[str, Any]]) -> list[list[str]]:
    """The table's cells: the base's seeds, their mean and spread, then each change against the mean."""
    seeds = [row for row in rows if row["run"].startswith(SEEDS)]
    changed = [row for row in rows if row not in seeds]
    lines = [
        [row["run"], *(f"{row[c]:.3f}" for c in COLUMNS), f"{row['minutes']:.0f}"] for row in seeds
    ]
    mean = {c: float(np.mean([row[c] for row in seeds])) if seeds else np.nan for c in COLUMNS}
    if len(seeds) > 1:
        spread = {c: float(np.std([row[c] for row in seeds], ddof=1)) for c in COLUMNS}
        middle = [f"{mean[c]:.3f} ± {spread[c]:.3f}" for c in COLUMNS]
        lines.append([f"mean of {len(seeds)} seeds, standard deviation", *middle, ""])
    for row in changed:
        cells = [f"{row[c]:.3f} ({row[c] - mean[c]:+.3f})" for c in COLUMNS]
        lines.append([row["run"], *cells, f"{row['minutes']:.0f}"])
    return lines


def main() -> None:
    """Run what is missing, print the table, write `ablations.json` and `ablations.md`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--names", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=Path("runs/ablations"))
    parser.add_argument("--only", nargs="*", default=[], help="runs with one of these in the name")
    parser.add_argument("--threads", type=int, help="of torch")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    os.environ.setdefault("MOLCLIP_DATA", str(options.data))
    cache = Path(os.environ.setdefault("MOLCLIP_CACHE", str(options.output / "cache")))
    sweep = planned(options.data, options.names, options.output, options.only)
    console = Console(width=180)

    def watch(run: SweepRun) -> Any:
        console.print(f"[bold]{run.name}[/bold]")
        return nullcontext(lambda _: None)

    records = run_sweep(sweep, watch)
    for run, record in zip(sweep.runs, records, strict=True):
        if record.status != FINISHED:
            console.print(f"{run.name}: {record.status}: {record.error}")
    rows = rows_of(sweep, records, Measure(options.data, cache))
    lines = lines_of(rows)
    table = Table(title="One change at a time", box=None)
    heads = ["run", *COLUMNS.values(), "minutes"]
    for head in heads:
        table.add_column(head, justify="left" if head == "run" else "right")
    for line in lines:
        table.add_row(*line)
    console.print(table)
    if options.only:
        return
    (options.output / "ablations.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    text = [" | ".join(line) for line in (heads, ["---", *["--:"] * (len(heads) - 1)], *lines)]
    (options.output / "ablations.md").write_text(
        "".join(f"| {line} |\n" for line in text), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
