"""Build `label_sets.tsv`: the sets of labels that the web demo offers.

    python -m molclip.data.build_label_sets FOLDER [--out FILE]

FOLDER holds the files of the data sets `npclassifier`, `chemfunct`, `chemfunct-classes` and
`odour`. Roles come from the embedded library: those that ChEBI gives, directly or along `is_a`, to
at least `ROLE_MOLECULES` of its curated molecules. Only words are taken, no molecule.

Columns: `set` (short name), `kind` (which sentences stand around a label, a key of
`evaluation.zero_shot.prompts.TEMPLATES`), `label`, and `molecules`, how many of the source have it;
labels with the most molecules first.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from molclip.datasets.facts import load_facts
from molclip.datasets.ontology import ROLE_ROOT, Ontology
from molclip.datasets.registry import load

ROLE_MOLECULES = 30
"""Curated molecules that a role needs."""
COLUMNS = ("set", "kind", "label", "molecules")


def chebi_roles() -> Counter[str]:
    """Curated molecules of each role; roles that only sort other roles are left out."""
    ontology, counts = Ontology.load(), Counter[str]()
    facts = load_facts()
    table = facts.table.select(["roles", "curated"]).to_pydict()
    for roles, curated in zip(table["roles"], table["curated"], strict=True):
        if curated:
            counts.update(ontology.closure(roles))
    return Counter(
        {
            ontology.name(id_): count
            for id_, count in counts.items()
            if count >= ROLE_MOLECULES
            and id_ != ROLE_ROOT
            and ontology.kind(id_) == "role"
            # "biological role", "pharmacological role": headings of the ontology.
            and not ontology.name(id_).endswith(" role")
        }
    )


def label_sets(folder: Path) -> Iterator[tuple[str, str, str, int]]:
    """Rows of the file."""
    products = load("npclassifier", folder)
    for column in ("pathway", "superclass", "class"):
        counts = Counter(filter(None, products[column][:]))
        yield from _rows(f"npclassifier-{column}", "natural product", counts)
    yield from _rows("chebi-roles", "role", chebi_roles())
    uses: Counter[str] = Counter()
    for labels in load("chemfunct", folder)["classes"][:]:
        uses.update(labels)
    known = set(load("chemfunct-classes", folder)["class"][:])
    yield from _rows("uses", "use", Counter({use: uses[use] for use in known if uses[use]}))
    odours: Counter[str] = Counter()
    for labels in load("odour", folder)["descriptors"][:]:
        odours.update(labels)
    yield from _rows("odours", "odour", odours)


def _rows(name: str, kind: str, counts: Counter[str]) -> Iterator[tuple[str, str, str, int]]:
    lowered: Counter[str] = Counter()
    for label, count in counts.items():
        # Capitals that mean something ("EC 3.1 inhibitor", "HIV") stay.
        plain = label if name == "chebi-roles" else _lowered(label)
        lowered[" ".join(plain.split())] += count
    for label, count in sorted(lowered.items(), key=lambda item: (-item[1], item[0])):
        yield name, kind, label, count


def _lowered(label: str) -> str:
    return " ".join(
        word if word[1:].lower() != word[1:] else word.lower() for word in label.split()
    )


def main(argv: list[str] | None = None) -> None:
    """Command line; see the text at the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "label_sets.tsv")
    arguments = parser.parse_args(argv)
    rows = list(label_sets(arguments.folder))
    with arguments.out.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(rows)
    sizes = Counter(row[0] for row in rows)
    print(f"{arguments.out}: {', '.join(f'{name} {size}' for name, size in sizes.items())}")


if __name__ == "__main__":
    main()
