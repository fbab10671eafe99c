"""A baseline that looks at pictures: an open_clip model on drawn structures.

Needs the extra `image` (open_clip_torch). It answers with pretrained weights or not at all;
open_clip itself would fall back to random ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.errors import InputError, ModelError, install_hint

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from rdkit.Chem import Mol

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

    def encode_molecules(
        self, molecules: Sequence[Any], *, workers: int | None = None
    ) -> MoleculeEmbeddings:
        """Draw molecules and return unit vectors of the pictures.

        Parameters
        ----------
        molecules
            SMILES, `Molecule`, RDKit molecules or `ParseFailure`, mixed as they come.
        workers
            Processes that draw, where there are more than a few molecules; one per core by default.

        Returns
        -------
        `MoleculeEmbeddings`, row-aligned: vectors (N, D) float32, NaN where a molecule is
        invalid or cannot be drawn, and the reasons.
        """
        from molclip.models.molclip import MoleculeEmbeddings

        blocks = [np.empty((0, self.dimension), dtype=np.float32)]
        read: list[Molecule | ParseFailure] = []
        for vectors, part in self.encode_batches(molecules, workers=workers):
            blocks.append(vectors)
            read += part
        failures = [item for item in read if isinstance(item, ParseFailure)]
        return MoleculeEmbeddings(np.concatenate(blocks), failures, read)

    def encode_batches(
        self, molecules: Sequence[Any], *, workers: int | None = None
    ) -> Iterator[tuple[FloatArray, list[Molecule | ParseFailure]]]:
        """Draw in worker processes and encode here, at most `batch_size` molecules at a time.

        Parameters
        ----------
        molecules, workers
            As in `encode_molecules`.

        Yields
        ------
        Vectors (B, D) of the next B molecules, with rows of NaN, and the molecules or failures.
        """
        from molclip.chem.parallel import guarded_stream

        drawn = guarded_stream(_read_and_draw, molecules, workers=workers)
        while batch := list(islice(drawn, self.batch_size)):
            read = [made if isinstance(made, ParseFailure) else made[0] for made in batch]
            pictures = [None if isinstance(made, ParseFailure) else made[1] for made in batch]
            yield self._encode_pictures(pictures), read

    def _encode_pictures(self, pictures: Sequence[bytes | None]) -> FloatArray:
        """Vectors of PNG files, (B, D); NaN where there is none."""
        import torch

        vectors = np.full((len(pictures), self.dimension), np.nan, dtype=np.float32)
        drawn = {row: picture for row, picture in enumerate(pictures) if picture is not None}
        if drawn:
            batch = torch.stack([self.preprocess(_picture(png)) for png in drawn.values()])
            with torch.inference_mode():
                encoded = self.model.encode_image(batch, normalize=True)  # type: ignore[operator]
            vectors[list(drawn)] = encoded.float().numpy()
        return vectors

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


def _read_and_draw(item: Any) -> tuple[Molecule, bytes] | ParseFailure:
    """A molecule and its drawing as PNG; in a worker process, so nothing of torch in here."""
    from molclip.chem.depict import depict_png
    from molclip.chem.parallel import as_molecule
    from molclip.chem.rdkit_log import RDKIT_ERRORS

    molecule = as_molecule(item)
    if isinstance(molecule, ParseFailure):
        return molecule
    try:
        picture = depict_png(molecule.mol)
    except (InputError, *RDKIT_ERRORS) as error:
        return ParseFailure(
            file=molecule.file,
            row=molecule.row,
            id=molecule.id,
            input=molecule.input,
            reason=f"the structure cannot be drawn ({_first_line(error)}).",
        )
    # The RDKit molecule is made again where it is asked for; it need not travel back.
    return replace(molecule, mol=cast("Mol", None)), picture


def _picture(png: bytes) -> Image:
    """A PNG file as RGB."""
    import io

    from PIL import Image

    with Image.open(io.BytesIO(png)) as picture:
        return picture.convert("RGB")
