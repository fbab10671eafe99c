"""Pairs per second of the training engine beside a bare hand-written torch loop.

`python benchmarks/training.py` on an idle machine. Both train the same network from the same start
on the same batches, in turns of a few steps, so that noise of the machine meets both. The bare loop
draws the captions, reads the features, runs the towers, `torch.nn.functional.cross_entropy` both
ways, clips, and steps AdamW; it masks no false negatives, keeps no average and measures nothing.
The graph encoder's speed stands beside it.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch.nn import functional

from molclip.datasets.facts import load_facts
from molclip.datasets.refusal import RefusalList
from molclip.text.facts import MoleculeFacts
from molclip.text.tokenizer import TextTokenizer, train_tokenizer
from molclip.training.attention import quick_attention
from molclip.training.config import TrainingConfig
from molclip.training.features import FeatureStore
from molclip.training.pairs import Pairs
from molclip.training.precision import computes_in_bf16
from molclip.training.run import build_network
from molclip.training.trainer import Trainer


def pairs_of_library(count: int, cache: Path) -> Pairs:
    """Names and molecules of the embedded library, held-out ones left out."""
    table = load_facts()
    named = [
        (text, name)
        for text, name in zip(table.column("smiles"), table.column("name"), strict=True)
        if name
    ]
    # Held-out molecules fall away below, so a few more are read.
    smiles = [text for text, _ in named[: 3 * count]]
    names = [f"the molecule is a compound that is called {name}" for _, name in named[: 3 * count]]
    refusal = RefusalList.load()
    store = FeatureStore(cache)
    keys = list(store.keys(smiles))
    kept = [n for n, key in enumerate(keys) if key and not refusal.contains_skeleton(key)][:count]
    smiles = [smiles[n] for n in kept]
    return Pairs(
        ids=[str(n) for n in kept],
        inchikeys=[keys[n] for n in kept],
        feature_rows=store.rows(smiles),
        store=store,
        facts=[MoleculeFacts(texts=(names[n],)) for n in kept],
        chances=np.ones(len(kept)),
        repeats=np.ones(len(kept), dtype=np.int64),
        maker=None,
    )


def engine(config: TrainingConfig, tokenizer: TextTokenizer, pairs: Pairs, folder: Path) -> Trainer:
    """A trainer at its first step."""
    network, _ = build_network(config, tokenizer)
    return Trainer(config, network, tokenizer, pairs, folder)


class Bare:
    """What a researcher would write in an afternoon."""

    def __init__(
        self, config: TrainingConfig, tokenizer: TextTokenizer, pairs: Pairs, *, plain: bool = False
    ) -> None:
        self.network, _ = build_network(config, tokenizer)
        if plain:
            quick_attention(self.network.text.transformer)
        self.tokenizer, self.pairs = tokenizer, pairs
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=1e-3, betas=(0.9, 0.98), weight_decay=0.1, fused=True
        )
        self.bf16 = computes_in_bf16(config.run.precision, torch.device("cpu"))
        self.step = 0

    def train_step(self, rows: np.ndarray) -> None:
        """One update."""
        texts = [self.pairs.caption(row, 0, 0, self.step).text for row in rows.tolist()]
        ids = [encoded.ids for encoded in self.tokenizer.encode(texts)]
        counts = torch.from_numpy(self.pairs.store.dense(self.pairs.feature_rows[rows]))
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.bf16):
            text = self.network.text.forward_sorted(ids, self.network.pad_id)
            molecules = self.network.molecule(counts)
        logits = self.network.scale * text @ molecules.T
        targets = torch.arange(len(rows))
        loss = functional.cross_entropy(logits, targets) + functional.cross_entropy(
            logits.T, targets
        )
        self.optimizer.zero_grad(set_to_none=True)
        (loss / 2).backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1


def timed(work, batches: list[np.ndarray]) -> float:
    """Seconds per batch."""
    started = time.perf_counter()
    for rows in batches:
        work(rows)
    return (time.perf_counter() - started) / len(batches)


def main() -> None:
    """Print pairs per second and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--steps", type=int, default=2, help="per turn")
    parser.add_argument("--molecules", type=int, default=4096)
    parser.add_argument("--cache", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        pairs = pairs_of_library(arguments.molecules, arguments.cache or folder)
        texts = [text for facts in pairs.facts for text in facts.texts]
        tokenizer = TextTokenizer(train_tokenizer(texts, 4000), 160)
        raw = {"output": scratch, "run": {"batch_size": arguments.batch, "epochs": 1000}}
        config = TrainingConfig.model_validate(raw)
        graph = TrainingConfig.model_validate({**raw, "model": {"molecule": {"encoder": "graph"}}})
        bare = Bare(config, tokenizer, pairs)
        trainers = {
            "engine, fingerprint": engine(config, tokenizer, pairs, folder),
            "engine, graph (GINE)": engine(graph, tokenizer, pairs, folder),
        }

        def step(trainer: Trainer):
            def work(rows: np.ndarray) -> None:
                trainer.train_step(rows)
                trainer.step += 1

            return work

        same = Bare(config, tokenizer, pairs, plain=True)
        works = {
            "bare loop, fingerprint": bare.train_step,
            "the same with the engine's attention": same.train_step,
        }
        works |= {name: step(trainer) for name, trainer in trainers.items()}
        rng = np.random.default_rng(0)
        seconds: dict[str, list[float]] = {name: [] for name in works}
        for turn in range(arguments.turns + 1):
            batches = [
                rng.choice(len(pairs), arguments.batch, replace=False)
                for _ in range(arguments.steps)
            ]
            for name, work in works.items():
                spent = timed(work, batches)
                # The first turn warms up memory and caches.
                if turn:
                    seconds[name].append(spent)
        table = Table(title=f"Batches of {arguments.batch} pairs, {arguments.turns} turns")
        for title in ("loop", "pairs/s", "of the bare loop"):
            table.add_column(title, justify="left" if title == "loop" else "right")
        base = statistics.median(seconds["bare loop, fingerprint"])
        for name, spent in seconds.items():
            middle = statistics.median(spent)
            table.add_row(name, f"{arguments.batch / middle:,.0f}", f"{base / middle:.2f}")
        Console().print(table)


if __name__ == "__main__":
    main()
