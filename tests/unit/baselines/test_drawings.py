"""Drawings as an image model reads them, and a cache that gives the same again."""

import io

import numpy as np
import pytest
from PIL import Image
from rdkit import Chem

from molclip.baselines.drawings import draw
from molclip.chem.depict import depict_png

SMILES = ["CCO", "C1CC", "Oc1ccc(Br)cc1", "C[C@H](N)C(=O)O"]


@pytest.fixture(autouse=True)
def _cache(monkeypatch, tmp_path):
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path / "cache"))


def test_a_molecule_that_cannot_be_drawn_keeps_its_place():
    drawn = draw(SMILES, 48, 2, workers=1)
    assert drawn.drawn.tolist() == [True, False, True, True]
    assert [len(views) for views in drawn.pictures] == [2, 0, 2, 2]
    pixels = drawn.pixels([0, 2, 3], [0, 1, 5])
    assert (pixels.shape, pixels.dtype) == ((3, 48, 48, 3), np.uint8)
    # Mostly white paper, and something on it.
    assert (np.median(pixels.reshape(3, -1), axis=1) == 255).all()
    assert (pixels.reshape(3, -1).min(axis=1) < 128).all()
    # The fifth view of two is the second.
    np.testing.assert_array_equal(pixels[2], drawn.pixels([3], [1])[0])


def test_views_differ_and_the_cache_gives_them_again(monkeypatch):
    first = draw(SMILES, 48, 3, workers=1)
    assert len(set(first.pictures[2])) == 3
    monkeypatch.setattr("molclip.baselines.drawings._drawn", None)  # would fail if it were called
    assert draw(SMILES, 48, 3, workers=1).pictures == first.pictures


def test_drawings_do_not_depend_on_the_other_molecules_but_on_the_seed():
    alone = draw(["Oc1ccc(Br)cc1"], 48, 2, workers=1)
    assert list(alone.pictures[0]) == list(draw(SMILES, 48, 2, workers=1).pictures[2])
    assert list(alone.pictures[0]) != list(draw(["Oc1ccc(Br)cc1"], 48, 2, seed=1).pictures[0])


def _picture(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def test_style_varies_only_where_it_is_asked_for():
    mol = Chem.MolFromSmiles("Oc1ccc(Br)cc1")
    plain = {depict_png(mol, 96, seed=1), depict_png(mol, 96, seed=1)}
    assert len(plain) == 1
    assert depict_png(mol, 96, seed=1, vary_style=True) not in plain
    # Without a seed there is nothing to draw a style from.
    assert depict_png(mol, 96, vary_style=True) == depict_png(mol, 96)


def test_styles_include_black_and_white_and_colours_and_never_a_dark_ground():
    mol = Chem.MolFromSmiles("Oc1ccc(Br)cc1")
    coloured = set()
    for seed in range(24):
        pixels = _picture(depict_png(mol, 96, seed=seed, vary_style=True)).astype(int)
        assert (pixels[0, 0] == 255).all()
        # Grey pixels have three equal channels.
        coloured.add(bool((pixels.max(axis=2) - pixels.min(axis=2)).max() > 60))
    assert coloured == {True, False}
