"""What `Library.search` finds, in which order, and what it says about it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from rdkit import Chem, DataStructs
from rdkit.Chem import rdFingerprintGenerator
from search_fakes import FakeModel

from molclip.errors import InputError, LibraryError, MolclipError
from molclip.search.library import Library

SMILES = {  # the rows of the small library, by id, in row order; A1 was replaced in its own file
    "A3": "CC(=O)Oc1ccccc1C(=O)O",
    "ü ✓": "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
    "A1": "CO",
    "B7": "O=C(O)c1ccccc1",
    "B8": "C[C@H](N)C(=O)O",
    "B9": "C[C@@H](N)C(=O)O",
}


def ids(result):
    return [record["id"] for record in result]


def brute_force(model, text):
    stored = model.encode_molecules(list(SMILES.values())).vectors.astype(np.float16)
    wide = stored.astype(np.float64)
    scores = wide @ model.encode_text([text])[0].astype(np.float64) / np.linalg.norm(wide, axis=1)
    return dict(zip(SMILES, scores, strict=True))


def test_order_and_scores_are_those_of_brute_force(library, model):
    expected = brute_force(model, "a bitter crystal")
    result = library.search("a bitter crystal")
    assert ids(result) == sorted(expected, key=lambda id_: -expected[id_])
    assert [r["score"] for r in result] == pytest.approx(
        [expected[id_] for id_ in ids(result)], abs=1e-6
    )
    assert [r["rank"] for r in result] == [1, 2, 3, 4, 5, 6]
    assert {"rank", "id", "name", "smiles", "score"} <= set(result.to_dict("records")[0])


def test_structure_query_finds_itself_with_similarity_one(library):
    result = library.search(smiles="C(O)(=O)c1ccccc1")
    assert result[0]["id"] == "B7"
    assert result[0]["score"] == pytest.approx(1.0, abs=1e-3)
    assert result[0]["similarity"] == 1.0
    assert result.query.smiles == "O=C(O)c1ccccc1"
    make = rdFingerprintGenerator.GetMorganGenerator(radius=3, includeChirality=True)
    prints = {
        id_: make.GetSparseCountFingerprint(Chem.MolFromSmiles(s)) for id_, s in SMILES.items()
    }
    for record in result:
        one, other = prints["B7"].GetNonzeroElements(), prints[record["id"]].GetNonzeroElements()
        keys = set(one) | set(other)
        least = sum(min(one.get(key, 0), other.get(key, 0)) for key in keys)
        most = sum(max(one.get(key, 0), other.get(key, 0)) for key in keys)
        assert record["similarity"] == pytest.approx(least / most)
    assert DataStructs.TanimotoSimilarity(prints["B7"], prints["B7"]) == 1.0


def test_enantiomers_are_told_apart(library):
    assert ids(library.search(smiles="C[C@@H](N)C(=O)O", k=2)) == ["B9", "B8"]


def test_text_and_structure_are_mixed_as_stated(library, model):
    text = brute_force(model, "sour")
    mixed = library.search("sour", smiles="CO", weight=0.3)
    alone = {r["id"]: r["score"] for r in library.search(smiles="CO")}
    assert mixed.query.weight == 0.3
    assert "0.3 * cosine of text" in mixed.query.score
    for record in mixed:
        expected = 0.3 * text[record["id"]] + 0.7 * alone[record["id"]]
        assert record["score"] == pytest.approx(expected, abs=1e-6)
        assert record["text_score"] == pytest.approx(text[record["id"]], abs=1e-6)
        assert record["structure_score"] == pytest.approx(alone[record["id"]], abs=1e-6)
    assert ids(library.search("sour", smiles="CO", weight=1.0)) == ids(library.search("sour"))


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("mol_weight < 90", {"A1", "B8", "B9"}),
        ("MOL_WEIGHT < 90 AND LogD = 0", {"A1"}),
        ("LogD IS NULL", {"ü ✓"}),
        ("batch = '012'", {"B7"}),
        ("id = 'ü ✓'", {"ü ✓"}),
        ("name LIKE '%alanine'", {"B8", "B9"}),
        ("rings = 1 OR formula = 'CH4O'", {"A1", "A3", "B7"}),
        ("input_logp = 'z'", {"ü ✓"}),
        ("(name != 'x) (y') AND (rings = 1)", {"A3", "B7"}),
        ("hbd > 99", set()),
    ],
)
def test_filters(library, where, expected):
    result = library.search("anything", where=where)
    assert set(ids(result)) == expected
    assert result.query.rows_searched == len(expected)


def test_filtered_scores_are_the_unfiltered_ones(library):
    everything = {r["id"]: r["score"] for r in library.search("anything")}
    for record in library.search("anything", where="rings = 0"):
        assert record["score"] == everything[record["id"]]


@pytest.mark.parametrize(
    ("smarts", "expected"),
    [
        ("c1ccccc1", {"A3", "B7"}),
        ("[OX2H]", {"A1", "A3", "B7", "B8", "B9"}),
        ("[NX3;H2]", {"B8", "B9"}),
        ("[#7;R2]", set()),
        ("[R2]", {"ü ✓"}),
        ("[r5]", {"ü ✓"}),
        ("C(=O)[OH].[NH2]", {"B8", "B9"}),
        ("[U]", set()),
    ],
)
def test_substructures(library, smarts, expected):
    assert set(ids(library.search("anything", smarts=smarts))) == expected
    by_rdkit = {
        id_
        for id_, smiles in SMILES.items()
        if Chem.MolFromSmiles(smiles).HasSubstructMatch(Chem.MolFromSmarts(smarts))
    }
    assert by_rdkit == expected


def test_substructures_asked_by_many_threads(library):
    """More patterns than are kept, all at once: nobody gets an error or another's answer."""
    patterns = ["[CX4]", "c1ccccc1", "[OH]", "C(=O)[OH]", "N", "[CH3]", "C=O", "[#8]"] * 10
    alone = {smarts: ids(library.search("x", smarts=smarts)) for smarts in patterns[:8]}
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda smarts: ids(library.search("x", smarts=smarts)), patterns)
    assert list(found) == [alone[smarts] for smarts in patterns]


