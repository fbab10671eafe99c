"""Vectors of drawings: kept in parts, and made again where the drawing would be another one."""

import numpy as np
import pytest

from molclip.chem import depict, versions
from molclip.chem.molecule import ParseFailure
from molclip.evaluation import image_vectors as module
from molclip.evaluation.image_vectors import image_vectors

SMILES = ["C", "CC", "C1CC", "CCCC", "CCCCC"]


class _Model:
    """The length of a SMILES is its vector; counts what it is asked for."""

    model_hash = "0123456789abcdef"
    dimension = 1

    def __init__(self, dies_at=None):
        self.asked, self.dies_at = [], dies_at

    def encode_batches(self, molecules, *, workers=None):
        for row, smiles in enumerate(molecules, start=1):
            if smiles == self.dies_at:
                raise KeyboardInterrupt
            self.asked.append(smiles)
            read = smiles if "1" not in smiles else ParseFailure(None, row, None, smiles, "open.")
            length = len(smiles) if isinstance(read, str) else np.nan
            yield np.array([[length]], dtype=np.float32), [read]


@pytest.fixture(autouse=True)
def _parts(monkeypatch, tmp_path):
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path))
    monkeypatch.setattr(module, "SHARD", 2)


def _run(model, told=None):
    return image_vectors(model, SMILES, 1, lambda *step: told is not None and told.append(step))


def test_a_run_that_was_killed_goes_on_after_its_last_whole_part():
    with pytest.raises(KeyboardInterrupt):
        _run(_Model(dies_at="CCCCC"))
    told = []
    model = _Model()
    vectors, failures = _run(model, told)
    assert model.asked == ["CCCCC"]
    np.testing.assert_array_equal(vectors[:, 0], [1, 2, np.nan, 4, 5])
    assert [(failure.row, failure.input) for failure in failures] == [(3, "C1CC")]
    assert told[-1] == ("depictions", 5, 5)
    # Rows are those of the pool, whether a part comes from disk or not.
    assert _run(_Model(dies_at="C"))[1] == failures


@pytest.mark.parametrize("what", ["version", "drawing"])
def test_another_drawing_is_another_vector(monkeypatch, what):
    _run(_Model())
    if what == "version":
        monkeypatch.setattr(versions, "DRAWINGS", "another")
    else:
        lay_out = depict.lay_out
        monkeypatch.setattr(depict, "lay_out", lambda mol: lay_out(mol, other=True))
    model = _Model()
    _run(model)
    assert model.asked == SMILES
