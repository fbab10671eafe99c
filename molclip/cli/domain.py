"""What lies outside the applicability domain, said by the commands that read molecules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule, ParseFailure
    from molclip.models.molclip import MolCLIP, MoleculeEmbeddings
    from molclip.search.applicability import Applicability, MoleculeApplicability
    from molclip.search.domain import Domain
    from molclip.search.library import Library
    from molclip.search.result import SearchResult
    from molclip.search.seen import SeenMolecules

    Verdict = MoleculeApplicability | ParseFailure

COLUMNS = ("domain", "training similarity")
"""Columns of a row that was compared with training molecules."""

_SHOWN = 3
"""Rows that are named."""

DomainOption = Annotated[
    bool,
    typer.Option(
        "--domain/--no-domain",
        help="Compare each molecule with the model's training molecules and say which lie outside "
        "(some 14 ms each). Without, elements and size alone are looked at.",
    ),
]


def columns_of(verdict: Verdict | None) -> dict[str, Any]:
    """`COLUMNS` of one row; None where it has no answer."""
    status = getattr(verdict, "status", None)
    return dict(zip(COLUMNS, (status, getattr(verdict, "similarity", None)), strict=True))


class DomainWatch:
    """Judges the molecules that pass, and says at the end which lie outside.

    Parameters
    ----------
    domain
        Of the model; None where it was not measured.
    seen
        What the model was trained on; such a molecule is never outside.
    judge
        Compares with training molecules; None looks at elements and size only.
    """

    def __init__(
        self,
        domain: Domain | None,
        seen: SeenMolecules | None = None,
        judge: Applicability | None = None,
    ) -> None:
        self._domain = domain
        self._seen = seen
        self._judge = judge if domain is not None else None
        self.molecules = 0
        self.outside: list[tuple[str, str]] = []
        """Which row, and why, of the first few; `number` counts all."""
        self.number = 0

    @property
    def compares(self) -> bool:
        """Whether every molecule gets `COLUMNS`."""
        return self._judge is not None

    def watch(self, block: MoleculeEmbeddings) -> list[Verdict] | None:
        """Judge a block of rows; None where they are not compared with training molecules."""
        from molclip.chem.molecule import ParseFailure

        if self._judge is not None:
            verdicts = self._judge.judge(block)
            for item, verdict in zip(block.molecules, verdicts, strict=True):
                if not isinstance(item, ParseFailure) and not isinstance(verdict, ParseFailure):
                    reasons = verdict.reasons if verdict.status == "outside" else ()
                    self._count(item, reasons)
            return verdicts
        if self._domain is not None:
            for item in block.molecules:
                if not isinstance(item, ParseFailure):
                    found = self._domain.composition(item.smiles)
                    if found and self._seen is not None and item.inchikey in self._seen:
                        found = []
                    self._count(item, [finding.reason for finding in found])
        return None

    def _count(self, molecule: Molecule, reasons: Any) -> None:
        self.molecules += 1
        if reasons:
            self.number += 1
            if len(self.outside) < _SHOWN:
                self.outside.append((f"row {molecule.row}", reasons[0]))

    def summary(self, what: str = "answers for them are worth less") -> str:
        """A sentence; empty when no molecule lies outside."""
        if not self.number:
            return ""
        named = "; ".join(f"{where}: {reason}" for where, reason in self.outside)
        more = "; …" if self.number > len(self.outside) else ""
        if self.molecules == 1:
            return (
                f"The molecule lies outside what the model was trained on ({self.outside[0][1]})."
            )
        lie = "lies" if self.number == 1 else "lie"
        return (
            f"{self.number:,} of {self.molecules:,} molecules {lie} outside what the model was "
            f"trained on; {what} ({named}{more})."
        )


def judge_hits(result: SearchResult, judge: Applicability, *, compare: bool) -> str:
    """Which hits of a search lie outside, as a sentence; empty when none does.

    Parameters
    ----------
    result
        Its records get `COLUMNS` where they are compared.
    judge
        Of the library.
    compare
        Compare hits with training molecules; else elements and size alone are looked at, of hits
        that were not trained on.
    """
    from molclip.chem.molecule import ParseFailure

    domain = judge.domain
    records = result.records
    if domain is None or not records:
        return ""
    found: list[tuple[int, str]] = []
    if compare:
        verdicts = judge.molecules([record["smiles"] for record in records])
        for record, verdict in zip(records, verdicts, strict=True):
            record.update(columns_of(verdict))
            if not isinstance(verdict, ParseFailure) and verdict.status == "outside":
                found.append((record["rank"], verdict.reasons[0]))
    else:
        for record in records:
            reasons = [] if record["seen"] else domain.composition(record["smiles"])
            if reasons:
                found.append((record["rank"], reasons[0].reason))
    if not found:
        return ""
    hits = f"Hit {found[0][0]} lies" if len(found) == 1 else f"{len(found)} hits lie"
    named = "; ".join(
        f"{reason}" if len(found) == 1 else f"{rank}: {reason}" for rank, reason in found[:_SHOWN]
    )
    more = "; …" if len(found) > _SHOWN else ""
    return f"{hits} outside what the model was trained on ({named}{more})."


def domain_watch(model: MolCLIP, library: Library | None) -> DomainWatch:
    """A watch for a model; with a library of it molecules are compared with training molecules."""
    from molclip.search.domain import Domain
    from molclip.search.seen import SeenMolecules

    domain = Domain.beside(model.folder, model.model_hash)
    seen = SeenMolecules.beside(model.folder) if domain is not None else None
    return DomainWatch(domain, seen, None if library is None else library.judge)
