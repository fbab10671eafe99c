"""From a visitor's file to a library of its own, and searching it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from molclip.app import embedding, own_results
from molclip.app.embedding import Embedding, Running
from molclip.app.own_libraries import OwnLibraries
from molclip.app.own_search import PERCENTILE, search
from molclip.app.question import Question
from molclip.app.service import Service
from search_fakes import FakeModel

from molclip.errors import InputError
from molclip.search.library import Library

MINE = """name,smiles,batch,activity
aspirin,CC(=O)Oc1ccccc1C(=O)O,A-1,4.5
broken,C1CC(,A-2,1.0
<img src=x onerror=alert(1)>,c1ccccc1,A-3,2.5
,,A-4,
=SUM(1),CCO,A-5,7.25
"""


@pytest.fixture(scope="module")
def main(tmp_path_factory: pytest.TempPathFactory) -> Service:
    chains = [{"smiles": "C" * n, "id": f"c{n}", "name": f"chain {n}"} for n in range(1, 25)]
    folder = tmp_path_factory.mktemp("main") / "library"
    return Service(Library.build(folder, chains, model=FakeModel()))


def _embed(main: Service, libraries: OwnLibraries, file: Path, **options: Any) -> Any:
    job = Embedding(file, main, libraries, "tab", cancelled=threading.Event(), **options)
    steps = list(job.run(0.01))
    assert job.secret is not None
    assert steps[-1] == (job.whole, job.whole)
    own = libraries.get(job.secret, "tab")
    assert own is not None
    return own


@pytest.fixture(scope="module")
def own(main: Service, tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("own") / "mine.csv"
    file.write_text(MINE, encoding="utf-8")
    return _embed(main, OwnLibraries(), file)


def test_bad_rows_are_listed_and_the_others_found(own: Any) -> None:
    assert own.rows == 5
    assert len(own.service.library) == 3
    assert [failure["row"] for failure in own.failures] == [2, 4]
    assert own.failures[0]["input"] == "C1CC("
    assert "file" not in own.failures[0]
    assert [histogram.column for histogram in own.histograms if histogram.column == "activity"]


def test_hits_keep_the_visitors_columns_and_rank_among_the_library(own: Any, main: Service) -> None:
    answer = search(own, main, Question("pain relief", curated=False))
    records = answer.result.records
    assert {record["batch"] for record in records} == {"A-1", "A-3", "A-5"}
    word = main.library.model.encode_text(["pain relief"])[0]
    background = main.background @ word
    for record in records:
        below = np.mean(background < record["score"])
        # Vectors are kept as float16.
        assert record[PERCENTILE] == pytest.approx(100 * below, abs=100 / len(background))


def test_a_name_of_the_built_in_library_is_a_structure(own: Any, main: Service) -> None:
    answer = search(own, main, Question("", "chain 2", curated=False))
    assert "as the built-in library has it" in answer.reading.said
    assert answer.result.query.smiles == "CC"
    assert PERCENTILE not in answer.result.records[0]


def test_content_of_the_file_is_escaped(own: Any, main: Service) -> None:
    question = Question("ring", curated=False)
    shown = own_results.results(search(own, main, question), question, own)
    page = shown + own_results.about(own) + own_results.working("<b>.csv", 1, 2)
    assert "<img" not in page
    assert "<b>.csv" not in page
    assert "&lt;img src=x" in page


def test_bounds_and_order_by_a_column_of_the_file(own: Any, main: Service) -> None:
    question = Question("x", curated=False, bounds={"activity": (3.0, None)}, sort="-activity")
    records = search(own, main, question).result.records
    assert [record["activity"] for record in records] == [7.25, 4.5]


def test_cancelled_work_leaves_nothing(main: Service, tmp_path: Path) -> None:
    file = tmp_path / "many.smi"
    file.write_text("".join(f"{'C' * (1 + n % 30)} m{n}\n" for n in range(600)))
    libraries, flag = OwnLibraries(), threading.Event()
    job = Embedding(file, main, libraries, "tab", cancelled=flag)
    for done, _ in job.run(0.001):
        if done:
            flag.set()
    assert job.secret is None
    assert 0 < job.done < 600
    assert len(libraries) == 0
    assert libraries._root is not None
    assert list(libraries._root.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.smi", b"C1CC(\nC1C\n", "None of the 2 rows of a.smi could be read"),
        ("a.exe", b"MZ", "of a kind this page does not read"),
        ("a.csv", b"name,colour\nx,red\n", "a.csv"),
    ],
)
def test_refused_with_a_sentence(
    main: Service, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    libraries = OwnLibraries()
    job = Embedding(file, main, libraries, "tab", cancelled=threading.Event())
    with pytest.raises(InputError) as raised:
        list(job.run(0.01))
    assert said in raised.value.message
    assert str(tmp_path) not in str(raised.value)
    assert len(libraries) == 0


def test_limits(main: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.smi"
    file.write_text("CCO\n" * 11)
    for name, value, said in (
        ("OWN_ROWS", 10, "more than 10 rows"),
        ("OWN_BYTES", 20, "this page takes 0 MB"),
        ("OWN_SECONDS", -1.0, "took more than"),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(embedding, name, value)
            job = Embedding(file, main, OwnLibraries(), "tab", cancelled=threading.Event())
            with pytest.raises(InputError, match=said):
                list(job.run(0.01))
            assert job.secret is None


def test_each_tab_cancels_its_own() -> None:
    running = Running()
    running.begin("a")
    running.begin("b")
    first, second = running.flag("a"), running.flag("b")
    running.cancel("a")
    assert first.is_set()
    assert running.flag("a").is_set()  # while it still waits for a turn
    assert not second.is_set()
    running.begin("b")
    assert second.is_set()
    assert not running.flag("b").is_set()
    running.forget("b")
    assert running.flag("b").is_set()


def test_what_was_cancelled_while_it_waited_reads_nothing(main: Service, tmp_path: Path) -> None:
    flag = threading.Event()
    flag.set()
    job = Embedding(tmp_path / "not there.csv", main, OwnLibraries(), "tab", cancelled=flag)
    list(job.run(0.01))
    assert job.secret is None
