"""The molecules and facts a training run draws captions from.

Sources are joined by ChEBI id, and label sets to them by InChIKey. What the refusal list names
is left out here and counted; `Corpus.check` is the second, independent gate.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from molclip.datasets.held_out import HELD_OUT_SHARE, is_held_out
from molclip.datasets.local import read_cells
from molclip.datasets.refusal import RefusalList
from molclip.text.facts import MoleculeFacts
from molclip.text.withheld import Withheld, load_withheld

__all__ = ["HELD_OUT_SHARE", "Corpus", "Entry", "GraphTerms", "is_held_out", "load_corpus"]

#: Source of the molecules that only have a name.
NOMENCLATURE = "nomenclature"

#: Relations to a molecule that differs by a proton, the place of one, or its handedness alone.
PARTNER_RELATIONS = (
    "is_conjugate_acid_of",
    "is_conjugate_base_of",
    "is_enantiomer_of",
    "is_tautomer_of",
)


@dataclass(slots=True)
class Entry:
    """One training molecule."""

    id: str
    smiles: str
    inchikey: str
    source: str
    facts: MoleculeFacts = field(default_factory=MoleculeFacts)


@dataclass(slots=True)
class GraphTerms:
    """Names and ancestors of the whole ChEBI graph; what captions need of an ontology."""

    names: dict[str, str]
    parents: dict[str, tuple[str, ...]]
    _above: dict[str, frozenset[str]] = field(default_factory=dict)

    def name(self, term: str) -> str:
        """Name of a term, or its id."""
        return self.names.get(term, term)

    def ancestors(self, term: str) -> frozenset[str]:
        """Everything above a term."""
        if term not in self._above:
            found: set[str] = set()
            todo = list(self.parents.get(term, ()))
            while todo:
                parent = todo.pop()
                if parent not in found:
                    found.add(parent)
                    todo.extend(self.parents.get(parent, ()))
            self._above[term] = frozenset(found - {term})
        return self._above[term]


@dataclass(slots=True)
class Corpus:
    """Training molecules, the ontology that names their facts, and what was left out."""

    entries: list[Entry]
    terms: GraphTerms
    definitions: dict[str, str]
    left_out: Counter[str]
    withheld: Withheld = field(default_factory=Withheld)
    """Labels that the facts do not mention any more, and that captions must not say."""

    def check(self, refusal: RefusalList) -> None:
        """Refuse to go on if any entry is a held-out molecule.

        Raises
        ------
        molclip.errors.DataLeakError
        """
        groups: dict[str, list[Entry]] = {}
        for entry in self.entries:
            groups.setdefault(entry.source, []).append(entry)
        for source, entries in groups.items():
            refusal.check(
                [entry.inchikey for entry in entries],
                source,
                ids=[entry.id for entry in entries],
                skeleton=source != "chebi20",
            )


def load_corpus(
    folder: Path,
    inchikeys: Callable[[list[str]], list[str]],
    refusal: RefusalList | None = None,
    withheld: Withheld | None = None,
    nomenclature: Path | None = None,
) -> Corpus:
    """Join every source in `folder` (the files that `data/README` of the project describes).

    Parameters
    ----------
    folder
        Holds `chebi_molecules.tsv.gz`, `chebi_graph.json.gz` and, as far as wanted, the others.
    inchikeys
        Standard InChIKeys of a list of SMILES, empty where a structure is unreadable.
    refusal
        Held-out molecules; the shipped list by default.
    withheld
        Labels to leave out of every name, label, relation and description; the shipped list by
        default.
    nomenclature
        Names with structures, as `training.nomenclature` writes them; no source by default.

    Raises
    ------
    molclip.errors.InputError
        When a file is missing or damaged.
    """
    refusal = refusal or RefusalList.load()
    withheld = load_withheld() if withheld is None else withheld
    left_out: Counter[str] = Counter()
    graph = _read_graph(folder)
    terms = GraphTerms(
        {entry["id"]: entry["name"] for entry in graph},
        {entry["id"]: tuple(entry.get("relations", {}).get("is_a", ())) for entry in graph},
    )
    relations = {entry["id"]: entry.get("relations", {}) for entry in graph}
    synonyms: dict[str, list[str]] = {}
    for cells in _rows(folder, "chebi_synonyms.tsv.gz"):
        synonyms.setdefault(cells["chebi_id"], []).append(cells["synonym"])
    texts = {c["cid"]: c["description"] for c in _rows(folder, "chebi20_train_text.tsv.gz")}
    in_benchmark = {
        cells["chebi_id"]: cells
        for cells in _rows(folder, "chebi20_train_val.tsv.gz")
        if cells["split"] == "train"
    }
    molecules = list(_rows(folder, "chebi_molecules.tsv.gz"))
    known = {cells["chebi_id"] for cells in molecules}
    rows: list[tuple[str, str, str, str, str]] = []  # id, name, smiles, source, cid
    for cells in molecules:
        chebi_id = cells["chebi_id"]
        joined = in_benchmark.get(chebi_id)
        if joined:
            rows.append((chebi_id, cells["name"], joined["smiles"], "chebi20", joined["cid"]))
        elif cells["chebi20_split"] == "none":
            source = "chebi" if cells["stars3"] == "1" else "chebi-uncurated"
            rows.append((chebi_id, cells["name"], cells["smiles"], source, ""))
    used = {row[4] for row in rows}
    for chebi_id, cells in in_benchmark.items():
        if chebi_id not in known:
            rows.append((chebi_id, cells["name"], cells["smiles"], "chebi20", cells["cid"]))
            used.add(cells["cid"])
    for cells in _rows(folder, "chebi20_pool.tsv.gz"):
        if cells["split"] == "train" and cells["cid"] in texts and cells["cid"] not in used:
            rows.append((f"CID:{cells['cid']}", "", cells["smiles"], "chebi20", cells["cid"]))
    entries: list[Entry] = []
    for row, inchikey in zip(rows, inchikeys([row[2] for row in rows]), strict=True):
        id_, name, smiles, source, cid = row
        if not inchikey:
            left_out["unreadable structure"] += 1
        elif refusal.refuses(inchikey, skeleton=source != "chebi20"):
            left_out["validation or test molecule"] += 1
        elif source != "chebi20" and is_held_out(inchikey):
            left_out["held out for zero-shot"] += 1
        else:
            facts = _facts(relations.get(id_, {}), terms, name, synonyms.get(id_, []))
            if cid in texts:
                facts.texts = (texts[cid],)
            entries.append(Entry(id_, smiles, inchikey, source, facts))
    _add_labels(folder, entries, inchikeys, refusal, left_out)
    if nomenclature is not None:
        _add_names(nomenclature, entries, inchikeys, refusal, left_out)
    entries = _without_withheld(entries, withheld, left_out)
    definitions = {
        cells["chebi_id"]: cells["definition"]
        for cells in _rows(folder, "chebi_definitions.tsv.gz")
    }
    definitions = _class_definitions(definitions, terms, known | set(in_benchmark))
    return Corpus(entries, terms, definitions, left_out, withheld)


def _without_withheld(
    entries: list[Entry], withheld: Withheld, left_out: Counter[str]
) -> list[Entry]:
    """Entries whose facts mention no withheld label; one with nothing left to say is left out."""
    kept = []
    for entry in entries:
        facts = entry.facts = withheld.without(entry.facts)
        if facts.names or facts.classes or facts.roles or facts.labels or facts.texts:
            kept.append(entry)
        else:
            left_out["only withheld labels"] += 1
    return kept


def _facts(
    relations: dict[str, list[str]], terms: GraphTerms, name: str, synonyms: list[str]
) -> MoleculeFacts:
    others = tuple(
        (kind, terms.name(target))
        for kind, targets in relations.items()
        if kind not in ("is_a", "has_role")
        for target in targets
    )
    names = tuple(dict.fromkeys(n for n in (name, *synonyms) if n and len(n) < 200))
    return MoleculeFacts(
        names=names,
        classes=tuple(relations.get("is_a", ())),
        roles=tuple(relations.get("has_role", ())),
        relations=others,
        partners=tuple(target for kind in PARTNER_RELATIONS for target in relations.get(kind, ())),
    )


def _class_definitions(
    definitions: dict[str, str], terms: GraphTerms, molecules: set[str]
) -> dict[str, str]:
    """Definitions of classes and roles only.

    A definition of a single molecule would describe it even if it is held out, so an entry must
    have entries below it and be no molecule itself. What counts as a molecule comes from the
    shipped library too, which holds the test molecules.
    """
    from molclip.datasets.facts import load_facts

    single = molecules | set(load_facts().row_of_id)
    above = {parent for parents in terms.parents.values() for parent in parents}
    return {
        term: text for term, text in definitions.items() if term in above and term not in single
    }


def _add_labels(
    folder: Path,
    entries: list[Entry],
    inchikeys: Callable[[list[str]], list[str]],
    refusal: RefusalList,
    left_out: Counter[str],
) -> None:
    """Attach label sets to known molecules, and add their other molecules as new entries."""
    by_key: dict[str, list[Entry]] = {}
    for entry in entries:
        by_key.setdefault(entry.inchikey, []).append(entry)
    for source, rows in _label_sets(folder):
        for (name, smiles, labels), inchikey in zip(
            rows, inchikeys([row[1] for row in rows]), strict=True
        ):
            if not inchikey:
                left_out["unreadable structure"] += 1
                continue
            if refusal.refuses(inchikey, skeleton=True):
                left_out["validation or test molecule"] += 1
                continue
            known = by_key.get(inchikey)
            if known is None:
                if is_held_out(inchikey):
                    left_out["held out for zero-shot"] += 1
                    continue
                known = [Entry(f"{source}:{inchikey}", smiles, inchikey, source)]
                by_key[inchikey] = known
                entries.extend(known)
            for entry in known:
                facts = entry.facts
                facts.labels = tuple(dict.fromkeys([*facts.labels, *labels]))
                if name and name.lower() not in {n.lower() for n in facts.names}:
                    facts.names = (*facts.names, name)


def _add_names(
    file: Path,
    entries: list[Entry],
    inchikeys: Callable[[list[str]], list[str]],
    refusal: RefusalList,
    left_out: Counter[str],
) -> None:
    """Add molecules that only have a name."""
    rows = [
        (cells["name"], cells["smiles"], cells["relation"], cells["other"])
        for _, cells in read_cells(file)
    ]
    known = {entry.inchikey for entry in entries}
    for row, inchikey in zip(rows, inchikeys([row[1] for row in rows]), strict=True):
        name, smiles, relation, other = row
        if not inchikey:
            left_out["unreadable structure"] += 1
        elif refusal.refuses(inchikey, skeleton=True):
            left_out["validation or test molecule"] += 1
        elif is_held_out(inchikey):
            left_out["held out for zero-shot"] += 1
        elif inchikey not in known:
            known.add(inchikey)
            relations = ((relation, other),) if relation else ()
            facts = MoleculeFacts(names=(name,), relations=relations)
            entries.append(
                Entry(f"{NOMENCLATURE}:{inchikey}", smiles, inchikey, NOMENCLATURE, facts)
            )


def _label_sets(
    folder: Path,
) -> Iterator[tuple[str, list[tuple[str, str, list[tuple[str, str]]]]]]:
    """`(source, rows)` of every label set present; a row is name, SMILES and labels."""
    drugs = []
    for cells in _rows(folder, "drug_mechanisms.tsv.gz"):
        labels = [
            (kind, label)
            for kind, column in (
                ("mechanism", "moa"),
                ("indication", "indication"),
                ("target", "target"),
                ("area", "disease_area"),
            )
            for label in cells[column].split("|")
            if label
        ]
        # Fifty targets of a promiscuous kinase inhibitor would drown its mechanism.
        targets = [label for label in labels if label[0] == "target"][:3]
        labels = [label for label in labels if label[0] != "target"] + targets
        drugs.append((cells["name"].replace("-", " "), cells["smiles"], labels))
    yield "drugs", drugs
    yield (
        "uses",
        [
            (
                cells["name"],
                cells["smiles"],
                [("use", label.lower()) for label in cells["classes"].split("|") if label],
            )
            for cells in _rows(folder, "chemfunct_molecules.tsv.gz")
        ],
    )
    yield (
        "odours",
        [
            ("", cells["smiles"], [("odour", word) for word in cells["descriptors"].split(";")])
            for cells in _rows(folder, "odour_gs_lf.tsv.gz")
        ],
    )
    yield (
        "natural products",
        [
            (
                "",
                cells["smiles"],
                [(kind, cells[kind]) for kind in ("pathway", "superclass", "class") if cells[kind]],
            )
            for cells in _rows(folder, "npclassifier.tsv.gz")
        ],
    )


def _rows(folder: Path, name: str) -> Iterator[dict[str, str]]:
    path = folder / name
    if not path.exists():
        return
    for _, cells in read_cells(path):
        yield cells


def _read_graph(folder: Path) -> list[dict[str, Any]]:
    with gzip.open(folder / "chebi_graph.json.gz", "rt", encoding="utf-8") as handle:
        graph: list[dict[str, Any]] = json.load(handle)
    return graph
