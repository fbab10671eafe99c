"""MolCLIP: one model that puts texts and molecules on one unit sphere."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from molclip.chem.inputs import FINGERPRINT, Kind, gathered, golden_hash, input_version
from molclip.chem.molecule import Molecule, ParseFailure
from molclip.errors import InputError, ModelError
from molclip.models.config import MolCLIPConfig
from molclip.models.model_files import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    hashes,
    read_config,
    resolve_folder,
    without_download,
)
from molclip.text.negation import negated_label
from molclip.text.prompts import DEFAULT_TEMPLATES, prompts_for
from molclip.text.tokenizer import Encoded, TextTokenizer
from molclip.text.words import read_words

if TYPE_CHECKING:
    import torch

    from molclip.models.network import TwoTowers
    from molclip.models.weight_storage import Storage
    from molclip.models.zero_shot import ZeroShotResult

FloatArray = npt.NDArray[np.float32]

_MOLECULES_AT_ONCE = 1024
_TEXTS_AT_ONCE = 1024


@dataclass(frozen=True)
class MoleculeEmbeddings:
    """Vectors of N inputs, row-aligned, and what could not be embedded.

    `vectors` is float32 ``(N, D)`` with unit rows, NaN where the input is invalid; `molecules`
    holds a `Molecule`, or the `ParseFailure` that stands in its row.
    """

    vectors: FloatArray
    failures: list[ParseFailure]
    molecules: list[Molecule | ParseFailure] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def valid(self) -> npt.NDArray[np.bool_]:
        """Which rows have a vector; bool ``(N,)``."""
        return ~np.isnan(self.vectors[:, 0])


class MolCLIP:
    """A text encoder, a molecule encoder and their tokenizer.

    Use `MolCLIP.from_pretrained()`.

    Parameters
    ----------
    config, network, tokenizer
        The parts; `network` is put into evaluation mode.
    folder
        Where the model was loaded from.
    """

    def __init__(
        self,
        config: MolCLIPConfig,
        network: TwoTowers,
        tokenizer: TextTokenizer,
        folder: Path | None = None,
    ) -> None:
        self.config = config
        self.network = network.eval()
        self.tokenizer = tokenizer
        self.folder = folder

    # -- loading and saving -------------------------------------------------------------------

    @classmethod
    def from_pretrained(
        cls, name_or_dir: str | PathLike[str] | None = None, *, device: str | None = None
    ) -> MolCLIP:
        """Load a model.

        Parameters
        ----------
        name_or_dir
            None or `"built-in"` for the shipped model, a local folder, or the id of a repository
            on the Hugging Face hub (`organisation/name`).
        device
            Torch device; the CPU by default.

        Raises
        ------
        ModelError
            When there is no such model, its weights are damaged (other than `weights_sha256` of
            its configuration says), or its files do not belong together. No weights, no answer:
            random weights are never used instead.
        """
        from safetensors.torch import load_file

        from molclip.models.unfilled import Unfilled
        from molclip.models.weight_storage import restored

        folder = resolve_folder(name_or_dir)
        config = read_config(folder)
        tokenizer = TextTokenizer.load(folder, config.text.max_tokens)
        weights = folder / WEIGHTS_FILE
        if not weights.is_file():
            raise ModelError(f"{folder} holds no {WEIGHTS_FILE}.", "The model is incomplete.")
        digest, model_hash = hashes(folder)
        if config.weights_sha256 not in ("", digest):
            raise ModelError(
                f"{weights} is damaged, or of another model: its SHA-256 is {digest}, and "
                f"{CONFIG_FILE} says {config.weights_sha256}.",
                "Copy, download or install the model again; for weights changed on purpose, take "
                f"weights_sha256 out of {CONFIG_FILE}.",
            )
        with Unfilled():
            network = _network(without_download(config), tokenizer)
        try:
            network.load_state_dict(restored(load_file(weights)))
        except Exception as error:
            raise ModelError(
                f"{weights} does not fit {folder / CONFIG_FILE}: {str(error).splitlines()[0]}.",
                "Take both files from the same model.",
            ) from error
        model = cls(config, network.to(device or "cpu"), tokenizer, folder)
        model.model_hash = model_hash  # so that the files are read once for both
        model._check_features()
        return model

    def save_pretrained(
        self,
        folder: str | PathLike[str],
        *,
        storage: Storage = "float32",
        card: str | None = None,
    ) -> None:
        """Write weights (safetensors), configuration, tokenizer and model card to a folder.

        Parameters
        ----------
        folder
            Made if it is missing.
        storage
            Of the weights on disk, `float32`, `float16` or `int8` (`models.weight_storage`); they are
            computed with in float32 all the same.
        card
            Text of the model card, `README.md`.
        """
        from safetensors.torch import save_file

        from molclip.models.weight_storage import stored

        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        state = stored(self.network.state_dict(), storage)
        temporary = path / f"{WEIGHTS_FILE}.part"
        save_file(state, temporary, metadata={"format": "pt"})
        temporary.replace(path / WEIGHTS_FILE)
        self.tokenizer.save(path)
        config = self.config.model_copy(update={"weights_sha256": hashes(path)[0]})
        (path / CONFIG_FILE).write_text(config.model_dump_json(indent=2) + "\n", encoding="utf-8")
        if card is not None:
            (path / "README.md").write_text(card, encoding="utf-8")

    def push_to_hub(self, repository: str, *, private: bool = False) -> str:
        """Upload the model to the Hugging Face hub; returns its address.

        Raises
        ------
        ModelError
            When the hub refuses or cannot be reached.
        """
        import tempfile

        from huggingface_hub import HfApi

        with tempfile.TemporaryDirectory() as folder:
            self.save_pretrained(folder)
            try:
                api = HfApi()
                address = api.create_repo(repository, private=private, exist_ok=True)
                api.upload_folder(repo_id=repository, folder_path=folder)
            except Exception as error:
                raise ModelError(
                    f"{repository} cannot be uploaded: {str(error).splitlines()[0]}.",
                    "Log in with `hf auth login` and check the connection.",
                ) from error
        return str(address)

    def member(self, number: int = 0) -> MolCLIP:
        """One member of an ensemble as a model of its own; a single model is its own member 0.

        Shares its weights with the ensemble, and has the ensemble's temperature. `folder` is the ensemble's, and so is what lies there
        (`seen.bin`, `words.txt`).

        Raises
        ------
        InputError
            When there is no such member.
        """
        count = 1 + len(self.config.members)
        if not 0 <= number < count:
            raise InputError(
                f"The model has no member {number}.", f"Its members are 0 to {count - 1}."
            )
        if count == 1:
            return self
        from molclip.models.ensemble import member_of

        config, network = member_of(self.config, self.network, number)
        made = MolCLIP(config, network, self.tokenizer, self.folder)
        made.model_hash = f"{self.model_hash}-{number}"
        return made

    @property
    def kind(self) -> Kind:
        """What one molecule is to this model: `fingerprint`, `graph` or `hybrid`."""
        return self.network.molecule.kind

    @property
    def dimension(self) -> int:
        """Width D of the shared space."""
        return self.config.dimension

    @cached_property
    def model_hash(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of the weights and the tokenizer.

        Of the files where the model was loaded from some, else of the tensors in memory.
        """
        if self.folder is not None:
            return hashes(self.folder)[1]
        digest = hashlib.sha256()
        for name, tensor in sorted(self.network.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().float().numpy().tobytes())
        return digest.hexdigest()[:16]

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.network.log_scale.device

    @cached_property
    def known_words(self) -> frozenset[str] | None:
        """Words of the training texts; None for a model without a list (`text.words`)."""
        return read_words(self.folder)

    # -- text ---------------------------------------------------------------------------------

    def tokenize(self, texts: Sequence[str] | str) -> list[Encoded]:
        """Token ids of texts, with the number of dropped and unknown pieces of each.

        Raises
        ------
        InputError
            For what is no list of strings, and for an empty text.
        """
        return self.tokenizer.encode(_checked_texts(texts))

    def encode_text(self, texts: Sequence[str] | str, *, features: bool = False) -> FloatArray:
        """Embed texts.

        Parameters
        ----------
        texts
            N strings; a single string counts as one.
        features
            Give what the encoder says before the projection head, for probes: ``(N, width)``, not
            of unit length, and not to be compared with molecules.

        Returns
        -------
        float32 array ``(N, D)``, rows of unit length. A text does not depend on its neighbours:
        any batch size and order give the same row within 1e-5. Where the model has a
        `sentence_weight` w or a `first_sentence_weight` f, a text of several sentences with unit
        vectors s_i and the vector t of the whole gets t + w · mean(s_i) + f · s_1, scaled to unit
        length: a long description hides no sentence, and one that is cut is read to its end. Where
        it has a `negation_weight` n, a short question that excludes something gets w − n · u, scaled
        likewise, of the unit vectors w of what is wanted and u of what is not.

        Raises
        ------
        InputError
            For what is no list of strings, and for an empty text.

        Warns
        -----
        UserWarning
            When a text is longer than the model reads, with the number of pieces dropped.
        """
        encoded = self.tokenize(texts)
        cut = [(number, item.dropped) for number, item in enumerate(encoded) if item.dropped]
        if cut:
            number, dropped = cut[0]
            warnings.warn(
                f"{len(cut)} of {len(encoded)} texts are longer than {self.tokenizer.max_tokens} "
                f"pieces and were cut; text {number + 1} lost {dropped}.",
                stacklevel=2,
            )
        vectors = self._encode_pieces([item.ids for item in encoded], features)
        if features:
            return vectors
        given, settings = [texts] if isinstance(texts, str) else texts, self.config.text
        weights = (settings.sentence_weight, settings.first_sentence_weight)
        if any(weights):
            from molclip.models.sentences import mix_sentences

            mix_sentences(vectors, given, *weights, self._encode_parts)
        if settings.negation_weight:
            from molclip.models.negated import mix_negated

            mix_negated(vectors, given, settings.negation_weight, self._encode_parts)
        return vectors

    def _encode_parts(self, parts: list[str]) -> FloatArray:
        return self._encode_pieces([item.ids for item in self.tokenizer.encode(parts)], False)

    def _encode_pieces(self, ids: Sequence[list[int]], features: bool) -> FloatArray:
        """Vectors, or features before the head, of token lists; float32, row-aligned."""
        import torch

        text = self.network.text
        width = text.width if features else self.dimension
        encode = text.features_sorted if features else text.forward_sorted
        if not ids:
            return np.empty((0, width), dtype=np.float32)
        parts = []
        # Sorted once over all, so that a chunk holds texts of like length.
        order = sorted(range(len(ids)), key=lambda row: len(ids[row]))
        with torch.inference_mode():
            for start in range(0, len(order), _TEXTS_AT_ONCE):
                chunk = [ids[row] for row in order[start : start + _TEXTS_AT_ONCE]]
                parts.append(encode(chunk, self.network.pad_id).cpu())
        result = np.empty((len(ids), width), dtype=np.float32)
        result[order] = torch.cat(parts).numpy()
        return result

    # -- molecules ----------------------------------------------------------------------------

    def encode_molecules(
        self,
        molecules: Iterable[Any] | str,
        *,
        workers: int | None = None,
        features: bool = False,
        time_limit: float | None = None,
        total_limit: float | None = None,
    ) -> MoleculeEmbeddings:
        """Embed molecules; a bad one costs its own row only.

        Parameters
        ----------
        molecules
            N of: SMILES, InChI or mol block as text, `Molecule`, `ParseFailure`, RDKit molecule.
            A single string counts as one.
        workers
            Processes for the chemistry; one per core by default.
        features
            Give what the encoder says before the projection head, for probes: ``(N, width)``, not
            of unit length, and not to be compared with texts.
        time_limit, total_limit
            Seconds that the chemistry of one molecule (None: 30) and of all of them (None: any
            number) may take. Molecules that are not done by then are failures, in their place.

        Returns
        -------
        MoleculeEmbeddings

        Raises
        ------
        InputError
            When `molecules` is neither a string nor a list of any kind.
        """
        from functools import partial
        from math import inf

        from molclip.chem.parallel import TIME_LIMIT, guarded_stream, read_and_featurize

        items = _listed(
            molecules,
            "Molecules",
            "Give a list of SMILES, InChI, mol blocks or RDKit molecules, even for a single one.",
        )
        read: list[Molecule | ParseFailure] = []
        blocks: list[FloatArray] = []
        pending: list[Any] = []
        work = partial(read_and_featurize, kind=self.kind)
        stream = guarded_stream(
            work,
            items,
            workers=workers,
            time_limit=TIME_LIMIT if time_limit is None else time_limit,
            total_limit=inf if total_limit is None else total_limit,
        )
        for made in stream:
            if isinstance(made, ParseFailure):
                read.append(made)
                pending.append(None)
            else:
                read.append(made[0])
                pending.append(made[1])
            if len(pending) >= _MOLECULES_AT_ONCE:
                blocks.append(self._encode_rows(pending, features))
                pending = []
        blocks.append(self._encode_rows(pending, features))
        failures = [item for item in read if isinstance(item, ParseFailure)]
        return MoleculeEmbeddings(np.concatenate(blocks), failures, read)

    def encode_features(self, inputs: Any, *, features: bool = False) -> FloatArray:
        """Embed inputs of the molecule encoder.

        Parameters
        ----------
        inputs
            N of the kind of this model (`kind`, see `chem.inputs`): for `fingerprint` feature
            rows, uint8 ``(N, inputs)``; else a list of graphs or hybrid inputs.
        features
            As in `encode_molecules`.

        Returns
        -------
        float32 array ``(N, D)`` of unit rows, or ``(N, width)``.

        Raises
        ------
        InputError
            When the inputs are of another kind or width.
        """
        import torch

        self._check_inputs(inputs)
        molecule = self.network.molecule
        encode = molecule.features if features else molecule
        width = molecule.width if features else self.dimension
        parts = [np.empty((0, width), dtype=np.float32)]
        with torch.inference_mode():
            for start in range(0, len(inputs), _MOLECULES_AT_ONCE):
                batch = molecule.collate(inputs[start : start + _MOLECULES_AT_ONCE])
                parts.append(encode(batch.to(self.device)).float().cpu().numpy())
        return np.concatenate(parts)

    def _check_inputs(self, inputs: Any) -> None:
        if self.kind == FINGERPRINT:
            shape: tuple[int, ...] = getattr(inputs, "shape", ())
            if len(shape) != 2 or shape[1] != self.config.molecule.inputs:
                raise InputError(
                    f"Feature rows of shape {shape} do not fit this model.",
                    f"It takes rows of {self.config.molecule.inputs} columns.",
                )
            return
        from molclip.chem.graphs import HybridInput, MoleculeGraph

        expected = MoleculeGraph if self.kind == "graph" else HybridInput
        for number, item in enumerate(inputs, start=1):
            if not isinstance(item, expected):
                raise InputError(
                    f"Input {number} is a {type(item).__name__}; this model takes "
                    f"{expected.__name__}.",
                    f"Make inputs with molclip.chem.inputs.input_of(mol, {self.kind!r}).",
                )

    def _encode_rows(self, rows: list[Any], features: bool) -> FloatArray:
        width = self.network.molecule.width if features else self.dimension
        vectors = np.full((len(rows), width), np.nan, dtype=np.float32)
        valid = [(number, row) for number, row in enumerate(rows) if row is not None]
        if valid:
            numbers, inputs = zip(*valid, strict=True)
            made = gathered(inputs, self.kind)
            vectors[list(numbers)] = self.encode_features(made, features=features)
        return vectors

    # -- both ---------------------------------------------------------------------------------

    def similarity(self, texts: Sequence[str] | str, molecules: Iterable[Any] | str) -> FloatArray:
        """Cosine similarity of every text with every molecule.

        Returns
        -------
        float32 array ``(number of texts, number of molecules)``; NaN columns where a molecule is
        invalid.
        """
        return self.encode_text(texts) @ self.encode_molecules(molecules).vectors.T

    def zero_shot_classify(
        self,
        molecules: Iterable[Any] | str,
        labels: Sequence[str],
        *,
        background: FloatArray | None = None,
        templates: Sequence[str] = DEFAULT_TEMPLATES,
        threshold: float = 0.95,
    ) -> ZeroShotResult:
        """Rank freely chosen labels for each molecule, without training data.

        Parameters
        ----------
        molecules
            As in `encode_molecules`.
        labels
            L distinct label texts, such as `"opioid analgesic"`.
        background
            Unit vectors ``(M, D)`` of known molecules. With it each label gets a percentile: the
            share of background molecules that fit the label less well than this molecule does.
        templates
            Sentences with `{}` for the label; their vectors are averaged (prompt ensemble).
        threshold
            A molecule whose best percentile is lower gets `none of these`. Needs `background`.
            A label most of whose words the model has never met is never the answer.

        Returns
        -------
        ZeroShotResult

        Raises
        ------
        InputError
            For labels that are no strings, none or one twice, a background of another width, or
            a threshold outside 0 to 1.
        """
        from molclip.models.zero_shot import classify

        encoded = self.encode_molecules(molecules)
        return classify(self, encoded, labels, background, templates, threshold)

    def encode_labels(
        self, labels: Sequence[str], templates: Sequence[str] = DEFAULT_TEMPLATES
    ) -> FloatArray:
        """Unit vectors ``(L, D)`` of labels: the mean over the templates, normalised again.

        A label that denies another (*not an opioid*) gets the opposite of its vector: the encoder
        hardly reads the word, and who fits *opioid* least should fit this best.
        """
        denied = [negated_label(label) for label in labels]
        named = [other or label for label, other in zip(labels, denied, strict=True)]
        prompts = [prompt for label in named for prompt in prompts_for(label, templates)]
        vectors = self.encode_text(prompts).reshape(len(labels), len(templates), self.dimension)
        mean = vectors.mean(axis=1)
        mean *= np.array([-1 if other else 1 for other in denied])[:, None]
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True), dtype=np.float32)

    def _check_features(self) -> None:
        """Warn when molecules come out as other numbers than they did in training."""
        import rdkit

        config = self.config
        if config.feature_version not in ("", input_version(self.kind)):
            warnings.warn(
                f"This molclip makes molecule inputs of version {input_version(self.kind)}; the "
                f"model was trained on version {config.feature_version}, and its rankings of "
                "molecules may mean nothing. Install the molclip it was trained with.",
                stacklevel=3,
            )
            return
        # Graphs are checked always: their codes may change with molclip as well as with RDKit.
        same_rdkit = rdkit.__version__ == config.rdkit_version
        if not config.golden_features or (self.kind == FINGERPRINT and same_rdkit):
            return
        if golden_hash(self.kind) != config.golden_features:
            what = {"fingerprint": "fingerprints", "graph": "graphs"}.get(self.kind, "inputs")
            warnings.warn(
                f"RDKit {rdkit.__version__} makes other {what} than the RDKit "
                f"{config.rdkit_version} this model was trained with; rankings may be worse. "
                f"Install rdkit=={config.rdkit_version} to be sure.",
                stacklevel=3,
            )


