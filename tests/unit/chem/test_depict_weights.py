"""Drawings whose atoms carry values."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from molclip.chem.depict_weights import NEGATIVE, POSITIVE, weighted_image, weighted_svg
from molclip.errors import InputError

SVG = "{http://www.w3.org/2000/svg}"


def circles(svg):
    return list(ET.fromstring(svg).iter(f"{SVG}circle"))


def luminance(colour):
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_area_and_colour_follow_the_values():
    found = circles(weighted_svg("CCO", [0.4, -0.1, 0.0]))
    assert [circle.get("fill") for circle in found] == [POSITIVE, NEGATIVE]
    large, small = (float(circle.get("r")) for circle in found)
    assert (large / small) ** 2 == pytest.approx(4, rel=0.05)
    # The sign does not hang on colour vision.
    assert [circle.get("stroke-dasharray") is not None for circle in found] == [False, True]
    assert found[0].find(f"{SVG}title").text == "atom 0 (C): +0.4000"


def test_rims_stand_out_on_white_and_dark():
    for colour in (POSITIVE, NEGATIVE):
        for ground in ("#FFFFFF", "#1F2937"):
            dark, light = sorted((luminance(colour), luminance(ground)))
            assert (light + 0.05) / (dark + 0.05) >= 3


def test_discs_lie_on_their_atoms_in_the_picture():
    image = np.asarray(weighted_image("CCCCCC", [1.0, 0, 0, 0, 0, -1.0], 200, 100)).astype(int)
    blue = np.argwhere((image[..., 2] - image[..., 0]) > 60)
    red = np.argwhere((image[..., 0] - image[..., 2]) > 60)
    assert image.shape == (200, 400, 3)
    assert len(blue) > 100
    assert len(red) > 100
    assert abs(blue[:, 1].mean() - red[:, 1].mean()) > 150  # the two ends of the chain


@pytest.mark.parametrize(("smiles", "count"), [("C", 1), ("[Na+].[Cl-]", 2), ("*C", 2)])
def test_small_molecules(smiles, count):
    assert len(circles(weighted_svg(smiles, [1.0] * count))) == count
    assert not circles(weighted_svg(smiles, [0.0] * count))


def test_a_wrong_number_of_values_is_named():
    with pytest.raises(InputError, match="2 values do not fit a molecule of 3 atoms"):
        weighted_svg("CCO", [1.0, 2.0])
