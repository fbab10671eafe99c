"""A sweep file gives the runs it names, in order, or says what is wrong with it."""

from pathlib import Path

import pytest

from molclip.errors import ConfigError
from molclip.training.sweep_plan import load_sweep

BASE = 'output = "unused"\n[run]\nepochs = 2\nseed = 7\n[objective]\nadd = { vicreg = 0.5 }\n'


@pytest.fixture
def sweep(tmp_path):
    (tmp_path / "base.toml").write_text(BASE, encoding="utf-8")

    def load(text, base='base = "base.toml"\n'):
        path = tmp_path / "sweep.toml"
        path.write_text(f'{base}output = "{tmp_path / "out"}"\n{text}', encoding="utf-8")
        return load_sweep(path)

    return load


def names(sweep):
    return [run.name for run in sweep.runs]


AXES = '[axes]\n"objective.name" = ["clip", "siglip"]\n"negatives.beta" = [0.0, 0.5]\n'


def test_a_grid_has_every_combination_and_keeps_the_rest_of_the_base(sweep):
    found = sweep(AXES)
    settings = [(r.config.objective.name, r.config.negatives.beta) for r in found.runs]
    assert settings == [("clip", 0.0), ("clip", 0.5), ("siglip", 0.0), ("siglip", 0.5)]
    assert names(found)[1] == "objective=clip beta=0.5"
    assert {run.config.run.seed for run in found.runs} == {7}
    assert {run.config.run.epochs for run in found.runs} == {2}
    assert found.runs[1].folder == found.output / "objective=clip-beta=0.5"
    assert len({run.folder for run in found.runs}) == 4


def test_one_at_a_time_has_the_base_and_only_values_it_does_not_have(sweep):
    found = sweep('mode = "one-at-a-time"\n' + AXES)
    assert names(found) == ["base", "objective=siglip", "beta=0.5"]
    assert found.runs[2].config.objective.name == "clip"


def test_variants_set_several_keys_and_join_a_grid_as_an_axis(sweep):
    text = '"axes"."run.seed" = [0, 1]\n[[variant]]\nname = "hard"\n"negatives.beta" = 0.5\n'
    text += 'objective.temperature = 0.1\n[[variant]]\nname = "plain"\n'
    found = sweep(text)
    assert names(found) == ["hard seed=0", "hard seed=1", "plain seed=0", "plain seed=1"]
    hard, plain = found.runs[1].config, found.runs[3].config
    assert (hard.negatives.beta, hard.objective.temperature, hard.run.seed) == (0.5, 0.1, 1)
    assert (plain.negatives.beta, plain.objective.temperature) == (0.0, 0.07)


def test_a_quoted_key_takes_a_whole_table_as_value_and_a_bare_one_merges(sweep):
    text = 'mode = "one-at-a-time"\n[[variant]]\nname = "whole"\n"objective.add" = {wmse = 1.0}\n'
    text += '[[variant]]\nname = "merged"\nobjective.add.wmse = 1.0\n'
    found = sweep(text)
    assert found.runs[1].config.objective.add == {"wmse": 1.0}
    assert found.runs[2].config.objective.add == {"vicreg": 0.5, "wmse": 1.0}
    # The base's own table is not touched by the runs made from it.
    assert found.runs[0].config.objective.add == {"vicreg": 0.5}


def test_the_base_may_stand_in_the_sweep_file(sweep):
    found = sweep("[axes]\nrun.epochs = [1, 2]\n[base.run]\nbatch_size = 8\n", base="")
    assert [run.config.run.epochs for run in found.runs] == [1, 2]
    assert {run.config.run.batch_size for run in found.runs} == {8}


def test_keys_that_end_alike_are_told_apart(sweep):
    found = sweep(
        '[axes]\n"model.text_head.kind" = ["mlp"]\n"model.molecule_head.kind" = ["linear"]\n'
    )
    assert names(found) == ["text_head=mlp molecule_head=linear"]
    found = sweep('[axes]\n"model.text_head.depth" = [1]\n"model.molecule_head.depth" = [2]\n')
    assert names(found) == ["model.text_head.depth=1 model.molecule_head.depth=2"]


