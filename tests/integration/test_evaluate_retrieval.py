"""`molclip evaluate retrieval` from files to report, with a model whose every score is known."""

import csv
import json
from dataclasses import dataclass, field

import numpy as np
import pytest
import typer
from printed_tables import folded_tables
from typer.testing import CliRunner

from molclip.chem.molecule import ParseFailure
from molclip.cli import evaluate_retrieval as command
from molclip.errors import InputError, ModelError
from molclip.evaluation import encoders
from molclip.evaluation.correction import Correction
from molclip.evaluation.pairs import RetrievalData
from molclip.evaluation.retrieval import evaluate_retrieval

# Unit vectors at these angles (degrees); a score is the cosine of the difference.
TEXT_ANGLES = {"methane": 0, "ethane": 40, "propane": 80, "butane": 130, "seen text": 60}
MOLECULE_ANGLES = {"C": 2, "CC": 55, "CCC": 60, "CCCC": 55, "[CH4]": 2}

app = typer.Typer()
app.command()(command.retrieval)

PAIRS = "id,smiles,text\n1,C,methane\n2,CC,ethane\n3,CCC,propane\n4,C1CC,butane\n"
POOL = "id,smiles\n5,CCCC\n6,[CH4]\n"


def _unit(degrees):
    angle = np.radians(degrees)
    return [np.cos(angle), np.sin(angle)]


@dataclass
class _Encoded:
    vectors: np.ndarray
    failures: list[ParseFailure] = field(default_factory=list)


class _Angles:
    model_hash = "0123456789abcdef"

    def encode_text(self, texts):
        return np.array([_unit(TEXT_ANGLES[text]) for text in texts], dtype=np.float32)

    def encode_molecules(self, molecules):
        vectors = [_unit(MOLECULE_ANGLES.get(smiles, np.nan)) for smiles in molecules]
        failures = [
            ParseFailure(None, row, None, smiles, "ring 1 is open.")
            for row, smiles in enumerate(molecules, start=1)
            if smiles not in MOLECULE_ANGLES
        ]
        return _Encoded(np.array(vectors, dtype=np.float32), failures)


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "pairs.csv").write_text(PAIRS)
    (tmp_path / "pool.csv").write_text(POOL)
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        encoders, "molclip_encoder", lambda *_: encoders.LoadedEncoder(_Angles(), None, lambda _: 0)
    )
    return tmp_path


def _run(*arguments, columns=80):
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(app, [*map(str, arguments)])


def _settings(result):
    return json.loads(result.stdout)["results"]["settings"]


def test_figures_are_those_worked_out_by_hand(own):
    result = _run("--pairs", own / "pairs.csv", "--pool-file", own / "pool.csv", "--format", "json")
    assert result.exit_code == 0, result.exception
    settings = _settings(result)
    # Whole pool, by angle from the text:
    #   methane 0: C and [CH4] both 2 away, so the duplicate ties       -> rank 2 (1 optimistic)
    #   ethane 40: CC and CCCC both 15 away                             -> rank 2 (1 optimistic)
    #   propane 80: CCC 20, then 25                                     -> rank 1
    #   butane: its molecule is invalid                                 -> miss, rank 6 of 6
    whole = settings["text_to_molecule"]
    assert (whole["pool_size"], whole["queries"], whole["missed_queries"]) == (6, 4, 1)
    assert whole["pessimistic"]["hits@1"] == 1 / 4
    assert whole["pessimistic"]["hits@5"] == 3 / 4
    assert whole["pessimistic"]["hits@20"] == 3 / 4
    assert whole["pessimistic"]["mrr"] == pytest.approx((1 / 2 + 1 / 2 + 1 + 0) / 4)
    assert whole["pessimistic"]["mean_rank"] == (2 + 2 + 1 + 6) / 4
    assert whole["optimistic"]["hits@1"] == 3 / 4
    assert whole["expected"]["hits@1"] == pytest.approx((1 / 2 + 1 / 2 + 1) / 4)
    # Without the two further molecules there are no ties left.
    small = settings["text_to_molecule_split"]
    assert (small["pool_size"], small["pessimistic"]["hits@1"]) == (4, 3 / 4)
    # Molecule to text: C 2 -> methane first; CC 55 -> ethane 15 first; CCC 60 -> ethane and
    # propane 20 each, a tie; the invalid one is a miss.
    back = settings["molecule_to_text"]
    assert (back["pool_size"], back["queries"], back["missed_queries"]) == (4, 4, 1)
    assert back["pessimistic"]["mrr"] == pytest.approx((1 + 1 + 1 / 2 + 0) / 4)
    assert back["optimistic"]["mrr"] == pytest.approx((1 + 1 + 1 + 0) / 4)


