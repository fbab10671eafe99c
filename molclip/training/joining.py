"""Model folders joined to one: the weights, and what their trainings left beside them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.chem.inputs import gathered
from molclip.chem.molecule import ParseFailure
from molclip.chem.parallel import featurize_stream
from molclip.errors import ModelError
from molclip.models.joining import join_models
from molclip.models.molclip import MolCLIP
from molclip.search.seen import SEEN_FILE, SeenMolecules, write_seen
from molclip.text.withheld import Withheld
from molclip.text.words import FILE_NAME as WORDS_FILE
from molclip.text.words import read_words

if TYPE_CHECKING:
    from molclip.models.weight_storage import Storage

#: Molecules from which the basis of the joint space is found.
MOLECULES = 10_000


def join_folders(
    folders: Sequence[str | Path],
    out: Path,
    *,
    dimension: int = 128,
    weights: Sequence[float] | None = None,
    storage: Storage = "float16",
    molecules: Iterable[Any] | None = None,
    workers: int | None = None,
) -> MolCLIP:
    """Join models and write the ensemble, see `models.joining.join_models`.

    The ensemble has seen a molecule if a member has, and knows a word if a member does; a label is
    withheld from it if it was from all.

    Parameters
    ----------
    folders
        Of the members, `built-in`, or hub ids.
    out
        Folder to write.
    dimension
        Width of the joint space.
    weights
        Of the members' cosines, one each; see `models.joining.join_models`.
    storage
        Of the weights; see `models.weight_storage`.
    molecules
        From which the basis is found: SMILES, molecules or records; unreadable ones are passed
        over. By default 10,000 random rows of the embedded library that some member was trained on, so that the
        basis is made of training molecules alone.
    workers
        Processes for the chemistry.

    Raises
    ------
    ModelError, InputError
        As `join_models`; ModelError also when no training molecule is known and `molecules` are
        not given.
    """
    models = [MolCLIP.from_pretrained(folder) for folder in folders]
    seen = [SeenMolecules.beside(model.folder) for model in models]
    if molecules is None:
        molecules = training_molecules([found for found in seen if found is not None])
    made = featurize_stream(molecules, workers=workers)
    rows = gathered([row for row in made if not isinstance(row, ParseFailure)])
    joined = join_models(models, rows, dimension, weights)
    joined.save_pretrained(out, storage=storage)
    if all(found is not None for found in seen):
        write_seen((), out / SEEN_FILE, reduce(SeenMolecules.union, [s for s in seen if s]))
    known = [read_words(model.folder) for model in models]
    if all(words is not None for words in known):
        words = sorted(set().union(*(words for words in known if words)))
        (out / WORDS_FILE).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    reduce(Withheld.both, [Withheld.beside(model.folder) for model in models]).write(out)
    return MolCLIP.from_pretrained(out)


def training_molecules(seen: Sequence[SeenMolecules], count: int = MOLECULES) -> list[str]:
    """SMILES of random rows of the embedded library that stand in one of the lists.

    Raises
    ------
    ModelError
        When there are none.
    """
    from molclip.datasets.facts import load_facts

    table = load_facts().table
    keys, smiles = (table.column(name).to_pylist() for name in ("inchikey", "smiles"))
    order = random.Random(0).sample(range(len(keys)), len(keys))
    found: list[str] = []
    for row in order:
        if any(keys[row] in known for known in seen):
            found.append(smiles[row])
            if len(found) == count:
                break
    if not found:
        raise ModelError(
            "No molecule of the embedded library is known as a training molecule of these models.",
            "Give molecules to find the common space with.",
        )
    return found
