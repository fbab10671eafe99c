"""Baselines against closed forms, scikit-learn, RDKit and cases made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from molclip.baselines.chance import chance
from molclip.baselines.descriptions import Descriptions, training_descriptions
from molclip.baselines.linear_cca import LinearCca
from molclip.baselines.nearest_text import NearestText
from molclip.baselines.on_the_spot import measure_baselines
from molclip.errors import InputError
from molclip.evaluation.pairs import RetrievalData
from molclip.evaluation.pool_facts import pool_facts
from molclip.evaluation.settings import Directions

SMILES = ["CCO", "CCCO", "c1ccccc1", "Cc1ccccc1", "CC(=O)O", "CCC(=O)O", "C1CC", "CCN"]


@pytest.fixture(autouse=True)
def _cache(monkeypatch, tmp_path):
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path))


def _task(**changes):
    task = {
        "name": "made up",
        "split": "validation",
        "text_variant": "made up",
        "text_ids": ["1", "3", "5", "6"],
        "texts": ["an alcohol", "a benzene ring, aromatic", "an acid", "an open ring"],
        "pool_ids": [str(row) for row in range(8)],
        "pool_smiles": SMILES,
        "in_split": [row in (1, 3, 5, 6) for row in range(8)],
        "bank": ["the alcohol of wine", "an aromatic ring of benzene"],
        "bank_ids": ["0", "2"],
        "trained": [row in (0, 2, 4, 7) for row in range(8)],
    }
    return RetrievalData(**(task | changes))


LEARNED = Descriptions(
    rows=[0, 2, 4],
    texts=["the alcohol of wine", "an aromatic ring of benzene", "the acid of vinegar"],
    written=[True, True, False],
)


@pytest.mark.parametrize("pool", [2, 7, 3301])
def test_chance_is_the_closed_form(pool):
    data = _task(
        text_ids=["0", "1"],
        texts=["a", "b"],
        pool_ids=[str(row) for row in range(pool)],
        pool_smiles=["C"] * pool,
        in_split=[True] * pool,
        trained=(),
    )
    found = chance(data, Directions.of(data, "all")).setting("text_to_molecule")
    expected = found.figures["expected"]
    assert expected["hits@1"] == pytest.approx(1 / pool)
    assert expected["hits@10"] == pytest.approx(min(1, 10 / pool))
    assert expected["mrr"] == pytest.approx(sum(1 / rank for rank in range(1, pool + 1)) / pool)
    assert expected["mean_rank"] == expected["median_rank"] == (pool + 1) / 2


def test_chance_counts_the_best_of_several_texts():
    data = _task(text_ids=["0", "0", "1"], texts=["a", "b", "c"], trained=())
    back = chance(data, Directions.of(data, "all")).setting("molecule_to_text")
    # Of three shuffled texts one of the two is first with 2/3; the ranking skips the other own.
    assert back.ranks.tied.tolist() == [1, 2]
    assert back.ranks.pool_size == 3


def test_a_text_borrows_the_molecule_of_the_nearest_description():
    data = _task()
    ranker = NearestText(LEARNED, SMILES, data.texts, Directions.of(data, "all"), workers=1)
    # "an open ring" shares "ring" and "an" with the second description alone.
    assert ranker.nearest_training_row.tolist() == [0, 2, 4, 2]


def test_molecules_are_ordered_by_tanimoto_to_the_borrowed_one():
    from rdkit import Chem, DataStructs
    from rdkit.Chem import rdFingerprintGenerator

    generator = rdFingerprintGenerator.GetMorganGenerator(
        radius=2, fpSize=2048, includeChirality=True
    )
    bits = [
        None if mol is None else generator.GetFingerprint(mol)
        for mol in (Chem.MolFromSmiles(text) for text in SMILES)
    ]
    data = _task()
    directions = Directions.of(data, "all")
    ranker = NearestText(LEARNED, SMILES, data.texts, directions, workers=1)
    ranks = ranker.text_to_molecule(np.arange(8))
    for query, (borrowed, right) in enumerate([(0, 1), (2, 3), (4, 5)]):
        scores = [
            -1 if other is None else DataStructs.TanimotoSimilarity(bits[borrowed], other)
            for other in bits
        ]
        assert ranks.ranks()[query] == sum(score >= scores[right] for score in scores)
        # The training molecule itself always stands in front.
        assert ranks.ranks()[query] > 1
    # The last text's molecule cannot be read: a miss, last of the pool.
    assert ranks.missed.tolist() == [False, False, False, True]
    small = ranker.text_to_molecule(directions.small)
    assert small.ranks().tolist() == [1, 1, 1, 4]


def test_molecules_find_texts_by_the_description_of_the_nearest_training_molecule():
    data = _task()
    back = NearestText(
        LEARNED, SMILES, data.texts, Directions.of(data, "all"), workers=1
    ).molecule_to_text()
    # Propanol is nearest to ethanol, toluene to benzene, propionic to acetic acid; each of those
    # descriptions is nearest to the right text. What cannot be read is a miss.
    assert back.ranks().tolist() == [1, 1, 1, 4]
    assert back.missed.tolist() == [False, False, False, True]


def _two_views(pairs=400):
    """Sparse counts and texts that share two hidden directions."""
    rng = np.random.default_rng(0)
    hidden = rng.poisson(3, size=(pairs, 2))
    counts = np.hstack([hidden, rng.poisson(2, size=(pairs, 4))])
    noise = rng.poisson(2, size=(pairs, 3))
    words = ["acid", "ring", "red", "blue", "green"]
    texts = [
        " ".join(
            word for word, times in zip(words, [*shared, *other], strict=True) for _ in range(times)
        )
        or "red"
        for shared, other in zip(hidden, noise, strict=True)
    ]
    return texts, counts


def test_cca_finds_the_correlations_of_scikit_learn():
    from scipy.sparse import csr_matrix
    from sklearn.cross_decomposition import CCA
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, counts = _two_views()
    kept = 4
    model = LinearCca(compressed=kept, dimension=3).fit(texts, csr_matrix(counts, dtype=float))
    words = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2).fit_transform(texts)
    left = TruncatedSVD(kept, random_state=0).fit_transform(words)
    right = TruncatedSVD(kept, random_state=0).fit_transform(np.log1p(counts))
    first, second = CCA(n_components=3, max_iter=5000, tol=1e-10).fit_transform(left, right)
    expected = [np.corrcoef(first[:, k], second[:, k])[0, 1] for k in range(3)]
    np.testing.assert_allclose(model.correlations[:3], expected, atol=2e-3)


def test_cca_brings_partners_together():
    from scipy.sparse import csr_matrix

    texts, counts = _two_views()
    sparse = csr_matrix(counts, dtype=float)
    model = LinearCca(compressed=5, dimension=2).fit(texts[:300], sparse[:300])
    left, right = model.encode_text(texts[300:]), model.encode_counts(sparse[300:])
    assert left.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(left, axis=1), 1, atol=1e-5)
    scores = left @ right.T
    # Partners score far above others; without a shared map both means would be the same.
    assert np.diag(scores).mean() > scores.mean() + 0.4


def test_all_baselines_answer_every_text_of_a_task():
    data = _task()
    facts = pool_facts(SMILES, workers=1)
    systems = measure_baselines(["all"], data, facts, workers=1, descriptions=LEARNED)
    assert [system.name for system in systems] == ["random", "TF-IDF, Tanimoto", "linear CCA"]
    for system in systems:
        assert len(system.note) > 20
        keys = [setting.key for setting in system.settings]
        assert keys == ["text_to_molecule", "text_to_molecule_split", "molecule_to_text"]
        for setting in system.settings:
            assert len(setting.ranks) == 4
    cca = systems[2].setting("text_to_molecule")
    assert cca.ranks.missed.tolist() == [False, False, False, True]


def test_progress_counts_real_steps_to_their_end():
    told = []
    measure_baselines(
        ["tfidf", "cca"],
        _task(),
        pool_facts(SMILES, workers=1),
        workers=1,
        progress=lambda *step: told.append(step),
        descriptions=LEARNED,
    )
    stages = {}
    for stage, done, total in told:
        stages.setdefault(stage, []).append((done, total))
    assert stages["CCA"] == [(step, 6) for step in range(7)]
    assert stages["TF-IDF, words"] == [(0, 7), (3, 7), (7, 7)]
    # Texts are looked for once among descriptions, and then in both pools.
    assert stages["TF-IDF, nearest descriptions"] == [(0, 4), (4, 4)]
    assert {"TF-IDF, texts in 8 molecules", "TF-IDF, texts in 4 molecules"} <= set(stages)
    for stage, steps in stages.items():
        assert steps == sorted(steps), stage
        assert steps[-1][0] == steps[-1][1], stage


def test_unknown_baseline_is_refused():
    with pytest.raises(InputError, match="no baseline 'svm'"):
        measure_baselines(["svm"], _task(), pool_facts(SMILES, workers=1))


def _known():
    """Molecules of which ChEBI states facts; ethanol stands in the test split, the others do not."""
    smiles = ["CCO", "CCCO", "c1ccccc1", "CC(=O)C", "C1CCCCC1"]
    task = _task(
        text_ids=["4"],
        texts=["a ring"],
        pool_ids=[str(row) for row in range(5)],
        pool_smiles=smiles,
        in_split=[row == 4 for row in range(5)],
        trained=[row < 4 for row in range(5)],
        bank=["smells of solvent", "dissolves fat"],
        bank_ids=["1", "1"],
    )
    return task, pool_facts(smiles, workers=1)


def test_descriptions_are_peoples_where_there_are_any_and_facts_elsewhere():
    data, facts = _known()
    found = training_descriptions(data, facts, captions=2)
    # Ethanol is held out whatever the data say, and cyclohexane is no training molecule.
    assert list(found.rows) == [1, 1, 2, 2, 3, 3]
    assert list(found.texts[:2]) == list(data.bank)
    assert list(found.written) == [True, True, False, False, False, False]
    assert all(text.startswith("The molecule") for text in found.texts[2:])
    assert list(training_descriptions(data, facts, captions=2).texts) == list(found.texts)
    assert str(found) == (
        "6 texts of 3 training molecules: 2 written by people, 4 made from ChEBI's facts"
    )


def test_nothing_to_learn_from_is_said():
    data, facts = _known()
    with pytest.raises(InputError, match="Nothing is known"):
        training_descriptions(replace(data, trained=[True, *[False] * 4]), facts)
