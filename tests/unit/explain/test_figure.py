"""Figures: well-formed, escaped, complete, on any molecule and text."""

import io
import xml.etree.ElementTree as ET

import pytest
from model_fakes import tiny_model
from PIL import Image

from molclip.chem.depict_weights import NEGATIVE, POSITIVE
from molclip.errors import InputError
from molclip.explain import explain
from molclip.explain.figure_png import spelt

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert('1')</script> &amp; \"x\" ]]> \x00\x1b\ud83d\ude00"


@pytest.fixture(scope="module")
def model():
    return tiny_model()


def texts(svg):
    return [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_the_figure_shows_structures_words_and_sums(model):
    found = explain("CC(=O)Oc1ccccc1C(=O)O", "a bitter alkaloid", model=model)
    svg = found.to_svg()
    root = ET.fromstring(svg)
    assert len([element for element in root if element.tag == f"{SVG}svg"]) == 2
    assert "a bitter alkaloid" in root.get("aria-label")
    said = texts(svg)
    assert said.count("alkaloid") == 2  # once for each method
    assert f"{found.word_values.gradient[2]:+.3f}" in said
    assert any(f"to {found.score:+.3f}" in line for line in said)
    colours = {element.get("fill") for element in root.iter(f"{SVG}circle")}
    assert colours == {
        POSITIVE if value > 0 else NEGATIVE
        for values in (found.atoms.occlusion, found.atoms.gradient)
        for value in values
        if abs(value) >= 0.03 * max(abs(values))
    }
    one = explain("CCO", "a bitter alkaloid", model=model, method="gradient").to_svg()
    assert len([element for element in ET.fromstring(one) if element.tag == f"{SVG}svg"]) == 1


def test_texts_are_escaped(model):
    hostile = HOSTILE.encode("utf-16", "surrogatepass").decode("utf-16")
    svg = explain("CCO", hostile, model=model).to_svg()
    root = ET.fromstring(svg)
    assert not list(root.iter(f"{SVG}script"))
    assert "<script" not in svg
    assert any("<script>alert('1')</script>" in line for line in texts(svg))


def test_long_texts_end_in_an_ellipsis_and_fit(model):
    svg = explain("CCO", "bitter " * 100 + "w" * 300, model=model).to_svg()
    root = ET.fromstring(svg)
    width = float(root.get("width"))
    for element in root.iter(f"{SVG}rect"):
        assert float(element.get("x")) + float(element.get("width")) <= width
    assert any(line.endswith("…") for line in texts(svg))


@pytest.mark.parametrize("smiles", ["C", "[Na+].[Cl-]", "*", "C" * 120])
def test_png_is_the_same_figure(model, smiles):
    found = explain(smiles, "a sweet sugar", model=model)
    root = ET.fromstring(found.to_svg())
    with Image.open(io.BytesIO(found.to_png())) as picture:
        assert picture.format == "PNG"
        assert picture.size == (2 * int(root.get("width")), 2 * int(root.get("height")))
        assert picture.convert("RGB").getpixel((1, 1)) == (255, 255, 255)
        assert len(picture.convert("RGB").getcolors(1 << 20)) > 10


def test_greek_letters_are_spelt_out_in_pixels():
    assert spelt("β-lactam, µ, ω-3") == "beta-lactam, µ, omega-3"


def test_files_by_their_extension(model, tmp_path):
    found = explain("CCO", "a bitter alkaloid", model=model)
    for suffix, start in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".json", b"{")):
        path = tmp_path / f"why{suffix}"
        found.save(path)
        assert path.read_bytes().startswith(start)
    with pytest.raises(InputError, match=r"why\.gif"):
        found.save(tmp_path / "why.gif")
    with pytest.raises(InputError, match="no folder"):
        found.save(tmp_path / "nowhere" / "why.svg")