def test_invalid_molecule_is_reported_with_its_reason(own):
    result = _run("--pairs", own / "pairs.csv", "--format", "json")
    (failure,) = json.loads(result.stdout)["results"]["invalid_molecules"]
    assert (failure["row"], failure["input"]) == (4, "C1CC")
    shown = _run("--pairs", own / "pairs.csv").stdout
    assert "1 invalid" in shown
    assert "ring 1 is open" in shown


def test_table_states_the_protocol_and_fits_in_80_columns(own):
    result = _run("--pairs", own / "pairs.csv", "--pool-file", own / "pool.csv", "--seed", 7)
    text = result.stdout
    for word in ("pessimistic", "6 molecules", "0123456789abcdef", "bootstrap", "seed", "7"):
        assert word in text
    assert "Hits@10" in text
    # Every table stands as it does on wider paper: no cell and no head is folded.
    wider = _run(
        *("--pairs", own / "pairs.csv", "--pool-file", own / "pool.csv", "--seed", 7), columns=100
    )
    first = "Figures under pessimistic ties"
    assert text.partition(first)[1:] == wider.stdout.partition(first)[1:]


def test_missing_data_end_in_a_sentence_and_exit_code_2(monkeypatch):
    from molclip.cli.main import app

    monkeypatch.delenv("MOLCLIP_DATA", raising=False)
    result = CliRunner().invoke(app, ["evaluate", "retrieval"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "No folder with the ChEBI-20 data is named" in result.stderr
    assert "--data" in result.stderr
    assert "Traceback" not in result.stderr


def test_widest_columns_are_not_broken_in_80_columns():
    from molclip.evaluation.retrieval_report import retrieval_report

    # 12,000 rows at one angle: the widest rank and intervals that ChEBI-20 can give.
    smiles = ["C", "CC", "CCC"] + ["CCCC"] * 12_000
    task = _seen_task(
        pool_ids=[str(row) for row in range(1, len(smiles) + 1)],
        pool_smiles=smiles,
        in_split=[row in (0, 1, 2) for row in range(len(smiles))],
        trained=[row > 2 for row in range(len(smiles))],
        text_ids=["1", "2", "3"],
        texts=["methane", "ethane", "propane"],
    )
    result = evaluate_retrieval(_Angles(), task, correction=Correction(weight=1.0))
    report = retrieval_report(
        result, encoder="molclip", model="x", model_hash="y", command="molclip"
    )
    assert len(report.tables) == 3
    assert folded_tables(report) == []


def test_out_folder_holds_report_and_every_rank(own):
    out = own / "report"
    result = _run("--pairs", own / "pairs.csv", "--out", out)
    assert result.exit_code == 0, result.exception
    names = {path.name for path in out.iterdir()}
    assert names == {"retrieval.json", "retrieval.md", "retrieval.html", "ranks.csv"}
    with (out / "ranks.csv").open(newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["setting"] == "text_to_molecule"]
    assert [(row["query_id"], row["pessimistic"], row["missed"]) for row in rows] == [
        ("1", "1", "0"),
        ("2", "1", "0"),
        ("3", "1", "0"),
        ("4", "4", "1"),
    ]


def test_split_pool_ranks_only_what_has_a_text(own):
    result = _run(
        *("--pairs", own / "pairs.csv", "--pool-file", own / "pool.csv"),
        *("--pool", "split", "--format", "json"),
    )
    assert set(_settings(result)) == {"text_to_molecule_split", "molecule_to_text"}
    assert _settings(result)["text_to_molecule_split"]["pool_size"] == 4


def _seen_task(**changes):
    task = {
        "name": "ChEBI-20",
        "split": "validation",
        "text_variant": "made up",
        "text_ids": ["2"],
        "texts": ["ethane"],
        "pool_ids": ["1", "2", "3"],
        "pool_smiles": ["C", "CC", "CCC"],
        "in_split": [False, True, False],
        "bank": ["seen text"],
        "bank_ids": ["3"],
        "trained": [False, False, True],
    }
    return RetrievalData(**(task | changes))


def test_correction_is_a_setting_of_its_own_beside_the_plain_one():
    result = evaluate_retrieval(_Angles(), _seen_task(), correction=Correction(weight=1.0))
    plain, corrected = result["text_to_molecule"], result["text_to_molecule_corrected"]
    assert [setting.key for setting in result.settings] == [
        "text_to_molecule",
        "text_to_molecule_split",
        "molecule_to_text",
    ]
    # The text is at 40: CC is 15 away, CCC 20, C 38. The bank's text is at 60, so corrected they
    # have cos 15 - cos 5 = -0.030, cos 20 - cos 0 = -0.060 and cos 38 - cos 58 = +0.258.
    assert (plain.strengths, corrected.strengths) == ((), (1.0,))
    assert plain.ranks.ranks().tolist() == [1]
    assert corrected.ranks.ranks().tolist() == [2]
    # The training text at 60 has its CCC first; corrected CCC loses 1, C 0.53 and CC 0.996, so
    # they have 0, cos 58 - cos 58 = 0 and cos 5 - cos 5 = 0: all tie, and its own comes last.
    assert result["training_text_to_molecule"].ranks.ranks().tolist() == [1]
    assert result["training_text_to_molecule_corrected"].ranks.ranks().tolist() == [3]


def test_discount_lowers_training_molecules_alone():
    asked = Correction(weight=0.0, discount=0.5)
    result = evaluate_retrieval(_Angles(), _seen_task(texts=["propane"]), correction=asked)
    # At 80 CCC (20 away) stands before CC (25); half a cosine less puts it last, C (78) too:
    # 0.906, 0.208 and 0.940 - 0.5 = 0.440.
    assert result["text_to_molecule"].ranks.ranks().tolist() == [2]
    assert result["text_to_molecule_discounted"].ranks.ranks().tolist() == [1]
    # The training text pays for it: its CCC has 1 - 0.5, CC 0.996 and C 0.53.
    assert result["training_text_to_molecule_discounted"].ranks.ranks().tolist() == [3]


def test_captions_join_the_bank_but_are_no_control():
    asked = Correction(weight=1.0)
    task = _seen_task(captions=["methane", "butane"])
    result = evaluate_retrieval(_Angles(), task, correction=asked)
    assert result.correction.bank_size == 3
    assert len(result["training_text_to_molecule"].ranks) == 1
    # C at 2 is now 2 from the caption at 0: cos 38 - cos 2 = -0.211.
    assert result["text_to_molecule_corrected"].ranks.ranks().tolist() == [1]


@pytest.mark.parametrize(
    ("changes", "pool", "message"),
    [
        ({"bank": [], "bank_ids": []}, "all", "no training texts"),
        ({"split": "train"}, "all", "says nothing about the train"),
        ({"trained": ()}, "all", "which molecules are for training"),
        ({}, "split", "small pool has none"),
    ],
)
def test_correction_that_would_mean_nothing_is_refused(changes, pool, message):
    with pytest.raises(InputError, match=message):
        evaluate_retrieval(
            _Angles(), _seen_task(**changes), pool=pool, correction=Correction(weight=1.0)
        )


def test_model_that_loses_rows_is_refused():
    class Short(_Angles):
        def encode_molecules(self, molecules):
            return _Encoded(super().encode_molecules(molecules[1:]).vectors)

    with pytest.raises(ModelError, match="for 3 inputs"):
        evaluate_retrieval(Short(), _seen_task())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "No folder with the ChEBI-20 data is named"),
        (("--data", "does/not/exist"), "does not exist"),
        (("--encoder", "image", "--data", "."), "--encoder image needs --weights"),
        (("--weights", "x", "--data", "."), "--weights is for --encoder image"),
        (("--pool-file", "x.csv"), "only read together with --pairs"),
        (("--discount", "0.02", "--data", "."), "are for --correction"),
        (("--correction", "--discount", "much", "--data", "."), "no difference of cosines"),
    ],
)
def test_unusable_options_are_refused_with_a_remedy(monkeypatch, arguments, message):
    monkeypatch.delenv("MOLCLIP_DATA", raising=False)
    error = _run(*arguments).exception
    assert isinstance(error, InputError)
    assert message in error.message
    assert error.hint


