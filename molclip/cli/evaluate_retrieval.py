"""`molclip evaluate retrieval`: does a sentence find its molecule?"""

from __future__ import annotations

import warnings
from enum import Enum, StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from molclip.cli import console
from molclip.cli.evaluate import FormatOption, Output, _command, _print
from molclip.cli.options import BESIDE, ImagesOption, ModelOption, ReportOption
from molclip.errors import InputError

if TYPE_CHECKING:
    from molclip.cli.console import Progress
    from molclip.evaluation.correction import Correction
    from molclip.evaluation.encoders import LoadedEncoder
    from molclip.evaluation.pairs import RetrievalData
    from molclip.evaluation.systems import System

EXAMPLES = (
    "**Examples**\n\n"
    "`molclip evaluate retrieval --data chebi20/`\n\n"
    "`molclip evaluate retrieval --data chebi20/ --baseline all --compare runs/mine/model`\n\n"
    "`molclip evaluate retrieval --pairs mine.csv --pool-file catalogue.csv --out report/`\n\n"
    "`molclip evaluate retrieval --data chebi20/ --image ViT-B-32/laion2b_s34b_b79k --pool split`"
)
_CORRECTION = "Query-time correction"


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


class Baseline(StrEnum):
    """Baselines that are made on the spot."""

    random = "random"
    tfidf = "tfidf"
    cca = "cca"
    all = "all"


class Kind(StrEnum):
    """How close a row comes to training texts."""

    best = "best"
    softmax = "softmax"


class Bank(StrEnum):
    """Training texts of the correction."""

    descriptions = "descriptions"
    all = "all"


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
    slices: Annotated[
        bool,
        typer.Option(
            "--slices/--no-slices", help="Figures by what is hard, and whether seen molecules lead."
        ),
    ] = True,
    compare: Annotated[
        list[str] | None,
        typer.Option(
            "--compare",
            help="Another model, in the same table and with paired differences; several times.",
            rich_help_panel=BESIDE,
            show_default=False,
        ),
    ] = None,
    image: ImagesOption = None,
    baseline: Annotated[
        list[Baseline] | None,
        typer.Option(
            "--baseline",
            help="Made on the spot from the training molecules' texts; several times, or all.",
            rich_help_panel=BESIDE,
            show_default=False,
        ),
    ] = None,
    correction: Annotated[
        bool,
        typer.Option(
            "--correction",
            help="Also lower rows that are close to training texts, in a table of its own.",
            rich_help_panel=_CORRECTION,
        ),
    ] = False,
    correction_kind: Annotated[
        Kind,
        typer.Option(
            "--correction-kind",
            help="Highest similarity, or inverted softmax.",
            rich_help_panel=_CORRECTION,
        ),
    ] = Kind.best,
    correction_weight: Annotated[
        float | None,
        typer.Option(
            "--correction-weight",
            min=0.0,
            help="Its weight; chosen on one half of the texts and used on the other when left out.",
            rich_help_panel=_CORRECTION,
            show_default=False,
        ),
    ] = None,
    correction_bank: Annotated[
        Bank,
        typer.Option(
            "--correction-bank",
            help="Only texts that people wrote, or also captions of the other training molecules.",
            rich_help_panel=_CORRECTION,
        ),
    ] = Bank.all,
    discount: Annotated[
        str | None,
        typer.Option(
            "--discount",
            metavar="COSINE|chosen",
            help="Lower training molecules by so much besides.",
            rich_help_panel=_CORRECTION,
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Only this many texts, drawn at random.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Of --limit, the bootstrap and the halves.")
    ] = 0,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes for the chemistry.")
    ] = None,
    out: ReportOption = None,
    output: FormatOption = Output.table,
) -> None:
    """Rank each text's molecule in the pool, and each molecule's text among the texts.

    Ranks are pessimistic: the right answer comes after all that share its score. Invalid
    molecules stay in the pool and their texts count as misses.
    """
    from molclip.evaluation.retrieval import evaluate_retrieval
    from molclip.evaluation.retrieval_report import retrieval_report
    from molclip.evaluation.slices import label_queries

    asked = _correction(correction, correction_kind, correction_weight, discount)
    _check_options(encoder, model, weights, pairs, pool_file)
    task = _task(data, split, pairs, pool_file).sample(limit, seed)
    named = str(weights if encoder is Encoder.image else model or "built-in")
    with console.progress() as progress, warnings.catch_warnings():
        # The report counts the texts that were cut; a warning for each batch would say it again.
        warnings.filterwarnings("ignore", message=".*were cut")
        used = _loaded(encoder, named, workers, progress)
        facts = None
        if slices or baseline or (asked and correction_bank is Bank.all):
            from molclip.evaluation.pool_facts import pool_facts

            facts = pool_facts(task.pool_smiles, workers, progress)
        if asked and facts is not None and correction_bank is Bank.all:
            from molclip.baselines.descriptions import with_captions

            task = with_captions(task, facts)
        labels = label_queries(task, facts, pool=pool.value) if slices and facts is not None else ()
        result = evaluate_retrieval(
            used.model,
            task,
            pool=pool.value,
            labels=labels,
            crowded=slices,
            correction=asked,
            seed=seed,
            progress=progress,
            encode_pool=used.encode_pool,
            encode_bank=partial(used.encode_bank, progress=progress),
        )
        others: list[System] = []
        if baseline and facts is not None:
            from molclip.baselines.on_the_spot import measure_baselines

            wanted = [each.value for each in baseline]
            others += measure_baselines(
                wanted, task, facts, pool=pool.value, seed=seed, workers=workers, progress=progress
            )
        for kind, names in ((Encoder.molclip, compare), (Encoder.image, image)):
            for name in names or ():
                other = _loaded(kind, name, workers, progress)
                others.append(_system(other, kind, name, task, pool, seed, progress))
    report = retrieval_report(
        result,
        encoder=encoder.value,
        model=named,
        model_hash=used.model.model_hash,
        command=_command(),
        cut_texts=used.count_cut(task.texts),
        others=others,
    )
    if out is not None:
        report.write(out, "retrieval")
        result.write_ranks(out / "ranks.csv")
    _print(report, output)


