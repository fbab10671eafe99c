"""Many people at once on the web demo: how many answers a second, how long they wait, and whether
everybody gets their own.

`python benchmarks/app_load.py` starts a page on this machine; `--url` takes one that runs. Every
person asks one thing after another, without a pause; each question is asked alone first, and an
answer that differs from that one counts as wrong.
"""

from __future__ import annotations

import argparse
import random
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from app_server import call, page
from rich.console import Console
from rich.table import Table

WORDS = (
    "beta-lactam antibiotic", "bitter alkaloid from cinchona bark", "statin", "plant flavonol",
    "organophosphate insecticide", "sweetener", "azo dye", "local anaesthetic", "opioid analgesic",
    "fatty acid of fish oil", "steroid hormone", "wax ester", "cyclic peptide", "nucleoside",
)  # fmt: skip
MOLECULES = (
    "CC(=O)Oc1ccccc1C(=O)O", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
    "OC[C@H]1O[C@H](O)[C@H](O)[C@@H](O)[C@@H]1O", "C1=CC=C(C=C1)C=O", "NCC(=O)O", "CCO",
)  # fmt: skip
LABELS = ["alkaloid", "steroid", "dye", "solvent", "antibiotic", "sweetener"]

Question = tuple[str, dict[str, Any]]


def questions() -> dict[str, list[Question]]:
    """What may be asked, by kind."""
    return {
        "search by words": [("search", {"text": words, "count": 12}) for words in WORDS],
        "search by structure": [("search", {"structure": m, "count": 12}) for m in MOLECULES],
        "classify": [("classify", {"molecules": [m], "labels": LABELS}) for m in MOLECULES],
        "explain": [
            ("explain", {"molecule": m, "text": WORDS[place]})
            for place, m in enumerate(MOLECULES[:3])
        ],
    }


def crowd(address: str, people: int, rounds: int, kinds: list[str]) -> dict[str, Any]:
    """Let everybody ask; seconds of each answer by kind, wrong ones, and seconds in all."""
    every = questions()
    alone = {repr(q): call(address, *q) for kind in kinds for q in every[kind]}
    seconds: dict[str, list[float]] = {kind: [] for kind in kinds}
    wrong: list[str] = []
    ready = threading.Barrier(people + 1)

    def person(number: int) -> None:
        draw = random.Random(number)
        ready.wait()
        for _ in range(rounds):
            kind = draw.choice(kinds)
            question = draw.choice(every[kind])
            started = time.perf_counter()
            try:
                answer = call(address, *question)
            except (OSError, RuntimeError) as problem:
                wrong.append(f"{question}: {problem}")
                continue
            seconds[kind].append(time.perf_counter() - started)
            if answer != alone[repr(question)]:
                wrong.append(f"{question}: another answer than alone")

    with ThreadPoolExecutor(people) as threads:
        running = [threads.submit(person, number) for number in range(people)]
        ready.wait()
        started = time.perf_counter()
        for one in running:
            one.result()
        whole = time.perf_counter() - started
    return {"seconds": seconds, "wrong": wrong, "whole": whole}


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="a page that runs; one is started when left out")
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=10, help="questions of each person")
    parser.add_argument("--only", choices=list(questions()), help="one kind of question")
    options = parser.parse_args()
    kinds = [options.only] if options.only else list(questions())
    with page(options.url) as (address, _):
        made = crowd(address, options.people, options.rounds, kinds)
    table = Table("", "answers", "median, s", "95th percentile, s")
    every = [second for part in made["seconds"].values() for second in part]
    for name, values in [*made["seconds"].items(), ("all", every)]:
        if len(values) > 1:
            centiles = statistics.quantiles(values, n=20)
            table.add_row(
                name, str(len(values)), f"{statistics.median(values):.2f}", f"{centiles[-1]:.2f}"
            )
    console = Console()
    console.print(f"{options.people} people at once, {options.rounds} questions each")
    console.print(table)
    console.print(
        f"{len(every) / made['whole']:.1f} answers per second; wrong: {len(made['wrong'])}"
    )
    for line in made["wrong"][:5]:
        console.print(line)
    raise SystemExit(1 if made["wrong"] else 0)


if __name__ == "__main__":
    main()
