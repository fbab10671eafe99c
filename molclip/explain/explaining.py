"""Explain one match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from molclip.chem.inputs import gathered, input_of
from molclip.chem.molecule import ParseFailure, shorten
from molclip.chem.parallel import as_molecule
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
from molclip.errors import InputError
from molclip.explain.explanation import Explanation
from molclip.text.words import content_words

if TYPE_CHECKING:
    from molclip.chem.feature_atoms import FeatureAtoms
    from molclip.chem.inputs import Kind
    from molclip.chem.molecule import Molecule
    from molclip.explain.attribution import Attribution
    from molclip.models.molclip import MolCLIP

Method = Literal["occlusion", "gradient", "both"]

# Below it a rank correlation of so many parts or more counts as disagreement.
_AGREED, _ENOUGH = 0.3, 5
# Errors of a sum that are told: a hundredth of the difference, and more than rounding.
_SHARE, _ROUNDING = 0.01, 1e-4


def explain(
    molecule: Any,
    text: str,
    *,
    model: MolCLIP | str | None = None,
    method: Method = "both",
) -> Explanation:
    """Say which atoms and which words carry the match of a molecule and a text.

    Parameters
    ----------
    molecule
        SMILES, InChI or mol block as text, a `Molecule`, or an RDKit molecule.
    text
        The words.
    model
        A loaded model, its name or its folder; the built-in one by default.
    method
        `occlusion`, `gradient` (integrated gradients) or `both`; see `explain.atoms` and
        `explain.words`.

    Returns
    -------
    Explanation

    Raises
    ------
    InputError
        When the molecule cannot be read, the text is empty, or there is no such method.
    ModelError
        When there is no such model.

    Examples
    --------
    >>> from molclip.explain import explain
    >>> explained = explain("CC(=O)Oc1ccccc1C(=O)O", "anti-inflammatory drug")
    >>> len(explained.atoms.gradient), explained.words
    (13, ['anti-inflammatory', 'drug'])
    """
    if method not in get_args(Method):
        raise InputError(
            f"Unknown method {method!r}.", f"Use one of {', '.join(get_args(Method))}."
        )
    read = as_molecule(molecule)
    if isinstance(read, ParseFailure):
        raise InputError(
            f"The molecule {shorten(read.input)!r} cannot be explained: {read.reason}",
            read.hint or "Check the structure.",
        )
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"The text {text!r} is empty.", "Say what the molecule should be.")
    from molclip.explain.atoms import atom_attribution
    from molclip.explain.words import read_text, text_vector, word_attribution

    loaded = _loaded(model)
    wanted: dict[str, bool] = {
        "occlusion": method != "gradient",
        "gradient": method != "occlusion",
    }
    reading = read_text(loaded, text)
    made, owners = _inputs(read, loaded.kind)
    molecule_vector = loaded.encode_features(gathered([made], loaded.kind))[0]
    atoms = atom_attribution(loaded, made, owners, text_vector(loaded, reading), **wanted)
    words = word_attribution(loaded, reading, molecule_vector, **wanted)
    remarks = [*read.warnings, *_of_words(loaded, text, reading.unread)]
    remarks += _of_sums({"atoms": atoms, "words": words})
    return Explanation(
        read, text, atoms.score, atoms, reading.words, words, loaded.model_hash, tuple(remarks)
    )


def _loaded(model: MolCLIP | str | None) -> MolCLIP:
    if model is not None and not isinstance(model, str):
        return model
    from molclip.models.molclip import MolCLIP

    return MolCLIP.from_pretrained(model)


def _inputs(molecule: Molecule, kind: Kind) -> tuple[Any, FeatureAtoms | None]:
    """Input of the molecule encoder, and where its counts come from."""
    from molclip.chem.feature_atoms import feature_atoms

    with capture():
        try:
            made = input_of(molecule.mol, kind)
            return made, None if kind == "graph" else feature_atoms(molecule.mol)
        except RDKIT_ERRORS as error:
            raise InputError(
                f"RDKit cannot handle {shorten(molecule.smiles)}: {' '.join(str(error).split())}.",
                "Check the structure in a drawing program.",
            ) from error


def _of_words(model: MolCLIP, text: str, unread: list[str]) -> list[str]:
    remarks = []
    if unread:
        remarks.append(
            f"the model reads {model.tokenizer.max_tokens} pieces of a text; not read: "
            f"{shorten(' '.join(unread))}"
        )
    known = model.known_words
    if known is not None:
        strange = [
            word
            for word in dict.fromkeys(content_words(text))
            if word not in known and word.removesuffix("s") not in known
        ]
        if strange:
            remarks.append(f"words the model has never met: {shorten(', '.join(strange))}")
    return remarks


def _of_sums(attributions: dict[str, Attribution]) -> list[str]:
    """What the reader must know before trusting the numbers."""
    remarks = []
    for what, found in attributions.items():
        error, difference, agreement = found.error, found.difference, found.agreement
        if (
            error is not None
            and difference
            and abs(error) > max(_SHARE * abs(difference), _ROUNDING)
        ):
            remarks.append(
                f"the gradients of the {what} sum to {difference + error:+.4f} instead of "
                f"{difference:+.4f}: the integration did not converge"
            )
        if agreement is not None and found.parts >= _ENOUGH and agreement < _AGREED:
            remarks.append(
                f"the two methods disagree about the {what} (rank correlation {agreement:.2f}); "
                "trust neither map much"
            )
    return remarks
