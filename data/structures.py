"""From a ChEBI entry to the SMILES that is shipped."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass

from molclip.data import repair, sources
from rdkit import Chem, RDLogger
from rdkit.Chem import rdMolDescriptors

from molclip.chem.molecule import ParseFailure
from molclip.chem.parallel import guarded_stream

MAX_INCHI = 4000
"""Characters; longer ones are polymers that RDKit needs minutes for."""

TIME_LIMIT = 300.0
"""Seconds for one structure; generous, so that a slow machine gives the same table."""


@dataclass(frozen=True)
class Drawn:
    """A structure as it will be shipped."""

    smiles: str
    inchikey: str
    source: str


def draw(job: tuple[sources.Structure, str | None]) -> Drawn:
    """SMILES of one ChEBI entry: from PubChem's or from the InChI, with its hydrogens mended.

    Parameters
    ----------
    job
        The entry, and the PubChem SMILES with its InChIKey if there is one.

    Returns
    -------
    Drawn
        `source` is `pubchem` (mended or not), `repaired`, `inchi`, or `approximate`:
        read from the InChI with the right formula, but stereo or hydrogens are not all kept.

    Raises
    ------
    ValueError
        Where RDKit cannot read the InChI, or reads another molecule out of it.
    """
    RDLogger.DisableLog("rdApp.*")
    entry, pubchem = job
    if len(entry.inchi) > MAX_INCHI:
        raise ValueError(f"InChI of more than {MAX_INCHI} characters")
    charged = "/p" in entry.inchi or "/q" in entry.inchi
    paired = charged or "zwitterion" in entry.name or "ammonium" in entry.name
    if pubchem and not paired:
        known = Chem.MolFromSmiles(pubchem)
        if known is not None and Chem.MolToInchiKey(known) == entry.inchikey:
            return _drawn(repair.repaired(known, entry.inchikey) or known, "pubchem")
    mol = Chem.MolFromInchi(entry.inchi)
    if mol is None:
        raise ValueError("RDKit cannot read the InChI")
    mended = repair.repaired(mol, entry.inchikey, zwitterion=paired)
    if mended is not None:
        return _drawn(mended, "repaired")
    # Once through SMILES, so that what is shipped is what a reader of the table gets.
    again = Chem.MolFromSmiles(Chem.MolToSmiles(mol))
    if again is None:
        raise ValueError("RDKit cannot read its own SMILES of the InChI")
    found = _drawn(again, "inchi")
    if found.inchikey == entry.inchikey:
        return found
    mended = repair.repaired(again, found.inchikey, zwitterion=paired) or again
    formula = _elements(rdMolDescriptors.CalcMolFormula(mended))
    if formula not in map(_elements, entry.formula.split()):
        raise ValueError("the structure read from the InChI has another formula")
    return _drawn(mended, "approximate")


def draw_all(jobs: list[tuple[sources.Structure, str | None]], workers: int) -> list[Drawn | str]:
    """Draw every entry in worker processes; a reason stands where one could not be drawn."""
    drawn: list[Drawn | str] = []
    for made in guarded_stream(_draw_or_reason, jobs, workers=workers, time_limit=TIME_LIMIT):
        drawn.append(made.reason if isinstance(made, ParseFailure) else made)
        if len(drawn) % 5000 == 0:
            print(f"{len(drawn)} of {len(jobs)} structures", file=sys.stderr, flush=True)
    return drawn


def _draw_or_reason(job: tuple[sources.Structure, str | None]) -> Drawn | str:
    try:
        return draw(job)
    except (ValueError, RuntimeError) as error:
        return str(error).splitlines()[0]


def _drawn(mol: Chem.Mol, source: str) -> Drawn:
    return Drawn(Chem.MolToSmiles(mol), Chem.MolToInchiKey(mol), source)


def _elements(formula: str) -> Counter[str]:
    """Atoms of a formula, `"C2H6O"` or `"C8H6O4.2Na"`; RDKit's charge, at the end, is left out."""
    atoms: Counter[str] = Counter()
    for part in re.sub(r"[+-]\d*$", "", formula).split("."):
        body = part.lstrip("0123456789")
        times = int(part.removesuffix(body) or 1)
        for element, count in re.findall(r"([A-Z][a-z]?)(\d*)", body):
            atoms[element] += int(count or 1) * times
    return atoms
