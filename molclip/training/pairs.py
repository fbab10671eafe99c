"""What the trainer draws from: row-aligned molecules, a caption on demand, facts for masking."""

from __future__ import annotations

import hashlib
import random
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.chem.elements import element_counts
from molclip.datasets.refusal import RefusalList
from molclip.errors import ConfigError, InputError
from molclip.text.captions import Caption, CaptionMaker, CaptionMix
from molclip.text.facts import MoleculeFacts
from molclip.text.lexicon import load_lexicon
from molclip.text.property_phrases import COUNTED
from molclip.training.config import TrainingConfig
from molclip.training.corpus import load_corpus
from molclip.training.features import FeatureStore


@dataclass(slots=True)
class Pairs:
    """Training rows.

    All sequences are N long and row-aligned.
    """

    ids: list[str]
    inchikeys: list[str]
    feature_rows: npt.NDArray[np.int64]
    """Row of each molecule in `store`."""
    store: FeatureStore
    facts: list[MoleculeFacts]
    chances: npt.NDArray[np.float64]
    repeats: npt.NDArray[np.int64]
    maker: CaptionMaker | None
    """None: the only caption of a row is its own text."""
    _held: dict[int, frozenset[str]] = field(default_factory=dict)
    _samples: dict[tuple[int, int], list[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def caption(self, row: int, seed: int, epoch: int, repeat: int) -> Caption:
        """The caption that row `row` has in this epoch: the same for the same numbers."""
        rng = random.Random(f"{seed}/{epoch}/{row}/{repeat}")
        if self.maker is None:
            return Caption(rng.choice(self.facts[row].texts), None)
        return self.maker.caption(self.facts[row], rng)

    def held(self, row: int) -> frozenset[str]:
        """Every fact of a row that a caption could state, closed upwards."""
        if self.maker is None:
            return frozenset()
        if row not in self._held:
            self._held[row] = self.maker.held(self.facts[row])
        return self._held[row]

    @property
    def one_text_each(self) -> bool:
        """Whether a row has the same caption every time."""
        return self.maker is None and all(len(set(facts.texts)) == 1 for facts in self.facts)

    @property
    def digest(self) -> str:
        """Hash of molecules and descriptions, by which a checkpoint knows its data again."""
        digest = hashlib.blake2b(digest_size=16)
        for key, facts in zip(self.inchikeys, self.facts, strict=True):
            digest.update("\0".join((key, *facts.texts, "")).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def phrases(self) -> set[str]:
        """Names of classes and roles, their everyday words, and labels that captions may use."""
        found = {label for facts in self.facts for _, label in facts.labels}
        if self.maker is not None:
            for row in range(len(self)):
                for term in self.held(row):
                    found.add(self.maker.terms.name(term))
                    found.update(self.maker.lexicon.get(term, ()))
        return found

    def sample_captions(self, count: int, seed: int) -> list[str]:
        """Texts for the tokenizer to learn from: captions and names of random rows.

        The last answer is kept: a run asks again at its end, and so does the next one of a sweep.
        """
        if (count, seed) in self._samples:
            return self._samples[count, seed]
        rng = random.Random(f"tokenizer/{seed}")
        texts = []
        # As often as an epoch draws them, so that no source that is left out shapes the pieces.
        shown = (self.chances * self.repeats).tolist()
        for number, row in enumerate(rng.choices(range(len(self)), shown, k=count)):
            texts.append(self.caption(row, seed, -1, number).text)
            if number % 2 and self.facts[row].names:
                texts.append(rng.choice(self.facts[row].names))
        self._samples = {(count, seed): texts}
        return texts


def load_pairs(config: TrainingConfig, cache: Path, progress: Any = None) -> Pairs:
    """The rows that a configuration asks for, without the molecules of `data.validation_pairs`.

    Raises
    ------
    molclip.errors.DataLeakError
        When a molecule of the ChEBI-20 validation or test split is among them.
    molclip.errors.InputError, ConfigError
        When files or columns are missing.
    """
    pairs = (_own_pairs if config.data.pairs else _chebi_pairs)(config, cache, progress)
    return _without_validation(pairs, config.data.validation_pairs)


def _chebi_pairs(config: TrainingConfig, cache: Path, progress: Any) -> Pairs:
    """The joined sources of a folder."""
    store = FeatureStore(cache)
    corpus = load_corpus(
        data_folder(config),
        lambda smiles: store.keys(smiles, progress),
        nomenclature=config.data.nomenclature,
    )
    corpus.check(RefusalList.load())
    entries = corpus.entries
    rows = store.rows([entry.smiles for entry in entries])
    properties = {
        "mol_weight": store.column("mol_weight"),
        "logp": store.column("logp"),
        "formal_charge": store.column("charge"),
        "rings": store.column("rings"),
    }
    for entry, row in zip(entries, rows.tolist(), strict=True):
        entry.facts.properties = {name: float(column[row]) for name, column in properties.items()}
        atoms = element_counts(entry.smiles)
        entry.facts.properties |= {word: atoms[symbol] for symbol, word in COUNTED.items()}
    mix = CaptionMix(**config.captions.model_dump(exclude={"questions", "questions_weight"}))
    chances = np.array([config.data.shares.get(entry.source, 1.0) for entry in entries])
    repeats = np.array(
        [config.data.repeat_described if entry.facts.texts else 1 for entry in entries],
        dtype=np.int64,
    )
    return Pairs(
        ids=[entry.id for entry in entries],
        inchikeys=[entry.inchikey for entry in entries],
        feature_rows=rows,
        store=store,
        facts=[entry.facts for entry in entries],
        chances=chances,
        repeats=repeats,
        maker=CaptionMaker(corpus.terms, load_lexicon(), corpus.definitions, mix, corpus.withheld),
    )


def data_folder(config: TrainingConfig) -> Path:
    """The folder of the sources, from the configuration or MOLCLIP_DATA."""
    from molclip.datasets.local import folder

    return folder(config.data.folder, "training sources")


def _without_validation(pairs: Pairs, file: Path | None) -> Pairs:
    """The rows whose molecules no score of this run is measured on."""
    if file is None:
        return pairs
    from molclip.evaluation.pairs import load_pairs as load_task

    measured = set(pairs.store.keys(list(load_task(file).pool_smiles)))
    kept = [row for row, key in enumerate(pairs.inchikeys) if key not in measured]
    if len(kept) == len(pairs):
        return pairs
    said = f"{len(pairs) - len(kept)} of {len(pairs)} training molecules stand in {file} as well"
    if len(kept) < 2:
        raise InputError(
            f"{said}, and what is measured is not trained on: {len(kept)} are left.",
            "Give validation pairs of other molecules.",
        )
    warnings.warn(f"{said} and are left out of training.", stacklevel=3)
    return replace(
        pairs,
        ids=[pairs.ids[row] for row in kept],
        inchikeys=[pairs.inchikeys[row] for row in kept],
        feature_rows=pairs.feature_rows[kept],
        facts=[pairs.facts[row] for row in kept],
        chances=pairs.chances[kept],
        repeats=pairs.repeats[kept],
        _held={},
        _samples={},
    )


def _own_pairs(config: TrainingConfig, cache: Path, progress: Any) -> Pairs:
    """The user's own pairs, every row of a molecule a text of it."""
    from molclip.chem.readers import read_records

    data = config.data
    assert data.pairs is not None
    idle = [f"captions.{key}" for key in sorted(config.captions.model_fields_set)]
    idle += [f"data.{k}" for k in ("shares", "repeat_described") if k in data.model_fields_set]
    if idle:
        warnings.warn(
            f"{', '.join(idle)} have no effect: they shape captions made from facts, and "
            "data.pairs gives texts of its own.",
            stacklevel=3,
        )
    texts: dict[str, list[str]] = {}
    ids: dict[str, str] = {}
    places: dict[str, int] = {}
    incomplete = 0
    for record in read_records(
        str(data.pairs), structure=data.structure_column, id=None, name=None
    ):
        properties = getattr(record, "properties", {})
        text = properties.get(data.text_column, "")
        structure = getattr(record, "text", "")
        if not text or not structure:
            incomplete += 1
            continue
        texts.setdefault(structure, []).append(text)
        named = properties.get(data.id_column) or getattr(record, "id", None)
        ids.setdefault(structure, named or str(record.row))
        places.setdefault(structure, record.row)
    if not texts:
        raise ConfigError(
            f"{data.pairs} holds no rows with both {data.structure_column!r} and "
            f"{data.text_column!r}.",
            "Name the columns with data.structure_column and data.text_column.",
        )
    smiles = list(texts)
    store = FeatureStore(cache)
    keys = store.keys(smiles, progress)
    readable = [index for index, key in enumerate(keys) if key]
    if len(readable) < 2:
        raise InputError(
            f"{data.pairs}: only {len(readable)} of {len(smiles)} structures can be read.",
            "Run `molclip embed` on the file to see why each row fails.",
        )
    if incomplete or len(readable) < len(smiles):
        warnings.warn(
            f"{data.pairs}: left out are {incomplete} rows without a structure or a text and "
            f"{len(smiles) - len(readable)} of {len(smiles)} structures that cannot be read; "
            "`molclip embed` on the file says why.",
            stacklevel=3,
        )
    smiles = [smiles[index] for index in readable]
    keys = [keys[index] for index in readable]
    names = [ids[text] for text in smiles]
    refusal = RefusalList.load()
    refusal.check(keys, str(data.pairs), ids=names, rows=[places[text] for text in smiles])
    kept = [row for row, key in enumerate(keys) if not refusal.contains_skeleton(key)]
    if len(kept) < len(keys):
        warnings.warn(
            f"{data.pairs}: {len(keys) - len(kept)} of {len(keys)} molecules share a skeleton with "
            "a ChEBI-20 validation or test molecule and are left out.",
            stacklevel=3,
        )
        smiles, keys, names = ([column[row] for row in kept] for column in (smiles, keys, names))
    if len(keys) < 2:
        raise InputError(
            f"{data.pairs}: {len(keys)} molecules are left to train on.", "Give at least two."
        )
    return Pairs(
        ids=names,
        inchikeys=keys,
        feature_rows=store.rows(smiles),
        store=store,
        facts=[MoleculeFacts(texts=tuple(texts[text])) for text in smiles],
        chances=np.ones(len(smiles)),
        repeats=np.ones(len(smiles), dtype=np.int64),
        maker=None,
    )