def test_substructure_and_filter_together(library):
    result = library.search("x", smarts="C(=O)[OH]", where="rings = 0")
    assert set(ids(result)) == {"B8", "B9"}


@pytest.mark.parametrize("options", [{}, {"smarts": "[CX4]"}, {"mode": "hybrid"}, {"mode": "name"}])
def test_pages_are_one_long_list(library, options):
    query = "alanine" if "mode" in options else "sweet"
    whole = library.search(query, k=100, **options).to_dict("records")
    pages = [
        record
        for offset in range(0, 8, 2)
        for record in library.search(query, k=2, offset=offset, **options)
    ]
    assert pages == whole
    assert len(whole) >= 2


def test_sizes_beyond_the_library(library):
    assert len(library.search("x", k=1000)) == 6
    assert len(library.search("x", k=0)) == 0
    past = library.search("x", offset=50)
    assert len(past) == 0
    assert past.query.warnings[-1] == "There are no hits after the first 50."
    assert library.search("x", where="rings > 9").query.warnings[-1] == "No row passes the filters."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": "x", "where": "mol_weigth < 3"}, ["mol_weigth", "Did you mean mol_weight"]),
        ({"query": "x", "where": "mol_weight <"}, ["cannot be used", "logp"]),
        ({"query": "x", "where": "mol_weight"}, ["boolean"]),
        ({"query": "x", "where": "name < 3"}, ["name < 3"]),
        ({"query": "x", "where": "1=1; DROP TABLE rows"}, ["not one SQL condition"]),
        ({"query": "x", "where": "  "}, ["not one SQL condition"]),
        ({"query": "x", "where": "1=1) OR (1=1"}, ["brackets", "do not match"]),
        ({"query": "x", "where": "rings = 0) -- ("}, ["brackets", "do not match"]),
        ({"query": "x", "where": "(rings = 0"}, ["brackets", "do not match"]),
        ({"query": "x", "where": "rings = 0 -- all"}, ["cannot be used"]),
        ({"query": "x", "where": 5}, ["The filter is 5, a int"]),
        ({"query": 3}, ["The query is 3, a int"]),
        ({"query": ["x"]}, ["a list", "Give text"]),
        ({"query": "x", "smarts": 6}, ["The SMARTS is 6, a int"]),
        ({"smiles": Chem.MolFromSmiles("C")}, ["The structure is a Mol", "Give a SMILES"]),
        ({"query": "x", "smiles": "C", "weight": "half"}, ["weight is 'half'"]),
        ({"query": "x", "smarts": "C("}, ["SMARTS", "C("]),
        ({"query": "x", "smarts": ""}, ["SMARTS"]),
        ({"smiles": "c1cc1"}, ["c1cc1", "kekulized"]),
        ({"smiles": " "}, ["structure is empty"]),
        ({"query": " "}, ["query is empty"]),
        ({"query": "a\udcff"}, ["not valid Unicode"]),
        ({}, ["Nothing is asked"]),
        ({"query": "x", "mode": "fuzzy"}, ["fuzzy", "hybrid"]),
        ({"query": "x", "k": -1}, ["k is -1"]),
        ({"query": "x", "offset": 1.5}, ["offset is 1.5"]),
        ({"query": "x", "weight": 2}, ["weight is 2"]),
        ({"smiles": "CC", "mode": "name"}, ["needs a query"]),
        ({"query": "x", "curated": True}, ["curated"]),
    ],
)
def test_wrong_questions_are_refused_with_what_to_do(library, arguments, words):
    with pytest.raises(InputError) as caught:
        library.search(**arguments)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert caught.value.hint


