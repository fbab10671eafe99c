"""What the functions of the programming interface share: one service, and how molecules are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from molclip.chem.molecule import ParseFailure
from molclip.chem.readers import Record

from . import limits
from .labelling import small_enough

if TYPE_CHECKING:
    from molclip.models.molclip import MoleculeEmbeddings

    from .service import Service

MOST_HITS = 100
MOST_TEXTS = 100
MOST_MOLECULES = 200


class Functions:
    """Functions bound to one service.

    Parameters
    ----------
    service
        Library, model and background.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    def _read(self, texts: list[str]) -> list[Any]:
        """Records of structures, molecules of names; what is neither stays in place as a failure."""
        items: list[Any] = []
        for row, text in enumerate(texts, start=1):
            limit = limits.structure_limit(text)
            if len(text) > limit:
                reason = f"too long: {len(text):,} characters, one structure has {limit:,}."
                items.append(ParseFailure(None, row, None, text[:200], reason))
            elif self._service.knows(text):
                molecule, _ = self._service.read_molecule(text)
                molecule.row = row
                items.append(molecule)
            else:
                items.append(Record(file=None, row=row, id=None, name=None, text=text))
        return items

    def _embedded(self, texts: list[str]) -> MoleculeEmbeddings:
        items = [small_enough(item) for item in self._read(texts)]
        return self._service.library.model.encode_molecules(
            items, time_limit=limits.MOLECULE_SECONDS, total_limit=limits.SECONDS
        )
