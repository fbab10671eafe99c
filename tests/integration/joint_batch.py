"""Run by torchrun in a test: gradients of joint batches, saved by every process.

Arguments: folder for features and results, comma-separated batch sizes, objective.
"""

import sys
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "training"))

from training_fakes import tiny_config, tiny_network, tiny_pairs, tiny_tokenizer

from molclip.training.distributed import Processes
from molclip.training.trainer import Trainer


def main(folder: Path, sizes: list[int], objective: str) -> None:
    torch.set_num_threads(1)
    processes = Processes("cpu")
    with processes.first():
        pairs = tiny_pairs(folder / "features")
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
    torch.save(results, folder / f"{processes.size}-{processes.rank}.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(size) for size in sys.argv[2].split(",")], sys.argv[3])
