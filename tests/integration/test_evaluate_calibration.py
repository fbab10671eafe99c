"""`molclip evaluate calibration` on the embedded library, with a model that knows sixty molecules."""

import csv
import json
import zlib

import numpy as np
import pytest
from typer.testing import CliRunner

from molclip.cli.main import app
from molclip.datasets.facts import load_facts
from molclip.evaluation import encoders
from molclip.evaluation.encoders import LoadedEncoder, PoolVectors
from molclip.search.match_level import CALIBRATION_FILE, Calibration
from molclip.search.quantiles import STEPS
from molclip.search.seen import SEEN_FILE, write_seen

KNOWN = 60
SIZE = 64


def noise(text):
    """A place of its own for every text and molecule, with nothing along the last axis."""
    vector = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(SIZE)
    vector[-1] = 0
    return vector / np.linalg.norm(vector)


class Model:
    """A description lies where its molecule lies; every other text has a cosine of 0 with all."""

    model_hash = "0123456789abcdef"

    def __init__(self, folder, place):
        self.folder = folder
        self._place = place

    def encode_text(self, texts):
        vectors = np.zeros((len(texts), SIZE), dtype=np.float32)
        for row, text in enumerate(texts):
            if text in self._place:
                vectors[row] = self._place[text]
            else:
                vectors[row, -1] = 1
        return vectors

    def encode_labels(self, labels, _templates):
        return np.stack([noise(label) for label in labels]).astype(np.float32)


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """Sixty curated molecules, five of which were trained on, and one that ChEBI does not have."""
    facts = load_facts()
    smiles, keys = facts.column("smiles"), facts.column("inchikey")
    rows = [row for row, checked in enumerate(facts.column("curated")) if checked]
    chosen = rows[:: len(rows) // KNOWN][:KNOWN]
    table = np.random.default_rng(0).standard_normal((len(rows), SIZE)).astype(np.float32)
    table[:, -1] = 0
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    vector_of = {smiles[row]: table[number] for number, row in enumerate(rows)}
    place = {f"description {row}": vector_of[smiles[row]] for row in chosen}
    folder = tmp_path / "model"
    folder.mkdir()
    write_seen([keys[row] for row in chosen[:5]], folder / SEEN_FILE)
    line = (STEPS / 100).tolist()
    Calibration(Model.model_hash, line, line, 100, 100, 1000, "a straight line").save(
        folder / CALIBRATION_FILE
    )

    def encode_pool(asked):
        return PoolVectors(np.stack([vector_of[text] for text in asked]), [])

    model = Model(folder, place)
    monkeypatch.setattr(
        encoders, "molclip_encoder", lambda *_: LoadedEncoder(model, encode_pool, lambda _: 0)
    )
    path = tmp_path / "pairs.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(("id", "smiles", "text"))
        writer.writerows((row, smiles[row], f"description {row}") for row in chosen)
        writer.writerow(("none", "CCCCCCCCCCCCC[Pb]", "description of nothing"))
    return path


def test_the_command_writes_a_report(pairs, tmp_path):
    out = tmp_path / "report"
    result = CliRunner().invoke(
        app,
        ["evaluate", "calibration", "--pairs", str(pairs), "--out", str(out), "--format", "json"],
    )
    assert result.exit_code == 0, result.output
    report = json.loads((out / "calibration.json").read_text(encoding="utf-8"))
    left_out = report["header"]["left out"]
    assert "1 of molecules that are not among those searched" in left_out
    assert "5 of molecules trained on" in left_out
    assert report["header"]["descriptions"] == KNOWN - 5
    levels = report["results"]["levels"]
    described = levels["kinds"]["descriptions"]
    assert described["best_hit_right"] == 1
    assert described["best_hit_levels"]["strong"] == 1
    # A cosine of 0 lies below all of the straight line from 0 to 1.
    assert levels["kinds"]["no answer"]["best_hit_levels"]["none"] == 1
    assert levels["mixed"]["strong"] == [1.0, KNOWN - 5]
    said = " ".join(report["notes"])
    assert "too few to keep some apart" in said
    assert "embedded library is not of this model" in said
    page = (out / "calibration.html").read_text(encoding="utf-8")
    assert "Reliability of the percentiles of a score" in page
    assert "| descriptions | 55 |" in (out / "calibration.md").read_text(encoding="utf-8")


def test_no_text_left_is_an_error_with_a_remedy(pairs):
    lines = pairs.read_text(encoding="utf-8").splitlines()
    pairs.write_text("\n".join([lines[0], lines[-1]]) + "\n", encoding="utf-8")
    result = CliRunner().invoke(
        app, ["evaluate", "calibration", "--pairs", str(pairs), "--part", "levels"]
    )
    assert result.exit_code == 2
    assert "No held-out text is left" in result.output