def test_pools_of_one_size_show_whether_training_molecules_stand_in_front():
    # The text is at 40, its molecule CC 15 away. The training molecule CCC (20 away) and the
    # unseen one C (38) are behind it; CCCC (15) is seen too and ties.
    task = _seen_task(
        pool_ids=["1", "2", "3", "4"],
        pool_smiles=["C", "CC", "CCC", "CCCC"],
        in_split=[False, True, False, False],
        trained=[False, False, True, True],
    )
    ranks = []
    for seed in range(8):
        result = evaluate_retrieval(_Angles(), task, crowded=True, seed=seed, samples=10)
        unseen, seen = result.crowds
        assert unseen.ranks.pool_size == seen.ranks.pool_size == 2
        assert unseen.ranks.ranks().tolist() == [1]
        ranks += seen.ranks.ranks().tolist()
    # One of the two training molecules is drawn: rank 1 beside CCC, 2 beside CCCC.
    assert set(ranks) == {1, 2}
    alone = evaluate_retrieval(_Angles(), _seen_task(trained=()), crowded=True)
    assert alone.crowds == []


class _Turned(_Angles):
    """Its texts stand 15 degrees further: propane then has CC and CCC at 35 and 40."""

    def encode_text(self, texts):
        return np.array([_unit(TEXT_ANGLES[text] + 15) for text in texts], dtype=np.float32)


