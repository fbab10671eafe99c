"""Objectives, negatives, heads and encoders in one table, one change at a time.

`python benchmarks/objectives.py --data FOLDER --output FOLDER` takes about an hour on two cores and
goes on where it was stopped. FOLDER holds the sources that docs/training.md lists. The runs are
those of `objectives.toml`; each sees the same 8,000 training molecules of ChEBI-20 as often.

Retrieval is text to molecule on 1,000 validation texts among all validation molecules and the
8,000 (11,301 candidates), pessimistic ties, of the averaged weights after the last epoch. The probe
is a logistic regression on the molecule encoder's features before the head, BBBP, scaffold split,
mean of three seeds.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import shutil
import tomllib
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from molclip import MolCLIP
from molclip.datasets.labels import read_benchmark
from molclip.datasets.splits import scaffold_split
from molclip.evaluation.label_features import frozen_features, prepare
from molclip.training.history_log import LOG, read_log
from molclip.training.sweep import FINISHED, RunRecord, run_sweep
from molclip.training.sweep_plan import Sweep, SweepRun, load_sweep

MOLECULES = 8000
_COPIED = ("chebi_graph.json.gz", "chebi_definitions.tsv.gz", "chebi20_validation_text.tsv.gz")
_COLUMNS = {
    "validation mrr": ("MRR", "{:.3f}"),
    "validation hits@1": ("Hits@1", "{:.3f}"),
    "validation hits@10": ("Hits@10", "{:.3f}"),
    "bbbp": ("BBBP", "{:.3f}"),
    "alignment": ("align", "{:.2f}"),
    "uniformity_text": ("unif text", "{:.2f}"),
    "uniformity_molecule": ("unif mol", "{:.2f}"),
    "effective_rank_text": ("rank text", "{:.0f}"),
    "effective_rank_molecule": ("rank mol", "{:.0f}"),
    "modality_gap": ("gap", "{:.2f}"),
    "temperature": ("temp", "{:.3f}"),
    "effective_negatives": ("eff. neg.", "{:.0f}"),
    "masked": ("masked", "{:.1%}"),
    "pairs_per_second": ("pairs/s", "{:,.0f}"),
    "memory": ("GiB", "{:.1f}"),
}


def read(path: Path) -> list[dict[str, str]]:
    """Rows of a gzipped table."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE))


def write(path: Path, rows: Iterable[dict[str, str]]) -> None:
    """A gzipped table of rows."""
    rows = list(rows)
    with gzip.open(path, "wt", encoding="utf-8", newline="", compresslevel=1) as handle:
        handle.write("\t".join(rows[0]) + "\n")
        handle.writelines("\t".join(row.values()) + "\n" for row in rows)


def subset(data: Path, target: Path, molecules: int) -> None:
    """Sources with `molecules` of the training molecules of ChEBI-20, those with real text first.

    The order is that of the files, so the subset is the same everywhere.
    """
    if (target / "done").is_file():
        return
    target.mkdir(parents=True, exist_ok=True)
    texts = read(data / "chebi20_train_text.tsv.gz")
    described = {row["cid"] for row in texts}
    train = [row for row in read(data / "chebi20_train_val.tsv.gz") if row["split"] == "train"]
    known = {row["chebi_id"] for row in read(data / "chebi_molecules.tsv.gz")}
    train = [row for row in train if row["chebi_id"] in known]
    train.sort(key=lambda row: row["cid"] not in described)
    # Every second described molecule, so that most of the pairs are captions, as in real runs.
    chosen = (train[::2] + train[1::2])[:molecules]
    ids = {row["chebi_id"] for row in chosen}
    cids = {row["cid"] for row in chosen}
    for name in _COPIED:
        shutil.copy(data / name, target / name)
    write(target / "chebi20_train_val.tsv.gz", chosen)
    for name, column, kept in (
        ("chebi_molecules.tsv.gz", "chebi_id", ids),
        ("chebi_synonyms.tsv.gz", "chebi_id", ids),
        ("chebi20_train_text.tsv.gz", "cid", cids),
    ):
        write(target / name, (row for row in read(data / name) if row[column] in kept))
    pool = read(data / "chebi20_pool.tsv.gz")
    write(
        target / "chebi20_pool.tsv.gz",
        (row for row in pool if row["cid"] in cids or row["split"] == "validation"),
    )
    (target / "done").touch()


def planned(data: Path, output: Path, only: list[str], epochs: int | None) -> Sweep:
    """The sweep of `objectives.toml`, on the subset."""
    raw = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    raw["output"] = str(output / "runs")
    raw["base"]["data"]["folder"] = str(data)
    if epochs:
        raw["base"]["run"] |= {"epochs": epochs, "evaluate_every": epochs}
    if only:
        raw["variant"] = [v for v in raw["variant"] if any(part in v["name"] for part in only)]
    # TOML inline tables are what JSON objects are not; so the sweep is read from a written file.
    path = output / "objectives.toml"
    path.write_text(as_toml(raw), encoding="utf-8")
    return load_sweep(path)


