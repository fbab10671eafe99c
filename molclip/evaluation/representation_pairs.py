"""Pairs that a representation is looked at on, with names and classes to show."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from molclip.datasets.facts import Fact, Facts
    from molclip.datasets.ontology import Ontology
    from molclip.text.facts import MoleculeFacts


@dataclass(frozen=True)
class NamedPairs:
    """Texts and their molecules, row by row."""

    name: str
    """Of the data set."""
    text_variant: str
    ids: Sequence[str]
    names: Sequence[str]
    """Of the molecules; the id where the embedded library does not know it."""
    texts: Sequence[str]
    smiles: Sequence[str]
    classes: Sequence[frozenset[str]]
    """Ids of the ChEBI classes of each molecule, closed upwards; empty where none is known."""
    files: Sequence[str] = ()
    """Name and short SHA-256 of each file read."""

    def __len__(self) -> int:
        return len(self.ids)


def chebi20_pairs(folder: Path, sample: int, seed: int = 0) -> NamedPairs:
    """Pairs of the ChEBI-20 validation split, with classes from the embedded library.

    Parameters
    ----------
    folder
        As `pairs.load_chebi20` takes it.
    sample
        At most so many.
    seed
        Of the draw.

    Raises
    ------
    InputError
        When the files are missing.
    """
    from molclip.datasets.facts import load_facts
    from molclip.datasets.ontology import Ontology
    from molclip.evaluation.pairs import load_chebi20

    data = load_chebi20(folder, "validation").sample(sample, seed)
    place = {identifier: row for row, identifier in enumerate(data.pool_ids)}
    smiles = [data.pool_smiles[place[identifier]] for identifier in data.text_ids]
    facts, ontology = load_facts(), Ontology.load()
    known = [_recorded(facts, text) for text in smiles]
    return NamedPairs(
        name=f"{data.name}, {data.split} split",
        text_variant=data.text_variant,
        ids=list(data.text_ids),
        names=[
            fact.name if fact else identifier
            for fact, identifier in zip(known, data.text_ids, strict=True)
        ],
        texts=list(data.texts),
        smiles=smiles,
        classes=[ontology.closure(fact.classes) if fact else frozenset() for fact in known],
        files=data.files,
    )


def library_pairs(sample: int, seed: int = 0) -> NamedPairs:
    """Molecules of the embedded library that no training may see, with captions made from facts.

    These are the molecules of the ChEBI-20 validation and test splits, as far as the library has
    them and records a class; each gets one whole description.

    Parameters
    ----------
    sample
        At most so many.
    seed
        Of the draw and of the wording.
    """
    from molclip.datasets.facts import load_facts
    from molclip.datasets.ontology import Ontology
    from molclip.datasets.refusal import RefusalList
    from molclip.text.captions import CaptionMaker, CaptionMix
    from molclip.text.lexicon import load_lexicon

    facts, ontology, refused = load_facts(), Ontology.load(), RefusalList.load()
    columns = (facts.column("inchikey"), facts.column("classes"))
    rows = [
        row
        for row, (key, classes) in enumerate(zip(*columns, strict=True))
        if classes and refused.contains(key)
    ]
    if len(rows) > sample:
        rows = sorted(random.Random(seed).sample(rows, sample))
    # One whole description each: no single words, names or labels.
    mix = CaptionMix(real=0, short=0, label=0, name=0, properties=0)
    maker = CaptionMaker(ontology, load_lexicon(), None, mix)
    chosen: list[Fact] = [facts[row] for row in rows]
    names = facts.column("name")
    known = {id_: names[row] for id_, row in facts.row_of_id.items()}
    return NamedPairs(
        name="embedded library, molecules that no training may see",
        text_variant="captions made from ChEBI's facts",
        ids=[fact.chebi_id for fact in chosen],
        names=[fact.name for fact in chosen],
        texts=[
            maker.caption(
                _told(fact, known, ontology), random.Random(f"{seed}/{fact.chebi_id}")
            ).text
            for fact in chosen
        ],
        smiles=[fact.smiles for fact in chosen],
        classes=[ontology.closure(fact.classes) for fact in chosen],
    )


def _told(fact: Fact, known: dict[str, str], ontology: Ontology) -> MoleculeFacts:
    """What a caption may say of a molecule; `known` are names of molecules by id."""
    from molclip.text.facts import MoleculeFacts

    relations = [
        (kind, known.get(target) or ontology.name(target))
        for kind, target in fact.relations
        if target in known or target in ontology.terms
    ]
    return MoleculeFacts(
        names=(fact.name, *fact.synonyms),
        classes=fact.classes,
        roles=fact.roles,
        relations=tuple(relations),
    )


def _recorded(facts: Facts, smiles: str) -> Fact | None:
    """The library's row of a structure, by InChIKey; a zwitterion shares that of its neutral form.

    None where the structure cannot be read or is not there.
    """
    from molclip.chem.molecule import Molecule
    from molclip.chem.parse import parse_molecule

    molecule = parse_molecule(smiles)
    key = molecule.inchikey if isinstance(molecule, Molecule) else None
    rows = facts.rows_of_inchikey.get(key or "", ())
    return facts[rows[0]] if rows else None
