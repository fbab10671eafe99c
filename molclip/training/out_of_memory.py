"""When memory runs out, say which setting to lower."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from molclip.errors import ConfigError
from molclip.training.config import TrainingConfig


@contextmanager
def memory_advice(config: TrainingConfig, rows: int, step: int) -> Iterator[None]:
    """Turn running out of memory into advice.

    Raises
    ------
    ConfigError
        Names the step, the batch and the setting to lower: `run.chunk_size`, down to where the
        loss itself is what does not fit, then `run.batch_size`.
    """
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        chunk = config.run.chunk_size or rows
        if chunk > 32:
            remedy = (
                f"Set run.chunk_size = {max(16, min(chunk, rows) // 4)}: the batch is then encoded "
                "in pieces, with the same gradient."
            )
        else:
            remedy = f"Lower run.batch_size from {config.run.batch_size}."
        raise ConfigError(
            f"Memory ran out at step {step}, with {rows} pairs in the batch and {min(chunk, rows)} "
            "encoded at once; the last checkpoint is kept.",
            remedy,
        ) from error


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error of torch or numpy means that memory ran out, on the GPU or the CPU."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return "can't allocate memory" in str(error) or "not enough memory" in str(error)
