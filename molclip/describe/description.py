"""What `describe` gives back: statements, each with its source and what it rests on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule

Kind = Literal["class", "role", "use", "definition", "caption"]
Evidence = Literal["recorded", "predicted", "calculated"]
"""Recorded: ChEBI states it, or it follows from what ChEBI states. Predicted: only the model ranks
it high. Calculated: from the structure, with RDKit."""


@dataclass(frozen=True)
class Statement:
    """One thing that may be said of a molecule."""

    kind: Kind
    text: str
    """Name of a class, role or use; a definition or caption as a sentence."""
    evidence: Evidence
    source: str
    """Who says so, in words."""
    id: str | None = None
    """ChEBI or ChemFuncT id; None for captions. A definition has the id of what it defines."""
    of: str | None = None
    """What a definition defines."""
    score: float | None = None
    """Cosine of the molecule and the text."""
    percentile: float | None = None
    """Percent of the background molecules that fit the text less well, ties counted half."""
    share: float | None = None
    """Share of the source's molecules that have the label, 0 to 1."""
    margin: float | None = None
    """How far the score lies above the one that this share of the background reaches, in standard
    deviations of the label's scores there; see `describing.MARGIN`."""
    via: str | None = None
    """The class whose members have this role, where the source gives it to the class."""
    plain: tuple[str, ...] = ()
    """Everyday words for a class or role, written for molclip."""
    broader: tuple[str, ...] = ()
    """What lies above a class or role, the narrowest first. Of a predicted one: what passes too."""


@dataclass(frozen=True)
class Record:
    """The entry of the source that states the recorded facts."""

    id: str
    name: str
    smiles: str
    exact: bool
    """Whether the structure is the same; else only the InChIKey is (another tautomer or form)."""
    curated: bool


@dataclass(frozen=True, eq=False)
class Description:
    """Words for one molecule."""

    molecule: Molecule
    record: Record | None
    """None where the source has no entry for the molecule."""
    seen: bool | None
    """Whether the model was trained on the molecule; None where that is not known."""
    classes: list[Statement]
    roles: list[Statement]
    uses: list[Statement]
    """Always predicted: the library holds no record of uses."""
    definitions: list[Statement]
    captions: list[Statement]
    properties: dict[str, Any]
    """Calculated, see `chem.descriptors`."""
    margin: float
    """Margin from which a predicted class or role is listed."""
    background: int
    """Number of molecules behind the percentiles."""
    model_hash: str
    remarks: list[str] = field(default_factory=list)

    @property
    def silent(self) -> list[str]:
        """Which of classes, roles and uses have no prediction that passes."""
        listed = {"classes": self.classes, "roles": self.roles, "uses": self.uses}
        return [
            name
            for name, statements in listed.items()
            if not any(statement.evidence == "predicted" for statement in statements)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, strings, lists and dictionaries, ready for JSON."""
        lists = ("classes", "roles", "uses", "definitions", "captions")
        return {
            "input": self.molecule.input,
            "smiles": self.molecule.smiles,
            "inchikey": self.molecule.inchikey,
            "name": self.molecule.name,
            "record": None if self.record is None else asdict(self.record),
            "seen": self.seen,
            **{name: [asdict(entry) for entry in getattr(self, name)] for name in lists},
            "properties": dict(self.properties),
            "nothing_predicted": self.silent,
            "margin": self.margin,
            "background": self.background,
            "model_hash": self.model_hash,
            "remarks": list(self.remarks),
        }
