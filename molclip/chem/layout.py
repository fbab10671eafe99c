"""2D coordinates in bounded time."""

from typing import TYPE_CHECKING

from rdkit.Chem import rdCoordGen, rdDepictor

if TYPE_CHECKING:
    from rdkit.Chem import Mol

# RDKit's own layout takes 0.2 s for 150 heavy atoms and minutes for some of 500 (nucleic acids).
_MOST_FOR_RDKIT = 150


def lay_out(mol: "Mol", *, other: bool = False) -> None:
    """Give a molecule 2D coordinates, in place.

    Parameters
    ----------
    mol
        The molecule; coordinates it has are replaced.
    other
        Use CoordGen where RDKit's own layout would be used; it is better at some polycycles.
    """
    if other or mol.GetNumHeavyAtoms() > _MOST_FOR_RDKIT:
        options = rdCoordGen.CoordGenParams()
        options.minimizerPrecision = options.sketcherCoarsePrecision
        rdCoordGen.AddCoords(mol, options)
    else:
        rdDepictor.Compute2DCoords(mol)
