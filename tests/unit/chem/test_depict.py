"""Drawings that can be read on white and on dark pages."""

import io
import re
import time
import xml.etree.ElementTree as ET

import pytest
from PIL import Image
from rdkit import Chem

from molclip.chem.depict import depict_png, depict_svg
from molclip.chem.parse import parse_molecule
from molclip.errors import InputError

EVERY_COLOUR = "CC(=O)Nc1cc(F)c(Cl)c(Br)c1SP(I)[Si]B"
WHITE, DARK = "#FFFFFF", "#1F2937"


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_every_colour_stands_out_on_white_and_dark():
    svg = depict_svg(EVERY_COLOUR)
    colours = set(re.findall(r"#[0-9A-Fa-f]{6}", svg))
    assert len(colours) >= 8
    assert min(contrast(colour, ground) for colour in colours for ground in (WHITE, DARK)) >= 3


def test_svg_is_well_formed_transparent_and_labelled():
    svg = depict_svg("CC(=O)O", 320, 200)
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")
    assert (root.get("width"), root.get("height")) == ("320px", "200px")
    assert (root.get("class"), root.get("aria-label")) == ("molclip-depiction", "CC(=O)O")
    assert not [element for element in root if element.tag.endswith("rect")]
    assert "currentColor" in svg


def test_highlighted_atoms_have_one_ground():
    plain = ET.fromstring(depict_svg("CCO"))
    marked = ET.fromstring(depict_svg("CCO", highlight_atoms=(1, 2)))
    assert not [element for element in plain if element.tag.endswith("}g")]
    (group,) = [element for element in marked if element.tag.endswith("}g")]
    assert 0 < float(group.get("opacity")) < 1
    assert {element.get("class") for element in group if element.tag.endswith("ellipse")} == {
        "atom-1",
        "atom-2",
    }
    with pytest.raises(InputError, match="has 3 atoms"):
        depict_svg("CCO", highlight_atoms=(3,))


def test_what_can_be_drawn():
    molecule = parse_molecule("CCO")
    assert depict_svg(molecule) == depict_svg(molecule.mol) == depict_svg("CCO")
    for smiles in ("*C", "[Na+]", "[125Te]", "N[Pt](N)(Cl)Cl", "C[C@H](N)C(=O)O |&1:1|", "[H][H]"):
        ET.fromstring(depict_svg(smiles))
    with pytest.raises(InputError, match="Nothing to draw"):
        depict_svg("C1CC")


def test_huge_nucleic_acid_is_drawn_in_seconds():
    """RDKit's own layout takes minutes for some of these."""
    unit = "[C@H]1O[C@@H](n2ccc(N)nc2=O)C[C@@H]1OP(=O)(O)OC"
    molecule = parse_molecule("C" + unit * 25)
    assert molecule.mol.GetNumHeavyAtoms() > 450
    start = time.process_time()
    depict_svg(molecule)
    assert time.process_time() - start < 15


def test_png():
    images = {
        seed: Image.open(io.BytesIO(depict_png("CC(=O)Oc1ccccc1", 160, seed)))
        for seed in (None, 1, 2)
    }
    assert {image.size for image in images.values()} == {(160, 160)}
    assert images[1].getpixel((0, 0))[:3] == (255, 255, 255)
    assert len({image.tobytes() for image in images.values()}) == 3
    assert depict_png("CCO", 64, 5) == depict_png("CCO", 64, 5)


def test_drawing_does_not_change_the_molecule():
    mol = Chem.MolFromSmiles("c1ccccc1O")
    depict_svg(mol)
    assert mol.GetNumConformers() == 0
    assert Chem.MolToSmiles(mol) == "Oc1ccccc1"
