"""`molclip evaluate zero-shot` on a folder of small data sets, with a model that is known."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem
from typer.testing import CliRunner

from molclip.cli.evaluate_zero_shot import LabelSetName
from molclip.cli.main import app
from molclip.errors import InputError
from molclip.evaluation import encoders
from molclip.evaluation.encoders import LoadedEncoder, PoolVectors
from molclip.evaluation.zero_shot import run as zero_shot_run
from molclip.evaluation.zero_shot.chebi import Graph, chebi_roles
from molclip.evaluation.zero_shot.label_set import NEW_SKELETON
from molclip.evaluation.zero_shot.molecules import DataFolder, Strangers
from molclip.search.seen import write_seen
from molclip.text.withheld import Withheld, WithheldLabel

pytest.importorskip("sklearn")

# Two families with as many chain lengths as are needed; every structure its own skeleton.
ALCOHOLS = ["C" * n + "O" for n in range(2, 62)]
AMINES = ["C" * n + "N" for n in range(2, 62)]
WORDS = {"alcohol": "O", "amine": "N", "solvent": "O", "dyes": "N", "floral": "O", "fishy": "N"}


class Model:
    """Knows which word goes with oxygen and which with nitrogen, and nothing else."""

    dimension = 2
    model_hash = "0123456789abcdef"

    def __init__(self, folder):
        self.folder = folder

    def encode_text(self, texts):
        vectors = np.full((len(texts), 2), 2**-0.5, dtype=np.float32)
        for row, text in enumerate(texts):
            for word, atom in WORDS.items():
                if word in text.lower():
                    vectors[row] = (1, 0) if atom == "O" else (0, 1)
        return vectors


def _vectors(smiles):
    table = np.zeros((len(smiles), 2), dtype=np.float32)
    for row, text in enumerate(smiles):
        # Longer chains lean less to either side, so that scores differ.
        lean = 1 / len(text)
        table[row] = (1, lean) if "O" in text else (lean, 1)
    return table / np.linalg.norm(table, axis=1, keepdims=True)


def _write(path, header, rows):
    lines = ["\t".join(header), *("\t".join(map(str, row)) for row in rows)]
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))


def _key(smiles):
    return Chem.MolToInchiKey(Chem.MolFromSmiles(smiles))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("sources")
    both = [(s, "O") for s in ALCOHOLS] + [(s, "N") for s in AMINES]
    pool, joined, graph = [], [], []
    for number, (smiles, atom) in enumerate(both):
        split = ("train", "validation")[number % 2]
        pool.append((1000 + number, split, smiles))
        joined.append((1000 + number, split, f"CHEBI:{number}", f"name {number}", smiles))
        relations = {"is_a": ["CHEBI:9001" if atom == "O" else "CHEBI:9002"]}
        if atom == "O":
            relations["has_role"] = ["CHEBI:9101"]
        graph.append({"id": f"CHEBI:{number}", "name": f"name {number}", "relations": relations})
    graph += [
        {"id": "CHEBI:9000", "name": "compound", "relations": {}},
        {"id": "CHEBI:9001", "name": "alcohol", "relations": {"is_a": ["CHEBI:9000"]}},
        {"id": "CHEBI:9002", "name": "amine", "relations": {"is_a": ["CHEBI:9000"]}},
        {"id": "CHEBI:9101", "name": "polar solvent", "relations": {"is_a": ["CHEBI:9100"]}},
        {"id": "CHEBI:9100", "name": "solvent", "relations": {"is_a": ["CHEBI:50906"]}},
        {"id": "CHEBI:50906", "name": "role", "relations": {}},
    ]
    _write(root / "chebi20_pool.tsv.gz", ("cid", "split", "smiles"), pool)
    _write(
        root / "chebi20_train_val.tsv.gz", ("cid", "split", "chebi_id", "name", "smiles"), joined
    )
    (root / "chebi_graph.json.gz").write_bytes(gzip.compress(json.dumps(graph).encode()))
    _write(
        root / "odour_gs_lf.tsv.gz",
        ("smiles", "descriptors"),
        [(s, "floral" if atom == "O" else "fishy") for s, atom in both],
    )
    _write(
        root / "npclassifier.tsv.gz",
        ("smiles", "pathway", "superclass", "class"),
        [(s, "Alcohols" if atom == "O" else "Amines", "", "") for s, atom in both],
    )
    _write(
        root / "chemfunct_molecules.tsv.gz",
        ("dtxsid", "name", "smiles", "classes"),
        [(i, "", s, "Solvents" if a == "O" else "Dyes") for i, (s, a) in enumerate(both)],
    )
    _write(
        root / "chemfunct_classes.tsv.gz",
        ("id", "class", "description", "n_mapped"),
        [("f1", "Solvents", "Liquids with an alcohol group.", 60), ("f2", "Dyes", "", 60)],
    )
    return root


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A model trained on every second alcohol and amine, one odour withheld."""
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path / "cache"))
    home = tmp_path / "model"
    home.mkdir()
    write_seen([_key(s) for s in ALCOHOLS[::2] + AMINES[::2]], home / "seen.bin")
    Withheld((WithheldLabel("odour", "floral", "floral"),)).write(home)
    loaded = LoadedEncoder(
        Model(home), lambda smiles: PoolVectors(_vectors(smiles), []), lambda texts: 0
    )
    monkeypatch.setattr(encoders, "molclip_encoder", lambda *_: loaded)
    monkeypatch.setattr(zero_shot_run, "_background", lambda vectors: _vectors(ALCOHOLS + AMINES))
    return loaded


