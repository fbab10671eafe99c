"""The command as a process: start-up, streams, pipes, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import ROWS, Run

MOLCLIP = [sys.executable, "-m", "molclip.cli"]
HEAVY = [
    "torch",
    "rdkit",
    "lancedb",
    "transformers",
    "pandas",
    "datasets",
    "pyarrow",
    "numpy",
    "gradio",
    "open_clip",
    "sklearn",
    "scipy",
]


COFFEE = "stimulant methylxanthine found in coffee"


def process(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MOLCLIP, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        **options,  # type: ignore[call-overload]
    )


def modules_after(arguments: list[str]) -> set[str]:
    """Top-level packages that a command has imported, in a process of its own."""
    code = (
        "import sys\n"
        "from molclip.cli.main import app\n"
        f"try: app({arguments!r})\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "print('\\nMODULES', *{name.partition('.')[0] for name in sys.modules})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("MODULES ")[2].split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["search", "--help"]])
def test_help_and_version_import_nothing_heavy(arguments: list[str]) -> None:
    assert not modules_after(arguments) & set(HEAVY)


def test_a_search_imports_only_what_it_needs(library: Path) -> None:
    loaded = modules_after(["search", "stimulant", "--library", str(library)])
    assert "torch" in loaded
    assert not loaded & {"gradio", "open_clip", "datasets", "pandas", "sklearn", "torch_geometric"}


def test_version_names_the_package() -> None:
    from molclip import __version__

    done = process("--version")
    assert (done.returncode, done.stdout) == (0, f"molclip {__version__}\n")


def test_stdout_is_data_and_nothing_else_is_said(library: Path) -> None:
    done = process("search", COFFEE, "--library", library, "--mode", "vector", "-q")
    assert done.returncode == 0, done.stderr
    # Libraries print neither warnings nor progress.
    assert done.stderr == ""
    assert "caffeine" in done.stdout


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    code = (
        "from molclip.cli.guard import guarded\n"
        "guarded(lambda: [print('x' * 1000) for _ in range(10_000)])\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.readline()
    child.stdout.close()
    said = child.stderr.read()
    child.wait(timeout=60)
    assert "BrokenPipeError" not in said


def test_ctrl_c_ends_with_130_and_one_word(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    # Standard input stays open without a byte: the command waits, and is interrupted.
    child = subprocess.Popen(
        [*MOLCLIP, "classify", "-", "--labels", "a", "--background", "none"],
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        # A shell starts background jobs, such as this test run may be, deaf to Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )
    os.close(reader)
    try:
        _wait_for_reading(child.pid)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
    finally:
        os.close(writer)
        child.kill()
    assert child.returncode == 130, err
    assert out == ""
    assert err == "Interrupted.\n"


def _wait_for_reading(pid: int) -> None:
    """Wait until a process sleeps in a read of a pipe."""
    import time

    state = Path(f"/proc/{pid}/wchan")
    if not state.is_file():
        pytest.skip("needs /proc to see what a process waits for")
    for _ in range(600):
        time.sleep(0.2)
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        if b"molclip" in command and "pipe" in state.read_text():
            return
    pytest.fail("the command did not wait for its input")


def test_unexpected_errors_are_one_sentence(
    run: Run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("gears jammed")

    monkeypatch.setattr("molclip.cli.reading.open_records", broken)
    result = run("embed", table, "-o", tmp_path / "v.npy")
    assert result.exit_code == 1
    assert "gears jammed" in result.stderr
    assert "MOLCLIP_DEBUG=1" in result.stderr
    assert "Traceback" not in result.stderr
    monkeypatch.setenv("MOLCLIP_DEBUG", "1")
    assert isinstance(run("embed", table, "-o", tmp_path / "v.npy").exception, RuntimeError)


COMMANDS = [
    ["search"],
    ["classify"],
    ["embed"],
    ["library", "build"],
    ["library", "add"],
    ["library", "info"],
    ["library", "export"],
    ["train"],
    ["app"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_shows_examples_in_80_columns(run: Run, command: list[str]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert f"molclip {' '.join(command)}" in result.stdout.partition("Example")[2]
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_top_help_names_commands_and_exit_codes(run: Run) -> None:
    text = run("--help").stdout
    for word in ("search", "classify", "embed", "library", "train", "evaluate", "app"):
        assert word in text
    assert "Exit codes" in text


def test_app_without_its_extra_says_how_to_get_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("molclip.cli.app.find_spec", lambda name: None)
    result = run("app")
    assert result.exit_code == 2
    assert 'pip install -e ".[app]"' in result.stderr


def test_train_prints_the_folder_and_reports_on_stderr(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'output = "{tmp_path}/run"\n', encoding="utf-8")

    def trained(loaded: object, report: object) -> Path:
        assert callable(report)
        report({"epoch": 0.5, "loss": 1.25, "temperature": 0.07, "pairs_per_second": 1234.0})
        report({"epoch_end": 1, "epoch": 1, "loss": 1.2, "validation hits@1": 0.5})
        return tmp_path / "run" / "model"

    monkeypatch.setattr("molclip.training.run.run_training", trained)
    result = run("train", config)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{tmp_path / 'run' / 'model'}\n"
    assert "epoch 0.50  loss 1.250  temperature 0.0700  1,234 pairs/s" in result.stderr
    assert "epoch 1 of 8: loss 1.200, validation hits@1 0.500" in result.stderr


def test_wrong_training_key_is_named(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('output = "x"\n[run]\nepoch = 3\n', encoding="utf-8")
    result = run("train", config)
    assert result.exit_code == 2
    assert "run.epoch" in result.stderr
    assert "epochs" in result.stderr


def test_hard_structures_keep_their_rows(run: Run, tmp_path: Path) -> None:
    """The structures that stopped other programs, in one file."""
    import numpy as np

    cases = Path(__file__).parent.parent / "cases" / "molecules.tsv"
    lines = cases.read_text(encoding="utf-8").splitlines()
    out = tmp_path / "v.npy"
    result = run("embed", cases, "--structure", "input", "--id", "id", "-o", out)
    assert result.exit_code == 0, result.stderr
    ids = [line.split("\t")[0] for line in lines[1:] if line.strip()]
    failed = {ids[row] for row in np.flatnonzero(np.isnan(np.load(out)[:, 0]))}
    assert {"kekulize-imidazole", "kekulize-indole", "strained-arene", "empty"} <= failed
    assert {
        "peroxide",
        "fumarate",
        "isotope",
        "single-atom",
        "inchi",
        "whitespace",
    } & failed == set()
    assert len(np.load(out)) == len(ids) > ROWS