def test_other_systems_stand_in_the_same_table_with_paired_differences(own, monkeypatch):
    models = {"built-in": _Angles(), "runs/turned/model": _Turned()}
    monkeypatch.setattr(
        encoders,
        "molclip_encoder",
        lambda name, *_: encoders.LoadedEncoder(models[name], None, lambda _: 0),
    )
    files = ("--pairs", own / "pairs.csv", "--pool-file", own / "pool.csv")
    options = ("--compare", "runs/turned/model", "--baseline", "random", "--out", own / "out")
    result = _run(*files, *options, "--format", "json")
    assert result.exit_code == 0, result.exception
    random, turned = json.loads(result.stdout)["results"]["systems"]
    assert (random["name"], turned["name"]) == ("random", "turned")
    # Six tied molecules: 1/6, and (1 + 1/2 + ... + 1/6) / 6 = 0.40833.
    assert random["settings"]["text_to_molecule"]["expected"]["hits@1"] == pytest.approx(1 / 6)
    assert random["settings"]["text_to_molecule"]["expected"]["mrr"] == pytest.approx(0.408333333)
    assert random["this_model_minus_it"] == {}
    # Turned: methane at 15 (13 from the tied pair) rank 2; ethane at 55 (0 from the tied pair)
    # rank 2; propane at 95: CCC 35, then 40, rank 1; butane invalid. The same ranks.
    difference = turned["this_model_minus_it"]["text_to_molecule"]["mrr"]
    assert difference == {"difference": 0.0, "interval_95": [0.0, 0.0], "p": 1.0}
    page = (own / "out" / "retrieval.html").read_text(encoding="utf-8")
    assert "Beside other systems" in page
    assert "turned: molclip model runs/turned/model" in page


