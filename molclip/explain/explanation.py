"""What `explain` gives back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.errors import InputError

if TYPE_CHECKING:
    import os

    from molclip.chem.molecule import Molecule
    from molclip.explain.attribution import Attribution

SUFFIXES = (".svg", ".png", ".json")


@dataclass(frozen=True, eq=False)
class Explanation:
    """Which atoms and which words carry a match."""

    molecule: Molecule
    text: str
    score: float
    """Cosine similarity of the molecule and the text."""
    atoms: Attribution
    """By atom, in the order of `molecule.mol`, which is that of the input."""
    words: list[str]
    """The words of the text, in order."""
    word_values: Attribution
    """By word, in the order of `words`."""
    model_hash: str
    remarks: tuple[str, ...] = ()
    """What may make the values worth less than they look."""

    @property
    def agreement(self) -> float | None:
        """Rank correlation over the atoms of occlusion and integrated gradients."""
        return self.atoms.agreement

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, strings, lists and dictionaries, ready for JSON."""
        mol = self.molecule.mol
        atoms = [
            {"index": index, "symbol": mol.GetAtomWithIdx(index).GetSymbol(), **values}
            for index, values in enumerate(_rows(self.atoms, mol.GetNumAtoms()))
        ]
        words = [
            {"word": word, **values}
            for word, values in zip(
                self.words, _rows(self.word_values, len(self.words)), strict=True
            )
        ]
        return {
            "input": self.molecule.input,
            "smiles": self.molecule.smiles,
            "text": self.text,
            "score": self.score,
            "model": self.model_hash,
            "atoms": atoms,
            "atom_sums": _sums(self.atoms),
            "words": words,
            "word_sums": _sums(self.word_values),
            "remarks": list(self.remarks),
        }

    def to_json(self) -> str:
        """`to_dict` as a JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    def to_svg(self) -> str:
        """The figure as one `<svg>` element: structures by method, words, sums and legend."""
        from molclip.explain.figure import figure
        from molclip.explain.figure_svg import svg

        return svg(figure(self))

    def to_png(self) -> bytes:
        """The same figure in pixels, two per unit of the SVG, on white."""
        from molclip.explain.figure import figure
        from molclip.explain.figure_png import png

        return png(figure(self))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file; its extension (.svg, .png, .json) says what.

        Raises
        ------
        InputError
            For another extension, or a folder that is not there.
        """
        check_target(path)
        suffix = Path(path).suffix.lower()
        if suffix == ".png":
            Path(path).write_bytes(self.to_png())
        else:
            made = self.to_svg() if suffix == ".svg" else self.to_json()
            Path(path).write_text(made, encoding="utf-8")


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a file that `Explanation.save` cannot write, before any work is done.

    Raises
    ------
    InputError
        For another extension than `SUFFIXES`, or a folder that is not there.
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"An explanation cannot be written as {target.name}.",
            f"Use one of {', '.join(SUFFIXES)}.",
        )
    if not target.absolute().parent.is_dir():
        raise InputError(f"There is no folder {target.parent}.", "Make it first.")


def _rows(found: Attribution, count: int) -> list[dict[str, float | None]]:
    methods = {"occlusion": found.occlusion, "gradient": found.gradient}
    return [
        {name: None if values is None else float(values[place]) for name, values in methods.items()}
        for place in range(count)
    ]


def _sums(found: Attribution) -> dict[str, Any]:
    """What integrated gradients add up to, and how the methods agree."""
    return {
        "baseline": found.baseline,
        "difference": found.difference,
        "attributed": None if found.gradient is None else float(found.gradient.sum()),
        "remainder": found.remainder,
        "error": found.error,
        "steps": found.steps,
        "agreement": found.agreement,
    }
