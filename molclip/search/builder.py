"""Making and growing a library: source to staged batches, staged batches to one new version."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from molclip.chem.failures import OnInvalid
from molclip.chem.inputs import gathered, input_version
from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError, InvalidRowError, LibraryError
from molclip.search import table
from molclip.search.columns import BASE_TYPES, arrow_type
from molclip.search.describe import Described, describe_stream, read_source
from molclip.search.index import SEGMENTS, Index, segment_path
from molclip.search.locking import exclusive
from molclip.search.manifest import Manifest, Segment
from molclip.search.model_handle import input_kind
from molclip.search.names import write_names
from molclip.search.report import BuildReport
from molclip.search.rows import FACTS, PATTERN, map_table, write_table
from molclip.search.staging import FAILURES_FILE, REPLACED_FILE, Staging
from molclip.search.vectors import write_vectors

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[str, int, int | None], None]
LOCK_FILE = ".lock"


@dataclass(frozen=True)
class SourceOptions:
    """How a source is read."""

    on_invalid: OnInvalid = "keep"
    structure: str | None = None
    id: str | None = None
    name: str | None = None
    format: str | None = None
    workers: int | None = None
    batch_size: int = 4096

    def __post_init__(self) -> None:
        if self.on_invalid not in get_args(OnInvalid):
            raise InputError(
                f"Unknown on_invalid {self.on_invalid!r}.",
                f"Use one of {', '.join(get_args(OnInvalid))}.",
            )
        if self.batch_size < 1:
            raise InputError(f"batch_size is {self.batch_size}.", "Give at least 1.")


def build(
    path: Path,
    source: Any,
    embedder: Any,
    model: str,
    standardise: str,
    options: SourceOptions,
    *,
    overwrite: bool,
    progress: Progress | None,
    prepare: Callable[[Path], None] | None = None,
) -> None:
    """Make a library at `path`; see `Library.build`.

    Parameters
    ----------
    path, source, standardise, overwrite, progress
        As there.
    embedder
        The model.
    model
        Its name for the manifest.
    options
        How the source is read.
    prepare
        Called with the new library's folder before it is put in place (evidence files).
    """
    from molclip.chem.standardize import check_profile

    check_profile(standardise)
    if path.exists() and not overwrite and (not path.is_dir() or any(path.iterdir())):
        raise LibraryError(
            f"{path} is there already.", "Choose another folder, add to it, or say overwrite."
        )
    partial = path.with_name(path.name + ".partial")
    try:
        with exclusive(partial / LOCK_FILE):
            items, said = read_source(
                source,
                structure=options.structure,
                id=options.id,
                name=options.name,
                format=options.format,
            )
            manifest = new_manifest(embedder, model, standardise, said)
            fingerprint = _fingerprint(source, manifest, options)
            if not fingerprint:  # an iterable cannot be read from its middle
                shutil.rmtree(partial / "staging", ignore_errors=True)
            staging = Staging(
                partial / "staging", fingerprint, keep_failures=options.on_invalid == "keep"
            )
            embed(items, staging, embedder, standardise, options, progress)
            library = partial / "library"
            shutil.rmtree(library, ignore_errors=True)
            library.mkdir()
            if prepare is not None:
                prepare(library)
            commit(library, manifest, staging, progress)
            _put_in_place(library, path)
    except InputError as error:
        # A bad row has to be mended first, and then it is another source; a source that could not
        # even be opened leaves nothing to go on from, unless it is that of an earlier build.
        if isinstance(error, InvalidRowError) or not (partial / "staging").exists():
            shutil.rmtree(partial, ignore_errors=True)
        raise
    shutil.rmtree(partial)


def add(
    path: Path,
    source: Any,
    model: Any,
    options: SourceOptions,
    progress: Progress | None,
) -> BuildReport:
    """Add a source to the library at `path`; see `Library.add`."""
    with exclusive(path / LOCK_FILE):
        latest = Manifest.read(path)
        items, _ = read_source(
            source,
            structure=options.structure,
            id=options.id,
            name=options.name,
            format=options.format,
        )
        folder = path / "adding"
        shutil.rmtree(folder, ignore_errors=True)
        staging = Staging(
            folder,
            {},
            ids_given=latest.ids_given,
            keep_failures=options.on_invalid == "keep",
        )
        try:
            embed(items, staging, model, latest.standardisation, options, progress)
            return commit(path, latest, staging, progress)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def new_manifest(embedder: Any, model: str, standardise: str, source: str) -> Manifest:
    """Manifest of an empty library."""
    import rdkit

    import molclip

    return Manifest(
        model_name=model,
        model_hash=embedder.model_hash,
        dimension=int(embedder.dimension),
        standardisation=standardise,
        feature_version=input_version(input_kind(embedder)),
        rdkit_version=rdkit.__version__,
        molclip_version=molclip.__version__,
        source=source,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=0,
        columns=dict(BASE_TYPES),
    )


def _fingerprint(source: Any, manifest: Manifest, options: SourceOptions) -> dict[str, Any]:
    """What finished batches depend on; empty where work cannot be taken up again."""
    if source is None:
        place: list[Any] = ["embedded"]
    elif isinstance(source, (str, os.PathLike)) and Path(source).is_file():
        stat = Path(source).stat()
        place = [str(Path(source).resolve()), stat.st_size, stat.st_mtime_ns]
    else:
        return {}
    return {
        "source": place,
        "options": [
            value
            for name, value in asdict(options).items()
            if name not in ("workers", "batch_size")
        ],
        "model": manifest.model_hash,
        "standardise": manifest.standardisation,
        "rdkit": manifest.rdkit_version,
        "features": manifest.feature_version,
        "molclip": manifest.molclip_version,
    }


def embed(
    items: Iterator[Any],
    staging: Staging,
    model: Any,
    standardise: str,
    options: SourceOptions,
    progress: Progress | None,
) -> None:
    """Read, describe and embed a source, committing batch by batch.

    Raises
    ------
    InvalidRowError
        At the first bad row, with `on_invalid="raise"`.
    """
    done = staging.state.rows_read
    if staging.state.done:
        return
    for _ in islice(items, done):  # rows of batches that are on disk
        pass
    kind = input_kind(model)
    described = describe_stream(items, standardise=standardise, kind=kind, workers=options.workers)
    while batch := list(islice(described, options.batch_size)):
        rows = [row for row in batch if isinstance(row, Described)]
        failures = [row for row in batch if isinstance(row, ParseFailure)]
        if failures and options.on_invalid == "raise":
            raise InvalidRowError(str(failures[0]), "Mend the row, or use on_invalid keep or skip.")
        vectors = np.zeros((0, int(model.dimension)), dtype=np.float32)
        if rows:
            vectors = model.encode_features(gathered([row.features for row in rows], kind))
        done += len(batch)
        staging.commit(rows, vectors, failures, done)
        if progress is not None:
            progress("molecules embedded", done, None)
    staging.finish_reading()


def commit(
    folder: Path, manifest: Manifest, staging: Staging, progress: Progress | None
) -> BuildReport:
    """Turn staged batches into the next version of a library; readers see it all at once."""
    state = staging.state
    old_columns = dict(manifest.columns)
    kinds = {**{name: old_columns.get(name, kind) for name, kind in state.kinds.items()}}
    survivors, replaced = staging.survivors()
    rows = sum(len(kept) for kept in survivors)
    if progress is not None:
        progress("rows written", 0, rows)
    (folder / SEGMENTS).mkdir(exist_ok=True)
    segment = Segment(f"{manifest.version + 1:06d}", rows)
    _write_segment(folder, segment, manifest, staging, survivors, kinds)
    new_ids, updated, dead_file, dead_rows = _mark_replaced(folder, manifest, segment)
    start = sum(part.rows for part in manifest.segments)
    shown = {name: kind for name, kind in kinds.items() if name != FACTS}
    shown = {name: "string" if kind == "null" else kind for name, kind in shown.items()}
    columns = {**old_columns, **{n: k for n, k in shown.items() if n not in old_columns}}
    report = BuildReport(
        rows_read=state.rows_read,
        added=new_ids,
        updated=updated,
        replaced=len(replaced),
        failed=state.failed,
        ids_given=staging.given(),
        warnings=_warnings(state.renamed, replaced, old_columns, state.kinds),
        remarks=state.remarks,
    )
    table_version = _write_table(folder, manifest, segment, start)
    _append(staging.folder / FAILURES_FILE, folder / FAILURES_FILE)
    with (folder / REPLACED_FILE).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(entry, ensure_ascii=False) + "\n" for entry in replaced)
    following = replace(
        manifest,
        version=manifest.version + 1,
        table_version=table_version,
        columns=columns,
        segments=[*manifest.segments, segment],
        dead_file=dead_file,
        dead_rows=dead_rows,
        ids_given=state.ids_given,
        report=_sum(manifest.report, report),
    )
    following.write(folder)
    if progress is not None:
        progress("rows written", rows, rows)
    return report


def _write_segment(
    folder: Path,
    segment: Segment,
    manifest: Manifest,
    staging: Staging,
    survivors: list[Any],
    kinds: dict[str, str],
) -> None:
    import pyarrow as pa

    extra = [(name, arrow_type(kind)) for name, kind in kinds.items()]
    base = [(name, arrow_type(kind)) for name, kind in BASE_TYPES.items()]
    pattern = (PATTERN, staging._schema().field(PATTERN).type)
    schema = pa.schema([*base, pattern, *extra])
    path = segment_path(folder, segment, "arrow")
    write_table(path, schema, staging.batches(survivors, kinds))
    write_names(segment_path(folder, segment, "names.arrow"), _names(path))
    write_vectors(
        segment_path(folder, segment, "safetensors"),
        staging.vectors(survivors),
        segment.rows,
        manifest.dimension,
        "float16",
        {"model_hash": manifest.model_hash},
    )


def _names(path: Path) -> Iterator[tuple[int, str, int]]:
    rows = map_table(path)
    for row, (id_, name) in enumerate(
        zip(rows.column("id").to_pylist(), rows.column("name").to_pylist(), strict=True)
    ):
        if name:
            yield row, name, 0
        yield row, id_, 2


def _mark_replaced(
    folder: Path, manifest: Manifest, segment: Segment
) -> tuple[int, int, str | None, int]:
    """Rows of earlier segments whose id comes again: how many, and the file that lists them."""
    if not manifest.segments:
        return segment.rows, 0, None, 0
    import pyarrow.compute as pc

    index = Index(folder, manifest)
    ids = map_table(segment_path(folder, segment, "arrow")).column("id")
    masks = [
        np.asarray(pc.is_in(rows.column("id"), value_set=ids.combine_chunks()))
        for rows in index.rows.tables
    ]
    again = np.concatenate([mask.astype(bool) for mask in masks])
    updated = int((again & index.alive).sum())
    dead = np.flatnonzero(again | ~index.alive)
    if not len(dead):
        return segment.rows, 0, None, 0
    name = f"{SEGMENTS}/replaced-{manifest.version + 1:06d}.npy"
    np.save(folder / name, dead)
    return segment.rows - updated, updated, name, len(dead)


def _write_table(folder: Path, manifest: Manifest, segment: Segment, start: int) -> int:
    """Bring the new rows into the Lance table; return its version."""
    import pyarrow as pa

    rows = map_table(segment_path(folder, segment, "arrow"))
    rows = rows.drop_columns([name for name in rows.column_names if name.startswith("_")])
    schema = rows.schema.insert(0, pa.field(table.POSITION, pa.int64()))

    def batches() -> Iterator[pa.RecordBatch]:
        place = start
        for batch in rows.to_batches(max_chunksize=16384):
            positions = pa.array(np.arange(place, place + batch.num_rows), pa.int64())
            place += batch.num_rows
            yield pa.RecordBatch.from_arrays([positions, *batch.columns], schema=schema)

    if not manifest.segments:
        return table.create(folder, pa.RecordBatchReader.from_batches(schema, batches()))
    if not segment.rows:
        return manifest.table_version
    return table.merge(folder, manifest.table_version, pa.Table.from_batches(batches(), schema))


def _warnings(
    renamed: dict[str, str],
    replaced: list[dict[str, Any]],
    old: dict[str, str],
    new: dict[str, str],
) -> list[str]:
    said = [f"The column {name!r} is kept as {kept!r}." for name, kept in renamed.items()]
    if replaced:
        said.append(
            f"{len(replaced)} rows had an id that came again later and were replaced by it, "
            f"for instance {replaced[0]['id']!r}; see {REPLACED_FILE}."
        )
    for name, kind in new.items():
        # Text takes any value; a number column would lose what is no such number.
        if name in old and old[name] != "string" and kind not in (old[name], "null", "int64"):
            raise LibraryError(
                f"The column {name!r} holds {old[name]} in this library, and the new rows have "
                f"{kind} there; nothing was added.",
                "Rename the column, or build the library again from both sources.",
            )
    return said


def _sum(first: BuildReport, second: BuildReport) -> BuildReport:
    counts = ("rows_read", "added", "updated", "replaced", "failed", "ids_given")
    sums = {name: getattr(first, name) + getattr(second, name) for name in counts}
    remarks = Counter(first.remarks) + Counter(second.remarks)
    return BuildReport(**sums, warnings=[*first.warnings, *second.warnings], remarks=dict(remarks))


def _append(source: Path, target: Path) -> None:
    with source.open("rb") as old, target.open("ab") as new:
        shutil.copyfileobj(old, new)


def _put_in_place(new: Path, path: Path) -> None:
    if path.exists():
        old = path.with_name(f"{path.name}.old-{os.getpid()}")
        path.replace(old)
        new.replace(path)
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    else:
        new.replace(path)
