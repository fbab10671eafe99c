"""Natural-product classes, uses and odours on molecules that the model has never seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from molclip.evaluation.zero_shot.chebi import table_of
from molclip.evaluation.zero_shot.label_set import LabelSet
from molclip.evaluation.zero_shot.molecules import DataFolder, Strangers
from molclip.evaluation.zero_shot.prompts import TEMPLATES, make_label

MINIMUM = 10
"""Unseen molecules that a label needs: these sets are smaller than ChEBI-20's split."""


def natural_products(data: DataFolder, strangers: Strangers, column: str) -> LabelSet:
    """One level of NPClassifier: `pathway`, `superclass` or `class`.

    One row per structure and label in the file; rows of one structure are joined.
    """
    table = data.table("npclassifier")
    return _label_set(
        data,
        strangers,
        name=f"npc-{column}",
        title=f"NPClassifier {column}",
        kind=column,
        prompt_kind="natural product",
        smiles=table["smiles"][:],
        rows=[{label} if label else set() for label in table[column][:]],
        exclusive=True,
    )


def uses(data: DataFolder, strangers: Strangers) -> LabelSet:
    """Functional uses of ChemFuncT, with the written description of each as a prompt."""
    table = data.table("chemfunct")
    classes = data.table("chemfunct-classes")
    told = dict(zip(classes["class"][:], classes["description"][:], strict=True))
    return _label_set(
        data,
        strangers,
        name="uses",
        title="ChemFuncT uses",
        kind="use",
        prompt_kind="use",
        smiles=table["smiles"][:],
        rows=[set(labels) for labels in table["classes"][:]],
        descriptions={label: text or "" for label, text in told.items()},
    )


def odours(data: DataFolder, strangers: Strangers) -> LabelSet:
    """Words for smells (GoodScents and Leffingwell)."""
    table = data.table("odour")
    return _label_set(
        data,
        strangers,
        name="odours",
        title="Odours",
        kind="odour",
        prompt_kind="odour",
        smiles=table["smiles"][:],
        rows=[set(labels) for labels in table["descriptors"][:]],
    )


def _label_set(
    data: DataFolder,
    strangers: Strangers,
    *,
    name: str,
    title: str,
    kind: str,
    prompt_kind: str,
    smiles: Sequence[str],
    rows: Sequence[set[str]],
    descriptions: Mapping[str, str] | None = None,
    exclusive: bool = False,
) -> LabelSet:
    """Split the rows of a table by whether the model knows their skeleton."""
    keys = data.keys([text or "" for text in smiles])
    structure: dict[str, str] = {}
    held: dict[str, set[str]] = {}
    left_out = 0
    for text, labels, key in zip(smiles, rows, keys, strict=True):
        if not key or not labels:
            left_out += 1
            continue
        structure.setdefault(key, text)
        held.setdefault(key, set()).update(labels)
    measured = [key for key in held if strangers.is_stranger(key)]
    training = [key for key in held if not strangers.is_stranger(key)]
    names = sorted({label for key in measured for label in held[key]})
    told = descriptions or {}
    return LabelSet(
        name=name,
        title=title,
        molecules="molecules whose skeleton the model was not trained on",
        kind=kind,
        labels=[
            make_label(label, label.lower(), prompt_kind, description=told.get(label, ""))
            for label in names
        ],
        smiles=[structure[key] for key in measured],
        truth=table_of([held[key] for key in measured], names),
        training_smiles=[structure[key] for key in training],
        training_truth=table_of([held[key] for key in training], names),
        minimum=MINIMUM,
        templates=TEMPLATES[prompt_kind],
        exclusive=exclusive,
        left_out=left_out,
    )
