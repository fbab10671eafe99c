"""Standardisation profiles: what is changed about a molecule before it is embedded, and why.

Charge, salts, isotopes, stereo and tautomers carry meaning, so nothing is changed by default.
Each step that changed a molecule is named in `Molecule.steps`. No profile touches isotopes,
tautomers or defined stereo.

============  =========================================================  =======================
step          chemistry                                                  example
============  =========================================================  =======================
atom maps     Numbers that pair atoms across a reaction say nothing      ``[CH3:1][OH:2]`` → CO
              about one molecule.
ionic metals  Alkali and alkaline-earth metals bond ionically; a drawn   ``[Na]OC(C)=O`` →
              line to O, S, N or a halogen becomes two charges. Other    ``[Na+].CC(=O)[O-]``
              metals keep their bonds: cisplatin stays whole.
groups        One drawing for groups that have several: sulfoxides,        ``C[S+](C)[O-]`` →
              sulfones and phosphine oxides uncharged, azide and diazo   ``CS(C)=O``
              as ``=[N+]=[N-]``. (Nitro groups drawn with five bonds
              are set right on reading, whatever the profile.)
parent        The largest organic part stands for the substance:         amine·HCl → amine
              counter-ions, solvents and water go.
neutral       Protons are added or taken until acids and bases are       ``CC(=O)[O-]`` →
              uncharged; quaternary nitrogen and zwitterions that        ``CC(=O)O``
              charges that have no proton to give stay.
============  =========================================================  =======================
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rdkit import Chem

from molclip.chem.molecule import Molecule, cx_smiles
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
from molclip.errors import InputError

if TYPE_CHECKING:
    from rdkit.Chem import Mol

PROFILES = {
    "none": "as written; only explicit hydrogens become implicit",
    "light": "atom maps off, ionic metals as ions, one drawing of each functional group",
    "parent": "light, then the largest organic part, neutralised",
}
"""What each profile does, in one line; also written into a library's manifest."""

_IONIC = "[Li,Na,K,Rb,Cs,Ca,Sr,Ba]"
_GROUPS = {
    "chalcogen and pnictogen oxides, two charges": "[S,Se;+2:1][O;-1;X1:2]>>[*+1:1]=[*+0:2]",
    "chalcogen and pnictogen oxides": "[S,Se,P,As;+1:1][O,S;-1;X1:2]>>[*+0:1]=[*+0:2]",
    "azide": "[#6,#7,#16:4][N;-1;X2:1][N;+1:2]#[N;+0:3]>>[*:4][*+0:1]=[*+1:2]=[*-1:3]",
    "diazo": "[C;-1;X3:1][N;+1:2]#[N;+0:3]>>[*+0:1]=[*+1:2]=[*-1:3]",
}


def check_profile(profile: str) -> None:
    """Refuse a profile that does not exist.

    Raises
    ------
    InputError
        When `profile` is none of `PROFILES`.
    """
    if profile not in PROFILES:
        raise InputError(
            f"Unknown standardisation profile {profile!r}.", f"Use one of {', '.join(PROFILES)}."
        )


def standardize(molecule: Molecule, profile: str = "none") -> Molecule:
    """Apply a profile; the row, id, name and input of the molecule stay.

    A molecule that RDKit cannot standardise comes back as written, with a warning.

    Raises
    ------
    InputError
        When `profile` is none of `PROFILES`.

    Examples
    --------
    >>> from molclip.chem.parse import parse_molecule
    >>> parent = standardize(parse_molecule("C[NH3+].[Cl-]"), "parent")
    >>> parent.smiles, parent.steps
    ('CN', ('parent: kept C[NH3+], left out [Cl-]', 'neutral: charge +1 to 0'))
    """
    check_profile(profile)
    if profile == "none":
        return molecule
    mol = molecule.mol
    smiles = molecule.smiles
    done: list[str] = []
    with capture():
        try:
            for step in _STEPS[profile]:
                changed = step.change(Chem.Mol(mol))
                after = Chem.MolToSmiles(changed)
                if after != smiles:
                    done.append(f"{step.name}: {step.said(smiles, after)}")
                    mol, smiles = changed, after
            if Chem.MolFromSmiles(smiles) is None:
                raise ValueError(f"its result {smiles} does not parse")
        except RDKIT_ERRORS as error:
            said = " ".join(str(error).split())
            return molecule.with_warning(f"not standardised ({profile}), kept as written: {said}")
    if not done:
        return molecule
    return replace(
        molecule,
        smiles=smiles,
        mol=mol,
        steps=(*molecule.steps, *done),
        cx_smiles=cx_smiles(mol),
    )


class _Step(NamedTuple):
    name: str
    change: Callable[["Mol"], "Mol"]
    said: Callable[[str, str], str]
    """Words for what happened, from the SMILES before and after."""


def _without_maps(mol: "Mol") -> "Mol":
    for atom in mol.GetAtoms():
        atom.SetAtomMapNum(0)
    return mol


@cache
def _metal_disconnector() -> Any:
    from rdkit.Chem.MolStandardize import rdMolStandardize

    disconnector = rdMolStandardize.MetalDisconnector()
    disconnector.SetMetalNof(Chem.MolFromSmarts(f"{_IONIC}~[N,O,F]"))
    disconnector.SetMetalNon(Chem.MolFromSmarts(f"{_IONIC}~[S,Se,Cl,Br,I]"))
    return disconnector


@cache
def _normalizer() -> Any:
    from rdkit.Chem.MolStandardize import rdMolStandardize

    data = "".join(f"{name}\t{reaction}\n" for name, reaction in _GROUPS.items())
    return rdMolStandardize.NormalizerFromData(data, rdMolStandardize.CleanupParameters())


@cache
def _part_chooser() -> Any:
    from rdkit.Chem.MolStandardize import rdMolStandardize

    return rdMolStandardize.LargestFragmentChooser(preferOrganic=True)


@cache
def _uncharger() -> Any:
    from rdkit.Chem.MolStandardize import rdMolStandardize

    return rdMolStandardize.Uncharger(canonicalOrder=True)


def _parts_said(before: str, after: str) -> str:
    left = Counter(before.split(".")) - Counter(after.split("."))
    return f"kept {after}, left out {'.'.join(left.elements())}"


def _charge(smiles: str) -> int:
    return Chem.GetFormalCharge(Chem.MolFromSmiles(smiles, sanitize=False))


def _charge_said(before: str, after: str) -> str:
    start, end = _charge(before), _charge(after)
    if start == end:
        return "charges within the molecule cancelled"
    return f"charge {start:+d} to {end:+d}".replace("+0", "0")


_LIGHT = (
    _Step("atom maps", _without_maps, lambda _before, _after: "taken off"),
    _Step(
        "ionic metals",
        lambda mol: _metal_disconnector().Disconnect(mol),
        lambda _before, _after: "bonds turned into charges",
    ),
    _Step(
        "groups",
        lambda mol: _normalizer().normalize(mol),
        lambda before, after: f"{before} to {after}",
    ),
)
_STEPS = {
    "light": _LIGHT,
    "parent": (
        *_LIGHT,
        _Step("parent", lambda mol: _part_chooser().choose(mol), _parts_said),
        _Step("neutral", lambda mol: _uncharger().uncharge(mol), _charge_said),
    ),
}
