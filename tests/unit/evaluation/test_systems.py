"""A model beside others: what the table shows, and whose queries may be paired."""

import numpy as np
import pytest

from molclip.evaluation.ranks import Ranks
from molclip.evaluation.settings import Setting
from molclip.evaluation.systems import (
    System,
    differences,
    differences_table,
    short_name,
    short_names,
    systems_table,
)


def _setting(key, higher, ids=None, pool=100):
    count = len(higher)
    ranks = Ranks(np.array(higher), np.zeros(count, np.int64), np.zeros(count, bool), pool)
    return Setting.measure(key, key, ids or list("abcdefgh"[:count]), ranks, samples=10, seed=0)


MODEL = System(
    "mine",
    "",
    [_setting("text_to_molecule", [0, 0, 1, 3]), _setting("molecule_to_text", [0, 1], pool=4)],
)


def test_table_has_a_row_for_each_system_and_a_dash_for_what_it_lacks():
    other = System("other", "", [_setting("text_to_molecule", [0, 1, 1, 3])])
    table = systems_table(MODEL, [other])
    assert [column.split("\n")[-1] for column in table.columns] == [
        *("", "Hits@1", "Hits@10", "MRR"),
        *("Hits@1", "MRR"),
    ]
    # (1 + 1 + 1/2 + 1/4) / 4 = 0.6875 and (1 + 1/2 + 1/2 + 1/4) / 4 = 0.5625.
    assert table.rows[0] == ["mine", "0.500", "1.000", "0.688", "0.500", "0.750"]
    assert table.rows[1] == ["other", "0.250", "1.000", "0.562", "–", "–"]


def test_difference_is_the_model_minus_the_other():
    other = System("other", "", [_setting("text_to_molecule", [0, 1, 1, 3])])
    found = differences(MODEL.settings, other, samples=100)
    assert list(found) == ["text_to_molecule"]
    assert found["text_to_molecule"]["hits@1"].value == 0.25
    table = differences_table([(other, found)], 100)
    assert table.rows[0][:3] == ["other", "Hits@1", "+0.250"]


def test_expectations_cannot_be_paired():
    system = System("random", "", MODEL.settings, "expected")
    assert differences(MODEL.settings, system) == {}
    assert differences_table([(system, {})], 100) is None


def test_other_queries_are_refused():
    other = System("other", "", [_setting("text_to_molecule", [0, 1, 1, 3], ids=list("abdc"))])
    with pytest.raises(ValueError, match="other answered other queries"):
        differences(MODEL.settings, other)


def test_models_of_the_same_short_name_are_numbered():
    names = ["one/image/model", "two/image/model", "three/image", "a" * 30, "b/" + "a" * 30]
    found = short_names(names)
    assert found == ["image", "image 2", "image 3", "a" * 19 + "…", "a" * 18 + " 2"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("runs/text2mol/model", "text2mol"),
        ("built-in", "built-in"),
        ("ViT-B-32/laion2b_s34b_b79k", "laion2b_s34b_b79k"),
        ("/data/a-very-long-folder-name-indeed", "a-very-long-folder-…"),
    ],
)
def test_short_names_fit_the_table(name, expected):
    assert short_name(name) == expected
    assert len(expected) <= 20
