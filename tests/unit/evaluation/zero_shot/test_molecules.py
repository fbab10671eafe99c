"""Who is a stranger to a model."""

import pytest

from molclip.datasets.held_out import is_held_out
from molclip.datasets.refusal import RefusalList
from molclip.evaluation.zero_shot.molecules import SOURCES, DataFolder, Strangers
from molclip.search.seen import SeenMolecules, write_seen

ETHANOL = "LFQSCWFLJHTTHZ-UHFFFAOYSA-N"
WATER = "XLYOFNOQVPJJNP-UHFFFAOYSA-N"
L_ALANINE = "QNAYBMKLOCPYGJ-REOHCLBHSA-N"
D_ALANINE = "QNAYBMKLOCPYGJ-UWTATZPHSA-N"
NO_REFUSAL = RefusalList(frozenset(), frozenset())


@pytest.fixture
def seen(tmp_path):
    write_seen([ETHANOL, L_ALANINE], tmp_path / "seen.bin")
    return SeenMolecules.load(tmp_path / "seen.bin")


def test_a_stereoisomer_of_a_training_molecule_is_no_stranger(seen):
    strangers = Strangers.of(seen, {"odour": [L_ALANINE, WATER], "chebi20": [ETHANOL]})
    assert not strangers.is_stranger(D_ALANINE)
    assert not strangers.is_stranger(ETHANOL)
    assert strangers.is_stranger(WATER)
    assert not strangers.is_stranger("")
    assert "2 training molecules, 2 of them found" in strangers.how
    assert strangers.how.endswith("compared by skeleton")


def test_what_the_list_has_is_known_even_where_no_source_has_it(seen):
    strangers = Strangers.of(seen, {"odour": [WATER]})
    assert not strangers.is_stranger(L_ALANINE)
    # Its enantiomer cannot be recognised, which the report has to say.
    assert strangers.is_stranger(D_ALANINE)
    assert "0 of them found" in strangers.how
    assert "the other 2 by exact key alone" in strangers.how
    assert "absent data sets: chebi20, chebi-molecules" in strangers.how
    whole = Strangers.of(seen, {name: [ETHANOL] for name in SOURCES})
    assert "1 of them found in the data folder and compared by skeleton" in whole.how
    assert "the other 1 by exact key alone" in whole.how
    assert "absent" not in whole.how


def _kept_and_taken():
    """A key that the rule holds out, and one that it does not."""
    keys = [f"{'A' * 12}{a}{b}-UHFFFAOYSA-N" for a in "ABCDEFGHIJ" for b in "ABCDEFGHIJ"]
    return next(k for k in keys if is_held_out(k)), next(k for k in keys if not is_held_out(k))


def test_without_a_list_the_rule_of_training_decides():
    kept, taken = _kept_and_taken()
    strangers = Strangers.of(None, {"odour": [kept, taken]}, NO_REFUSAL)
    assert strangers.is_stranger(kept)
    assert not strangers.is_stranger(taken)
    assert "rule" in strangers.how
    # ChEBI-20's own train split knows no held-out molecules.
    strangers = Strangers.of(None, {"odour": [kept], "chebi20": [kept]}, NO_REFUSAL)
    assert not strangers.is_stranger(kept)
    # A refused molecule was not trained on; elsewhere its stereoisomers were not either.
    refusal = RefusalList.from_inchikeys([L_ALANINE])
    strangers = Strangers.of(None, {"odour": [D_ALANINE, L_ALANINE]}, refusal)
    assert strangers.is_stranger(D_ALANINE)
    strangers = Strangers.of(None, {"chebi20": [D_ALANINE, L_ALANINE]}, refusal)
    assert not strangers.is_stranger(D_ALANINE)


def test_keys_are_rdkits_and_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path))
    told = []
    data = DataFolder(tmp_path, 1, lambda *step: told.append(step))
    smiles = ["CCO", "not a molecule", "", "O", "C[C@H](N)C(=O)O"]
    expected = [ETHANOL, "", "", WATER, L_ALANINE]
    assert data.keys(smiles) == expected
    assert told == [("InChIKeys", 5, 5)]
    assert DataFolder(tmp_path, 1, lambda *_: pytest.fail("not from disk")).keys(smiles) == expected


def test_keys_of_sources_take_known_ones_from_the_file(tmp_path, monkeypatch, seen):
    import gzip

    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path))
    header = "chebi_id\tname\tsmiles\tinchikey\tstars3\tchebi20_split\n"
    rows = f"CHEBI:1\ta\tOCC\t{ETHANOL}\t1\tnone\nCHEBI:2\tb\tO\tWRONG\t1\tnone\n"
    (tmp_path / "chebi_molecules.tsv.gz").write_bytes(gzip.compress((header + rows).encode()))
    data = DataFolder(tmp_path, 1, lambda *_: None)
    assert data.source_keys(seen) == {"chebi-molecules": [ETHANOL, WATER]}
    assert data.source_keys(None) == {"chebi-molecules": [ETHANOL, WATER]}
