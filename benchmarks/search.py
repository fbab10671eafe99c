"""How long a question takes: warm through the API, cold through the command line.

Run it on an idle machine: `python benchmarks/search.py`.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

from rich.console import Console
from rich.table import Table

QUERIES = (
    "beta-lactam antibiotic",
    "bitter alkaloid from cinchona bark used against malaria",
    "statin that inhibits HMG-CoA reductase",
    "omega-3 polyunsaturated fatty acid",
    "benzodiazepine used as an anxiolytic",
    "plant flavonol with antioxidant activity",
    "organophosphate insecticide",
    "conjugate base of acetic acid",
)
_CLI = "from molclip.cli.main import main; main()"


def warm(library: str | None, repeats: int) -> dict[str, float]:
    """Seconds to open the library, for the first query, and median and worst of later ones."""
    started = time.perf_counter()
    from molclip.search.library import Library

    opened = Library.open(library)
    ready = time.perf_counter()
    opened.search(QUERIES[0], k=10, mode="vector")
    first = time.perf_counter()
    later = []
    for repeat in range(repeats):
        query = QUERIES[repeat % len(QUERIES)]
        before = time.perf_counter()
        opened.search(query, k=10, mode="vector")
        later.append(time.perf_counter() - before)
    return {
        "open (imports included)": ready - started,
        "first query": first - ready,
        "warm query, median": statistics.median(later),
        "warm query, 95th percentile": statistics.quantiles(later, n=20)[-1],
    }


def cold(library: str | None, repeats: int) -> list[float]:
    """Wall seconds of `molclip search` in a fresh process, once per repeat."""
    command = [sys.executable, "-c", _CLI, "search", QUERIES[0], "--top", "5"]
    if library:
        command += ["--library", library]
    seconds = []
    for _ in range(repeats):
        before = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.perf_counter() - before)
    return seconds


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", help="library folder; the embedded one when left out")
    parser.add_argument("--repeats", type=int, default=40, help="warm queries")
    parser.add_argument("--cold", type=int, default=3, help="fresh processes after the first")
    options = parser.parse_args()
    rows = []
    # The very first call may prepare the library for this machine, so it is a row of its own.
    first, *later = cold(options.library, options.cold + 1)
    rows.append(("command line, first call", first, "20 s, preparation included"))
    rows.append(("command line, later calls (median)", statistics.median(later), "3 s"))
    targets = {"warm query, median": "0.050 s"}
    for name, seconds in warm(options.library, options.repeats).items():
        rows.append((f"API, {name}", seconds, targets.get(name, "")))
    table = Table("", "seconds", "at most")
    for name, seconds, target in rows:
        table.add_row(name, f"{seconds:.3f}", target)
    Console().print(table)


if __name__ == "__main__":
    main()
