"""From a configuration to a model folder: what `molclip train` does."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem import features as chem_features
from molclip.chem.inputs import golden_hash, input_version
from molclip.errors import ConfigError, InputError
from molclip.models.config import MolCLIPConfig, MoleculeConfig, TextConfig, text_preset
from molclip.models.molclip import MolCLIP
from molclip.search.seen import SEEN_FILE, SeenMolecules, write_seen
from molclip.text.tokenizer import TextTokenizer, train_tokenizer
from molclip.text.words import write_words
from molclip.training.config import PASSING, TrainingConfig
from molclip.training.model_card import write_card
from molclip.training.objectives import Objective, uses_bias
from molclip.training.pairs import Pairs, load_pairs
from molclip.training.withholding import list_in_force

if TYPE_CHECKING:
    from molclip.evaluation.pairs import RetrievalData
    from molclip.models.network import DualEncoder
    from molclip.training.features import FeatureStore

Report = Callable[[dict[str, float]], None]

# Captions the tokenizer learns from.
_TOKENIZER_TEXTS = 150_000
_EVALUATION_TEXTS = 1000


def run_training(
    config: TrainingConfig, report: Report | None = None, pairs: Pairs | None = None
) -> Path:
    """Train, evaluate and save a model; goes on where a killed run stopped.

    Parameters
    ----------
    config
        See `training.config`; `config.output` gets the checkpoint, `history.jsonl` and at the end
        the model in `model/`.
    report
        Called with the numbers of every step and of every evaluation.
    pairs
        What `load_pairs` gave for the same `data` and `captions`; loaded when left out.

    Returns
    -------
    Path
        The model folder.

    Raises
    ------
    molclip.errors.MolclipError
        For wrong settings, missing data, leaking data, a loss that is no number, a full disk.
    """
    import torch

    from molclip.training.distributed import Processes
    from molclip.training.trackers import accelerator_arguments, end_tracker, start_tracker
    from molclip.training.trainer import Trainer
    from molclip.training.views import check_augmentations

    # What cannot work is said before anything is computed.
    Objective(config)
    check_augmentations(config)
    if config.run.threads:
        torch.set_num_threads(config.run.threads)
    folder = config.output
    processes = Processes(config.run.device, **accelerator_arguments(config))
    started = time.time()
    cache = Path(os.environ.get("MOLCLIP_CACHE") or folder / "cache")
    # The first process computes features and learns the tokenizer; the others read what it wrote.
    with processes.first():
        folder.mkdir(parents=True, exist_ok=True)
        if processes.is_main:
            _pin(config, folder)
        if pairs is None:
            pairs = load_pairs(config, cache, _feature_progress(report))
        tokenizer, start = _tokenizer(config, pairs, folder)
        evaluate = None
        network, model_config = build_network(config, tokenizer)
        pairs.store.prepare(pairs.feature_rows, network.molecule.kind, _feature_progress(report))
        if start is not None:
            _load_start(network, start, config)
        if processes.is_main:
            kept_back = list_in_force(pairs, start, folder)
            evaluate = _evaluator(config, model_config, tokenizer, pairs.store)
    trainer = Trainer(config, network, tokenizer, pairs, folder, report, evaluate, processes)
    start_tracker(processes.accelerator, config)
    try:
        final = trainer.train()
    finally:
        end_tracker(processes.accelerator)
    target = folder / "model"
    if not processes.is_main:
        return target
    model = MolCLIP(model_config, final, tokenizer)
    model.save_pretrained(target, storage="float16")
    before = SeenMolecules.beside(start.folder) if start is not None else None
    # What a start model without a list has seen is not known, so neither is it of this one.
    if start is None or before is not None:
        write_seen(seen_molecules(pairs), target / SEEN_FILE, before)
    captions = pairs.sample_captions(_tokenizer_texts(pairs), config.run.seed)
    write_words(captions, target, pairs.phrases())
    kept_back.write(target)
    trainer.history.finish(target)
    write_card(target, config, model_config, pairs, trainer.history.records, time.time() - started)
    return target


def seen_molecules(pairs: Pairs) -> list[str]:
    """InChIKeys of every row that an epoch may draw."""
    return [key for key, chance in zip(pairs.inchikeys, pairs.chances, strict=True) if chance > 0]


def build_network(
    config: TrainingConfig, tokenizer: TextTokenizer
) -> tuple[DualEncoder, MolCLIPConfig]:
    """A fresh network of the configured size, and the configuration it is saved with."""
    import rdkit
    import torch

    from molclip.models.network import DualEncoder
    from molclip.models.text_encoder import freeze_layers

    molecule = MoleculeConfig(
        inputs=chem_features.WIDTH,
        **{"head": config.model.molecule_head.model_dump(), **config.model.molecule},
    )
    model_config = MolCLIPConfig(
        text=text_config(config),
        molecule=molecule,
        dimension=config.model.dimension,
        init_temperature=config.objective.temperature,
        init_bias=config.objective.bias if uses_bias(config) else None,
        feature_version=input_version(molecule.encoder),
        golden_features=golden_hash(molecule.encoder),
        rdkit_version=rdkit.__version__,
    )
    torch.manual_seed(config.run.seed)
    network = DualEncoder(model_config, tokenizer.size, tokenizer.pad_id)
    model_config.text.pooling = network.text.pooling
    if model_config.text.pretrained:
        from molclip.models.pretrained_text import architecture

        # The saved model must load without its pretrained origin, so it keeps the architecture.
        model_config.text.encoder = architecture(network.text.transformer)
    freeze_layers(network.text, config.model.freeze_text)
    return network, model_config


def text_config(config: TrainingConfig) -> TextConfig:
    """The text tower's configuration: a size preset, overridden key by key.

    Raises
    ------
    ConfigError
        When sizes are given for a pretrained encoder, which has its own.
    """
    given = dict(config.model.text)
    if given.get("pretrained") and given.get("encoder"):
        raise ConfigError(
            f"The pretrained text encoder {given['pretrained']!r} has its own sizes, and "
            "model.text.encoder gives others.",
            "Leave one of the two out.",
        )
    encoder = {**text_preset(config.model.text_size), **given.pop("encoder", {})}
    check_encoder_keys(encoder)
    head = config.model.text_head.model_dump()
    return TextConfig(**{"head": head, **given, "encoder": encoder})


def check_encoder_keys(encoder: dict[str, Any]) -> None:
    """Refuse sizes that the transformers configuration does not have; it would ignore them.

    Raises
    ------
    ConfigError
        Naming the key and the nearest known one, or the model type.
    """
    from transformers import AutoConfig

    try:
        known = AutoConfig.for_model(encoder["model_type"]).to_dict()
    except (KeyError, ValueError) as error:
        raise ConfigError(
            f"model.text.encoder: transformers knows no model_type {encoder.get('model_type')!r}.",
            "The built-in one is roberta-prelayernorm.",
        ) from error
    for key in encoder:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            raise ConfigError(
                f"model.text.encoder: unknown key {key!r}.",
                f"Did you mean {close[0]!r}?" if close else "",
            )


def _load_start(network: DualEncoder, start: MolCLIP, config: TrainingConfig) -> None:
    """Weights of the start model, where the configuration describes the same towers.

    The temperature is the model's, unless the configuration states one; a bias that only one of
    the two has is left as it is.

    Raises
    ------
    ConfigError
        Naming the first part that differs.
    """
    name = str(config.init_from)
    given, wanted = start.network.state_dict(), network.state_dict()
    if "temperature" in config.objective.model_fields_set:
        given["log_scale"] = wanted["log_scale"]
    if "bias" in wanted:
        given.setdefault("bias", wanted["bias"])
    else:
        given.pop("bias", None)
    for part in sorted(given.keys() | wanted.keys()):
        shapes = [tuple(s[part].shape) if part in s else None for s in (given, wanted)]
        if shapes[0] != shapes[1]:
            raise ConfigError(
                f"The configuration does not describe the model {name!r} that init_from names: "
                f"{part} is {shapes[0]} there and {shapes[1]} here.",
                f"Take [model] from its config.json: {start.folder or name}.",
            )
    network.load_state_dict(given)


def _tokenizer(
    config: TrainingConfig, pairs: Pairs, folder: Path
) -> tuple[TextTokenizer, MolCLIP | None]:
    """That of the start model, of the pretrained encoder, or a new one, kept with the run."""
    text = text_config(config)
    if config.init_from is not None:
        start = MolCLIP.from_pretrained(config.init_from)
        if start.config.members:
            warnings.warn(
                f"{config.init_from} is an ensemble of {1 + len(start.config.members)} members; "
                "the run starts from the first of them.",
                stacklevel=2,
            )
            start = start.member()
        start.tokenizer.max_tokens = text.max_tokens
        return start.tokenizer, start
    if text.pretrained:
        from molclip.models.pretrained_text import load_tokenizer

        return load_tokenizer(text.pretrained, text.max_tokens), None
    if config.model.tokenizer is not None:
        from molclip.models.model_files import resolve_folder

        given = resolve_folder(config.model.tokenizer)
        return TextTokenizer.load(given, text.max_tokens), None
    if (folder / "tokenizer.json").is_file():
        return TextTokenizer.load(folder, text.max_tokens), None
    texts = pairs.sample_captions(_tokenizer_texts(pairs), config.run.seed)
    tokenizer = TextTokenizer(train_tokenizer(texts, config.model.vocabulary), text.max_tokens)
    tokenizer.save(folder)
    return tokenizer, None


def _tokenizer_texts(pairs: Pairs) -> int:
    return min(_TOKENIZER_TEXTS, 20 * len(pairs))


def _pin(config: TrainingConfig, folder: Path) -> None:
    """Refuse to continue a run under other settings; the first start writes them down."""
    path = folder / "config.json"
    lasting = config.model_dump(mode="json", exclude={"output": True, "run": set(PASSING)})
    text = json.dumps(lasting, indent=2, sort_keys=True) + "\n"
    if path.is_file() and (folder / "checkpoint.pt").is_file():
        if path.read_text(encoding="utf-8") != text:
            raise ConfigError(
                f"{folder} holds a run with other settings (see {path}).",
                "Choose another output folder, or restore the settings.",
            )
    else:
        if path.is_file() and path.read_text(encoding="utf-8") != text:
            # Learned under the settings of a start that left no checkpoint.
            (folder / "tokenizer.json").unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")


def _evaluator(
    config: TrainingConfig,
    model_config: MolCLIPConfig,
    tokenizer: TextTokenizer,
    store: FeatureStore,
) -> Callable[[DualEncoder], dict[str, float]] | None:
    """Early evaluation: text to molecule on validation text, over the whole pool."""
    data = _validation(config) if config.run.evaluate_every else None
    if data is None:
        return None
    rows = store.rows(list(data.pool_smiles))

    def evaluate(network: DualEncoder) -> dict[str, float]:
        from molclip.evaluation.retrieval import evaluate_retrieval

        model = MolCLIP(model_config, network, tokenizer)
        result = evaluate_retrieval(
            model, data, samples=1, encode_pool=lambda _: _PoolVectors(model, store, rows)
        )
        figures = result["text_to_molecule"].figures["pessimistic"]
        return {f"validation {name}": figures[name] for name in ("hits@1", "hits@10", "mrr")}

    return evaluate


class _PoolVectors:
    """Pool vectors from stored features; rows without features are NaN."""

    def __init__(self, model: MolCLIP, store: FeatureStore, rows: npt.NDArray[np.int64]) -> None:
        store.prepare(rows, model.kind)
        blocks = [
            model.encode_features(store.inputs(rows[start : start + 4096], model.kind))
            for start in range(0, len(rows), 4096)
        ]
        self.vectors = np.concatenate(blocks)
        keys = store.inchikeys
        unreadable = [not keys[row] for row in rows.tolist()]
        self.vectors[unreadable] = np.nan
        self.failures: Sequence[Any] = []


def _validation(config: TrainingConfig) -> RetrievalData | None:
    from molclip.evaluation.pairs import load_chebi20, load_pairs

    if config.data.validation_pairs is not None:
        data = load_pairs(config.data.validation_pairs)
    elif config.data.pairs is not None:
        return None
    else:
        from molclip.training.pairs import data_folder

        try:
            data = load_chebi20(data_folder(config), "validation")
        except InputError as error:
            warnings.warn(f"Nothing is measured while training. {error}", stacklevel=2)
            return None
    return data.sample(_EVALUATION_TEXTS, config.run.seed)


def _feature_progress(report: Report | None) -> Callable[[int, int], None] | None:
    if report is None:
        return None
    return lambda done, total: report({"features": done, "of": total})