def test_folder_names_are_safe_and_distinct(sweep):
    text = 'mode = "one-at-a-time"\n[[variant]]\nname = "a/../b"\n[[variant]]\nname = "a:..:b"\n'
    text += f'[[variant]]\nname = "{"x" * 300}"\nrun.seed = 1\n'
    text = text.replace('name = "a/', 'run.seed = 2\nname = "a/').replace(
        'name = "a:', 'run.seed = 3\nname = "a:'
    )
    folders = [run.folder for run in sweep(text).runs]
    assert len(set(folders)) == 4
    assert all(folder.parent == folders[0].parent for folder in folders)
    assert all("/" not in folder.name and len(folder.name) < 100 for folder in folders)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[axes]\n"objective.nam" = ["clip"]\n', ["objective.nam", "'name'", "run"]),
        ('[axes]\n"objectiv.name" = ["clip"]\n', ["objectiv", "'objective'"]),
        ('[axes]\n"objective.name" = ["clipp"]\n', ["objective=clipp", "objective.name", "clip"]),
        ('[axes]\n"run.epochs" = 3\n', ["run.epochs", "list"]),
        ('[axes]\n"run.epochs" = []\n', ["run.epochs", "list"]),
        ('[axes]\n"output" = ["a"]\n', ["output"]),
        ('[axs]\n"run.epochs" = [1]\n', ["axs", "'axes'"]),
        ("mode = 'all'\n" + AXES, ["mode", "grid"]),
        ("", ["nothing to compare", "[axes]"]),
        ("[[variant]]\nrun.epochs = 1\n", ["variant 1", "name"]),
        ("[[variant]]\nname = 'a'\n[[variant]]\nname = 'a'\n", ["two runs", "'a'"]),
        (AXES + "[[variant]]\nname = 'a'\nnegatives.beta = 1.0\n", ["'a'", "negatives.beta"]),
        ('[axes]\n"run.epochs.deep" = [1]\n', ["'run.epochs.deep'", "'epochs' is a value"]),
    ],
)
def test_a_wrong_file_is_explained_before_anything_runs(sweep, text, words):
    with pytest.raises(ConfigError) as caught:
        sweep(text)
    for word in ["sweep.toml", *words]:
        assert word in str(caught.value)


def test_a_wrong_base_is_explained(sweep):
    with pytest.raises(ConfigError, match=r"base: unknown key 'run\.epoch'.*'epochs'"):
        sweep(AXES + "[base.run]\nepoch = 1\n", base="")
    with pytest.raises(ConfigError, match=r"no configuration .*gone\.toml"):
        sweep(AXES, base='base = "gone.toml"\n')


def test_the_file_in_the_docs_is_a_sweep(tmp_path):
    from pathlib import Path

    text = (Path(__file__).parents[3] / "docs" / "sweeps.md").read_text(encoding="utf-8")
    block = text.partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "base.toml").write_text('output = "x"\n', encoding="utf-8")
    path = tmp_path / "sweep.toml"
    path.write_text(block, encoding="utf-8")
    found = load_sweep(path)
    assert names(found) == [
        *("base", "objective=siglip", "objective=nt_xent", "beta=0.5"),
        *("clip with a guard", "large head, warm"),
    ]


@pytest.mark.parametrize(
    "change", ["run.seed = 7", "objective.add = {}"], ids=["same value", "table that is merged"]
)
def test_a_variant_that_changes_nothing_is_refused(sweep, change):
    with pytest.raises(ConfigError, match="variant 'a' changes nothing"):
        sweep(f'mode = "one-at-a-time"\n[[variant]]\nname = "a"\n{change}\n')
    whole = sweep('mode = "one-at-a-time"\n[[variant]]\nname = "a"\n"objective.add" = {}\n')
    assert whole.runs[1].config.objective.add == {}


@pytest.mark.parametrize("file", ["ablations.toml", "objectives.toml"])
def test_every_run_of_the_studies_is_a_configuration_and_changes_something(file):
    """The files are read whole before an hour of training is spent on them."""
    sweep = load_sweep(Path(__file__).parents[3] / "benchmarks" / file)
    assert sweep.runs[0].name == "base"
    settings = [run.config.model_dump_json(exclude={"output"}) for run in sweep.runs]
    assert len(set(settings)) == len(settings)
    assert len({run.config.run.max_steps for run in sweep.runs}) == 1
