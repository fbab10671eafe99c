"""Every function of the page for programs: by gradio_client, by HTTP, and as MCP tools.

The docstrings are what a program, or a language model that uses the tools, reads. This module has
no `from __future__ import annotations`: Gradio makes the schema from the annotations themselves.
"""

import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import gradio as gr
from gradio.events import api

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.readers import Record
from molclip.errors import InputError, MolclipError

from . import arguments as given
from . import limits
from .api_answers import (
    Hits,
    InputReading,
    Labels,
    LabelSetInfo,
    Ranked,
    Ranking,
    Vectors,
    failures_of,
    hit_of,
    labelled_of,
)
from .describing import describing_of
from .label_sets import label_set, label_sets
from .labelling import labeller_of, small_enough
from .labels import labels_of, read_labels, read_templates
from .service import Question, Service

if TYPE_CHECKING:
    from molclip.models.molclip import MoleculeEmbeddings

MOST_HITS = 100
MOST_TEXTS = 100
MOST_MOLECULES = 200

_BROKEN = "Something went wrong inside molclip, not with your input."


class Endpoints:
    """The functions, bound to one service.

    Parameters
    ----------
    service
        Library, model and background.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._labeller = labeller_of(service)

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """Everything that is offered, in the order of the documentation."""
        return (
            self.search,
            self.classify,
            self.describe,
            self.explain,
            self.rank_molecules,
            self.embed_text,
            self.embed_molecules,
            self.read_input,
            self.label_sets,
            self.library_info,
        )

    def search(
        self,
        text: str = "",
        structure: str = "",
        count: int = 10,
        smarts: str = "",
        lightest: float | None = None,
        heaviest: float | None = None,
        curated_only: bool = True,
        text_share: float = 0.5,
    ) -> Hits:
        """Find molecules in the library by words, by name, by structure, or by words and structure.

        Args:
            text: Words that describe the molecules ("bitter alkaloid from cinchona bark"), the name of a molecule, or a SMILES or InChI.
            structure: SMILES, InChI or name of a molecule that the hits should be like as well; may be empty.
            count: How many hits, 1 to 100.
            smarts: SMARTS of a substructure that every hit must have; may be empty.
            lightest: Smallest molecular weight in g/mol, or null.
            heaviest: Largest molecular weight in g/mol, or null.
            curated_only: Only entries that a curator of the source has checked.
            text_share: Weight of the words, 0 to 1, where words and a structure are given.

        Returns:
            How the input was read and the hits, best first. match_level (strong, plausible, weak, none) says whether a hit is better than the best hits of nonsense questions. evidence is "recorded" where the source states what was asked, "predicted" where only the model does.
        """
        low, high = (
            None if value is None else given.number(value, name, 0, 100_000)
            for name, value in (("lightest", lightest), ("heaviest", heaviest))
        )
        answer = self._service.search(
            Question(
                words=given.string(text, "text", limits.MOLBLOCK_LENGTH),
                structure=given.string(structure, "structure", limits.MOLBLOCK_LENGTH),
                count=given.whole(count, "count", 1, MOST_HITS),
                bounds={"mol_weight": (low, high)},
                smarts=given.string(smarts, "smarts", limits.SMARTS_LENGTH),
                curated=given.flag(curated_only, "curated_only"),
                weight=given.number(text_share, "text_share", 0, 1),
            )
        )
        info = answer.result.query
        return {
            "read_as": answer.reading.said,
            "score": info.score,
            "rows_searched": info.rows_searched,
            "remarks": list(info.warnings),
            "similar_names": list(answer.near),
            "hits": [hit_of(record) for record in answer.result.records],
        }

    def classify(
        self,
        molecules: list[str],
        labels: list[str] | None = None,
        label_set: str = "",
        sentences: list[str] | None = None,
        threshold: float = 95.0,
    ) -> Labels:
        """Say which labels fit molecules best, and whether any of them does.

        Args:
            molecules: SMILES, InChI or names, up to 200.
            labels: Labels in your own words, such as ["opioid analgesic", "dye"]. "label = sentence | sentence" gives a label sentences of its own.
            label_set: Key of a ready set of labels instead, see label_sets.
            sentences: Sentences around each label; {} is the label, {a} the label with its article. Null for the usual ones.
            threshold: Percentile, 0 to 100, that the best label must reach; else the answer is "none of these".

        Returns:
            Labels of each molecule, best first. percentile is the share of background molecules, in per cent, that fit the label less well: it compares molecules and is no probability.
        """
        wanted = given.strings(molecules, "molecules", MOST_MOLECULES, limits.MOLBLOCK_LENGTH)
        templates = (
            read_templates("\n".join(given.strings(sentences, "sentences", 12, 400)))
            if (sentences)
            else ()
        )
        if labels and label_set:
            raise InputError("Labels and a set of labels are given.", "Give one of them.")
        remarks: list[str] = []
        if labels:
            written = given.strings(labels, "labels", limits.LABELS, 6_000)
            chosen, remarks = (
                read_labels("\n".join(written), templates)
                if templates
                else read_labels("\n".join(written))
            )
        else:
            key = given.string(label_set, "label_set", 100)
            chosen = labels_of(_set(key), templates) if key else []
        share = given.number(threshold, "threshold", 0, 100) / 100
        made = self._labeller.classify(self._read(wanted), chosen, share)
        return {
            "threshold": 100 * share,
            "background": len(self._service.background),
            "sentences": {label.name: list(label.sentences) for label in made.labels},
            "remarks": remarks,
            "molecules": [labelled_of(record) for record in made.result.to_dict()],
        }

    def describe(self, molecule: str, most: int = 8) -> dict[str, Any]:
        """Say in words what a molecule is and does: classes, roles, uses, definitions, captions.

        Args:
            molecule: SMILES, InChI or name of a molecule.
            most: Most statements of each kind, 1 to 50.

        Returns:
            Statements with their source; evidence is "recorded" where ChEBI states it, "predicted" where only the model ranks it high, "calculated" where it follows from the structure. Where nothing can be said with any confidence, nothing_predicted says so.
        """
        read, said = self._service.read_molecule(
            given.string(molecule, "molecule", limits.MOLBLOCK_LENGTH)
        )
        most = given.whole(most, "most", 1, 50)
        made = describing_of(self._service).describe(read, top=most)
        return {"read_as": said, **made.to_dict()}

    def explain(
        self,
        molecule: str,
        text: str,
        method: Literal["both", "occlusion", "gradient"] = "both",
    ) -> dict[str, Any]:
        """Say which atoms of a molecule and which words of a text carry their match.

        Args:
            molecule: SMILES, InChI or name of a molecule.
            text: The words.
            method: occlusion (what is lost without the part), gradient (integrated gradients), or both.

        Returns:
            Score (cosine), a value for each atom (in the order of the input) and for each word, their sums, and remarks that say where the values are worth less than they look. Positive values raise the match.
        """
        from molclip.explain import explain

        read, said = self._service.read_molecule(
            given.string(molecule, "molecule", limits.MOLBLOCK_LENGTH)
        )
        words = given.string(text, "text", limits.QUERY_LENGTH)
        if method not in ("both", "occlusion", "gradient"):
            raise InputError(
                f"method is {given.shown(method)}.", "Use both, occlusion or gradient."
            )
        made = explain(read, words, model=self._service.library.model, method=method)
        return {"read_as": said, **made.to_dict()}

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

    def embed_text(self, texts: list[str]) -> Vectors:
        """Turn texts into vectors of the space that texts and molecules share.

        Args:
            texts: Up to 100 texts.

        Returns:
            One vector of unit length for each text; its dot product with a molecule's vector is their cosine.
        """
        wanted = given.strings(texts, "texts", MOST_TEXTS, limits.QUERY_LENGTH)
        model = self._service.library.model
        return {
            "model": model.model_hash,
            "dimension": model.dimension,
            "vectors": model.encode_text(wanted).tolist(),
            "failures": [],
        }

    def embed_molecules(self, molecules: list[str]) -> Vectors:
        """Turn molecules into vectors of the space that texts and molecules share.

        Args:
            molecules: SMILES, InChI or names, up to 200.

        Returns:
            One vector of unit length for each molecule, null for one that could not be read, which is then among the failures.
        """
        wanted = given.strings(molecules, "molecules", MOST_MOLECULES, limits.MOLBLOCK_LENGTH)
        made = self._embedded(wanted)
        model = self._service.library.model
        return {
            "model": model.model_hash,
            "dimension": model.dimension,
            "vectors": [
                None if isinstance(item, ParseFailure) else vector.tolist()
                for item, vector in zip(made.molecules, made.vectors, strict=True)
            ],
            "failures": failures_of(made.failures),
        }

    def read_input(self, text: str) -> InputReading:
        """Say how molclip reads an input: as words, as a name, or as a structure.

        Args:
            text: Words, a name, a SMILES, an InChI or a mol block.

        Returns:
            The kind (words, name, smiles, inchi or molblock), a sentence about it, the structure where there is one, and names that are spelled alike where there is none.
        """
        from molclip.chem.sniff import interpret

        words = given.string(text, "text", limits.MOLBLOCK_LENGTH).strip()
        if not words:
            raise InputError("The text is empty.", "Give words, a name or a structure.")
        limits.check_length(
            words, max(limits.QUERY_LENGTH, limits.structure_limit(words)), "The text"
        )
        read = interpret(words, self._service.knows)
        if read.kind == "words":
            return {
                "kind": "words",
                "read_as": "Read as words.",
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

    def label_sets(self, key: str = "") -> list[LabelSetInfo]:
        """List the sets of labels that classify knows, or the labels of one set.

        Args:
            key: Key of a set; empty for all sets without their labels.

        Returns:
            Key, title, source and size of each set; with a key also its labels and the sentences around them.
        """
        wanted = given.string(key, "key", 100)
        sets = [label_set(wanted)] if wanted else list(label_sets().values())
        return [
            {
                "key": found.key,
                "title": found.title,
                "source": found.source,
                "size": len(found.labels),
                "labels": list(found.labels) if wanted else [],
                "sentences": list(found.templates) if wanted else [],
            }
            for found in sets
        ]

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

    def _embedded(self, texts: list[str]) -> "MoleculeEmbeddings":
        items = [small_enough(item) for item in self._read(texts)]
        return self._service.library.model.encode_molecules(items)


def register(service: Service) -> None:
    """Offer every function on the page that is being laid out."""
    for function in Endpoints(service).functions:
        api(
            _answering(function),
            api_name=function.__name__,
            concurrency_limit=2,
            concurrency_id="api",
        )


def _answering(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with plain answers, and with errors that are sentences."""

    @wraps(function)
    def answer(*args: Any, **options: Any) -> Any:
        try:
            return given.plain(function(*args, **options))
        except MolclipError as problem:
            raise gr.Error(str(problem), print_exception=False) from None
        except Exception as problem:
            traceback.print_exception(problem, file=sys.stderr)
            raise gr.Error(_BROKEN, print_exception=False) from None

    return answer


def _set(key: str) -> Any:
    return label_set(key)
