"""`molclip evaluate`: figures with their protocol."""

from __future__ import annotations

import json
import shlex
import sys
import warnings
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from molclip.cli import console
from molclip.cli.options import LibraryOption, ModelOption
from molclip.errors import InputError

if TYPE_CHECKING:
    from molclip.evaluation.pairs import RetrievalData
    from molclip.evaluation.report import Report

app = typer.Typer(
    help="Measure a model; every report states its protocol.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


class Split(StrEnum):
    """Splits of ChEBI-20."""

    train = "train"
    validation = "validation"
    test = "test"


class Pool(Enum):
    """What a text's molecule is looked for among."""

    all = "all"
    split = "split"


class Encoder(StrEnum):
    """Which kind of model."""

    molclip = "molclip"
    image = "image"


class Output(StrEnum):
    """How the report is printed."""

    table = "table"
    json = "json"
    markdown = "markdown"


class Mode(StrEnum):
    """How the library is searched."""

    vector = "vector"
    name = "name"
    hybrid = "hybrid"


OutOption = Annotated[
    Path | None, typer.Option("--out", help="Folder for the report as JSON and Markdown.")
]
FormatOption = Annotated[Output, typer.Option("--format", help="What is printed.")]


@app.command(
    epilog="**Examples**\n\n"
    "`molclip evaluate retrieval --data chebi20/`\n\n"
    "`molclip evaluate retrieval --pairs mine.csv --pool-file catalogue.csv --out report/`\n\n"
    "`molclip evaluate retrieval --data chebi20/ --encoder image "
    "--weights ViT-B-32/laion2b_s34b_b79k --pool split`",
)
def retrieval(
    model: ModelOption = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            envvar="MOLCLIP_DATA",
            help="Folder with chebi20_pool.tsv.gz and the split's text, or with ChEBI-20's "
            "original training.txt, val.txt and test.txt.",
        ),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option("--pairs", help="Your own CSV or TSV with columns id, smiles, text."),
    ] = None,
    pool_file: Annotated[
        Path | None,
        typer.Option("--pool-file", help="With --pairs: further molecules, columns id and smiles."),
    ] = None,
    split: Annotated[Split, typer.Option("--split", help="Whose texts.")] = Split.validation,
    pool: Annotated[
        Pool,
        typer.Option("--pool", help="All molecules, or only those of the split (far easier)."),
    ] = Pool.all,
    encoder: Annotated[Encoder, typer.Option("--encoder", help="Kind of model.")] = Encoder.molclip,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            help="With --encoder image: open_clip MODEL/TAG, hf-hub:ORG/NAME or folder.",
        ),
    ] = None,
    correction: Annotated[
        bool,
        typer.Option(
            "--correction", help="Also with the query-time correction for seen rows, set apart."
        ),
    ] = False,
    correction_weight: Annotated[
        float, typer.Option("--correction-weight", min=0.0, help="Its weight.")
    ] = 1.0,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Only this many texts, drawn at random.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of --limit and the bootstrap.")] = 0,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes that make features.")
    ] = None,
    out: OutOption = None,
    output: FormatOption = Output.table,
) -> None:
    """Rank each text's molecule in the pool, and each molecule's text among the texts.

    Ranks are pessimistic: the right answer comes after all that share its score. Invalid
    molecules stay in the pool and their texts count as misses.
    """
    from molclip.evaluation import encoders
    from molclip.evaluation.retrieval import evaluate_retrieval
    from molclip.evaluation.retrieval_report import retrieval_report

    _check_options(encoder, model, weights, pairs, pool_file)
    task = _task(data, split, pairs, pool_file).sample(limit, seed)
    with console.progress() as progress, warnings.catch_warnings():
        # The report counts the texts that were cut; a warning for each batch would say it again.
        warnings.filterwarnings("ignore", message=".*were cut")
        used = (
            encoders.image_encoder(str(weights), progress)
            if encoder is Encoder.image
            else encoders.molclip_encoder(model, workers, progress)
        )
        result = evaluate_retrieval(
            used.model,
            task,
            pool=pool.value,
            correction=correction_weight if correction else None,
            seed=seed,
            progress=progress,
            encode_pool=used.encode_pool,
        )
    report = retrieval_report(
        result,
        encoder=encoder.value,
        model=str(weights if encoder is Encoder.image else model or "built-in"),
        model_hash=used.model.model_hash,
        command=_command(),
        cut_texts=used.count_cut(task.texts),
    )
    if out is not None:
        report.write(out, "retrieval")
        result.write_ranks(out / "ranks.csv")
    _print(report, output)


@app.command(
    epilog="**Example**\n\n`molclip evaluate queries questions.tsv`\n\n"
    "Each line of the file: a query, a tab, a regular expression that right names match.",
)
def queries(
    file: Annotated[Path, typer.Argument(help="Tab-separated: query, pattern of right names.")],
    library: LibraryOption = None,
    model: ModelOption = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Hits looked at.")] = 10,
    mode: Annotated[Mode, typer.Option("--mode", help="Kind of search.")] = Mode.vector,
    all_rows: Annotated[
        bool, typer.Option("--all-rows", help="Also rows that no curator has checked.")
    ] = False,
    out: OutOption = None,
    output: FormatOption = Output.table,
) -> None:
    """Count the questions that have a right name among their first hits."""
    from molclip.evaluation.queries import ask, queries_report, read_questions

    questions = read_questions(file)
    from molclip.search.library import Library

    opened = Library.open(library, model)
    curated = False if all_rows else None
    with console.progress() as progress:
        answers = ask(
            lambda query: opened.search(query, k=top, mode=mode.value, curated=curated),
            questions,
            progress,
        )
    info = opened.info()
    header: dict[str, str | float | None] = {
        "questions": str(file),
        "library": f"{'embedded' if info.embedded else info.path}, {info.rows:,} rows",
        "rows searched": info.rows if all_rows or not info.curated_rows else info.curated_rows,
        "mode": mode.value,
        "model hash": info.model_hash,
        "command": _command(),
    }
    report = queries_report(answers, header, top)
    if out is not None:
        report.write(out, "queries")
    _print(report, output)


def _check_options(
    encoder: Encoder,
    model: str | None,
    weights: str | None,
    pairs: Path | None,
    pool_file: Path | None,
) -> None:
    if encoder is Encoder.image and weights is None:
        raise InputError(
            "--encoder image needs --weights.",
            "For example --weights ViT-B-32/laion2b_s34b_b79k, or a folder with open_clip weights.",
        )
    if encoder is Encoder.image and model is not None:
        raise InputError("--model is for --encoder molclip.", "Use --weights with --encoder image.")
    if encoder is Encoder.molclip and weights is not None:
        raise InputError("--weights is for --encoder image.", "Use --model with --encoder molclip.")
    if pool_file is not None and pairs is None:
        raise InputError("--pool-file is only read together with --pairs.", "Add --pairs FILE.")


def _task(
    data: Path | None, split: Split, pairs: Path | None, pool_file: Path | None
) -> RetrievalData:
    from molclip.evaluation.pairs import load_chebi20, load_pairs

    return load_pairs(pairs, pool_file) if pairs else load_chebi20(data, split.value)


def _command() -> str:
    return shlex.join(["molclip", *sys.argv[1:]])


def _print(report: Report, output: Output) -> None:
    if output is Output.json:
        sys.stdout.write(json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n")
    elif output is Output.markdown:
        sys.stdout.write(report.to_markdown())
    else:
        from rich.console import Console

        # Wider terminals get no wider tables: they are laid out for 80 columns.
        report.print(Console(width=min(Console().width, 100)))
