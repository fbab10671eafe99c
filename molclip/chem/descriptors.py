"""The property columns that results are filtered on."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rdkit.Chem import GetFormalCharge, rdMolDescriptors

from molclip.chem.rdkit_log import RDKIT_ERRORS, capture

if TYPE_CHECKING:
    from rdkit.Chem import Mol

Property = str | int | float | None

_CALCULATED: Mapping[str, Callable[[Any], Property]] = {
    "formula": rdMolDescriptors.CalcMolFormula,
    # What rdkit.Chem.Descriptors.MolWt calls; importing that module takes a fifth of a second.
    "mol_weight": rdMolDescriptors._CalcMolWt,
    "logp": lambda mol: rdMolDescriptors.CalcCrippenDescriptors(mol)[0],
    "tpsa": rdMolDescriptors.CalcTPSA,
    "hbd": rdMolDescriptors.CalcNumHBD,
    "hba": rdMolDescriptors.CalcNumHBA,
    "rings": rdMolDescriptors.CalcNumRings,
    "rotatable_bonds": rdMolDescriptors.CalcNumRotatableBonds,
    "formal_charge": GetFormalCharge,
    "heavy_atoms": lambda mol: mol.GetNumHeavyAtoms(),
}
PROPERTY_COLUMNS = tuple(_CALCULATED)
"""Names in order: formula (Hill order, isotopes not told apart), mol_weight (average, g/mol,
isotopes counted), logp (Crippen, octanol–water), tpsa (Å²), hbd and hba (hydrogen-bond donors and
acceptors), rings (smallest set), rotatable_bonds (strict, amides excluded), formal_charge (sum over
all parts), heavy_atoms."""


def properties(mol: "Mol") -> dict[str, Property]:
    """Calculate `PROPERTY_COLUMNS` of a molecule.

    Returns
    -------
    dict
        One value per column: str for the formula, float for mol_weight, logp and tpsa, int for
        the rest; None where RDKit cannot calculate it.

    Examples
    --------
    >>> from rdkit import Chem
    >>> properties(Chem.MolFromSmiles("CCO"))["formula"]
    'C2H6O'
    """
    values: dict[str, Property] = {}
    with capture():
        for name, calculate in _CALCULATED.items():
            try:
                values[name] = calculate(mol)
            except RDKIT_ERRORS:
                values[name] = None
    return values
