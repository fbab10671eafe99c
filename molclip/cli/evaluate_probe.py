"""`molclip evaluate probe`: what frozen features know about labels."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from molclip.cli import console
from molclip.cli.evaluate import FormatOption, Output, _command, _print
from molclip.cli.options import (
    IdOption,
    InputFormatOption,
    ModelOption,
    NameOption,
    Profile,
    ReportOption,
    StandardiseOption,
    StructureOption,
    WorkersOption,
)
from molclip.errors import InputError

if TYPE_CHECKING:
    from molclip.datasets.labels import LabelledMolecules

EXAMPLES = (
    "**Examples**\n\n"
    "`molclip evaluate probe --dataset bbbp --dataset bace --out report/`\n\n"
    "`molclip evaluate probe mine.csv --label active --model runs/mine/model`\n\n"
    "Data sets are read from the folder that MOLCLIP_DATA names."
)


class TaskKind(StrEnum):
    """What a label column holds."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


def probe(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]", help="File of molecules with label columns.", show_default=False
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--label", help="Label column of FILE; may be given several times.", show_default=False
        ),
    ] = None,
    task: Annotated[
        TaskKind,
        typer.Option(
            "--task",
            help="What the labels are; auto: regression where a column has more than two numbers.",
        ),
    ] = TaskKind.auto,
    benchmarks: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            help="Instead of FILE: bbbp, bace, clintox, sider or tox21; may be given several "
            "times.",
            show_default=False,
        ),
    ] = None,
    model: ModelOption = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Number of scaffold splits.")] = 3,
    out: ReportOption = None,
    output: FormatOption = Output.table,
    structure: StructureOption = None,
    id_column: IdOption = None,
    name_column: NameOption = None,
    input_format: InputFormatOption = None,
    standardise: StandardiseOption = Profile.none,
    workers: WorkersOption = None,
) -> None:
    """Fit simple models on frozen features, before and after the projection head.

    A linear model and nearest neighbours, beside the same on count fingerprints, over scaffold
    splits. The encoder itself is not trained; `molclip finetune` does that.
    """
    _check_options(file, labels, benchmarks)
    from molclip.evaluation.probe import probe as run_probe
    from molclip.evaluation.probe_report import probe_report

    def read() -> list[LabelledMolecules]:
        from molclip.datasets.labels import read_benchmark, read_labelled

        if file is None:
            return [read_benchmark(name) for name in dict.fromkeys(benchmarks or ())]
        options = {
            "structure": structure,
            "id": id_column,
            "name": name_column,
            "format": input_format,
        }
        return [read_labelled(file, labels or (), task=task.value, **options)]

    sets = read()
    from molclip.models.molclip import MolCLIP

    loaded = MolCLIP.from_pretrained(model)
    with console.progress() as progress:
        results = [
            run_probe(
                loaded,
                data,
                seeds=range(seeds),
                standardise=standardise.value,
                workers=workers,
                progress=progress,
            )
            for data in sets
        ]
    report = probe_report(
        results,
        model=str(model or "built-in"),
        model_hash=loaded.model_hash,
        command=_command(),
    )
    if out is not None:
        report.write(out, "probe")
    _print(report, output)


def _check_options(
    file: str | None, labels: list[str] | None, benchmarks: list[str] | None
) -> None:
    if (file is None) == (not benchmarks):
        raise InputError(
            "One of FILE and --dataset is needed, not both.",
            "For example `molclip evaluate probe --dataset bbbp`.",
        )
    if file is not None and not labels:
        raise InputError("FILE needs --label.", "Name the column that holds the labels.")
    if file is None and labels:
        raise InputError("--label is for FILE.", "A data set by name has its own tasks.")
