"""Measure match levels: ``match_level.json`` in the model's folder.

    python -m molclip.data.build_match_levels PAIRS.tsv [--model FOLDER]

PAIRS.tsv (gzip allowed) has the columns ``smiles`` and ``description``: real text of molecules the
model was not trained on, such as the ChEBI-20 validation split. A third of it is used, chosen by a
hash of the text; `molclip evaluate calibration` measures the levels on the rest. As many short
questions are added: the bare name of a class or role that ChEBI states for the molecule. Run it
after ``build_vectors``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from molclip.evaluation.calibration.questions import (
    no_answer_questions,
    setting_pairs,
    short_questions,
)
from molclip.models.molclip import MolCLIP
from molclip.search.library import Library
from molclip.search.match_level import CALIBRATION_FILE, Calibration, calibrate


def build(model: MolCLIP, pairs_file: Path) -> Calibration:
    """Measure both distributions on the embedded library."""
    pairs, source = setting_pairs(pairs_file)
    short = short_questions([smiles for _, smiles in pairs])
    library = Library.open(model=model)
    return calibrate(
        model,
        [*pairs, *short],
        no_answer_questions(),
        library.best_score,
        library.info().curated_rows or len(library),
        true_source=f"{source}; {len(short)} class or role names of the same molecules",
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--model", help="folder; the built-in model where left out")
    options = parser.parse_args()
    model = MolCLIP.from_pretrained(options.model)
    calibration = build(model, options.pairs)
    assert model.folder is not None
    calibration.save(model.folder / CALIBRATION_FILE)
    marks = [20, 50, 100, 150, 180, 198]
    print("percent      ", "  ".join(f"{mark / 2:6.0f}" for mark in marks))
    print("true pairs   ", "  ".join(f"{calibration.true_pairs[mark]:6.3f}" for mark in marks))
    print("no answer    ", "  ".join(f"{calibration.nonsense[mark]:6.3f}" for mark in marks))


if __name__ == "__main__":
    main()
