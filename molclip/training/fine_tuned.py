"""A fine-tuned encoder as a folder, and its answers for molecules."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from molclip.chem.inputs import golden_hash, input_of
from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.parallel import guarded_stream
from molclip.datasets.labels import Task
from molclip.errors import ModelError
from molclip.evaluation.label_features import read
from molclip.models.config import MoleculeConfig
from molclip.training.predictions import Predictions

if TYPE_CHECKING:
    from molclip.training.label_network import FloatArray, LabelNetwork

WEIGHTS_FILE = "model.safetensors"
CONFIG_FILE = "config.json"
BLOCK = 1024


class SavedTask(BaseModel):
    """A `Task` in the configuration."""

    model_config = ConfigDict(extra="forbid")

    name: str
    kind: Literal["binary", "multiclass", "regression"]
    classes: list[str] = Field(default_factory=list)

    def task(self) -> Task:
        """The task."""
        return Task(self.name, self.kind, tuple(self.classes))


class FineTunedConfig(BaseModel):
    """`config.json` of the folder."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["molclip-fine-tuned-1"] = "molclip-fine-tuned-1"
    tasks: list[SavedTask]
    molecule: MoleculeConfig
    dimension: int
    """Of the encoder's own projection head, which is kept but not used."""
    standardise: str = "none"
    base_hash: str = ""
    """Hash of the model that was fine-tuned."""
    golden_features: str = ""
    """Hash of reference inputs under the RDKit of training; see `chem.inputs`."""
    rdkit_version: str = ""


class FineTuned:
    """A molecule encoder fine-tuned on labels.

    Use `FineTuned.load(folder)`.

    Parameters
    ----------
    config, network
        The parts; `network` is put into evaluation mode.

    Examples
    --------
    >>> tuned = FineTuned.load("runs/bbbp")  # doctest: +SKIP
    >>> tuned.predict(["CCO", "not a molecule"]).answers("p_np")  # doctest: +SKIP
    ['1', None]
    """

    def __init__(self, config: FineTunedConfig, network: LabelNetwork) -> None:
        self.config = config
        self.network = network.eval()

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What it answers."""
        return self.network.tasks

    @classmethod
    def load(cls, folder: str | PathLike[str], *, device: str = "cpu") -> FineTuned:
        """Load a folder that `molclip finetune` wrote.

        Raises
        ------
        ModelError
            When it is no such folder, or its files do not belong together.
        """
        import torch
        from safetensors.torch import load_file

        from molclip.models.molecule_encoder import molecule_encoder
        from molclip.training.label_network import LabelNetwork

        path = Path(folder)
        config = _read_config(path)
        with torch.random.fork_rng(devices=[]):
            encoder = molecule_encoder(config.molecule, config.dimension)
            network = LabelNetwork(encoder, [saved.task() for saved in config.tasks])
        try:
            network.load_state_dict(load_file(path / WEIGHTS_FILE))
        except Exception as error:
            raise ModelError(
                f"{path / WEIGHTS_FILE} does not fit {path / CONFIG_FILE}: "
                f"{str(error).splitlines()[0]}.",
                "Take both files from the same folder.",
            ) from error
        tuned = cls(config, network.to(device))
        tuned._check_features()
        return tuned

    def save(self, folder: str | PathLike[str]) -> None:
        """Write weights (safetensors) and configuration."""
        from safetensors.torch import save_file

        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        state = {
            name: tensor.detach().cpu().contiguous()
            for name, tensor in self.network.state_dict().items()
        }
        part = path / f"{WEIGHTS_FILE}.part"
        save_file(state, part, metadata={"format": "pt"})
        part.replace(path / WEIGHTS_FILE)
        (path / CONFIG_FILE).write_text(
            self.config.model_dump_json(indent=2) + "\n", encoding="utf-8"
        )

    def predict(self, molecules: Iterable[Any] | str, *, workers: int | None = None) -> Predictions:
        """Answers for molecules; a bad one costs its own row only.

        Parameters
        ----------
        molecules
            As in `MolCLIP.encode_molecules`: N of SMILES, InChI, mol blocks, records of a reader,
            RDKit molecules, `Molecule` or `ParseFailure`. A single string counts as one.
        workers
            Processes for the chemistry; one per core by default.

        Returns
        -------
        Predictions
        """
        items = [molecules] if isinstance(molecules, str) else molecules
        blocks = list(self.predict_blocks(items, workers=workers))
        if not blocks:
            return self._answered([])
        values = [np.concatenate(parts) for parts in zip(*(b.values for b in blocks), strict=True)]
        read_rows = [item for block in blocks for item in block.molecules]
        return Predictions(self.tasks, values, read_rows)

    def predict_blocks(
        self, items: Iterable[Any], *, workers: int | None = None, size: int = BLOCK
    ) -> Iterator[Predictions]:
        """The same in blocks of up to `size` rows, so that memory does not grow with the file."""
        work = partial(
            _read_input, kind=self.network.encoder.kind, standardise=self.config.standardise
        )
        rows = iter(guarded_stream(work, items, workers=workers))
        while block := list(islice(rows, size)):
            yield self._answered(block)

    def predict_inputs(self, inputs: Sequence[Any]) -> list[FloatArray]:
        """Answers for encoder inputs (`chem.inputs`): for each task ``(N, C)`` or ``(N,)``."""
        import torch

        network = self.network
        parts = []
        with torch.inference_mode():
            for start in range(0, len(inputs), BLOCK):
                batch = network.encoder.collate(inputs[start : start + BLOCK])
                parts.append(network.predictions(network(batch.to(network.means.device))))
        return [np.concatenate(found) for found in zip(*parts, strict=True)]

    def _answered(self, rows: list[Any]) -> Predictions:
        good = [n for n, row in enumerate(rows) if not isinstance(row, ParseFailure)]
        values = [
            np.full((len(rows), *((len(task.classes),) if task.classes else ())), np.nan)
            for task in self.tasks
        ]
        if good:
            found = self.predict_inputs([rows[n][1] for n in good])
            for whole, part in zip(values, found, strict=True):
                whole[good] = part
        read_rows = [row if isinstance(row, ParseFailure) else row[0] for row in rows]
        return Predictions(self.tasks, values, read_rows)

    def _check_features(self) -> None:
        """Warn when the installed RDKit makes other inputs than that of training."""
        import rdkit

        config = self.config
        if not config.golden_features or rdkit.__version__ == config.rdkit_version:
            return
        if golden_hash(self.network.encoder.kind) != config.golden_features:
            warnings.warn(
                f"RDKit {rdkit.__version__} makes other features than the RDKit "
                f"{config.rdkit_version} this model was trained with; its answers may be worse. "
                f"Install rdkit=={config.rdkit_version} to be sure.",
                stacklevel=3,
            )


def _read_input(item: Any, kind: Any, standardise: str) -> tuple[Molecule, Any] | ParseFailure:
    molecule = read(item, standardise)
    if isinstance(molecule, ParseFailure):
        return molecule
    made = input_of(molecule.mol, kind)
    molecule.drop_mol()
    return molecule, made


def _read_config(folder: Path) -> FineTunedConfig:
    path = folder / CONFIG_FILE
    remedy = "Give a folder that `molclip finetune` wrote."
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ModelError(f"{folder} holds no {CONFIG_FILE}.", remedy) from None
    except ValueError as error:
        raise ModelError(f"{path} is no JSON: {error}.", remedy) from None
    if "format" not in raw:
        raise ModelError(f"{folder} is not the folder of a fine-tuned model.", remedy)
    try:
        return FineTunedConfig.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ModelError(f"{path}: {where}: {first['msg']}.", remedy) from None
