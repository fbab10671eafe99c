"""Measure what lies inside the applicability domain: ``applicability.json`` in the model's folder.

    python -m molclip.data.build_applicability PAIRS.tsv [--model FOLDER] [--library FOLDER]

PAIRS.tsv is that of ``build_match_levels``, and the same third of it is used: its molecules and
texts are the held-out ones that set the thresholds. Training molecules are the rows of the library
that the model was trained on; for a model of your own, name a library that was built with it from
its training molecules. Run it after ``build_vectors``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from molclip.evaluation.calibration.questions import setting_pairs, short_questions
from molclip.models.molclip import MolCLIP
from molclip.search.domain import DOMAIN_FILE
from molclip.search.domain_measure import measure_domain
from molclip.search.library import Library
from molclip.search.quantiles import value_at


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--model", help="folder; the built-in model where left out")
    parser.add_argument("--library", help="folder; the embedded library where left out")
    options = parser.parse_args()
    model = MolCLIP.from_pretrained(options.model)
    library = Library.open(options.library, model)
    pairs, source = setting_pairs(options.pairs)
    molecules = [smiles for _, smiles in pairs]
    short = short_questions(molecules)
    domain = measure_domain(
        library,
        molecules,
        [text for text, _ in (*pairs, *short)],
        source=f"{source}; {len(short)} class or role names of the same molecules",
    )
    assert model.folder is not None
    domain.save(model.folder / DOMAIN_FILE)
    for name in ("similarity", "cosine", "candidates", "unknown"):
        known = getattr(domain, name)
        if known:
            shown = "  ".join(f"{value_at(known, mark):9.3f}" for mark in (1, 5, 50, 95, 99))
            print(f"{name:12}", shown, "  (1, 5, 50, 95, 99 %)")
    print(f"{domain.training:,} training molecules; heavy atoms {domain.heavy_atoms}")


if __name__ == "__main__":
    main()
