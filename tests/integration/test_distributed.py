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
@pytest.mark.parametrize(("objective", "sizes"), [("clip", "16,15,1"), ("moco", "16,15")])
def test_loss_and_gradients_equal_those_of_one_process(tmp_path, objective, sizes):
    for processes in (1, 2):
        launched(processes, SCRIPT, tmp_path, sizes, objective)
    (one,) = (torch.load(tmp_path / "1-0.pt", weights_only=True),)
    for rank in (0, 1):
        two = torch.load(tmp_path / f"2-{rank}.pt", weights_only=True)
        for mine, theirs in zip(two[:-1], one[:-1], strict=True):
            assert mine["loss"] == pytest.approx(theirs["loss"], abs=1e-5)
            assert mine["gradients"].keys() == theirs["gradients"].keys()
            for name, gradient in theirs["gradients"].items():
                torch.testing.assert_close(
                    mine["gradients"][name], gradient, atol=1e-5, rtol=1e-4, msg=name
                )
        for name, weight in one[-1]["weights"].items():
            torch.testing.assert_close(two[-1]["weights"][name], weight, atol=1e-4, rtol=1e-3)


def test_both_processes_end_with_exactly_the_same_weights(tmp_path):
    launched(2, SCRIPT, tmp_path, "16,15,16", "siglip")
    first, second = (
        torch.load(tmp_path / f"2-{rank}.pt", weights_only=True)[-1]["weights"] for rank in (0, 1)
    )
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
