"""A baseline that looks at pictures: an open_clip model on drawn structures.

Needs the extra `image` (open_clip_torch). It answers with pretrained weights or not at all;
open_clip itself would fall back to random ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.errors import InputError, ModelError, install_hint

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image

    from molclip.models.molclip import MoleculeEmbeddings

FloatArray = npt.NDArray[np.float32]

_CONFIG = "open_clip_config.json"
# Names that open_clip itself prefers over every pickle in the same folder.
_WEIGHTS = ("open_clip_model.safetensors", "open_clip_pytorch_model.safetensors")
_HUB = "hf-hub:"
_FORMS = (
    "give MODEL/TAG as open_clip lists them (ViT-B-32/laion2b_s34b_b79k), hf-hub:ORG/NAME, "
    f"or a folder with {_CONFIG} and {_WEIGHTS[0]}"
)


@dataclass
class ImageBaseline:
    """An open_clip model behind the interface of `MolCLIP`: text and molecules to unit vectors.

    Use `from_pretrained`.
    """

    name: str
    model: torch.nn.Module
    preprocess: Callable[[Image], torch.Tensor]
    tokenize: Callable[[list[str]], torch.Tensor]
    model_hash: str
    """First 16 hexadecimal digits of the SHA-256 of the weights file."""
    batch_size: int = 64

    @classmethod
    def from_pretrained(cls, name_or_folder: str | Path, *, download: bool = True) -> ImageBaseline:
        """Load pretrained weights.

        Parameters
        ----------
        name_or_folder
            A folder with `open_clip_config.json` and `open_clip_model.safetensors`;
            `MODEL/TAG` of open_clip's own list, such as `ViT-B-32/laion2b_s34b_b79k`; or
            `hf-hub:ORG/NAME`. The last two are downloaded from the hub when not cached.
        download
            False: what is not cached is not there.

        Raises
        ------
        ModelError
            In one sentence, when open_clip is not installed, the name is unknown, the weights
            are neither here nor can be fetched, they do not fit the model, or they exist as a
            pickle only (none is ever loaded).
        """
        try:
            import open_clip
        except ImportError as error:
            raise ModelError(
                "The image baseline needs open_clip, which is not installed.",
                install_hint("image"),
            ) from error
        name = str(name_or_folder)
        identifier, weights, options = _locate(name, download)
        try:
            if identifier.startswith("local-dir:"):
                loaded = open_clip.create_model_from_pretrained(identifier)
            else:
                loaded = open_clip.create_model_from_pretrained(
                    identifier, pretrained=str(weights), **options
                )
            tokenize = open_clip.get_tokenizer(identifier)
        # open_clip and torch raise all sorts for weights that do not fit a configuration.
        except Exception as error:
            raise _refusal(name, f"they do not load ({_first_line(error)})") from error
        model, preprocess = loaded
        model.eval()
        with weights.open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()[:16]
        return cls(name, model, preprocess, tokenize, digest)

    def encode_text(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors of texts, (N, D) float32.

        The context of CLIP is 77 pieces; what is longer is cut, see `count_cut`.
        """
        import torch

        parts = []
        with torch.inference_mode():
            for start in range(0, len(texts), self.batch_size):
                pieces = self.tokenize(list(texts[start : start + self.batch_size]))
                vectors = self.model.encode_text(pieces, normalize=True)  # type: ignore[operator]
                parts.append(vectors.float().numpy())
        return np.concatenate(parts) if parts else np.empty((0, self.dimension), np.float32)

    def encode_molecules(self, molecules: Sequence[Any]) -> MoleculeEmbeddings:
        """Draw molecules and return unit vectors of the pictures.

        Parameters
        ----------
        molecules
            SMILES, `Molecule`, RDKit molecules or `ParseFailure`, mixed as they come.

        Returns
        -------
        `MoleculeEmbeddings`, row-aligned: vectors (N, D) float32, NaN where a molecule is
        invalid or cannot be drawn, and the reasons.
        """
        import torch

        from molclip.models.molclip import MoleculeEmbeddings

        read = [_molecule(item, row) for row, item in enumerate(molecules, start=1)]
        vectors = np.full((len(read), self.dimension), np.nan, dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(read), self.batch_size):
                rows, pictures = [], []
                for row in range(start, min(start + self.batch_size, len(read))):
                    item = read[row]
                    if isinstance(item, ParseFailure):
                        continue
                    drawn = _draw(item, row + 1)
                    if isinstance(drawn, ParseFailure):
                        read[row] = drawn
                        continue
                    rows.append(row)
                    pictures.append(self.preprocess(drawn))
                if rows:
                    batch = torch.stack(pictures)
                    encoded = self.model.encode_image(batch, normalize=True)  # type: ignore[operator]
                    vectors[rows] = encoded.float().numpy()
        failures = [item for item in read if isinstance(item, ParseFailure)]
        return MoleculeEmbeddings(vectors=vectors, failures=failures, molecules=read)

    def count_cut(self, texts: Sequence[str]) -> int:
        """Return how many texts fill the context, so that their end may be cut off."""
        # Padding in the last place means that the text was shorter.
        return int((self.tokenize(list(texts))[:, -1] != self._empty[0, -1]).sum())

    @cached_property
    def dimension(self) -> int:
        """Return the length of a vector."""
        import torch

        with torch.inference_mode():
            vector = self.model.encode_text(self._empty)  # type: ignore[operator]
        return int(vector.shape[-1])

    @cached_property
    def _empty(self) -> torch.Tensor:
        return self.tokenize([""])


