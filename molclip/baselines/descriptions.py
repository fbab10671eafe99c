"""The text that baselines learn from: for each training molecule of the benchmark one description.

It is the text that the project's own models are trained on: a person's description where there is
one, else captions made from the facts that ChEBI states.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from molclip.datasets.facts import Facts, load_facts
from molclip.datasets.ontology import Ontology
from molclip.datasets.refusal import RefusalList
from molclip.errors import InputError
from molclip.text.captions import CaptionMaker, CaptionMix
from molclip.text.facts import MoleculeFacts
from molclip.text.lexicon import load_lexicon

if TYPE_CHECKING:
    from molclip.evaluation.pairs import RetrievalData
    from molclip.evaluation.pool_facts import PoolFacts

# Whole descriptions: these baselines answer the benchmark's descriptions, not short questions.
_WHOLE = CaptionMix(real=0.0, short=0.0, label=0.0, name=0.0, properties=0.0)


@dataclass(frozen=True)
class Descriptions:
    """Texts of training molecules, all sequences M long."""

    rows: Sequence[int]
    """Pool row of each; a molecule may have several texts."""
    texts: Sequence[str]
    written: Sequence[bool]
    """Whether a person wrote it."""

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        people = sum(self.written)
        return (
            f"{len(self):,} texts of {len(set(self.rows)):,} training molecules: {people:,} "
            f"written by people, {len(self) - people:,} made from ChEBI's facts"
        )


def training_descriptions(
    data: RetrievalData,
    facts: PoolFacts,
    *,
    captions: int = 1,
    seed: int = 0,
    library: Facts | None = None,
    ontology: Ontology | None = None,
) -> Descriptions:
    """Describe every training molecule of a pool that something is known of.

    Parameters
    ----------
    data
        Names the training rows and brings people's descriptions.
    facts
        Of the pool; molecules are looked up by InChIKey.
    captions
        Texts made from facts for each molecule without a description.
    seed
        Of the captions.
    library, ontology
        Where the facts come from; the shipped tables by default.

    Raises
    ------
    InputError
        When the data do not say which molecules are for training, or nothing is known of them.
    """
    if not any(data.trained):
        raise InputError(
            f"{data.name} does not say which molecules are for training, and baselines need some.",
            "Use --data with ChEBI-20.",
        )
    texts: dict[str, list[str]] = {}
    for identifier, text in zip(data.bank_ids, data.bank, strict=True):
        texts.setdefault(identifier, []).append(text)
    library = library or load_facts()
    maker = CaptionMaker(ontology or Ontology.load(), load_lexicon(), mix=_WHOLE)
    refusal = RefusalList.load()
    rows: list[int] = []
    said: list[str] = []
    written: list[bool] = []
    for row, key in enumerate(facts.inchikeys.tolist()):
        # A few molecules stand in two splits of ChEBI-20; those are not for learning.
        if not data.trained[row] or refusal.refuses(key, skeleton=False):
            continue
        own = texts.get(data.pool_ids[row], [])
        known = None if own else _known(library, maker.terms, key)
        made = []
        if known is not None:
            rng = random.Random(f"{seed}/{key}")
            made = [maker.caption(known, rng).text for _ in range(captions)]
        rows += [row] * len(own or made)
        said += own or made
        written += [bool(own)] * len(own or made)
    if not rows:
        raise InputError(
            f"Nothing is known of the training molecules of {data.name}.",
            "Check that the pool is ChEBI-20's.",
        )
    return Descriptions(rows, said, written)


def with_captions(data: RetrievalData, facts: PoolFacts, seed: int = 0) -> RetrievalData:
    """Return the task with captions of the training molecules that nobody described.

    They join people's descriptions in the bank of the query-time correction.
    """
    made = training_descriptions(data, facts, seed=seed)
    pairs = zip(made.texts, made.written, strict=True)
    return replace(data, captions=[text for text, written in pairs if not written])


def _known(library: Facts, terms: object, key: str) -> MoleculeFacts | None:
    """Facts of the molecule with this InChIKey; None where ChEBI has none."""
    found = library.rows_of_inchikey.get(key)
    if not found:
        return None
    fact = library[found[0]]
    assert isinstance(terms, Ontology)
    return MoleculeFacts(
        names=(fact.name, *fact.synonyms),
        classes=fact.classes,
        roles=fact.roles,
        relations=tuple((kind, terms.name(other)) for kind, other in fact.relations),
    )
