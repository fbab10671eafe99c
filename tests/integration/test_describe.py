"""Descriptions by the built-in model against the embedded library."""

from __future__ import annotations

import json

import numpy as np
import pytest

from molclip.datasets.ontology import Ontology
from molclip.describe import Describer
from molclip.errors import InputError
from molclip.search.library import Library

CAFFEINE = "Cn1cnc2c1c(=O)n(C)c(=O)n2C"
STRANGER = "O=C(Nc1ccc(Br)cc1)c1ccncc1F"


@pytest.fixture(scope="module")
def describer() -> Describer:
    return Describer(Library.open())


def test_recorded_and_predicted_are_told_apart(describer: Describer) -> None:
    found = describer.describe(CAFFEINE)
    assert found.record is not None
    assert found.record.id == "CHEBI:27732"
    recorded = {entry.text for entry in found.classes if entry.evidence == "recorded"}
    assert recorded == {"trimethylxanthine", "purine alkaloid"}
    roles = {entry.text for entry in found.roles if entry.evidence == "recorded"}
    assert "central nervous system stimulant" in roles
    ontology = Ontology.load()
    follows = ontology.closure(
        e.id for e in found.classes + found.roles if e.evidence == "recorded"
    )
    for entry in found.classes + found.roles:
        if entry.evidence == "predicted":
            assert entry.id not in follows
            assert entry.margin is not None
            assert entry.margin >= found.margin
    assert all(entry.evidence == "predicted" for entry in found.uses)
    captions = {entry.evidence: entry.text for entry in reversed(found.captions)}
    assert captions["recorded"].startswith("Caffeine is a trimethylxanthine and a purine alkaloid.")
    assert "C8H10N4O2" in captions["calculated"]
    assert any(entry.of == "alkaloid" for entry in found.definitions)


def test_without_an_entry_all_is_predicted(describer: Describer) -> None:
    found = describer.describe(STRANGER)
    assert found.record is None
    assert found.seen is False
    said = found.classes + found.roles + found.uses + found.definitions
    assert said
    assert {entry.evidence for entry in said} == {"predicted"}
    assert {entry.evidence for entry in found.captions} == {"predicted", "calculated"}
    # Two halogens and an amide between aromatic rings: one of them at least is hard to miss.
    told = " ".join(f"{entry.text} {entry.broader}" for entry in found.classes)
    assert "halogen" in told or "amide" in told


def test_percentiles_are_shares_of_the_library(describer: Describer) -> None:
    found = describer.describe(STRANGER)
    library = describer.library
    background = library.vectors(10**9)
    assert found.background == len(background) == int(library._index.curated.sum())
    vector = library.model.encode_molecules([STRANGER]).vectors[0]
    for entry in [*found.classes, *found.captions]:
        word = library.model.encode_text([entry.text])[0]
        assert entry.score == pytest.approx(float(word @ vector), abs=1e-4)
        below = np.mean(background @ word < word @ vector)
        assert entry.percentile == pytest.approx(100 * below, abs=0.02)


def test_nothing_passes_a_high_threshold(describer: Describer) -> None:
    found = describer.describe(STRANGER, margin=50.0)
    assert found.classes == found.roles == found.uses == found.definitions == []
    assert found.silent == ["classes", "roles", "uses"]
    assert found.captions[0].evidence == "calculated"
    assert len(found.captions) == 1


def test_a_lower_threshold_lists_more_and_top_limits_it(describer: Describer) -> None:
    strict = describer.describe(STRANGER, margin=1.0, top=50)
    loose = describer.describe(STRANGER, margin=0.0, top=50)
    above = Ontology.load().closure(entry.id for entry in loose.classes)
    assert {entry.id for entry in strict.classes} <= above
    assert len(loose.classes) > len(strict.classes)
    assert len(describer.describe(STRANGER, margin=0.0, top=1).classes) == 1


def test_it_can_be_written_as_json(describer: Describer) -> None:
    told = json.loads(json.dumps(describer.describe(CAFFEINE).to_dict(), allow_nan=False))
    assert told["record"]["name"] == "caffeine"
    assert told["classes"][0]["evidence"] == "recorded"
    assert told["properties"]["formula"] == "C8H10N4O2"


@pytest.mark.parametrize(
    ("molecule", "options", "said"),
    [
        ("c1cc1", {}, "cannot be read"),
        (CAFFEINE, {"margin": float("nan")}, "The margin is nan"),
        (CAFFEINE, {"top": 0}, "top is 0"),
    ],
)
def test_refusals(
    describer: Describer, molecule: str, options: dict[str, float], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        describer.describe(molecule, **options)
