"""One question to two models over the same molecules."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from molclip.app import comparison, picture_search
from molclip.app.picture_search import LARGEST, MOLECULES, VARIABLE, PictureSearch, question
from molclip.app.service import Service
from open_clip_folder import write_open_clip

from molclip.errors import InputError, ModelError

pytest.importorskip("open_clip")


@pytest.fixture(scope="module")
def service() -> Service:
    return Service.open()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_open_clip(tmp_path_factory.mktemp("open_clip") / "tiny")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(picture_search, "MOLECULES", 40)
    return 40


def test_the_set_is_always_the_same(service: Service) -> None:
    records = PictureSearch(service, "x").records
    assert len(records) == MOLECULES
    assert all(r["curated"] and r["roles"] and r["heavy_atoms"] <= LARGEST for r in records)
    assert len({record["row"] for record in records}) == MOLECULES
    assert [r["row"] for r in PictureSearch(service, "y").records] == [r["row"] for r in records]


def test_both_answers_are_their_models_own(service: Service, folder: Path, few: int) -> None:
    pictures = PictureSearch(service, str(folder))
    baseline = pictures.baseline()
    steps = list(pictures.prepare(baseline))
    assert steps == [(0, few), (16, few), (32, few)]
    assert list(pictures.prepare(baseline)) == []
    found = pictures.compare(" steroid\nhormone ", baseline)
    assert found.text == "steroid hormone"
    assert found.absent is None
    smiles = [record["smiles"] for record in pictures.records]
    own = service.library.model.similarity("steroid hormone", smiles)[0]
    assert np.allclose(found.molclip.scores, own, atol=1e-5)
    assert found.molclip.order.tolist() == np.argsort(-own, kind="stable").tolist()
    assert found.pictures is not None
    seen = baseline.encode_molecules(smiles).vectors @ baseline.encode_text(["steroid hormone"])[0]
    assert np.allclose(found.pictures.scores, seen, atol=1e-5)
    assert found.pictures.seconds > 0 < found.pictures.preparation
    assert found.pictures.name == "tiny"


def test_recorded_is_what_a_search_of_the_library_says(
    service: Service, folder: Path, few: int
) -> None:
    pictures = PictureSearch(service, str(folder))
    baseline = pictures.baseline()
    list(pictures.prepare(baseline))
    found = pictures.compare("antibacterial agent", baseline)
    assert found.recorded is not None
    ids = ", ".join(repr(record["id"]) for record in pictures.records)
    hits = service.library.search("antibacterial agent", k=few, where=f"id IN ({ids})")
    said = {hit["id"]: hit["evidence"] == "recorded" for hit in hits}
    assert found.recorded.tolist() == [said[record["id"]] for record in pictures.records]
    shown = comparison.compared(found, pictures.records)
    right = int(found.recorded.sum())
    assert f"for {right} of the {few} molecules" in shown
    assert shown.count("<li") == 2 * picture_search.SHOWN
    nothing = pictures.compare("qwertz", baseline)
    assert nothing.recorded is None
    assert "name no class or role" in comparison.compared(nothing, pictures.records)


def test_work_goes_on_where_a_cancelled_visitor_left_it(
    service: Service, folder: Path, few: int
) -> None:
    pictures = PictureSearch(service, str(folder))
    baseline = pictures.baseline()
    first = pictures.prepare(baseline)
    assert [next(first), next(first)] == [(0, few), (16, few)]
    first.close()
    assert next(pictures.prepare(baseline)) == (16, few)


def test_without_weights_molclip_answers_and_the_reason_stands_beside(
    service: Service, tmp_path: Path, few: int
) -> None:
    missing = tmp_path / "secret place" / "weights"
    pictures = PictureSearch(service, str(missing))
    with pytest.raises(ModelError) as raised:
        pictures.baseline()
    # Folders of the server are nobody's business.
    assert "secret place" not in str(raised.value)
    assert "'weights' are not there" in raised.value.message
    assert VARIABLE in raised.value.hint
    found = pictures.compare("steroid", raised.value)
    assert found.pictures is None
    shown = comparison.compared(found, pictures.records)
    assert "are not there" in shown
    assert shown.count("<li") == picture_search.SHOWN
    # Weights that arrive later are taken, without a restart.
    write_open_clip(missing)
    assert pictures.baseline().dimension == 24


def test_without_open_clip_that_is_said(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "open_clip", None)
    with pytest.raises(ModelError, match="not installed") as raised:
        PictureSearch(service).baseline()
    assert "image" in raised.value.hint


def test_nothing_is_fetched_while_serving(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from huggingface_hub import constants

    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    pictures = PictureSearch(service)
    assert pictures.weights == "ViT-B-32/laion2b_s34b_b79k"
    with pytest.raises(ModelError, match="not fetched here"):
        pictures.baseline()


def test_the_environment_names_the_weights(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "/some/where/mine")
    pictures = PictureSearch(service)
    assert (pictures.weights, pictures.shown_weights) == ("/some/where/mine", "mine")


def test_names_and_questions_are_text(service: Service, folder: Path, few: int) -> None:
    pictures = PictureSearch(service, str(folder))
    baseline = pictures.baseline()
    list(pictures.prepare(baseline))
    records = [{**record, "name": "<img src=x>"} for record in pictures.records]
    shown = comparison.compared(pictures.compare("<b>dye</b>", baseline), records)
    assert "<img" not in shown
    assert "<b>" not in shown


@pytest.mark.parametrize(
    ("words", "sentence"), [(" \n", "Nothing is asked"), ("w" * 1001, "1,001 characters")]
)
def test_what_cannot_be_asked(words: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        question(words)