def _run(*arguments):
    return CliRunner().invoke(app, ["evaluate", "zero-shot", *map(str, arguments)])


def test_the_command_offers_every_set():
    assert tuple(name.value for name in LabelSetName) == zero_shot_run.SETS


def test_every_label_set_is_measured_and_written(folder, model, tmp_path):
    names = [
        name for name in zero_shot_run.LABEL_SETS if name not in ("npc-superclass", "npc-class")
    ]
    chosen = [part for name in names for part in ("--set", name)]
    result = _run("--data", folder, *chosen, "--workers", 1, "-o", tmp_path / "out", "--seed", 1)
    assert result.exit_code == 0, result.exception
    assert "ChEBI direct classes" in result.stdout
    report = json.loads((tmp_path / "out" / "zero-shot.json").read_text(encoding="utf-8"))
    sets = report["results"]["sets"]
    assert list(sets) == names
    classes = sets["chebi-classes"]
    assert classes["molecules"] == {"all": 60, "new skeleton": 60}
    figures = classes["figures"]["all"]
    # Words and atoms agree perfectly, in every set; the supervised reference finds the atom too.
    assert figures["name"]["macro_auroc"] == figures["ensemble"]["macro_auroc"] == 1.0
    assert figures["logistic regression"]["macro_auroc"] == 1.0
    assert sets["chebi-roles"]["figures"]["all"]["name"]["labels"] == 2
    assert sets["odours"]["molecules"] == {"all": 60}
    assert sets["uses"]["figures"]["all"]["description"]["labels"] == 1
    assert sets["npc-pathway"]["figures"]["all"]["name"]["top_1"] == 1.0
    unseen = report["results"]["unseen"]
    assert unseen["unseen label, unseen molecule"] == {
        "labels": 1, "name": 1.0, "ensemble": 1.0,
    }  # fmt: skip
    # Alcohol and amine stand among the direct classes and the ancestors, and are two labels: with
    # two roles, two uses, two pathways and the odour that is not withheld.
    assert unseen["seen label, unseen molecule"]["labels"] == 9
    assert any("is one label" in note for note in report["notes"])
    assert "60 of them found" in report["header"]["trained on"]
    table = (tmp_path / "out" / "zero-shot-labels.tsv").read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in table]
    floral = next(row for row in cells if row[2] == "floral" and row[5] == "ensemble")
    assert floral[3:7] == ["unseen label, unseen molecule", "30", "ensemble", "1.0000"]
    assert "<html" in (tmp_path / "out" / "zero-shot.html").read_text(encoding="utf-8")


def test_without_a_list_beside_the_weights_no_label_is_unseen(folder, model):
    Withheld().write(model.model.folder)
    result = _run("--data", folder, "--set", "odours", "--no-baselines", "--format", "json")
    assert result.exit_code == 0, result.exception
    report = json.loads(result.stdout)
    assert report["results"]["unseen"]["unseen label, unseen molecule"]["labels"] == 0
    assert any("no list of withheld labels" in note for note in report["notes"])
    assert "logistic regression" not in report["results"]["sets"]["odours"]["figures"]["all"]


def _mirrored(smiles):
    """Alcohols as amines and the other way round; the third alcohol has no drawing."""
    vectors = _vectors(smiles)[:, ::-1].copy()
    vectors[[text == ALCOHOLS[3] for text in smiles]] = np.nan
    return PoolVectors(vectors, [])


