"""Molecules by formula and InChIKey, beside their names."""

import pytest
from search_fakes import FakeModel

from molclip.search.library import Library

ROWS = [
    {"id": "X:30", "name": "ethanol", "smiles": "CCO", "curated": False},
    {"id": "X:20", "name": "ethanol too", "smiles": "OCC", "curated": True},
    {"id": "X:100", "name": "dimethyl ether", "smiles": "COC", "curated": True},
    {"id": "X:3", "name": "L-alanine", "smiles": "C[C@H](N)C(=O)O", "curated": True},
    {"id": "X:4", "name": "D-alanine", "smiles": "C[C@@H](N)C(=O)O", "curated": True},
    {"id": "X:5", "name": "sulfuric acid", "smiles": "OS(=O)(=O)O", "curated": True},
    {"id": "X:6", "name": "sulfate", "smiles": "[O-]S(=O)(=O)[O-]", "curated": True},
    {"id": "X:7", "name": "salt", "smiles": "[Na+].[Cl-]", "curated": True},
    {"id": "X:8", "name": "C2H7N", "smiles": "CC", "curated": True},
    {"id": "X:9", "name": "amine", "smiles": "CNC", "curated": True},
    {"id": "X:10", "name": "nitric oxide", "smiles": "[N]=O", "curated": True},
    {"id": "X:11", "name": "50-00-0", "smiles": "C=O", "curated": True},
]
ETHANOL, ALANINE = "LFQSCWFLJHTTHZ-UHFFFAOYSA-N", "QNAYBMKLOCPYGJ-REOHCLBHSA-N"
RACEMIC = "QNAYBMKLOCPYGJ-UHFFFAOYSA-N"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return Library.build(tmp_path_factory.mktemp("ids") / "library", ROWS, model=FakeModel())


@pytest.mark.parametrize("mode", ["name", "hybrid"])
@pytest.mark.parametrize(
    ("text", "ids", "by"),
    [
        # Curated first, then by number.
        ("C2H6O", ["X:20", "X:100", "X:30"], "exact formula"),
        ("CH3CH2OH", ["X:20", "X:100", "X:30"], "exact formula"),
        ("H2SO4", ["X:5"], "exact formula"),
        ("SO42-", ["X:6"], "exact formula"),
        ("SO4-2", ["X:6"], "exact formula"),
        ("NaCl", ["X:7"], "exact formula"),
        (ETHANOL, ["X:20", "X:30"], "exact InChIKey"),
        (f"InChIKey={ALANINE}", ["X:3"], "exact InChIKey"),
        (ALANINE[:14], ["X:3", "X:4"], "exact InChIKey"),
    ],
)
def test_all_that_have_it_and_nothing_else(library, mode, text, ids, by):
    result = library.search(text, mode=mode)
    assert [record["id"] for record in result] == ids
    assert {record["matched_by"] for record in result} == {by}
    assert {record["score"] for record in result} == {1.0}
    assert {record["evidence"] for record in result} == {"recorded"}
    assert result.query.warnings == []
    assert library.search(text, mode=mode, k=1, offset=1).records == result.records[1:2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("C2H6O", "the formula C2H6O"), ("OC2H6", "the formula C2H6O"), (ALANINE, "an InChIKey"),
        (ALANINE[:14], "the first block of an InChIKey"), (RACEMIC, "an InChIKey"),
        ("C99H9", "the formula C99H9"),
        # Names win, and so do valid SMILES; what may be something else must be in the library.
        ("C2H7N", None), ("ethanol", None), ("X:5", None), ("CCO", None), ("NO", None), ("C", None),
        ("HIV", None), ("CB2", None), ("ANTIBACTERIALS", None), ("bitter", None), ("", None),
    ],
)  # fmt: skip
def test_what_a_text_identifies(library, text, said):
    assert library.identifier(text) == said


def test_a_name_wins_over_the_formula(library):
    first = library.search("C2H7N", mode="name")[0]
    assert (first["id"], first["matched_by"]) == ("X:8", "exact name")


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("C99H9", {}, "No molecule of the library has the formula C99H9."),
        (ETHANOL.replace("L", "M", 1), {}, "No molecule of the library has this InChIKey."),
        (RACEMIC, {}, "2 with another stereochemistry, isotopes or charge have its first block, "),
        ("C2H6O", {"smarts": "[#7]"}, "No molecule with the formula C2H6O passes the filters."),
    ],
)
def test_no_such_molecule_is_said(library, text, options, sentence):
    result = library.search(text, mode="name", **options)
    assert len(result) == 0
    assert sentence in result.query.warnings[-1]


def test_filters_go_with_identifiers(library):
    def ids(**options):
        return [record["id"] for record in library.search("C2H6O", mode="name", **options)]

    assert ids(smarts="[OH]") == ["X:20", "X:30"]
    assert ids(where="name LIKE 'dimethyl%'") == ["X:100"]
    assert ids(curated=True) == ["X:20", "X:100"]


@pytest.mark.parametrize("mode", ["vector", "name", "hybrid"])
def test_a_cas_number_that_nobody_goes_by(library, mode):
    said = "50-78-2 is a CAS number, and no molecule of the library goes by it"
    assert any(said in warning for warning in library.search("50-78-2", mode=mode).query.warnings)
    # A wrong check digit, and one that is a name.
    for text in ("50-78-3", "50-00-0"):
        found = library.search(text, mode=mode, offset=5).query.warnings
        assert not any("CAS" in warning for warning in found)


def test_identifiers_are_not_spelled_like_names(library):
    assert library.similar_names("C2H6O") == []
    assert "dimethyl ether" in library.similar_names("dimethyl ethr")


def test_rows_that_were_replaced_are_not_found(tmp_path):
    own = Library.build(tmp_path / "own", [{"id": "a", "smiles": "CCO"}], model=FakeModel())
    own.add([{"id": "a", "smiles": "CCCO"}])
    assert own.identifier("C2H6O") == "the formula C2H6O"  # unmistakable, though of no molecule
    assert len(own.search("C2H6O", mode="name")) == 0
    assert len(own.search("C3H8O", mode="name")) == 1
