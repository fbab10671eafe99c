"""Two processes on the CPU give the loss and the gradients of one on the joint batch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

SCRIPT = Path(__file__).parent / "joint_batch.py"


def launched(processes, *arguments):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable]
    if processes > 1:
        command += [
            "-m", "torch.distributed.run", "--standalone", "--nnodes=1",
            f"--nproc_per_node={processes}",
        ]  # fmt: skip
    done = subprocess.run(
        [*command, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done


# 15 and 1 do not divide by two; with 1 the second process has nothing to encode.
JOBS = {"clip": "16,15,1", "moco": "16,15", "siglip": "16,15,16"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """What one process and two found, as `saved(objective, processes, rank)`; one start for all."""
    folder = tmp_path_factory.mktemp("joint")
    jobs = [f"{objective}:{sizes}" for objective, sizes in JOBS.items()]
    launched(2, SCRIPT, folder, *jobs)
    launched(1, SCRIPT, folder, *jobs)

    def load(objective, processes, rank):
        return torch.load(folder / f"{objective}-{processes}-{rank}.pt", weights_only=True)

    return load


@pytest.mark.parametrize("objective", ["clip", "moco"])
def test_loss_and_gradients_equal_those_of_one_process(saved, objective):
    one = saved(objective, 1, 0)
    for rank in (0, 1):
        two = saved(objective, 2, rank)
        for mine, theirs in zip(two[:-1], one[:-1], strict=True):
            assert mine["loss"] == pytest.approx(theirs["loss"], abs=1e-5)
            assert mine["gradients"].keys() == theirs["gradients"].keys()
            for name, gradient in theirs["gradients"].items():
                torch.testing.assert_close(
                    mine["gradients"][name], gradient, atol=1e-5, rtol=1e-4, msg=name
                )
        for name, weight in one[-1]["weights"].items():
            torch.testing.assert_close(two[-1]["weights"][name], weight, atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("objective", JOBS)
def test_both_processes_end_with_exactly_the_same_weights(saved, objective):
    first, second = (saved(objective, 2, rank)[-1]["weights"] for rank in (0, 1))
    for name, weight in first.items():
        assert torch.equal(weight, second[name]), name


def test_a_whole_run_under_torchrun_with_an_uneven_last_batch(tmp_path):
    # 21 rows: batches of 8, 8 and 5. A rest of less than half a batch would be dropped.
    rows = ["id,smiles,text"]
    rows += [f"a{n},[SiH3]{'C' * n}O,alcohol with a chain of {n} carbons" for n in range(1, 22)]
    (tmp_path / "pairs.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "run.toml").write_text(
        f"""
output = "{tmp_path / "out"}"
[data]
pairs = "{tmp_path / "pairs.csv"}"
[model]
dimension = 8
vocabulary = 120
text_size = "tiny"
[model.molecule]
hidden = 16
[negatives]
batches = "neighbours"
group = 2
[run]
epochs = 2
batch_size = 8
precision = "float32"
device = "cpu"
threads = 1
""",
        encoding="utf-8",
    )
    script = tmp_path / "train.py"
    script.write_text(
        "import sys\nfrom molclip.cli.main import main\nsys.argv[1:] = ['train', sys.argv[1]]\nmain()\n",
        encoding="utf-8",
    )
    launched(2, script, tmp_path / "run.toml")
    assert (tmp_path / "out" / "model" / "model.safetensors").is_file()
    assert (tmp_path / "out" / "model" / "history.parquet").is_file()
