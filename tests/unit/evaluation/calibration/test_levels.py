"""Match levels on a pool of vectors at known places."""

import numpy as np
import pytest

from molclip.datasets.ontology import Ontology
from molclip.evaluation.calibration import held_out
from molclip.evaluation.calibration.held_out import (
    CLASSES,
    DESCRIPTIONS,
    HARD_NO_ANSWER,
    NO_ANSWER,
    Asked,
    HeldOut,
)
from molclip.evaluation.calibration.level_tables import (
    level_plots,
    level_results,
    level_tables,
    right_by_level,
)
from molclip.evaluation.calibration.levels import measure_levels, nonsense_percentiles
from molclip.evaluation.calibration.pool import Pool
from molclip.evaluation.calibration.questions import (
    LIKE_THOSE_OF_SETTING,
    held_out_questions,
    no_answer_questions,
    sets_levels,
    setting_pairs,
)
from molclip.evaluation.zero_shot.library_terms import Rows
from molclip.search.match_level import Calibration
from molclip.search.quantiles import STEPS

KEYS = [f"{'ABCDE'[n % 5] * 14}-{n:010d}-N" for n in range(40)]


@pytest.fixture
def pool():
    ids = [f"row {n}" for n in range(40)]
    return Pool(Rows(ids, KEYS, ids, {}), Ontology({}), np.eye(40, dtype=np.float32))


class Model:
    """A text is "ROW COSINE": at that cosine to the axis of its row, else along no row."""

    def encode_text(self, texts):
        vectors = np.zeros((len(texts), 40), dtype=np.float32)
        for number, text in enumerate(texts):
            row, cosine = text.split()
            vectors[number, int(row)] = float(cosine)
        return vectors


def calibration():
    """Nonsense lies evenly from 0 to 1 and true pairs from 0.5 to 1."""
    return Calibration("h", (0.5 + STEPS / 200).tolist(), (STEPS / 100).tolist(), 1, 1, 40)


def result(pool):
    right = lambda *rows: [frozenset({row}) for row in rows]  # noqa: E731
    asked = [
        # Strong and right; plausible, but row 5 is asked for; weak and right; none.
        Asked(DESCRIPTIONS, ["1 0.995", "0 0.95", "2 0.6", "3 0.3"] * 10, right(1, 5, 2, 9) * 10),
        Asked(CLASSES, ["7 0.995"] * 10, [frozenset({7, 8})] * 10),
        Asked(NO_ANSWER, [f"4 {(n + 0.5) / 20}" for n in range(20)], [frozenset()] * 20),
        Asked(HARD_NO_ANSWER, ["4 0.95"] * 5, [frozenset()] * 5),
    ]
    return measure_levels(Model(), calibration(), pool, asked, [("1 0.75", 1), ("2 1.0", 2)])


def test_right_hits_are_counted_by_level(pool):
    found = result(pool).of(DESCRIPTIONS)
    assert found.levels[:4, 0].tolist() == ["strong", "plausible", "weak", "none"]
    shares = {
        level: right_by_level(found, level, first=True).value
        for level in ("strong", "plausible", "weak", "none")
    }
    assert shares == {"strong": 1, "plausible": 0, "weak": 1, "none": 0}
    # Row 5 has the skeleton of row 0, row 9 another than row 3.
    assert right_by_level(found, "plausible", first=True, skeleton=True).value == 1
    assert right_by_level(found, "none", first=True, skeleton=True).value == 0
    # Behind the best hit everything scores 0: right rows there are of level `none`.
    assert right_by_level(found, "none", first=False).number == 10 + 40 * 9


def test_percentiles_and_the_mixture(pool):
    measured = result(pool)
    assert nonsense_percentiles(measured).tolist() == pytest.approx(
        [(n + 0.5) / 20 for n in range(20)], abs=1e-3
    )
    assert measured.true_percentiles.tolist() == pytest.approx([0.5, 1.0], abs=1e-3)
    # Strong: a quarter of the descriptions and every class, all of them right, and no nonsense.
    assert measured.mixed["strong"] == (1.0, 20)
    # Plausible: 1/4 of the descriptions, all wrong, and of 20 nonsense ones 0.925 and 0.975.
    assert measured.mixed["plausible"] == (0.0, 12)
    # Weak: 1/4 of the descriptions is right, 8 of 20 questions without answer are not.
    assert measured.mixed["weak"] == (pytest.approx(0.25 / (0.25 + 0.4)), 18)


def test_the_report_has_tables_and_plots(pool):
    measured = result(pool)
    tables = level_tables(measured)
    first = {row[0]: row for row in tables[0].rows}
    assert first[DESCRIPTIONS][1:6] == ["40", "25.0%", "25.0%", "25.0%", "25.0%"]
    assert first[NO_ANSWER][-1] == ""
    assert [plot.title for plot in level_plots(measured)][1].startswith("Reliability")
    assert level_results(measured)["kinds"][CLASSES]["best_hit_right"] == 1.0


def test_a_third_of_the_texts_sets_levels(tmp_path):
    texts = [f"text number {n}" for n in range(3000)]
    chosen = [text for text in texts if sets_levels(text)]
    assert 0.3 < len(chosen) / 3000 < 0.37
    assert all(sets_levels(f" {text}\n") for text in chosen[:5])
    path = tmp_path / "pairs.tsv"
    path.write_text("smiles\tdescription\n" + "".join(f"CO\t{text}\n" for text in texts))
    pairs, source = setting_pairs(path)
    assert [text for text, _ in pairs] == chosen
    assert source.startswith(f"{len(chosen)} descriptions of pairs.tsv")
    path.write_text("smiles\tdescription\nCO\ta text\n")
    assert setting_pairs(path) == ([("a text", "CO")], "all 1 descriptions of pairs.tsv")


def test_questions_without_answer_are_kept_apart():
    without = held_out_questions()
    assert set(LIKE_THOSE_OF_SETTING) < set(without)
    asked = [text for texts in without.values() for text in texts]
    assert len(set(asked)) == len(asked) >= 140
    assert not set(asked) & set(no_answer_questions())


def test_texts_that_must_not_be_measured_are_left_out(pool, monkeypatch):
    pool = Pool(
        Rows(["a", "b"], ["K1", "K2"], ["CCO", "CO"], {}), Ontology({}), pool.vectors[:2, :2]
    )
    monkeypatch.setattr(held_out, "drawn_terms", lambda smiles, seed: [])
    setting = [f"a {n}" for n in range(2000) if sets_levels(f"a {n}")][:300]
    other = [f"a {n}" for n in range(2000) if not sets_levels(f"a {n}")][:4]
    smiles = ["OCC", "OC", "CCCC", "OCC"]
    pairs = [*((text, "OCC") for text in setting), *zip(other, smiles, strict=True)]
    found = HeldOut.of(pairs, pool, {"K2"})
    assert found.texts == [other[0], other[3]]
    assert found.rows == [0, 0]
    assert (found.used_for_setting, found.seen, found.not_in_pool) == (300, 1, 1)
    assert not found.in_sample
    few = HeldOut.of(pairs[-4:], pool, None)
    assert (few.used_for_setting, few.seen, few.in_sample) == (0, 0, True)
