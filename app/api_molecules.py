"""Functions of the programming interface about given molecules and texts; see `endpoints`.

No `from __future__ import annotations`: Gradio makes the schema from the annotations themselves.
"""

from typing import Any

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError

from . import arguments as given
from . import limits
from .api_answers import Labels, LabelSetInfo, Vectors, failures_of, labelled_of
from .api_base import MOST_MOLECULES, MOST_TEXTS, Functions
from .describing import describing_of
from .label_sets import label_set as set_of
from .label_sets import label_sets as all_sets
from .labelling import labeller_of
from .labels import labels_of, read_labels, read_templates


class MoleculeFunctions(Functions):
    """Words and vectors for molecules."""

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
            chosen = labels_of(set_of(key), templates) if key else []
        share = given.number(threshold, "threshold", 0, 100) / 100
        made = labeller_of(self._service).classify(self._read(wanted), chosen, share)
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

    def label_sets(self, key: str = "") -> list[LabelSetInfo]:
        """List the sets of labels that classify knows, or the labels of one set.

        Args:
            key: Key of a set; empty for all sets without their labels.

        Returns:
            Key, title, source and size of each set; with a key also its labels and the sentences around them.
        """
        wanted = given.string(key, "key", 100)
        sets = [set_of(wanted)] if wanted else list(all_sets().values())
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
