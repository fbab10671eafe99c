"""`molclip search`."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from cli_support import BAD_ROW, ROWS, Run, strict_json

from molclip.cli.search import _remark
from molclip.search.result import QueryInfo, SearchResult, recorded_remark


def test_json_holds_ranked_records(run: Run, library: Path) -> None:
    result = run("search", "stimulant", "--library", library, "--top", 3, "--format", "json")
    assert result.exit_code == 0, result.stderr
    records = strict_json(result.stdout)
    assert [record["rank"] for record in records] == [1, 2, 3]
    assert {"id", "name", "smiles", "score"} <= set(records[0])
    scores = [record["score"] for record in records]
    assert scores == sorted(scores, reverse=True)


def test_offset_goes_on_where_the_first_page_ended(run: Run, library: Path) -> None:
    def ids(*options: object) -> list[str]:
        result = run("search", "drug", "--library", library, "--format", "json", *options)
        return [record["id"] for record in strict_json(result.stdout)]

    assert ids("--top", 2) + ids("--top", 3, "--offset", 2) == ids("--top", 5)


def test_a_structure_finds_itself_first(run: Run, library: Path) -> None:
    result = run("search", "Cn1c(=O)c2c(ncn2C)n(C)c1=O", "--library", library, "-f", "json")
    first = strict_json(result.stdout)[0]
    assert first["name"] == "caffeine"
    assert first["similarity"] == pytest.approx(1.0)
    assert first["score"] == pytest.approx(1.0, abs=2e-3)
    assert "Read as SMILES" in result.stderr


def test_a_known_name_wins_over_smiles_and_says_so(run: Run, library: Path) -> None:
    result = run("search", "PCP", "--library", library, "--format", "json")
    assert strict_json(result.stdout)[0]["id"] == "A8"
    assert "P, C, P" in result.stderr


def test_names_like_a_misspelt_one_are_told(run: Run, library: Path) -> None:
    result = run("search", "asprin", "--library", library, "--format", "json")
    assert "Names spelled alike: aspirin." in result.stderr
    for options in (["-q"], ["--mode", "vector"]):
        assert "alike" not in run("search", "asprin", "--library", library, *options).stderr
    assert "alike" not in run("search", "aspirin", "--library", library).stderr


def test_a_formula_and_a_key_are_looked_up(run: Run, library: Path) -> None:
    for text, said in (
        ("C8N4H10O2", "Read as the formula C8H10N4O2. For the words, add --mode vector."),
        ("RYYVLZVUVIJVGH-UHFFFAOYSA-N", "Read as an InChIKey."),
    ):
        result = run("search", text, "--library", library, "--format", "json")
        assert [record["name"] for record in strict_json(result.stdout)] == ["caffeine"]
        assert said in result.stderr
    result = run("search", "C99H9", "--library", library, "--format", "json")
    assert strict_json(result.stdout) == []
    assert "No molecule of the library has the formula C99H9." in result.stderr
    result = run("search", "58-08-2", "--library", library)
    assert "58-08-2 is a CAS number" in result.stderr
    assert "alike" not in result.stderr


def test_mode_vector_takes_the_words_as_words(run: Run, library: Path) -> None:
    result = run("search", "PCP", "--mode", "vector", "--library", library, "--format", "json")
    assert "matched_by" not in strict_json(result.stdout)[0]


def test_name_mode_finds_part_of_a_name(run: Run, library: Path) -> None:
    result = run("search", "cyclidin", "--mode", "name", "--library", library, "-f", "json")
    assert strict_json(result.stdout)[0]["id"] == "A7"


def test_where_and_smarts_filter(run: Run, library: Path) -> None:
    where = run(
        *("search", "solvent", "--library", library, "--where", "mol_weight < 80"),
        *("--format", "json"),
    )
    # Ethanol twice, butane and benzene; all others weigh more than 84.
    assert {record["id"] for record in strict_json(where.stdout)} == {"A1", "A4", "A9", "A11"}
    smarts = run(
        *("search", "drug", "--library", library, "--smarts", "c1ccccc1", "--format", "json"),
    )
    found = {record["id"] for record in strict_json(smarts.stdout)}
    assert found == {"A2", "A7", "A8", "A9"}


def test_weight_is_stated(run: Run, library: Path) -> None:
    result = run(
        *("search", "alcohol", "--smiles", "CCO", "--weight", "0.25", "--library", library),
        *("--format", "json"),
    )
    first = strict_json(result.stdout)[0]
    expected = 0.25 * first["text_score"] + 0.75 * first["structure_score"]
    assert first["score"] == pytest.approx(expected, abs=2e-3)
    assert "0.25 * cosine of text" in result.stderr


def test_csv_is_safe_in_a_spreadsheet(run: Run, library: Path) -> None:
    result = run("search", "CCCC", "--library", library, "--top", 1, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert rows[0]["id"] == "A4"
    assert rows[0]["name"] == "'=SUM(1)"


def test_table_fits_80_columns(run: Run, library: Path) -> None:
    result = run("search", "sugar", "--library", library, "--top", ROWS)
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "(2R,3R,4S,5S,6R)" in result.stdout


def test_wide_terminals_see_smiles(
    run: Run, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    result = run("search", "stimulant", "--library", library)
    assert "Cn1c(=O)c2c(ncn2C)n(C)c1=O" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 150


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "sdf"])
def test_hits_to_a_file(run: Run, library: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"hits.{suffix}"
    result = run("search", "drug", "--library", library, "--top", 2, "-o", path)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    text = path.read_text(encoding="utf-8")
    if suffix == "json":
        assert len(strict_json(text)) == 2
    elif suffix == "sdf":
        assert text.count("$$$$") == 2
    else:
        assert len(text.splitlines()) == (2 if suffix == "jsonl" else 3)


def test_no_hits_are_valid_answers(run: Run, library: Path) -> None:
    none = ("search", "drug", "--library", library, "--where", "mol_weight > 9000")
    assert strict_json(run(*none, "--format", "json").stdout) == []
    assert run(*none, "--format", "csv").stdout.startswith("rank,id,name,smiles,score")
    assert "No row passes" in run(*none).stderr


def test_quiet_leaves_stderr_empty(run: Run, library: Path) -> None:
    words = "stimulant methylxanthine found in coffee"
    result = run("search", words, "--library", library, "--mode", "vector", "-q")
    assert result.stderr == ""


def test_recorded_molecules_that_are_no_hits_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    hits = [{"evidence": "predicted"}, {"evidence": "recorded"}]
    query = QueryInfo(k=2, rows_recorded=39, recorded_as="dye", rows_searched=100)
    remark = recorded_remark(query, hits)
    query.notes, query.warnings = ["How it was read.", str(remark)], ["Something else."]
    _remark(SearchResult(query, hits), False, "")
    said = capsys.readouterr().err
    assert (
        "The source records 39 of the molecules searched as dye; 1 of them is among these hits. To "
        "see only the recorded ones, add --recorded.\n"
    ) in said
    assert "How it was read.\n" in said
    # They warn of nothing, so --quiet leaves them out.
    assert said.count("Warning: ") == 1
    _remark(SearchResult(query, hits), True, "")
    assert capsys.readouterr().err == "Warning: Something else.\n"
    _remark(SearchResult(QueryInfo(recorded_only=True, rows_searched=39), hits), False, "")
    assert "2 of 39 molecules searched, recorded only (" in capsys.readouterr().err


def test_a_file_is_searched_row_by_row(run: Run, table: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    result = run("search", "stimulant", "--in", table, "--failures", bad, "-n", 50, "-f", "json")
    assert result.exit_code == 0, result.stderr
    rows = {record["row"]: record["name"] for record in strict_json(result.stdout)}
    assert sorted(rows) == [row for row in range(1, ROWS + 1) if row != BAD_ROW]
    assert (rows[1], rows[3]) == ("ethanol", "caffeine")
    assert "12 rows: 11 answered, 1 failed" in result.stderr
    failures = list(csv.DictReader(bad.open(encoding="utf-8")))
    assert [(f["row"], f["id"], f["input"]) for f in failures] == [("4", "BAD", "c1cncn1")]
    assert "kekulized" in failures[0]["reason"]


def test_rows_that_share_an_id_or_have_none_are_all_found(run: Run) -> None:
    text = b"id,smiles\na,CCO\na,CCCO\n,CCCCO\n"
    result = run("search", "alcohol", "--in", "-", "--format", "json", input=text)
    found = {(record["row"], record["id"]) for record in strict_json(result.stdout)}
    assert found == {(1, "a"), (2, "a"), (3, None)}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Nothing is asked"),
        (["c1cc1"], "kekulized"),
        (["drug", "--where", "nosuch > 2"], "nosuch"),
        (["drug", "--smarts", "C1CC"], "SMARTS"),
        (["drug", "--smiles", "C(C"], "C(C"),
        (["drug", "--smiles", "C", "--weight", "2"], "0 to 1"),
        (["drug", "-o", "hits.pdf"], "hits.pdf"),
        (["drug", "--failures", "bad.csv"], "--in FILE"),
        (["drug", "--in", "nowhere.sdf"], "--in and --library"),
        (["drug", "--recorded"], "no records"),
        (["drug", "--top", "-1"], "--top"),
        (["drug", "--mode", "magic"], "--mode"),
    ],
)
def test_user_errors_are_sentences(
    run: Run, library: Path, arguments: list[str], said: str
) -> None:
    result = run("search", *arguments, "--library", library)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_missing_files_and_folders(run: Run, tmp_path: Path) -> None:
    missing = run("search", "drug", "--in", tmp_path / "nowhere.sdf")
    assert (missing.exit_code, "nowhere.sdf" in missing.stderr) == (2, True)
    no_library = run("search", "drug", "--library", tmp_path / "nowhere")
    assert (no_library.exit_code, "molclip library build" in no_library.stderr) == (2, True)


def test_raise_ends_with_its_own_code(run: Run, table: Path) -> None:
    result = run("search", "drug", "--in", table, "--on-invalid", "raise")
    assert result.exit_code == 3
    assert "row 4" in result.stderr
    assert result.stdout == ""
