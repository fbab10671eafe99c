"""The order of kinship on molecules whose relations are known."""

from types import SimpleNamespace

import numpy as np
import pytest
from negatives_fakes import CountStore, made_pairs
from rdkit import Chem, DataStructs
from rdkit.Chem import rdFingerprintGenerator

from molclip.text.facts import MoleculeFacts
from molclip.training.grouping import grow_groups
from molclip.training.relatives import SIMILAR, Relatives


def facts(*classes, partners=(), labels=()):
    return MoleculeFacts(classes=classes, partners=partners, labels=labels)


MOLECULES = [
    ("acid", "[SiH3]CCCC(=O)O", facts("acid", partners=("base",))),
    ("lone", "c1ccsc1", facts("thiophene")),
    ("base", "[SiH3]CCCC(=O)[O-]", facts("anion")),
    # Unlike the acid by structure, like it by class.
    ("peer", "OS(=O)(=O)C1CC1", facts("acid", "sulfonic acid")),
    # Like it by structure only: similarities 0.43 and 0.65.
    ("ester", "[SiH3]CCCC(=O)OC", facts("ester")),
    ("longer", "[SiH3]CCCCC(=O)O", facts("ester")),
    ("R", "[SiH3]C[C@H](O)CC", facts()),
    ("S", "[SiH3]C[C@@H](O)CC", facts()),
]
IDS = [molecule[0] for molecule in MOLECULES]


@pytest.fixture
def pairs(tmp_path):
    return made_pairs(tmp_path, MOLECULES)


def ranked(pairs, members, name, free=None, count=8):
    relatives = Relatives(pairs, np.array([IDS.index(one) for one in members]))
    able = np.array([free is None or one in free for one in members])
    row = relatives.rank(np.array([members.index(name)]), able, count)[0].tolist()
    named = [members[place] for place in row if place >= 0]
    assert row[len(named) :] == [-1] * (min(count, len(members)) - len(named))
    return named


def test_partners_come_before_class_mates_before_similar_structures(pairs):
    assert ranked(pairs, IDS, "acid") == ["base", "peer", "longer", "ester"]


def test_partners_know_each_other_though_one_entry_names_the_other(tmp_path):
    rows = [("a", "C1CC1", facts(partners=("b", "gone"))), ("b", "O=C=O", facts())]
    relatives = Relatives(made_pairs(tmp_path, rows), np.arange(2))
    assert relatives.rank(np.arange(2), np.ones(2, dtype=bool), 1).tolist() == [[1], [0]]


def test_a_class_mate_brings_its_partner_along(tmp_path):
    pairs = made_pairs(
        tmp_path,
        [
            ("seed", "C1CC1", facts("acid")),
            ("partner", "FC(F)F", facts(partners=("mate",))),
            ("mate", "O=C=O", facts("acid")),
            ("other", "C#N", facts("acid")),
        ],
    )
    relatives = Relatives(pairs, np.arange(4))
    free = np.ones(4, dtype=bool)
    assert relatives.rank(np.array([0]), free, 4).tolist() == [[2, 1, 3, -1]]
    free[1] = False
    assert relatives.rank(np.array([0]), free, 4).tolist() == [[2, 3, -1, -1]]


def test_stereoisomers_are_found_by_their_skeleton(pairs):
    assert ranked(pairs, IDS, "R")[0] == "S"
    assert ranked(pairs, ["R", "lone", "acid"], "R") == []


def test_a_molecule_without_relatives_stands_alone(pairs):
    assert ranked(pairs, IDS, "lone") == []


def test_only_free_rows_are_named_and_no_more_than_asked_for(pairs):
    assert ranked(pairs, IDS, "acid", free={"peer", "longer", "acid"}) == ["peer", "longer"]
    assert ranked(pairs, IDS, "acid", count=2) == ["base", "peer"]


def test_positions_are_those_of_the_block(pairs):
    assert ranked(pairs, ["longer", "base", "acid"], "acid") == ["base", "longer"]


