"""Functions of the programming interface around the library; see `endpoints`.

No `from __future__ import annotations`: Gradio makes the schema from the annotations themselves.
"""

import math
from typing import Any

from molclip.chem.molecule import Molecule
from molclip.errors import InputError

from . import arguments as given
from . import limits
from .api_answers import Hits, InputReading, Ranked, Ranking, failures_of, hit_of
from .api_base import MOST_HITS, MOST_MOLECULES, MOST_TEXTS, Functions
from .question import NUMBERS, WHOLE, Bound
from .reading import how_read, trimmed
from .service import Question


class SearchFunctions(Functions):
    """Finding and ordering molecules."""

    def search(
        self,
        text: str = "",
        structure: str = "",
        count: int = 10,
        page: int = 1,
        smarts: str = "",
        bounds: dict[str, list[float | None]] | None = None,
        sort: str = "",
        curated_only: bool = True,
        text_share: float = 0.5,
        recorded_only: bool = False,
    ) -> Hits:
        """Find molecules in the library by words, by name, by structure, or by words and structure.

        Args:
            text: Words that describe the molecules ("bitter alkaloid from cinchona bark"), the name of a molecule, a SMILES or InChI, an InChIKey, or a formula.
            structure: SMILES, InChI or name of a molecule that the hits should be like as well; may be empty.
            count: How many hits, 1 to 100.
            page: Which part of the hits, 1 for the first; pages go down to hit 1,000.
            smarts: SMARTS of a substructure that every hit must have; may be empty.
            bounds: Lowest and highest value of columns with numbers, null for no bound: {"mol_weight": [200, 400], "logp": [null, 3]}. library_info lists the columns.
            sort: name, or the column of numbers to order the best 200 hits by, with a hyphen before it from high to low; empty for the best match first.
            curated_only: Only entries that a curator of the source has checked.
            text_share: Weight of the words, 0 to 1, where words and a structure are given.
            recorded_only: Only molecules of which the source states what is asked; the text must name a class or role of the source.

        Returns:
            How the input was read and the hits, best first; more says whether there is a next page. match_level (strong, plausible, weak, none) says whether a hit is better than the best hits of nonsense questions, and is null where a hit has the very name asked for. evidence is "recorded" where the source states what was asked, "predicted" where only the model does.
        """
        answer = self._service.search(
            Question(
                words=given.string(text, "text", limits.MOLBLOCK_LENGTH),
                structure=given.string(structure, "structure", limits.MOLBLOCK_LENGTH),
                count=given.whole(count, "count", 1, MOST_HITS),
                page=given.whole(page, "page", 1, 1_000),
                bounds=self._bounds(bounds),
                sort=given.string(sort, "sort", 200),
                smarts=given.string(smarts, "smarts", limits.SMARTS_LENGTH),
                curated=given.flag(curated_only, "curated_only"),
                recorded=given.flag(recorded_only, "recorded_only"),
                weight=given.number(text_share, "text_share", 0, 1),
            )
        )
        info = answer.result.query
        return {
            "read_as": answer.reading.said,
            "score": info.score,
            "rows_searched": info.rows_searched,
            "remarks": [*info.notes, *info.warnings],
            "similar_names": list(answer.near),
            "more": answer.more,
            "hits": [hit_of(record) for record in answer.result.records],
        }

    def _bounds(self, written: Any) -> dict[str, Bound]:
        """Bounds of columns of numbers, checked."""
        if written is None:
            return {}
        if not isinstance(written, dict):
            raise InputError(
                f"bounds is {given.shown(written)}.", 'Give an object: {"mol_weight": [200, 400]}.'
            )
        columns = self._service.library.columns
        numeric = [name for name, kind in columns.items() if kind in NUMBERS]
        made: dict[str, Bound] = {}
        for column, ends in written.items():
            if column not in numeric:
                raise InputError(
                    f"The library has no column of numbers {column!r}.",
                    f"It has {', '.join(numeric)}.",
                )
            if not isinstance(ends, list | tuple) or len(ends) != 2:
                raise InputError(
                    f"bounds of {column} is {given.shown(ends)}.",
                    "Give the lowest and the highest value, null for no bound.",
                )
            low, high = (
                None if end is None else given.number(end, f"A bound of {column}", -1e12, 1e12)
                for end in ends
            )
            if columns[column] in WHOLE:
                # The library compares whole numbers with whole numbers only.
                low = None if low is None else math.ceil(low)
                high = None if high is None else math.floor(high)
            made[column] = (low, high)
        return made

    def rank_molecules(self, text: str, molecules: list[str]) -> Ranking:
        """Order your own molecules by how well they fit a text.

        Args:
            text: Words that describe what is looked for.
            molecules: SMILES, InChI or names, up to 200.

        Returns:
            Molecules, best first, with cosine and percentile (how many molecules of the library, in per cent, fit the text less well), and the rows that could not be read.
        """
        words = given.string(text, "text", limits.QUERY_LENGTH)
        if not words.strip():
            raise InputError("The text is empty.", "Describe a molecule in words.")
        wanted = given.strings(molecules, "molecules", MOST_MOLECULES, limits.MOLBLOCK_LENGTH)
        from molclip.models.zero_shot import percentiles_among

        made = self._embedded(wanted)
        vector = self._service.library.model.encode_text([words]).T
        scores = made.vectors @ vector
        percentiles = 100 * percentiles_among(scores, self._service.background @ vector)
        found: list[Ranked] = [
            {
                "row": item.row,
                "input": item.input,
                "smiles": item.smiles,
                "score": float(scores[place, 0]),
                "percentile": float(percentiles[place, 0]),
            }
            for place, item in enumerate(made.molecules)
            if isinstance(item, Molecule)
        ]
        found.sort(key=lambda entry: -entry["score"])
        return {"text": words, "molecules": found, "failures": failures_of(made.failures)}

    def read_input(self, text: str) -> InputReading:
        """Say how molclip reads an input: as words, as a name, or as a structure.

        Args:
            text: Words, a name, a SMILES, an InChI or a mol block.

        Returns:
            The kind (words, name, identifier for a formula or an InChIKey, smiles, inchi or molblock), a sentence about it, the structure where there is one, and names that are spelled alike where there is none.
        """
        from molclip.chem.sniff import interpret

        words = trimmed(given.string(text, "text", limits.MOLBLOCK_LENGTH))
        if not words:
            raise InputError("The text is empty.", "Give words, a name or a structure.")
        limits.check_length(
            words, max(limits.QUERY_LENGTH, limits.structure_limit(words)), "The text"
        )
        read = interpret(words, self._service.knows, self._service.identifier)
        # Several molecules may share an identifier, or none have it.
        if read.kind in ("words", "identifier"):
            return {
                "kind": read.kind,
                "read_as": how_read(read),
                "smiles": None,
                "inchikey": None,
                "name": None,
                "similar_names": self._service.similar_names(words),
            }
        molecule, said = self._service.read_molecule(words)
        return {
            "kind": read.kind,
            "read_as": said,
            "smiles": molecule.smiles,
            "inchikey": molecule.inchikey,
            "name": molecule.name,
            "similar_names": [],
        }

    def library_info(self) -> dict[str, Any]:
        """Say what is searched and by which model, and what one call may send.

        Returns:
            Number of molecules, their source and licence, columns, model, versions, and limits.
        """
        told = self._service.library.info().to_dict()
        # Where the files lie is nobody's business.
        for private in ("path", "failures_file", "report"):
            told.pop(private)
        told["limits"] = {
            "hits": MOST_HITS,
            "texts": MOST_TEXTS,
            "molecules": MOST_MOLECULES,
            "labels": limits.LABELS,
            "characters_of_a_text": limits.QUERY_LENGTH,
            "characters_of_a_structure": limits.STRUCTURE_LENGTH,
            "heavy_atoms": limits.HEAVY_ATOMS,
            "seconds": limits.SECONDS,
        }
        return told