def _network(config: MolCLIPConfig, tokenizer: TextTokenizer) -> TwoTowers:
    if config.members:
        from molclip.models.ensemble import Ensemble

        return Ensemble(config, tokenizer.size, tokenizer.pad_id)
    from molclip.models.network import DualEncoder

    return DualEncoder(config, tokenizer.size, tokenizer.pad_id, inference=True)


def _listed(given: Any, what: str, wanted: str) -> Iterable[Any]:
    """What was given as an iterable; a single string counts as a list of one."""
    if isinstance(given, str):
        return [given]
    try:
        iter(given)
    except TypeError:
        raise InputError(f"{what} were given as a {type(given).__name__}.", wanted) from None
    return cast("Iterable[Any]", given)


def _checked_texts(texts: Sequence[str] | str) -> list[str]:
    checked = list(_listed(texts, "Texts", "Give a string or a list of strings."))
    for number, text in enumerate(checked, start=1):
        if not isinstance(text, str):
            raise InputError(
                f"Text {number} is a {type(text).__name__}, not a string.",
                "Give a list of strings.",
            )
        if not text.strip():
            raise InputError(f"Text {number} is empty.", "Say what the molecule should be.")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"Text {number} is not valid Unicode: {ascii(text)[:80]}.", "Give UTF-8 text."
            ) from None
    return checked
