"""The model behind a library: loaded when a query needs it, and only if it is the right one."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from molclip.chem.inputs import FINGERPRINT, Kind
from molclip.errors import LibraryError
from molclip.search.domain import Domain
from molclip.search.manifest import Manifest
from molclip.search.match_level import Calibration
from molclip.search.seen import SeenMolecules

if TYPE_CHECKING:
    from molclip.models.molclip import MolCLIP

BUILT_IN = "built-in"
"""Name of the shipped model in manifests."""


def load_model(model: MolCLIP | str | None) -> Any:
    """The model itself, or the one of that name or folder; None or `built-in` is the shipped one."""
    if model is not None and not isinstance(model, str):
        return model
    from molclip.models.molclip import MolCLIP

    return MolCLIP.from_pretrained(None if model in (None, BUILT_IN) else model)


def model_folder(model: Any) -> Path | None:
    """Folder of a model, given as object, name or folder; None where it has none."""
    if model is None or model == BUILT_IN:
        from importlib.resources import files

        return Path(str(files("molclip.weights")))
    if isinstance(model, str):
        folder: Any = model
    else:
        folder = getattr(model, "folder", None)
    return Path(folder) if folder is not None and Path(folder).is_dir() else None


def input_kind(model: Any) -> Kind:
    """What one molecule is to a model; a model that does not say sees fingerprints."""
    return cast("Kind", getattr(model, "kind", FINGERPRINT))


def model_name(model: MolCLIP | str | None) -> str:
    """What to write into a manifest so that the model is found again."""
    if model is None or isinstance(model, str):
        return model or BUILT_IN
    folder = model_folder(model)
    if folder is None:
        return "unnamed"
    return BUILT_IN if folder == model_folder(None) else str(folder)


class ModelHandle:
    """The model of a library.

    Parameters
    ----------
    model
        Model, name or folder; None is the one in the manifest.
    manifest
        Of the library.
    where
        Name of the library for messages.

    Raises
    ------
    LibraryError
        When a loaded model is given and is another than that of the library.
    """

    def __init__(self, model: MolCLIP | str | None, manifest: Manifest, where: str) -> None:
        self._wanted = model if model is not None else manifest.model_name
        self._manifest = manifest
        self._where = where
        self._model: Any = None
        if not isinstance(self._wanted, str):
            self._accept(self._wanted)

    def _accept(self, model: Any) -> None:
        expected = self._manifest.model_hash
        if model.model_hash != expected:
            if self._manifest.embedded:
                remedy = (
                    "Open it without a model, or embed its molecules with yours: "
                    "Library.build(FOLDER, model=MODEL)."
                )
            else:
                remedy = (
                    f"Open it with the model {self._manifest.model_name!r}, or build it again "
                    "with yours."
                )
            raise LibraryError(
                f"{self._where} was embedded by the model {self._manifest.model_name!r} "
                f"({expected}), not by the one given ({model.model_hash}); scores "
                "between two models mean nothing.",
                remedy,
            )
        self._model = model

    @property
    def model(self) -> Any:
        """The model, loaded and checked.

        Raises
        ------
        LibraryError
            When it is not the one the library was embedded with, or cannot be found by name.
        """
        if self._model is None:
            if self._wanted == "unnamed":
                raise LibraryError(
                    f"{self._where} was embedded by a model that has no folder.",
                    "Give the model when opening the library.",
                )
            self._accept(load_model(self._wanted))
        return self._model

    @property
    def folder(self) -> Path | None:
        """Folder of the model; known without loading it."""
        return model_folder(self._model if self._model is not None else self._wanted)

    @cached_property
    def seen(self) -> SeenMolecules | None:
        """What the model was trained on; None where it does not say."""
        return SeenMolecules.beside(self.folder)

    @cached_property
    def calibration(self) -> Calibration | None:
        """Match levels of the model; None where they were not measured."""
        return Calibration.beside(self.folder, self._manifest.model_hash)

    @cached_property
    def domain(self) -> Domain | None:
        """What the model's training molecules and texts are like; None where not measured."""
        return Domain.beside(self.folder, self._manifest.model_hash)