def test_the_most_specific_class_is_the_one_with_the_fewest_rows(tmp_path):
    rings = ["C1CC1", "c1ccsc1", "O=C=O", "C#N", "FC(F)F"]
    classes = [
        ("broad", "narrow"),
        ("broad",),
        ("broad",),
        ("narrow", "broad"),
        ("single", "broad"),
    ]
    pairs = made_pairs(
        tmp_path,
        [
            (str(n), ring, facts(*own))
            for n, (ring, own) in enumerate(zip(rings, classes, strict=True))
        ],
    )
    relatives = Relatives(pairs, np.arange(5))
    found = relatives.rank(np.array([0, 4]), np.ones(5, dtype=bool), 5)
    assert found[0].tolist() == [3, -1, -1, -1, -1]
    # Nobody shares `single`, so the next class counts.
    assert sorted(found[1].tolist()) == [-1, 0, 1, 2, 3]


def test_classes_of_natural_products_count_as_classes(tmp_path):
    label = ("class", "Simple phenolic acids")
    pairs = made_pairs(
        tmp_path,
        [
            ("a", "C1CC1", facts(labels=(label, ("odour", "sweet")))),
            ("b", "c1ccsc1", facts(labels=(("odour", "sweet"),))),
            ("c", "C1CCNCC1", facts(labels=(label,))),
        ],
    )
    found = Relatives(pairs, np.arange(3)).rank(np.array([0]), np.ones(3, dtype=bool), 3)
    assert found.tolist() == [[2, -1, -1]]


def test_similar_structures_come_in_the_order_of_rdkit(tmp_path):
    smiles = [f"[SiH3]{'C' * n}{end}" for n in range(1, 13) for end in ("O", "N", "S", "C(=O)OC")]
    pairs = made_pairs(tmp_path, [(text, text, facts()) for text in smiles])
    found = Relatives(pairs, np.arange(48)).rank(np.array([20]), np.ones(48, dtype=bool), 48)[0]
    generator = rdFingerprintGenerator.GetMorganGenerator(3, fpSize=4096, includeChirality=True)
    prints = [generator.GetCountFingerprint(Chem.MolFromSmiles(text)) for text in smiles]
    scores = np.array(DataStructs.BulkTanimotoSimilarity(prints[20], prints))
    scores[20] = -1
    named = found[found >= 0]
    assert set(named.tolist()) == set(np.flatnonzero(scores >= SIMILAR).tolist())
    assert len(named) > 10
    assert (np.diff(scores[named]) <= 1e-9).all()


def test_groups_of_relatives_hold_every_row_once(pairs):
    groups = grow_groups(np.arange(8), np.arange(8), Relatives(pairs, np.arange(8)), 3)
    assert [[IDS[place] for place in group] for group in groups] == [
        ["acid", "base", "peer"],
        ["lone"],
        ["ester", "longer"],
        ["R", "S"],
    ]


def test_a_common_environment_makes_no_relatives_by_itself():
    # 300 rows share one count, more than may be looked up; two share a rare one as well.
    counts = np.zeros((300, 310), dtype=np.uint8)
    counts[:, 0] = 3
    counts[np.arange(300), 1 + np.arange(300)] = 1
    counts[7, 305] = counts[11, 305] = 1

    given = SimpleNamespace(
        ids=[str(number) for number in range(300)],
        inchikeys=[f"{number:014}" for number in range(300)],
        facts=[MoleculeFacts()] * 300,
        feature_rows=np.arange(300),
        store=CountStore(counts),
    )
    found = Relatives(given, np.arange(300)).rank(np.array([7, 8]), np.ones(300, dtype=bool), 4)
    # Rows 7 and 11 share four of six counts; 8 shares its three common ones with everybody.
    assert found.tolist() == [[11, -1, -1, -1], [-1] * 4]


def test_rows_that_ask_together_get_what_they_get_alone():
    rng = np.random.default_rng(3)
    # Ten families that share no environment, across seven classes.
    counts = rng.poisson(2, (80, 40))
    counts[np.arange(40)[None] // 4 != rng.integers(0, 10, 80)[:, None]] = 0
    given = SimpleNamespace(
        ids=[str(number) for number in range(80)],
        inchikeys=[f"{number // 2:014}" for number in range(80)],
        facts=[facts(str(number % 7)) for number in range(80)],
        feature_rows=np.arange(80),
        store=CountStore(counts),
    )
    relatives = Relatives(given, np.arange(80))
    free = rng.random(80) < 0.8
    together = relatives.rank(np.arange(80), free, 4)
    alone = [relatives.rank(np.array([seed]), free, 4)[0].tolist() for seed in range(80)]
    assert together.tolist() == alone