def _locate(name: str, download: bool) -> tuple[str, Path, dict[str, Any]]:
    """Find the weights: open_clip's identifier, the safetensors file, loading options."""
    if Path(name).is_dir():
        return _locate_folder(name, Path(name))
    if name.startswith(_HUB):
        repository = name.removeprefix(_HUB).strip("/")
        weights = _from_hub(name, repository, _WEIGHTS, download)
        _from_hub(name, repository, (_CONFIG,), download)
        return _locate_folder(name, weights.parent)
    import open_clip

    model, _, tag = name.partition("/") if "/" in name else name.partition(":")
    settings = open_clip.get_pretrained_cfg(model, tag) if tag else None
    if not settings:
        raise _refusal(name, "no folder of that name exists and open_clip lists no such model")
    if not settings.get("hf_hub"):
        raise _refusal(name, "they exist as a pickle only")
    repository, _, file = settings["hf_hub"].rpartition("/")
    files = (f"{Path(file).stem}.safetensors",) if file else _WEIGHTS
    options = {
        "image_mean": settings.get("mean"),
        "image_std": settings.get("std"),
        "image_interpolation": settings.get("interpolation"),
        "image_resize_mode": settings.get("resize_mode"),
        "force_quick_gelu": settings.get("quick_gelu", False),
    }
    return model, _from_hub(name, repository, files, download), options


def _locate_folder(name: str, folder: Path) -> tuple[str, Path, dict[str, Any]]:
    weights = next((folder / file for file in _WEIGHTS if (folder / file).is_file()), None)
    if weights is None or not (folder / _CONFIG).is_file():
        missing = _CONFIG if weights else _WEIGHTS[0]
        raise _refusal(name, f"the folder has no {missing}")
    return f"local-dir:{folder}", weights, {}


def _from_hub(name: str, repository: str, files: Sequence[str], download: bool) -> Path:
    """Return a file of a hub repository, the first of `files` that it has."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    for file in files:
        try:
            return Path(hf_hub_download(repository, file, local_files_only=not download))
        except LocalEntryNotFoundError as error:
            reason = "and the hub cannot be reached" if download else "and are not fetched here"
            raise _refusal(name, f"they are not cached {reason}") from error
        except EntryNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise _refusal(name, f"the hub refused ({_first_line(error)})") from error
    raise _refusal(name, f"the hub repository {repository} has no {files[0]}")


def _refusal(name: str, reason: str) -> ModelError:
    return ModelError(f"The open_clip weights {name!r} are not there: {reason}; {_FORMS}.")


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".:")


def _molecule(item: Any, row: int) -> Molecule | ParseFailure:
    from rdkit import Chem

    from molclip.chem.parse import parse_molecule

    if isinstance(item, Molecule | ParseFailure):
        return item
    if isinstance(item, Chem.Mol):
        smiles = Chem.MolToSmiles(item)
        return Molecule(row=row, id=None, name=None, input=smiles, smiles=smiles, mol=item)
    return parse_molecule(item, row=row)


def _draw(molecule: Molecule, row: int) -> Image | ParseFailure:
    from molclip.chem.depict import depict_png
    from molclip.chem.rdkit_log import RDKIT_ERRORS

    try:
        return _picture(depict_png(molecule.mol))
    except (InputError, *RDKIT_ERRORS) as error:
        return ParseFailure(
            file=molecule.file,
            row=row,
            id=molecule.id,
            input=molecule.input,
            reason=f"the structure cannot be drawn ({_first_line(error)}).",
        )


def _picture(drawn: Any) -> Image:
    """PNG bytes or a picture as RGB."""
    import io

    from PIL import Image

    if isinstance(drawn, bytes):
        drawn = Image.open(io.BytesIO(drawn))
    picture: Image.Image = drawn.convert("RGB")
    return picture
