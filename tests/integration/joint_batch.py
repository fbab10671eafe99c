"""Run by torchrun in a test: gradients of joint batches, saved by every process.

Arguments: a folder for features and results, then jobs such as `clip:16,15`, which are an objective
and the sizes of its batches.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "training"))

from training_fakes import tiny_config, tiny_network, tiny_pairs, tiny_tokenizer

from molclip.training.distributed import Processes
from molclip.training.pairs import Pairs
from molclip.training.trainer import Trainer


def main(folder: Path, jobs: list[str]) -> None:
    processes = Processes("cpu")
    with processes.first():
        pairs = tiny_pairs(folder / "features")
    for job in jobs:
        objective, sizes = job.split(":")
        results = gradients_and_weights(
            folder / objective,
            processes,
            pairs,
            objective,
            [int(size) for size in sizes.split(",")],
        )
        torch.save(results, folder / f"{objective}-{processes.size}-{processes.rank}.pt")


def gradients_and_weights(
    folder: Path, processes: Processes, pairs: Pairs, objective: str, sizes: list[int]
) -> list[dict[str, Any]]:
    """Loss and gradients of each batch, and the weights after a step on each."""
    tokenizer = tiny_tokenizer(pairs)
    config = tiny_config(
        folder / "run",
        objective={"name": objective},
        negatives={"beta": 0.5} if objective == "clip" else {},
    )
    # Another start in each process: the first one's weights must win.
    network = tiny_network(
        config, tokenizer, seed=processes.rank, bias=-5.0 if objective == "siglip" else None
    )
    trainer = Trainer(config, network, tokenizer, pairs, folder, processes=processes)
    results = []
    for size in sizes:
        network.zero_grad()
        numbers = trainer.backward(np.arange(size))
        gradients = {
            name: parameter.grad.clone()
            for name, parameter in network.named_parameters()
            if parameter.grad is not None
        }
        results.append({"loss": numbers["loss"], "gradients": gradients})
        trainer.step += 1
    # And whole steps, so that every process must end with the same weights.
    for size in sizes:
        trainer.train_step(np.arange(size))
        trainer.step += 1
    results.append({"weights": dict(network.named_parameters())})
    return results


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]), sys.argv[2:])
