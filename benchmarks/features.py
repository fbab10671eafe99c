"""Molecules per second from SMILES through molclip's features, next to bare RDKit.

Both sides parse the same SMILES and make the same fingerprints (Morgan radius 3 counts with
chirality, 4096; topological torsion and atom pair counts with chirality, 2048 each; MACCS keys).
molclip adds guards, failures in place, composition features and order over processes; bare RDKit
is the shortest loop that can be written. Contenders take turns on the same molecules, so a
machine that slows down slows all of them. Run: `python benchmarks/features.py`.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import statistics
import time
from collections.abc import Callable, Iterable
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rdkit import Chem, RDLogger
from rdkit.Chem import rdFingerprintGenerator, rdMolDescriptors
from rich.console import Console
from rich.table import Table

from molclip.chem.parallel import featurize_stream

TARGET_ONE_CORE = 0.85
TARGET_TWO_CORES = 1.7

_GENERATORS = (
    rdFingerprintGenerator.GetMorganGenerator(radius=3, fpSize=4096, includeChirality=True),
    rdFingerprintGenerator.GetTopologicalTorsionGenerator(fpSize=2048, includeChirality=True),
    rdFingerprintGenerator.GetAtomPairGenerator(fpSize=2048, includeChirality=True),
)


def bare(smiles: str) -> list[Any]:
    """Parse one SMILES and make the fingerprints, with no guard at all."""
    mol = Chem.MolFromSmiles(smiles)
    prints = [generator.GetCountFingerprintAsNumPy(mol) for generator in _GENERATORS]
    prints.append(rdMolDescriptors.GetMACCSKeysFingerprint(mol))
    return prints


def bare_total(smiles: list[str]) -> int:
    """Make the fingerprints of all, one after the other, and return how many there are."""
    RDLogger.DisableLog("rdApp.*")
    return sum(1 for text in smiles if bare(text))


def bare_on_two(smiles: list[str]) -> int:
    """Do the same in two processes that send nothing back: how far this machine scales."""
    with get_context("spawn").Pool(2) as pool:
        return sum(pool.map(bare_total, [smiles[0::2], smiles[1::2]]))


def ours(workers: int) -> Callable[[list[str]], int]:
    """Return molclip's pipeline with this many workers, consumed to the end."""
    return lambda smiles: sum(1 for _ in featurize_stream(smiles, workers=workers))


def cpu_seconds() -> float:
    """Return processor time of this process and of its children that have ended."""
    return sum(os.times()[:4])


def measure(
    contenders: dict[str, Callable[[list[str]], int]], smiles: list[str], rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Molecules per second of wall time, and of processor time, of each contender and round."""
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    cpu_rates: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for turn in range(rounds):
        # Another one begins each round, so that none always runs on a fresh or a tired machine.
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            before, cpu_before = time.perf_counter(), cpu_seconds()
            done = contenders[name](smiles)
            rates[name].append(done / (time.perf_counter() - before))
            cpu_rates[name].append(done / (cpu_seconds() - cpu_before))
            if done != len(smiles):
                raise SystemExit(f"{name} gave {done} rows for {len(smiles)} molecules")
    return rates, cpu_rates


def read_smiles(path: str | None, count: int) -> list[str]:
    """Sample molecules that RDKit can read, from a file or from the embedded library."""
    if path:
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "rt", encoding="utf-8") as handle:
            lines = [line.split() for line in handle]
        texts: Iterable[str] = (cells[0] for cells in lines if cells)
    else:
        import pyarrow.parquet as pq

        table = Path(str(files("molclip.data") / "library.parquet"))
        texts = pq.read_table(table, columns=["smiles"])["smiles"].to_pylist()
    pool = sorted(set(texts))
    random.Random(0).shuffle(pool)
    readable = (text for text in pool if Chem.MolFromSmiles(text) is not None)
    return [text for text, _ in zip(readable, range(count), strict=False)]


def main() -> None:
    """Print rates and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smiles", help="file with a SMILES first in each line")
    parser.add_argument("--molecules", type=int, default=8000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    smiles = read_smiles(options.smiles, options.molecules)
    contenders = {
        "bare RDKit, 1 process": bare_total,
        "molclip, 1 worker": ours(1),
        "molclip, 2 workers": ours(2),
        "bare RDKit, 2 processes": bare_on_two,
    }
    rates, cpu_rates = measure(contenders, smiles, options.rounds)

    def ratio(name: str, other: str, values: dict[str, list[float]] = rates) -> float:
        pairs = zip(values[name], values[other], strict=True)
        return statistics.median(mine / theirs for mine, theirs in pairs)

    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    console = Console()
    console.print(
        f"{len(smiles):,} molecules, {options.rounds} rounds in turn, {os.cpu_count()} cores, "
        f"load {load:.1f} at the end, process start included"
    )
    table = Table("", "molecules/s (median)", "slowest", "fastest", "per CPU second")
    for name, values in rates.items():
        cpu = statistics.median(cpu_rates[name])
        shown = (statistics.median(values), min(values), max(values), cpu)
        table.add_row(name, *(f"{value:,.0f}" for value in shown))
    console.print(table)
    ratios = Table("ratio (median over rounds)", "measured", "target")
    one = ratio("molclip, 1 worker", "bare RDKit, 1 process")
    two = ratio("molclip, 2 workers", "molclip, 1 worker")
    scaling = ratio("bare RDKit, 2 processes", "bare RDKit, 1 process")
    ratios.add_row("molclip / bare RDKit, one core", f"{one:.2f}", f"{TARGET_ONE_CORE}")
    ratios.add_row("molclip, two workers / one", f"{two:.2f}", f"{TARGET_TWO_CORES}")
    cpu_one = ratio("molclip, 1 worker", "bare RDKit, 1 process", cpu_rates)
    ratios.add_row("the first in CPU time (busy machines)", f"{cpu_one:.2f}", "")
    ratios.add_row("bare RDKit, two processes / one", f"{scaling:.2f}", "(this machine)")
    console.print(ratios)


if __name__ == "__main__":
    main()
