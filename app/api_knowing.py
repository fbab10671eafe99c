"""Functions of the programming interface about why, and how far, answers can be trusted.

No `from __future__ import annotations`: Gradio makes the schema from the annotations themselves.
"""

from dataclasses import asdict
from typing import Any, Literal

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError, ModelError

from . import arguments as given
from . import limits
from .api_answers import CounterAnswer, Domain, PictureHit, Pictures, failures_of
from .api_base import MOST_MOLECULES, MOST_TEXTS, Functions
from .explaining import above, counter, read_match
from .model_facts import model_facts
from .picture_search import MOLECULES, Ranked, picture_search_of


class KnowingFunctions(Functions):
    """Explanations, limits, comparisons."""

    def explain(
        self,
        molecule: str,
        text: str,
        method: Literal["both", "occlusion", "gradient"] = "both",
    ) -> dict[str, Any]:
        """Say which atoms of a molecule and which words of a text carry their match.

        Args:
            molecule: SMILES, InChI or name of a molecule of up to 120 atoms.
            text: The words.
            method: occlusion (what is lost without the part), gradient (integrated gradients), or both.

        Returns:
            Score (cosine), percentile (how many molecules of the library, in per cent, match less well), a value for each atom (in the order of the input) and for each word, their sums, and remarks that say where the values are worth less than they look. Positive values raise the match.
        """
        from molclip.explain import explain

        if method not in ("both", "occlusion", "gradient"):
            raise InputError(
                f"method is {given.shown(method)}.", "Use both, occlusion or gradient."
            )
        match = read_match(
            self._service,
            given.string(molecule, "molecule", limits.MOLBLOCK_LENGTH),
            given.string(text, "text", limits.QUERY_LENGTH),
        )
        made = explain(match.molecule, match.text, model=self._service.library.model, method=method)
        share = above(self._service, match, made.score)
        return {"read_as": match.said, "percentile": 100 * share, **made.to_dict()}

    def counter_example(self, molecule: str, text: str) -> CounterAnswer:
        """Find the molecule of the library that is closest in structure and matches a text clearly less.

        Args:
            molecule: SMILES, InChI or name of a molecule that matches the text.
            text: The words.

        Returns:
            The neighbour with its score, its similarity (count Tanimoto) and what only one of the two has; found is false where everything so close matches about as well.
        """
        match = read_match(
            self._service,
            given.string(molecule, "molecule", limits.MOLBLOCK_LENGTH),
            given.string(text, "text", limits.QUERY_LENGTH),
        )
        made = counter(self._service, match)
        if made is None:
            return {"found": False, "read_as": match.said, "counter_example": None}
        apart = made.difference
        return {
            "found": True,
            "read_as": match.said,
            "counter_example": {
                "id": made.record.get("id"),
                "name": made.record.get("name"),
                "smiles": made.molecule.smiles,
                "similarity": made.similarity,
                "score": made.score,
                "score_of_the_molecule": made.own_score,
                "deviation": made.deviation,
                "only_in_the_molecule": [[name, count] for name, count in apart.first_groups],
                "only_in_the_counter_example": [
                    [name, count] for name, count in apart.second_groups
                ],
            },
        }

    def applicability(
        self, molecules: list[str] | None = None, texts: list[str] | None = None
    ) -> Domain:
        """Say of molecules and texts whether they are of the kind that the model was trained on.

        Args:
            molecules: SMILES, InChI or names, up to 200; or null.
            texts: Up to 100 texts; or null.

        Returns:
            For each a status (inside, edge, outside, or "not known" where nothing was measured), reasons, and what they rest on: similarity to the nearest training molecule, unusual elements, size; unknown words, length, flat scores.
        """
        library = self._service.library
        judged: list[Any] = []
        if molecules:
            wanted = given.strings(molecules, "molecules", MOST_MOLECULES, limits.MOLBLOCK_LENGTH)
            judged = list(library.judge.judge(self._embedded(wanted)))
        said = (
            library.text_applicability(
                given.strings(texts, "texts", MOST_TEXTS, limits.QUERY_LENGTH)
            )
            if texts
            else []
        )
        if not judged and not said:
            raise InputError("Nothing is asked.", "Give molecules, texts, or both.")
        return {
            "molecules": [
                None if isinstance(entry, ParseFailure) else entry.to_dict() for entry in judged
            ],
            "texts": [entry.to_dict() for entry in said],
            "failures": failures_of([e for e in judged if isinstance(e, ParseFailure)]),
        }

    def compare_with_pictures(self, text: str, count: int = 8) -> Pictures:
        """Ask molclip and open_clip, which sees drawings of molecules, the same over 300 molecules.

        Args:
            text: Words that describe molecules.
            count: How many of the 300, 1 to 300.

        Returns:
            Both rankings with the seconds they took; pictures is null where this server has no weights of open_clip, and absent says why. recorded says whether the source states what was asked; null where the words name no class or role.
        """
        asked = given.string(text, "text", limits.QUERY_LENGTH)
        most = given.whole(count, "count", 1, MOLECULES)
        pictures = picture_search_of(self._service)
        model: Any
        try:
            model = pictures.baseline()
            for _ in pictures.prepare(model):
                pass
        except ModelError as problem:
            model = problem
        made = pictures.compare(asked, model)

        def hits(side: Ranked) -> list[PictureHit]:
            return [
                {
                    "rank": rank,
                    "id": pictures.records[at].get("id"),
                    "name": pictures.records[at].get("name"),
                    "smiles": pictures.records[at]["smiles"],
                    "score": float(side.scores[at]),
                    "recorded": None if made.recorded is None else bool(made.recorded[at]),
                }
                for rank, at in enumerate(side.order[:most].tolist(), start=1)
            ]

        return {
            "text": made.text,
            "remarks": list(made.remarks),
            "molclip": hits(made.molclip),
            "molclip_seconds": made.molclip.seconds,
            "pictures": None if made.pictures is None else hits(made.pictures),
            "pictures_seconds": None if made.pictures is None else made.pictures.seconds,
            "absent": None if made.absent is None else str(made.absent),
        }

    def model_info(self) -> dict[str, Any]:
        """Say what the model is, how it was trained and measured, and how its vectors lie.

        Returns:
            Name, size, temperature, the sections of its model card as Markdown, figures of its representation and the history of its training run; what is not there has a sentence under missing.
        """
        return asdict(model_facts(self._service))
