"""What the page tells of a model: read from its folder, never from another model's files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from molclip.app import model_page
from molclip.app.model_facts import REPRESENTATION, card_sections, model_facts
from molclip.app.service import Service

from molclip.search.model_handle import model_folder
from molclip.training.shipped_history import SHIPPED

CARD = """# The model

First words.

## Training

Ten molecules. `a {b}` and <script>alert(1)</script>.

```bash
## no heading
```

## Training data

More.

## Figures

| figure | value |
| --- | --- |
| Hits@1 | 0.5 |
"""


@pytest.fixture(scope="module")
def real() -> Service:
    return Service.open()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text(CARD, encoding="utf-8")
    return tmp_path


def _service(real: Service, folder: Path | None) -> Any:
    library = SimpleNamespace(
        model=real.library.model,
        info=real.library.info,
        _handle=SimpleNamespace(folder=folder),
    )
    return SimpleNamespace(library=library)


def test_sections_of_a_card() -> None:
    found = card_sections(CARD)
    assert list(found) == ["", "Training", "Training data", "Figures"]
    assert found[""] == "First words."
    assert "## no heading" in found["Training"]
    assert found["Figures"].splitlines()[-1] == "| Hits@1 | 0.5 |"


def test_the_card_becomes_html_and_nothing_in_it_code(real: Service, folder: Path) -> None:
    facts = model_facts(_service(real, folder))
    shown = model_page.training(facts)
    assert "Ten molecules." in shown
    assert "More." in shown
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "{" not in shown
    assert "`" not in shown
    table = model_page.results(facts)
    assert "<td>Hits@1</td>" in table
    assert "<td>0.5</td>" in table
    assert model_page.rest(facts) == ""


def test_the_shipped_model(real: Service) -> None:
    facts = model_facts(real)
    network = real.library.model.network
    assert facts.parameters == sum(p.numel() for p in network.parameters())
    assert facts.model_hash == real.library.model.model_hash
    assert facts.temperature == pytest.approx(1 / float(network.scale.detach()))
    assert "card" not in facts.missing
    assert "<table>" in model_page.results(facts)
    assert "molecules" in model_page.training(facts)
    assert facts.model_hash in model_page.head(facts)


def test_an_ensemble_says_how_many_it_is(real: Service) -> None:
    facts = model_facts(real)
    one, three = (replace(facts, members=count) for count in (1, 3))
    assert "members" not in model_page.head(one)
    assert "million parameters in 3 members." in model_page.head(three)
    assert "of the first of 3 members" in model_page.training_curves(three)


def test_folders_of_the_server_are_not_told(real: Service, folder: Path) -> None:
    service = _service(real, folder)
    service.library.info = lambda: SimpleNamespace(model_name="/home/anna/models/mine")
    shown = model_page.head(model_facts(service))
    assert "mine" in shown
    assert "anna" not in shown


def test_absent_files_are_said(real: Service, tmp_path: Path) -> None:
    facts = model_facts(_service(real, tmp_path / "none"))
    assert set(facts.missing) == {"card", "representation", "history"}
    assert "README.md" in model_page.results(facts)
    assert "molclip evaluate representation" in model_page.markup.literal(
        facts.missing["representation"]
    ).replace("&#96;", "`")
    # The temperature is the weights' own.
    assert f"{facts.temperature:.4f}" in model_page.geometry(facts)
    assert "Alignment" not in model_page.geometry(facts)
    assert "No curves." in model_page.training_curves(facts)
    assert model_facts(_service(real, None)).missing.keys() == facts.missing.keys()


def _representation(model_hash: str) -> dict[str, Any]:
    figures = {
        "pairs": 100,
        "dimension": 256,
        "alignment": 0.7173,
        "uniformity_text": -3.498,
        "uniformity_molecule": -2.807,
        "effective_rank_text": 52.09,
        "effective_rank_molecule": 44.18,
        "modality_gap": 0.617,
    }
    results = {
        "figures": figures,
        "random": {**figures, "alignment": 1.996, "effective_rank_text": 253.4},
        "hardest_negative": 0.348,
        "effective_negatives": 18.2,
        "negatives": 99.0,
    }
    header = {"model hash": model_hash, "data set": "<i>set", "pairs": "100, texts"}
    return {"header": header, "results": results}


def test_figures_of_these_weights_only(real: Service, folder: Path) -> None:
    report = _representation(real.library.model.model_hash)
    (folder / REPRESENTATION).write_text(json.dumps(report), encoding="utf-8")
    shown = model_page.geometry(model_facts(_service(real, folder)))
    for value in ("0.717", "−3.50", "−2.81", ">52 ", ">44 ", "0.617", "of 256", "253"):
        assert value in shown
    assert "<i>" not in shown
    report["header"]["model hash"] = "other"
    (folder / REPRESENTATION).write_text(json.dumps(report), encoding="utf-8")
    facts = model_facts(_service(real, folder))
    assert facts.representation is None
    assert "of other weights (other)" in model_page.geometry(facts)
    (folder / REPRESENTATION).write_text("{", encoding="utf-8")
    assert "damaged" in model_facts(_service(real, folder)).missing["representation"]


def test_curves_of_these_weights_only(real: Service, folder: Path) -> None:
    records = [
        {"epoch": 1, "step": 10, "loss": 2.0, "temperature": 0.07},
        {"epoch": 2, "step": 20, "loss": 1.0, "temperature": 0.05, "validation mrr": 0.3},
    ]
    told = {"model_hash": real.library.model.model_hash, "records": records}
    (folder / SHIPPED).write_text(json.dumps(told), encoding="utf-8")
    shown = model_page.training_curves(model_facts(_service(real, folder)))
    assert shown.count("<svg") == 3
    assert "Up to epoch 2, 20 steps" in shown
    assert "at the end: MRR 0.3" in shown
    told["model_hash"] = "other"
    (folder / SHIPPED).write_text(json.dumps(told), encoding="utf-8")
    assert "of other weights (other)" in model_page.training_curves(
        model_facts(_service(real, folder))
    )


def test_the_table_that_training_leaves_beside_a_model_is_read(real: Service, folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"epoch": [1, 2], "loss": [2.0, 1.5]})
    pq.write_table(table, folder / "history.parquet")
    assert model_facts(_service(real, folder)).history == [
        {"epoch": 1, "loss": 2.0},
        {"epoch": 2, "loss": 1.5},
    ]


def test_shipped_figures_belong_to_the_shipped_weights(real: Service) -> None:
    shipped, facts = model_folder(None), model_facts(real)
    assert shipped is not None
    for name, held in ((REPRESENTATION, facts.representation), (SHIPPED, facts.history)):
        assert (held is not None) == (shipped / name).is_file(), facts.missing
