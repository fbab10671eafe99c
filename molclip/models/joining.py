"""Several trained models made one; see `models.ensemble`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from molclip.errors import InputError, ModelError
from molclip.models.config import MemberConfig, MolCLIPConfig
from molclip.models.ensemble import Ensemble
from molclip.models.model_files import without_download
from molclip.models.molclip import MolCLIP
from molclip.models.unfilled import Unfilled

FloatArray = npt.NDArray[np.float32]


def join_models(
    models: Sequence[MolCLIP],
    inputs: Any,
    dimension: int = 128,
    weights: Sequence[float] | None = None,
) -> MolCLIP:
    """One model whose cosines are the mean of those of several.

    Parameters
    ----------
    models
        Two or more single models of one tokenizer and one width of space, with the same feature
        version.
    inputs
        Feature rows of molecules, uint8 ``(N, inputs)``, from which the basis of the joint space is
        found: the first `dimension` right singular vectors of the joined molecule vectors.
    dimension
        Width of the joint space.
    weights
        Of the members' cosines, one each, scaled to the sum 1. By default a member's share of the
        sum of the inverse temperatures, so that the logits of the whole are the mean of the
        members' logits.

    Returns
    -------
    MolCLIP
        With the text settings of the first model; its inverse temperature is the members' mean.

    Raises
    ------
    ModelError
        When the models do not belong together.
    InputError
        When there are fewer molecules or joined dimensions than `dimension`, or when `weights` are
        no positive numbers, one for each model.
    """
    _check_alike(models)
    first = models[0]
    inner = first.dimension
    if not 1 <= dimension <= min(len(models) * inner, len(inputs)):
        raise InputError(
            f"A space of {dimension} dimensions cannot be found in {len(inputs)} molecules and "
            f"{len(models)} times {inner} dimensions.",
            "Give more molecules, or a smaller dimension.",
        )
    scales = np.array([float(model.network.scale.detach()) for model in models])
    shares = scales if weights is None else _checked_weights(weights, len(models))
    shares = shares / shares.sum()
    config = MolCLIPConfig(
        **{
            **first.config.model_dump(),
            "members": [
                MemberConfig(text=model.config.text, molecule=model.config.molecule)
                for model in models[1:]
            ],
            "member_dimension": inner,
            "dimension": dimension,
            "init_bias": None,
            "weights_sha256": "",
        }
    )
    with Unfilled():
        network = Ensemble(without_download(config), first.tokenizer.size, first.tokenizer.pad_id)
    for number, model in enumerate(models):
        network.text.members[number].load_state_dict(model.network.text.state_dict())
        network.molecule.members[number].load_state_dict(model.network.molecule.state_dict())
    vectors = np.concatenate(
        [
            math.sqrt(weight) * model.encode_features(inputs)
            for weight, model in zip(shares, models, strict=True)
        ],
        axis=1,
    )
    basis = _basis(vectors, dimension) * np.repeat(np.sqrt(shares), inner)
    with torch.no_grad():
        for tower in (network.text, network.molecule):
            tower.projection.basis.weight.copy_(torch.from_numpy(basis))
        network.log_scale.fill_(math.log(scales.mean()))
    return MolCLIP(config, network, first.tokenizer)


def _checked_weights(weights: Sequence[float], count: int) -> npt.NDArray[np.float64]:
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (count,) or not (np.isfinite(given).all() and (given > 0).all()):
        raise InputError(
            f"{list(weights)} are no weights of {count} models.",
            "Give one positive number for each model, in their order.",
        )
    return given


def _basis(vectors: FloatArray, dimension: int) -> npt.NDArray[np.float64]:
    """Orthonormal rows ``(dimension, D)`` that hold most of the squares of vectors ``(N, D)``."""
    wide = vectors.astype(np.float64)
    _, directions = np.linalg.eigh(wide.T @ wide)
    return np.ascontiguousarray(directions[:, ::-1][:, :dimension].T)


def _check_alike(models: Sequence[MolCLIP]) -> None:
    if len(models) < 2:
        raise InputError("There is nothing to join.", "Give two models or more.")
    first = models[0]
    for number, model in enumerate(models, start=1):
        what = ""
        if model.config.members:
            what = "is an ensemble itself"
        elif model.kind != "fingerprint":
            what = f"reads a {model.kind}, and members must read fingerprints"
        elif model.tokenizer.tokenizer.to_str() != first.tokenizer.tokenizer.to_str():
            what = "has another tokenizer than the first"
        elif model.dimension != first.dimension:
            what = f"has {model.dimension} dimensions, and the first has {first.dimension}"
        elif model.config.feature_version != first.config.feature_version:
            what = "was trained on another version of the features"
        if what:
            raise ModelError(
                f"Model {number} ({model.folder or model.model_hash}) {what}.",
                "Train the members alike: with other seeds, and `model.tokenizer` of the first.",
            )
