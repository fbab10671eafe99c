"""Several processes, one batch: every process encodes its share and sees the loss of the whole.

Each process works out the same loss of the joint batch from the gathered vectors, takes the
gradient for *its own* vectors, and feeds that through its encoders. The gradients of the encoders'
parameters are then parts of one sum, so they are added over the processes; that of the temperature
is complete in every process, so it is averaged. This equals gathering with gradients under
data-parallel averaging, without a backward pass of the communication.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from molclip.errors import ConfigError, install_hint

if TYPE_CHECKING:
    from accelerate import Accelerator

#: How long the others wait while the first computes features, plans, or evaluates. The defaults of
#: torch, 10 minutes with GPUs and 30 without, end a run over a few million molecules.
_WAIT = timedelta(hours=12)


class Processes:
    """The processes of a run; one, where none were launched.

    Parameters
    ----------
    device
        `auto` takes what accelerate finds, `cpu` and `cuda` are what they say.
    arguments
        Further ones of `accelerate.Accelerator`; see `trackers.accelerator_arguments`.

    Raises
    ------
    ConfigError
        When accelerate is not installed, or there is no such device.
    """

    def __init__(self, device: str = "auto", **arguments: Any) -> None:
        try:
            from accelerate import Accelerator
            from accelerate.utils import InitProcessGroupKwargs
        except ImportError as error:
            raise ConfigError(
                "Training needs accelerate, which is not installed.", install_hint("train")
            ) from error
        if device not in ("auto", "cpu", "cuda"):
            raise ConfigError(
                f"There is no device {device!r}.",
                "Use auto, cpu or cuda; CUDA_VISIBLE_DEVICES chooses among several GPUs.",
            )
        if device == "cuda" and not torch.cuda.is_available():
            raise ConfigError("This machine has no usable GPU.", "Use device = 'cpu' or 'auto'.")
        waiting = InitProcessGroupKwargs(timeout=_WAIT)
        self.accelerator: Accelerator = Accelerator(
            cpu=device == "cpu", kwargs_handlers=[waiting], **arguments
        )

    @property
    def device(self) -> torch.device:
        """Device of this process."""
        device: torch.device = self.accelerator.device
        return device

    @property
    def size(self) -> int:
        """Number of processes."""
        return int(self.accelerator.num_processes)

    @property
    def rank(self) -> int:
        """Number of this process, from 0."""
        return int(self.accelerator.process_index)

    @property
    def is_main(self) -> bool:
        """Whether this process writes files."""
        return bool(self.accelerator.is_main_process)

    def share(self, total: int, rank: int | None = None) -> slice:
        """Places of a joint batch of `total` rows that a process encodes; sizes differ by one."""
        rank = self.rank if rank is None else rank
        small, more = divmod(total, self.size)
        start = rank * small + min(rank, more)
        return slice(start, start + small + (rank < more))

    def join(self, local: Tensor | None, total: int, width: int) -> Tensor:
        """The rows of all processes in order, without gradient.

        Parameters
        ----------
        local
            Float ``(n, D)``, the rows of this process's share; None where it is empty.
        total
            Rows of the joint batch.
        width
            D, which a process without rows would not know.

        Returns
        -------
        Float32 ``(total, D)``, the same in every process.
        """
        if self.size == 1:
            assert local is not None
            return local.float()
        most = -(-total // self.size)
        padded = torch.zeros(most, width, device=self.device)
        if local is not None:
            padded[: len(local)] = local.float()
        gathered = self.accelerator.gather(padded).view(self.size, most, width)
        parts = []
        for rank in range(self.size):
            place = self.share(total, rank)
            parts.append(gathered[rank, : place.stop - place.start])
        return torch.cat(parts)

    def combine_gradients(
        self, added: Iterable[nn.Parameter], equal: Iterable[nn.Parameter]
    ) -> None:
        """Make every process's gradients those of the joint batch.

        Parameters
        ----------
        added
            Parameters of the encoders: each process holds a part of the sum.
        equal
            Parameters of the loss: each process holds the whole.
        """
        if self.size == 1:
            return
        for parameters, share in ((list(added), 1.0), (list(equal), 1 / self.size)):
            trained = [p for p in parameters if p.requires_grad]
            if not trained:
                continue
            # What no process has a gradient for must stay without one: AdamW would decay it.
            present = torch.tensor([float(p.grad is not None) for p in trained], device=self.device)
            there = self.accelerator.reduce(present, reduction="sum").tolist()
            trained = [p for p, count in zip(trained, there, strict=True) if count]
            if not trained:
                continue
            # A process without rows has no gradients, but must take part.
            flat = torch.cat(
                [(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in trained]
            )
            total = self.accelerator.reduce(flat, reduction="sum") * share
            start = 0
            for parameter in trained:
                end = start + parameter.numel()
                parameter.grad = total[start:end].view_as(parameter).clone()
                start = end

    @contextmanager
    def first(self) -> Iterator[None]:
        """Runs the block in the first process, then in the others, which find its files."""
        with self.accelerator.main_process_first():
            yield

    def same_weights(self, network: nn.Module) -> None:
        """Give every process the weights of the first."""
        if self.size == 1:
            return
        from accelerate.utils import broadcast

        for tensor in (*network.parameters(), *network.buffers()):
            tensor.data.copy_(broadcast(tensor.data, from_process=0))

    def agree(self, value: float) -> float:
        """The first process's number, in every process."""
        if self.size == 1:
            return value
        from accelerate.utils import broadcast

        given = torch.tensor([value], dtype=torch.float64, device=self.device)
        return float(broadcast(given, from_process=0).item())

    def wait(self) -> None:
        """Until every process is here."""
        self.accelerator.wait_for_everyone()
