"""One row of input: a molecule that could be read, or the reason why not."""

from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from rdkit.Chem import Mol

_SHOWN = 80


def _unset() -> Any:
    return None


@dataclass(eq=False)
class Molecule:
    """A parsed molecule and the row it came from.

    `mol` may be left out; it is then made from `smiles` (or `cx_smiles`) when first asked for.
    Between processes it travels as RDKit's own binary, so atom order, coordinates and stereo
    groups survive. Two molecules are equal only when they are the same object; compare `smiles`
    or `inchikey`.
    """

    row: int
    """Row in its file, counted from 1 (records, not lines; a header is not a row)."""
    id: str | None
    """The user's own identifier, as written."""
    name: str | None
    input: str
    """The text that was read, unchanged."""
    smiles: str
    """Canonical isomeric SMILES, which parses again."""
    mol: "Mol" = field(default_factory=_unset, repr=False)
    """Sanitised RDKit molecule with implicit hydrogens; atoms in the order of `input`."""
    warnings: tuple[str, ...] = ()
    properties: dict[str, str] = field(default_factory=dict)
    """The other columns or data fields of the row."""
    file: str | None = None
    steps: tuple[str, ...] = ()
    """What standardisation changed, in order; empty when nothing was done."""
    cx_smiles: str | None = None
    """CXSMILES with the enhanced stereo groups, where the input has any."""

    def __post_init__(self) -> None:
        if self.mol is None:
            del self.mol

    def __getattr__(self, attribute: str) -> Any:
        # Only reached for what is not set yet: `mol` after unpickling or drop_mol, `inchikey`.
        if attribute == "mol":
            self.mol = _mol_from_smiles(self.cx_smiles or self.smiles)
            return self.mol
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {attribute!r}")

    @property
    def inchikey(self) -> str | None:
        """Standard InChIKey (27 characters), or None where InChI has no word for the structure."""
        if "_inchikey" not in self.__dict__:
            self.__dict__["_inchikey"] = _inchikey(self.mol)
        return cast("str | None", self.__dict__["_inchikey"])

    def drop_mol(self) -> None:
        """Free the RDKit molecule (some 10 kB); made again from SMILES if it is asked for.

        Its atoms then have the order of the canonical SMILES, and coordinates are gone.
        """
        self.__dict__.pop("mol", None)

    def with_warning(self, *warnings: str) -> "Molecule":
        """Return a copy that carries further warnings."""
        mol = cast("Mol", self.__dict__.get("mol"))
        return replace(self, mol=mol, warnings=(*self.warnings, *warnings))

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if "mol" in state:
            from rdkit.Chem import PropertyPickleOptions

            # With the CIP labels, which the fingerprints look at: private properties of atoms.
            kept = PropertyPickleOptions.AtomProps | PropertyPickleOptions.PrivateProps
            state["mol"] = state["mol"].ToBinary(int(kept))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        binary = state.pop("mol", None)
        self.__dict__.update(state)
        if binary is not None:
            from rdkit.Chem import Mol

            self.mol = Mol(binary)


@dataclass(frozen=True)
class ParseFailure:
    """Why a row has no answer; it stands in the row's place.

    Also used beyond parsing, for a molecule whose features could not be made or took too long.
    """

    file: str | None
    row: int
    """Row in its file, counted from 1 (records, not lines; a header is not a row)."""
    id: str | None
    input: str
    """The text that could not be used, unchanged."""
    reason: str
    """What is wrong, as one sentence that starts with the kind of failure and a colon."""
    hint: str = ""
    """What to do about it, as one sentence; may be empty."""
    name: str | None = None
    properties: dict[str, str] = field(default_factory=dict, compare=False)
    """The other columns of the row, so that it can be written out in its place."""

    @property
    def kind(self) -> str:
        """The kind of failure, which many rows may share: `does not parse`, `empty` …."""
        return self.reason.partition(":")[0].rstrip(".")

    @property
    def where(self) -> str:
        """File, row and id in words: `molecules.csv, row 3, id A7`."""
        parts = [self.file] if self.file else []
        parts.append(f"row {self.row}")
        if self.id is not None:
            parts.append(f"id {self.id}")
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of one line of a failures file."""
        return {
            "file": self.file,
            "row": self.row,
            "id": self.id,
            "name": self.name,
            "input": self.input,
            "reason": self.reason,
            "hint": self.hint,
        }

    def __str__(self) -> str:
        return f"{self.where}: {self.reason} {self.hint} Input: {shorten(self.input)!r}".replace(
            "  ", " "
        )


def is_missing(value: object) -> bool:
    """Whether a value is what tables have in an empty cell: None, NaN, pandas' NA and NaT."""
    if type(value).__name__ in ("NoneType", "NAType", "NaTType"):
        return True
    return isinstance(value, Real) and value != value  # noqa: PLR0124 - true of NaN alone


def shorten(text: str, width: int = _SHOWN) -> str:
    """Return the text on one line, cut to `width` characters with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def cx_smiles(mol: "Mol") -> str | None:
    """Return CXSMILES with the enhanced stereo groups, or None where there are none."""
    if not mol.GetStereoGroups():
        return None
    from rdkit import Chem

    return Chem.MolToCXSmiles(mol, Chem.SmilesWriteParams(), Chem.CXSmilesFields.CX_ENHANCEDSTEREO)


def _mol_from_smiles(smiles: str) -> "Mol":
    from rdkit import Chem

    from molclip.chem.rdkit_log import capture

    with capture():
        mol = Chem.MolFromSmiles(smiles)
    if mol is None:
        raise ValueError(f"the SMILES kept for a molecule does not parse: {smiles!r}")
    return mol


def _inchikey(mol: "Mol") -> str | None:
    from rdkit import Chem

    from molclip.chem.rdkit_log import RDKIT_ERRORS, capture

    with capture():
        try:
            return Chem.MolToInchiKey(mol) or None  # type: ignore[no-untyped-call]
        except RDKIT_ERRORS:
            return None
