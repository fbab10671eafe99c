"""What docs/negatives.md tells people to type works."""

import re
import tomllib
from pathlib import Path

import pytest

from molclip.training.config import NegativesSection, TrainingConfig

PAGE = Path(__file__).parents[3] / "docs" / "negatives.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("text", blocks("toml"))
def test_the_lines_of_configuration_are_valid(text):
    found = TrainingConfig.model_validate({"output": "x", **tomllib.loads(text)}).negatives
    assert found != NegativesSection() or 'batches = "random"' in text


def test_the_python_lines_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Two silanes share a text, and two are hands of one another.
    Path("pairs.csv").write_text(
        "id,smiles,text\na,[SiH3]CO,a solvent\nb,[SiH3]CCO,A solvent.\n"
        "r,[SiH3]C[C@H](O)C,right\ns,[SiH3]C[C@@H](O)C,left\n",
        encoding="utf-8",
    )
    Path("mine.toml").write_text('output = "out"\n[data]\npairs = "pairs.csv"\n', encoding="utf-8")
    names = {}
    for text in blocks("python"):
        exec(text, names)
    found = names["found"]
    assert found.mask.tolist() == [
        [True, True, False, False],
        [True, True, False, False],
        [False, False, True, True],
        [False, False, True, True],
    ]
    assert found.shares == {"facts": 0, "description": 2 / 12, "skeleton": 2 / 12, "any": 4 / 12}
