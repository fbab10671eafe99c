"""A small library, made with a model of random weights."""

import pytest
from search_fakes import FakeModel

from molclip.search.library import Library

MOLECULES = """\
id,name,smiles,LogD,batch,logp
A1,ethanol,CCO,-0.3,007,x
A2,broken,c1cc1,2,008,y
A3,aspirin,CC(=O)Oc1ccccc1C(=O)O,3,009,
ü ✓,caffeine,Cn1cnc2c1c(=O)n(C)c(=O)n2C,,010,z
A1,methanol,CO,0,011,
B7,benzoic acid,O=C(O)c1ccccc1,1.9,012,
B8,L-alanine,C[C@H](N)C(=O)O,-3,013,
B9,D-alanine,C[C@@H](N)C(=O)O,-3,014,
"""


@pytest.fixture(scope="session")
def model():
    return FakeModel()


@pytest.fixture
def molecules_file(tmp_path):
    path = tmp_path / "molecules.csv"
    path.write_text(MOLECULES, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def built(tmp_path_factory, model):
    """Folder of a library that tests only read."""
    folder = tmp_path_factory.mktemp("library")
    source = folder / "molecules.csv"
    source.write_text(MOLECULES, encoding="utf-8")
    Library.build(folder / "small", source, model=model)
    return folder / "small"


@pytest.fixture
def library(built, model):
    return Library.open(built, model)


@pytest.fixture
def own_library(tmp_path, molecules_file, model):
    """A library that a test may change."""
    return Library.build(tmp_path / "own", molecules_file, model=model)