def test_query_that_is_cut_or_unknown_is_said(library):
    result = library.search("one two three four five six seven eight nine ten")
    assert "last 2 pieces" in result.query.warnings[0]
    assert "does not know 2 of the query's 2" in library.search("хинин горький").query.warnings[0]


@pytest.mark.parametrize("mode", ["name", "hybrid"])
def test_names(library, mode):
    first = library.search("L Alanine", mode=mode)[0]
    assert (first["id"], first["matched_by"]) == ("B8", "exact name")
    assert library.search("ü ✓", mode=mode)[0]["matched_by"] == "exact id"
    assert library.search("asprin", mode=mode)[0]["id"] == "A3"
    assert library.search("caff", mode=mode)[0]["matched_by"] == "prefix name"


def test_hybrid_puts_names_first_and_fuses_ranks(library):
    vector = ids(library.search("alanine", k=6))
    hybrid = library.search("alanine", k=6, mode="hybrid")
    assert set(ids(hybrid)[:2]) == {"B8", "B9"}
    assert len(hybrid) == 6
    name_share = {"B8": 2 / 61, "B9": 2 / 62}
    for record in hybrid:
        expected = name_share.get(record["id"], 0) + 1 / (61 + vector.index(record["id"]))
        assert record["score"] == pytest.approx(expected)


def test_hybrid_puts_an_exact_name_first_wherever_the_model_sees_it(tmp_path, model):
    rows = [{"id": f"r{n}", "smiles": "C" * (n + 1), "name": f"oxycaffeine {n}"} for n in range(9)]
    rows.append({"id": "exact", "smiles": "O", "name": "caffeine"})
    library = Library.build(tmp_path / "lib", rows, model=model)
    hits = library.search("caffeine", mode="hybrid")
    assert hits[0]["id"] == "exact"
    assert hits[0]["score"] > 1 > hits[1]["score"]


def test_a_name_search_needs_no_model(built):
    assert ids(Library.open(built).search("caffeine", mode="name")) == ["ü ✓"]


@pytest.mark.parametrize(
    ("name", "known"),
    [("Benzoic-Acid", True), ("b7", True), ("benzoic", False), ("ethanol", False), (" ", False)],
)
def test_known_names(built, name, known):
    # Ethanol's row was replaced by a later one of the same id.
    assert Library.open(built).has_name(name) is known


def test_another_model_is_refused_with_the_remedy(built):
    with pytest.raises(LibraryError, match="embedded by the model") as caught:
        Library.open(built, FakeModel(seed=1))
    assert "build it again" in caught.value.hint


def test_a_model_without_folder_must_be_given(built):
    with pytest.raises(LibraryError, match="no folder"):
        Library.open(built).search("anything")


@pytest.mark.parametrize("what", ["nothing", "empty folder", "damaged"])
def test_what_is_no_library_says_so(tmp_path, what, model):
    path = tmp_path / "lib"
    if what != "nothing":
        path.mkdir()
    if what == "damaged":
        (path / "manifest.json").write_text("{")
    with pytest.raises(MolclipError) as caught:
        Library.open(path, model)
    assert str(path) in str(caught.value)
    assert caught.value.hint


def test_hits_of_own_molecules_are_predictions(library):
    for record in library.search("aromatic acid"):
        assert record["evidence"] == "predicted"
        assert record["recorded_terms"] == []
        assert record["seen"] is None
        assert record["match_level"] is None


def test_result_as_a_whole(library):
    both = library.search("x", k=2).to_dict("all")
    assert both["query"]["text"] == "x"
    assert len(both["records"]) == 2
    with pytest.raises(ValueError, match="orient"):
        library.search("x").to_dict("columns")


@pytest.mark.parametrize("path", ["", "  ", 5])
def test_a_path_that_is_none_is_refused(path, molecules_file, model):
    with pytest.raises(InputError, match="path of a library"):
        Library.open(path)
    with pytest.raises(InputError, match="path of a library"):
        Library.build(path, molecules_file, model=model)
