"""The Python of the pages about measuring: run on small files, or at least held against the code."""

import ast
import gzip
import inspect
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from molclip import MolCLIP
from molclip.training.config import TrainingConfig

ROOT = Path(__file__).parents[2]
PAGES = ("evaluation", "representation", "training", "transfer", "zero-shot")
# These look at the whole embedded library, or train first.
LONG = ("evaluate_calibration", "evaluate_zero_shot", "zero_shot_report", "FineTuned")

POOL = [("train", f"{'C' * length}O") for length in range(2, 10)]
POOL += [("train", f"c1ccccc1{'C' * length}") for length in range(1, 9)]
POOL += [("validation", smiles) for smiles in ("CCCCCCCCCCO", "c1ccc2ccccc2c1", "CC(C)CO")]


def blocks(page, language="python"):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def write_table(path, header, rows):
    lines = ["\t".join(header), *("\t".join(map(str, row)) for row in rows)]
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the files and the model that the pages name."""
    pytest.importorskip("sklearn")
    data = tmp_path / "chebi20"
    data.mkdir()
    write_table(
        data / "chebi20_pool.tsv.gz",
        ("cid", "split", "smiles"),
        [(number, *row) for number, row in enumerate(POOL)],
    )
    for name in ("train", "validation"):
        texts = [
            (number, f"The molecule is a {'primary alcohol' if 'O' in smiles else 'hydrocarbon'}.")
            for number, (split, smiles) in enumerate(POOL)
            if split == name
        ]
        write_table(data / f"chebi20_{name}_text.tsv.gz", ("cid", "description"), texts)
    # Rings of many sizes are as many scaffolds.
    rows = [
        f"C1{'C' * size}C1{'C' * chain}{end},{end}"
        for size in range(1, 21)
        for chain in range(1, 4)
        for end in "NO"
    ]
    (tmp_path / "assay.csv").write_text("smiles,active\n" + "\n".join(rows) + "\n")
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    (tmp_path / "runs" / "mine" / "model").symlink_to(ROOT / "molclip" / "weights")
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("page", "stem"),
    [("evaluation", "retrieval"), ("transfer", "probe"), ("representation", "representation")],
)
def test_the_python_of_a_page_runs_and_writes_its_report(page, stem, folder, capsys):
    names = {}
    for code in blocks(page):
        if not any(name in code for name in LONG):
            exec(compile(code.replace("sample=1000", "sample=40"), page, "exec"), names)
    assert capsys.readouterr().out
    for ending in ("json", "md", "html"):
        assert (folder / "report" / f"{stem}.{ending}").is_file()


@pytest.mark.parametrize("page", PAGES)
def test_every_call_of_something_imported_fits_its_signature(page):
    """Also of the lines that are too long to run here."""
    imported, calls = {}, 0
    for code in blocks(page):
        tree = ast.parse(code)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                module = import_module(node.module)
                imported |= {alias.name: getattr(module, alias.name) for alias in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) in imported:
                calls += 1
                keywords = {keyword.arg: keyword.value for keyword in node.keywords}
                inspect.signature(imported[node.func.id]).bind(*node.args, **keywords)
    assert calls or page == "training"


def test_training_further_starts_from_the_member_that_is_saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    section = page.split("## Training further")[1].split("\n## ")[0]
    code, configuration = re.findall(r"```(?:python|toml)\n(.*?)```", section, flags=re.DOTALL)
    exec(compile(code, "training.md", "exec"), {})
    assert {path.name for path in Path("start").iterdir()} >= {"seen.bin", "withheld_labels.tsv"}

    from molclip.training.run import _load_start, _tokenizer, build_network

    config = TrainingConfig.model_validate(tomllib.loads(configuration))
    tokenizer, start = _tokenizer(config, None, tmp_path)
    network, _ = build_network(config, tokenizer)
    _load_start(network, start, config)
    member = MolCLIP.from_pretrained().member(1)
    for name, weight in member.network.state_dict().items():
        assert (network.state_dict()[name] == weight).all(), name