def test_slices_count_every_text_once_in_each_way_of_sorting(own):
    result = _run("--pairs", own / "pairs.csv", "--format", "json")
    slices = json.loads(result.stdout)["results"]["slices"]
    # Methane, ethane and propane are neutral, and so is what cannot be read.
    counts = {(each["slice"], each["kind"]): each["queries"] for each in slices}
    assert counts["charge", "neutral"] == 4
    assert counts["words", "0–30"] == 4
    assert "skeleton" not in {name for name, _ in counts}  # nothing says what was trained on
    assert "What is hard" not in _run("--pairs", own / "pairs.csv", "--no-slices").stdout


def test_baselines_that_learn_need_training_molecules(own):
    error = _run("--pairs", own / "pairs.csv", "--baseline", "tfidf").exception
    assert isinstance(error, InputError)
    assert "which molecules are for training" in error.message


def test_image_model_stands_in_the_table_or_is_refused_in_a_sentence(own, tmp_path):
    pytest.importorskip("open_clip")
    from molclip.baselines.image_config import image_config
    from molclip.baselines.image_model import build_network, save_image_clip

    config = image_config(tmp_path / "image")
    config.drawings.size = 32
    config.model.vision = {"layers": [1, 1, 1, 1], "width": 8, "head_width": 16}
    config.model.text |= {"width": 32, "heads": 2, "layers": 1}
    save_image_clip(build_network(config), config, tmp_path / "image" / "model")
    files = ("--pairs", own / "pairs.csv", "--format", "json")
    result = _run(*files, "--image", tmp_path / "image" / "model")
    assert result.exit_code == 0, result.exception
    (system,) = json.loads(result.stdout)["results"]["systems"]
    assert system["name"] == "image"
    assert system["settings"]["text_to_molecule"]["missed_queries"] == 1
    missing = _run(*files, "--image", tmp_path / "nothing").exception
    assert isinstance(missing, ModelError)
    assert "are not there" in missing.message


def test_correction_from_the_command_line_names_both_strengths(own, tmp_path):
    import gzip

    def write(name, text):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))

    write(
        "chebi20_pool.tsv.gz",
        "cid\tsplit\tsmiles\n1\tvalidation\tC\n2\tvalidation\tCC\n3\ttrain\tCCC\n4\ttrain\tCCCC\n",
    )
    write("chebi20_validation_text.tsv.gz", "cid\tdescription\n1\tmethane\n2\tethane\n")
    write("chebi20_train_text.tsv.gz", "cid\tdescription\n3\tseen text\n4\tbutane\n")
    options = ("--data", tmp_path, "--correction", "--correction-bank", "descriptions")
    result = _run(*options, "--discount", "chosen", "--format", "json")
    assert result.exit_code == 0, result.exception
    report = json.loads(result.stdout)
    assert "chosen on one half" in report["header"]["correction"]
    assert "2 training texts" in report["header"]["correction"]
    corrected = report["results"]["corrected"]
    assert set(corrected) == {
        "training_text_to_molecule",
        *(
            f"{kind}_{name}"
            for kind in ("text_to_molecule", "training_text_to_molecule")
            for name in ("corrected", "discounted")
        ),
    }
    assert len(corrected["text_to_molecule_corrected"]["strengths"]) == 2
    given = _run(*options, "--correction-weight", "0.25", "--format", "json")
    corrected = json.loads(given.stdout)["results"]["corrected"]
    assert corrected["text_to_molecule_corrected"]["strengths"] == [0.25]
    assert "training texts, corrected" in " ".join(_run(*options).stdout.split())
