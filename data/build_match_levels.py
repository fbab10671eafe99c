"""Measure match levels: ``match_level.json`` in the model's folder.

    python -m molclip.data.build_match_levels PAIRS.tsv [--model FOLDER]

PAIRS.tsv (gzip allowed) has the columns ``smiles`` and ``description``: real text of molecules the
model was not trained on, such as the ChEBI-20 validation split. As many short questions are added:
the bare name of a class or role that ChEBI states for the molecule. Run it after ``build_vectors``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path

import numpy as np

from molclip.datasets.facts import load_facts
from molclip.datasets.ontology import Ontology
from molclip.models.molclip import MolCLIP
from molclip.search.embedded import data_folder
from molclip.search.library import Library
from molclip.search.match_level import CALIBRATION_FILE, Calibration, calibrate

QUESTIONS_FILE = "no_answer_queries.txt"


def no_answer_questions() -> list[str]:
    """The shipped questions without answer."""
    lines = (data_folder() / QUESTIONS_FILE).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def described(path: Path) -> list[tuple[str, str]]:
    """`(description, SMILES)` of a table of real text."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [(row["description"], row["smiles"]) for row in rows]


def short_questions(smiles: list[str], seed: int = 0) -> list[tuple[str, str]]:
    """`(name of a class or role, SMILES)`, one per molecule that the library knows."""
    from rdkit import Chem

    from molclip.chem.rdkit_log import capture

    facts, ontology = load_facts(), Ontology.load()
    row_of = {text: row for row, text in enumerate(facts.column("smiles"))}
    random = np.random.default_rng(seed)
    found = []
    with capture():
        canonical = [Chem.MolToSmiles(Chem.MolFromSmiles(text)) for text in smiles]
    for text in canonical:
        if text in row_of:
            fact = facts[row_of[text]]
            terms = [*fact.classes, *fact.roles]
            if terms:
                found.append((ontology.name(terms[random.integers(len(terms))]), text))
    return found


def build(model: MolCLIP, pairs_file: Path, limit: int) -> Calibration:
    """Measure both distributions on the embedded library."""
    pairs = described(pairs_file)
    step = max(1, len(pairs) // limit)
    pairs = pairs[::step]
    short = short_questions([smiles for _, smiles in pairs])
    library = Library.open(model=model)
    return calibrate(
        model,
        [*pairs, *short],
        no_answer_questions(),
        library.best_score,
        library.info().curated_rows or len(library),
        true_source=f"{len(pairs)} descriptions of {pairs_file.name}, {len(short)} class or role "
        "names of the same molecules",
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--model", help="folder; the built-in model where left out")
    parser.add_argument("--limit", type=int, default=1000, help="descriptions to use")
    options = parser.parse_args()
    model = MolCLIP.from_pretrained(options.model)
    calibration = build(model, options.pairs, options.limit)
    assert model.folder is not None
    calibration.save(model.folder / CALIBRATION_FILE)
    marks = [20, 50, 100, 150, 180, 198]
    print("percent      ", "  ".join(f"{mark / 2:6.0f}" for mark in marks))
    print("true pairs   ", "  ".join(f"{calibration.true_pairs[mark]:6.3f}" for mark in marks))
    print("no answer    ", "  ".join(f"{calibration.nonsense[mark]:6.3f}" for mark in marks))


if __name__ == "__main__":
    main()