def _loaded(kind: Encoder, name: str, workers: int | None, progress: Progress) -> LoadedEncoder:
    from molclip.evaluation import encoders

    if kind is Encoder.image:
        return encoders.image_encoder(name, workers, progress)
    return encoders.molclip_encoder(name, workers, progress)


def _system(
    used: LoadedEncoder,
    kind: Encoder,
    name: str,
    task: RetrievalData,
    pool: Pool,
    seed: int,
    progress: Progress,
) -> System:
    from molclip.evaluation.retrieval import evaluate_retrieval
    from molclip.evaluation.systems import System, short_name

    result = evaluate_retrieval(
        used.model,
        task,
        pool=pool.value,
        seed=seed,
        progress=progress,
        encode_pool=used.encode_pool,
    )
    cut = used.count_cut(task.texts)
    note = f"{kind.value} model {name}, hash {used.model.model_hash}"
    if cut:
        note += f"; {cut:,} texts cut off at its context"
    return System(short_name(name), f"{note}.", result.settings)


def _correction(
    wanted: bool, kind: Kind, weight: float | None, discount: str | None
) -> Correction | None:
    from molclip.evaluation.correction import Correction

    if not wanted:
        if weight is not None or discount is not None:
            raise InputError(
                "--correction-weight and --discount are for --correction.", "Add --correction."
            )
        return None
    if discount is None:
        return Correction(kind.value, weight)
    if discount == "chosen":
        return Correction(kind.value, weight, "chosen")
    try:
        amount = float(discount)
    except ValueError:
        amount = -1.0
    if not 0 <= amount <= 2:
        raise InputError(
            f"--discount {discount} is no difference of cosines.",
            "Give a number such as 0.02, or the word chosen.",
        )
    return Correction(kind.value, weight, amount)


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