def as_toml(raw: dict[str, Any]) -> str:
    def value(given: Any) -> str:
        if isinstance(given, dict):
            return (
                "{ " + ", ".join(f"{json.dumps(k)} = {value(v)}" for k, v in given.items()) + " }"
            )
        if isinstance(given, list):
            return "[" + ", ".join(value(entry) for entry in given) + "]"
        return json.dumps(given)

    variants = raw.pop("variant")
    # Quoted, or a key with a dot would be a table in a table, which is merged and not replaced.
    lines = [f"{json.dumps(key)} = {value(given)}" for key, given in raw.items()]
    for entry in variants:
        changes = (f"{json.dumps(key)} = {value(given)}" for key, given in entry.items())
        lines += ["[[variant]]", *changes]
    return "\n".join(lines) + "\n"


class Probe:
    """ROC-AUC of a logistic regression on features before the head: BBBP, three scaffold splits."""

    def __init__(self) -> None:
        self.data = read_benchmark("bbbp")
        self.rows: dict[str, list[Any]] = {}

    def score(self, folder: Path) -> float:
        """Mean over the splits; kept in `probe.json`."""
        path = folder / "probe.json"
        if not path.is_file():
            path.write_text(json.dumps({"bbbp": self._score(folder / "model")}))
        return float(json.loads(path.read_text())["bbbp"])

    def _score(self, folder: Path) -> float:
        model = MolCLIP.from_pretrained(folder)
        encoder = model.network.molecule
        if encoder.kind not in self.rows:
            prepared = prepare(self.data.records, encoder.kind)
            self.valid = prepared.valid
            self.rows[encoder.kind] = prepared.take(prepared.valid)
        rows = self.rows[encoder.kind]
        before, _ = frozen_features(encoder, rows, model.device)
        labels = self.data.labels[self.valid, 0]
        scores = []
        for seed in (0, 1, 2):
            split = scaffold_split([row.scaffold for row in rows], seed)
            fitted = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=500))
            fitted.fit(before[split.train], labels[split.train])
            given = fitted.predict_proba(before[split.test])[:, 1]
            scores.append(roc_auc_score(labels[split.test], given))
        return float(np.mean(scores))


def figures(run: SweepRun, record: RunRecord, probe: Probe) -> dict[str, float]:
    """What one run came to."""
    history = read_log(run.folder / LOG)
    last = dict(history[-1])
    last["pairs_per_second"] = record.pairs_per_second
    last["memory"] = (record.peak_memory or 0) / 2**30
    last["bbbp"] = probe.score(run.folder)
    last["seconds"] = record.seconds
    return last


def main() -> None:
    """Run what is missing, print the table, write `objectives.json` and `objectives.md`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=Path("runs/objectives"))
    parser.add_argument("--molecules", type=int, default=MOLECULES)
    parser.add_argument("--epochs", type=int, help="instead of those of objectives.toml")
    parser.add_argument("--only", nargs="*", default=[], help="runs with one of these in the name")
    arguments = parser.parse_args()
    import os

    os.environ.setdefault("MOLCLIP_DATA", str(arguments.data))
    os.environ.setdefault("MOLCLIP_CACHE", str(arguments.output / "cache"))
    sources = arguments.output / "sources"
    subset(arguments.data, sources, arguments.molecules)
    sweep = planned(sources, arguments.output, arguments.only, arguments.epochs)
    console = Console(width=200)

    def watch(run: SweepRun) -> Any:
        console.print(f"[bold]{run.name}[/bold]")
        return nullcontext(lambda _: None)

    records = run_sweep(sweep, watch)
    rows = []
    probe = Probe()
    table = Table(title="One change at a time", box=None)
    table.add_column("run")
    for title, _ in _COLUMNS.values():
        table.add_column(title, justify="right")
    for run, record in zip(sweep.runs, records, strict=True):
        if record.status != FINISHED:
            table.add_row(run.name, record.status, record.error or "")
            continue
        found = figures(run, record, probe)
        rows.append({"run": run.name, "folder": run.folder.name, **found})
        table.add_row(
            run.name,
            *(
                form.format(found[name]) if found.get(name) is not None else "–"
                for name, (_, form) in _COLUMNS.items()
            ),
        )
    console.print(table)
    (arguments.output / "objectives.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    lines = ["| run | " + " | ".join(title for title, _ in _COLUMNS.values()) + " |"]
    lines.append("| --- " * (len(_COLUMNS) + 1) + "|")
    for row in rows:
        cells = [
            form.format(row[name]) if row.get(name) is not None else "–"
            for name, (_, form) in _COLUMNS.items()
        ]
        lines.append("| " + " | ".join([row["run"], *cells]) + " |")
    (arguments.output / "objectives.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
