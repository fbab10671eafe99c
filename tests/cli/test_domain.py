"""What the commands say of molecules outside the applicability domain."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from cli_support import Run, strict_json

from molclip.chem.molecule import ParseFailure
from molclip.chem.parse import parse_molecule
from molclip.cli.classify_table import flat_columns, flat_record
from molclip.cli.domain import DomainWatch, columns_of, judge_hits
from molclip.models.molclip import MoleculeEmbeddings
from molclip.search.domain import Domain
from molclip.search.quantiles import STEPS

LINE = (STEPS / 100).tolist()
DOMAIN = Domain(
    model_hash="h",
    training=4000,
    molecules=500,
    texts=500,
    pool=1000,
    neighbours=4,
    scale=20.0,
    similarity=LINE,
    cosine=LINE,
    candidates=LINE,
    unknown=LINE,
    heavy_atoms=[1, 20],
    elements={"C": 4000, "O": 3000},
)


def block(*smiles: str) -> MoleculeEmbeddings:
    read = [parse_molecule(text, row=row) for row, text in enumerate(smiles, start=1)]
    failures = [item for item in read if isinstance(item, ParseFailure)]
    return MoleculeEmbeddings(np.zeros((len(read), 2), dtype=np.float32), failures, list(read))


def test_elements_and_size_are_watched_without_a_library() -> None:
    watch = DomainWatch(DOMAIN)
    assert not watch.compares
    assert watch.watch(block("CCO", "C[Pt]", "broken(", "C" * 21)) is None
    assert (watch.molecules, watch.number) == (3, 2)
    said = watch.summary()
    assert said.startswith("2 of 3 molecules lie outside what the model was trained on")
    assert "row 2: no training molecule holds Pt; row 4: it has 21 heavy atoms" in said


def test_what_was_trained_on_is_not_outside() -> None:
    molecule = parse_molecule("C[Pt]")
    watch = DomainWatch(DOMAIN, {molecule.inchikey})  # type: ignore[arg-type, union-attr]
    watch.watch(block("C[Pt]"))
    assert watch.summary() == ""


def test_one_molecule_is_no_count() -> None:
    watch = DomainWatch(DOMAIN)
    watch.watch(block("C[Pt]"))
    assert watch.summary() == (
        "The molecule lies outside what the model was trained on (no training molecule holds Pt)."
    )


def test_a_model_without_figures_says_nothing() -> None:
    watch = DomainWatch(None, judge=SimpleNamespace())  # type: ignore[arg-type]
    assert watch.watch(block("C[Pt]")) is None
    assert not watch.compares
    assert watch.summary() == ""


def test_columns_stand_before_the_failure() -> None:
    columns = flat_columns(["a"], compared=True)
    assert columns[-4:] == ["domain", "training similarity", "input", "failure"]
    assert "domain" not in flat_columns(["a"])
    verdict: Any = SimpleNamespace(status="edge", similarity=0.25)
    record = {"row": 1, "labels": [], **columns_of(verdict)}
    flat = flat_record(record, ["a"])
    assert (flat["domain"], flat["training similarity"]) == ("edge", 0.25)
    assert columns_of(None) == {"domain": None, "training similarity": None}


def hits(*records: tuple[str, bool]) -> Any:
    listed = [
        {"rank": rank, "smiles": smiles, "seen": seen}
        for rank, (smiles, seen) in enumerate(records, start=1)
    ]
    return SimpleNamespace(records=listed)


def test_hits_outside_are_named() -> None:
    judge: Any = SimpleNamespace(domain=DOMAIN)
    assert judge_hits(hits(("CCO", False), ("C[Pt]", True)), judge, compare=False) == ""
    one = judge_hits(hits(("CCO", False), ("C[Pt]", False)), judge, compare=False)
    assert one.startswith("Hit 2 lies outside")
    two = judge_hits(hits(("C[U]", False), ("C[Pt]", False)), judge, compare=False)
    assert "2 hits lie outside" in two
    assert "1: no training molecule holds U; 2: no training molecule holds Pt" in two
    judge.domain = None
    assert judge_hits(hits(("C[U]", False)), judge, compare=False) == ""


@pytest.fixture
def uranium(tmp_path: Path) -> Path:
    path = tmp_path / "molecules.smi"
    path.write_text("CC(=O)Oc1ccccc1C(=O)O aspirin\nC[U] strange\nc1cc1 broken\n")
    return path


def test_classify_says_which_answers_are_worth_less(run: Run, uranium: Path) -> None:
    result = run("classify", uranium, "--labels", "drug; dye", "--format", "json")
    assert result.exit_code == 0, result.stderr
    aspirin, strange, broken = strict_json(result.stdout)
    assert aspirin["domain"] in ("inside", "edge")
    assert 0 < aspirin["training similarity"] <= 1
    assert strange["domain"] == "outside"
    assert broken["domain"] is None
    said = " ".join(result.stderr.split())
    assert "1 of 2 molecules lies outside what the model was trained on" in said
    assert "row 2" in said


def test_embed_writes_what_it_found(run: Run, uranium: Path, tmp_path: Path) -> None:
    out = tmp_path / "vectors.parquet"
    result = run("embed", uranium, "-o", out, "--domain")
    assert result.exit_code == 0, result.stderr
    rows = pq.read_table(out).to_pylist()
    assert [row["domain"] for row in rows][1:] == ["outside", None]
    assert rows[0]["similarity"] > 0
    assert rows[2]["similarity"] is None
    assert "outside" in result.stderr


def test_a_search_names_hits_outside(run: Run, uranium: Path) -> None:
    result = run("search", "drug", "--in", uranium, "--mode", "vector")
    assert result.exit_code == 0, result.stderr
    assert "lies outside what the model was trained on" in " ".join(result.stderr.split())
    assert max(map(len, result.stdout.splitlines())) <= 80