def test_image_models_stand_in_the_same_tables(folder, model, tmp_path, monkeypatch):
    def load(name, *_):
        assert name == "runs/pictures/model"
        return LoadedEncoder(Model(None), _mirrored, len)

    monkeypatch.setattr(encoders, "image_encoder", load)
    sets = ("--set", "odours", "--set", "npc-pathway", "--set", "chebi-classes")
    options = ("--no-baselines", "--image", "runs/pictures/model", "-o", tmp_path)
    result = _run("--data", folder, *sets, *options)
    assert result.exit_code == 0, result.exception
    report = json.loads((tmp_path / "zero-shot.json").read_text(encoding="utf-8"))
    sets = report["results"]["sets"]
    odours = sets["odours"]["figures"]["all"]
    assert odours["ensemble"]["macro_auroc"] == 1.0
    # Every amine smells of flowers to it. The alcohol without a drawing is the last of 30 wrong ones
    # for "fishy", and for "floral" it is last as well.
    for variant in ("name", "ensemble"):
        assert odours[f"{variant}, pictures"]["macro_auroc"] == pytest.approx((1 / 30 + 0) / 2)
    assert sets["odours"]["molecules"] == {"all": 60}
    assert sets["odours"]["without_drawing"] == {"pictures": 1}
    assert sets["npc-pathway"]["figures"]["all"]["ensemble, pictures"]["top_1"] == 0.0
    new = sets["chebi-classes"]["figures"]["new skeleton"]
    assert new["ensemble, pictures"]["labels"] == new["ensemble"]["labels"] == 2
    (note,) = (note for note in report["notes"] if note.startswith("pictures: "))
    assert "image model runs/pictures/model, hash 0123456789abcdef" in note
    assert "label texts cut off" in note
    table = (tmp_path / "zero-shot-labels.tsv").read_text(encoding="utf-8")
    assert "\tensemble, pictures\t" in table
    assert "ensemble, pictures" in (tmp_path / "zero-shot.html").read_text(encoding="utf-8")


def test_image_models_without_weights_or_label_sets_are_refused(folder, model, tmp_path):
    pytest.importorskip("open_clip")
    missing = _run("--data", folder, "--set", "odours", "--image", tmp_path / "nothing")
    assert missing.exit_code == 2, missing.output
    assert "are not there" in missing.stderr
    with pytest.raises(InputError, match="measured on label sets"):
        zero_shot_run.evaluate_zero_shot(model, None, ["queries"], images={"x": model})


def test_molecules_without_a_vector_are_left_out_and_counted(folder, model, monkeypatch):
    def broken(smiles):
        vectors = _vectors(smiles)
        vectors[0] = np.nan
        return PoolVectors(vectors, [])

    monkeypatch.setattr(
        encoders,
        "molclip_encoder",
        lambda *_: LoadedEncoder(model.model, broken, lambda texts: 0),
    )
    result = _run("--data", folder, "--set", "odours", "--no-baselines", "--format", "json")
    odours = json.loads(result.stdout)["results"]["sets"]["odours"]
    assert odours["molecules"]["all"] == 59
    assert odours["left_out"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--set", "tastes"), "tastes"),
        (("--data", "no/such/folder", "--set", "odours"), "not a folder"),
    ],
)
def test_wrong_options_are_named(model, monkeypatch, arguments, message):
    monkeypatch.delenv("MOLCLIP_DATA", raising=False)
    result = _run(*arguments)
    assert result.exit_code != 0
    assert message in result.output + str(result.exception)


def test_roles_are_closed_upwards_and_skeletons_told_apart(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path))
    data = DataFolder(folder, 1, lambda *_: None)
    known = _key(ALCOHOLS[1])
    strangers = Strangers(frozenset({known[:14]}), None, "by hand")
    roles = chebi_roles(data, strangers, Graph.read(data))
    assert [label.name for label in roles.labels] == ["solvent", "polar solvent"]
    assert roles.truth.sum(axis=0).tolist() == [30, 30]
    assert roles.training_truth.sum(axis=0).tolist() == [30, 30]
    assert roles.slices[NEW_SKELETON].sum() == 59
    assert not roles.slices[NEW_SKELETON][roles.smiles.index(ALCOHOLS[1])]


def test_rule_is_used_where_the_model_has_no_list(folder, model):
    (Path(model.model.folder) / "seen.bin").unlink()
    result = _run("--data", folder, "--set", "odours", "--no-baselines", "--format", "json")
    assert "the rule of training" in json.loads(result.stdout)["header"]["trained on"]
