"""Library: a persistent, filterable set of embedded molecules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError, LibraryError
from molclip.search.index import Index
from molclip.search.model_handle import ModelHandle, load_model, model_name
from molclip.search.query import Search
from molclip.search.question import Question
from molclip.search.report import BuildReport, LibraryInfo
from molclip.search.result import Mode, SearchResult

if TYPE_CHECKING:
    from molclip.chem.failures import OnInvalid
    from molclip.chem.molecule import Molecule, ParseFailure
    from molclip.models.molclip import MolCLIP
    from molclip.search.applicability import (
        Applicability,
        MoleculeApplicability,
        TextApplicability,
    )

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how many are done, and of how many (None: not known)."""

Source = str | PathLike[str] | Iterable["str | Molecule | ParseFailure | Mapping[str, Any]"]
"""A readable file ("-" is standard input), or an iterable of SMILES, molecules, or dicts with
`smiles` and, as they have them, `id`, `name` and further columns."""


class Library:
    """Molecules with their vectors, searchable by text, structure, name and column values.

    Use `Library.open()` for the embedded library, `Library.open(path)` for one of your own, and
    `Library.build(path, source)` to make one. An open library is one whole version: what other
    processes add later is seen after opening again.
    """

    def __init__(self, index: Index, model: MolCLIP | str | None = None) -> None:
        self._index = index
        where = "The embedded library" if index.manifest.embedded else str(index.folder)
        self._handle = ModelHandle(model, index.manifest, where)

    @classmethod
    def open(
        cls,
        path: str | PathLike[str] | None = None,
        model: MolCLIP | str | None = None,
        *,
        progress: Progress | None = None,
    ) -> Library:
        """Open a library.

        Parameters
        ----------
        path
            Folder of the library; None is the embedded library, which is prepared in the user's
            cache on first use.
        model
            Model for queries, or its name or folder; None is the one the library was built with.
            Loaded when the first query needs it.
        progress
            Told about the one-time preparation; None prints lines on stderr.

        Raises
        ------
        LibraryError
            When there is no library, it is damaged, or it was embedded by another model.
        InputError
            When `path` is empty or no path at all.
        """
        if path is None:
            from molclip.search.embedded import prepared_library

            folder = prepared_library(progress)
        else:
            folder = _folder(path)
        return cls(Index(folder), model)

    @classmethod
    def build(
        cls,
        path: str | PathLike[str],
        source: Source | None = None,
        *,
        model: MolCLIP | str | None = None,
        standardise: str = "none",
        on_invalid: OnInvalid = "keep",
        structure: str | None = None,
        id: str | None = None,
        name: str | None = None,
        format: str | None = None,
        overwrite: bool = False,
        workers: int | None = None,
        batch_size: int = 4096,
        progress: Progress | None = None,
    ) -> Library:
        """Embed every molecule of a source and keep the result in a folder.

        Work goes into `<path>.partial` and is renamed at the end. After a kill, the same call
        goes on from the last finished batch. `Library.report` says what became of every row.

        Parameters
        ----------
        path
            Folder to make.
        source
            File or iterable; None is the embedded table.
        model
            Model, name or folder; None is the built-in one.
        standardise
            Profile of `chem.standardize`: `none`, `light` or `parent`.
        on_invalid
            `keep` writes rows that cannot be embedded to `failures.jsonl`, `skip` only counts
            them, `raise` stops at the first.
        structure, id, name
            Columns or data fields that hold the structure, the id and the name; found by content
            and name where left out.
        format
            Format of the file where its name does not tell.
        overwrite
            Replace a library that is there already.
        workers
            Processes for chemistry; None is one per core.
        batch_size
            Molecules per committed step.
        progress
            Told about progress.

        Raises
        ------
        LibraryError
            When `path` is there already and `overwrite` is False.
        InputError
            When the source cannot be read, or for a bad row with `on_invalid="raise"`.
        """
        from molclip.search import builder

        folder = _folder(path)
        options = builder.SourceOptions(
            on_invalid, structure, id, name, format, workers, batch_size
        )
        prepare: Callable[[Path], None] | None = None
        if source is None:
            from molclip.search.embedded import write_embedded_evidence

            prepare = write_embedded_evidence
        loaded = load_model(model)
        builder.build(
            folder,
            source,
            loaded,
            model_name(model),
            standardise,
            options,
            overwrite=overwrite,
            progress=progress,
            prepare=prepare,
        )
        return cls(Index(folder), loaded)

    def add(
        self,
        source: Source,
        *,
        on_invalid: OnInvalid = "keep",
        structure: str | None = None,
        id: str | None = None,
        name: str | None = None,
        format: str | None = None,
        workers: int | None = None,
        batch_size: int = 4096,
        progress: Progress | None = None,
    ) -> BuildReport:
        """Add molecules; a row whose id is there already replaces the old one.

        All or nothing: readers see the version before or the version after. The library's own
        standardisation profile is used.

        Raises
        ------
        LibraryError
            For the embedded library, which cannot be changed, or while another process adds.
        """
        from molclip.search import builder

        if self.embedded:
            raise LibraryError(
                "The embedded library cannot be changed.",
                "Build a library of your own with Library.build.",
            )
        options = builder.SourceOptions(
            on_invalid, structure, id, name, format, workers, batch_size
        )
        report = builder.add(self._index.folder, source, self.model, options, progress)
        self._index = Index(self._index.folder)
        self.__dict__.pop("judge", None)  # it looks at the rows of the version before
        return report

    def search(
        self,
        query: str | None = None,
        *,
        smiles: str | Molecule | None = None,
        k: int = 10,
        offset: int = 0,
        mode: Mode = "vector",
        where: str | None = None,
        smarts: str | None = None,
        weight: float = 0.5,
        curated: bool | None = None,
        recorded: bool = False,
    ) -> SearchResult:
        """Rank the molecules of the library for a question.

        Parameters
        ----------
        query
            Text: a description, or in mode `name` a name or a part of one.
        smiles
            Structure to compare with (SMILES, InChI, mol block or `Molecule`), alone or combined
            with `query`.
        k, offset
            How many hits, and how many to leave out before them; offsets past the end give none.
        mode
            `vector`: cosine. `name`: exact, prefix, part, then similar names and synonyms.
            `hybrid`: both lists, fused by reciprocal ranks with name hits first. In the latter two
            an InChIKey (or its first block) or a formula that is no name finds all that have it,
            and nothing else.
        where
            SQL condition on columns, for instance `"mol_weight < 300 AND logp > 2"`.
        smarts
            Substructure every hit must have.
        weight
            Share of the text, 0 to 1, when text and structure are combined: the score is
            `weight * cosine(text) + (1 - weight) * cosine(structure)`.
        curated
            True: only manually curated rows; False: all rows; None: curated rows where the
            library has that column (the embedded one), but an exactly given name is always found.
        recorded
            True: only rows of which the source states all that is asked, for each phrase that names
            a class or role one that it may mean.

        Raises
        ------
        InputError
            For an unknown column, a bad SQL, SMARTS or SMILES, a wrong option, or no question; and
            for `recorded` in a library without records, in mode `name`, or where no class or role
            of the source is asked for.
        LibraryError
            When the model at hand is not the one the library was embedded with.
        """
        question = Question(
            query, smiles, k, offset, mode, where, smarts, weight, curated, recorded
        )
        return Search(self._index, self._handle, question, self.judge).run()

    @cached_property
    def judge(self) -> Applicability:
        """Says how like its training molecules and texts something is to the model.

        `applicability` and `text_applicability` ask it; it takes molecules that are embedded
        already, too.
        """
        from molclip.search.applicability import Applicability

        return Applicability(self._index, self._handle)

    def applicability(
        self, molecules: Iterable[Any] | str
    ) -> list[MoleculeApplicability | ParseFailure]:
        """Say of molecules whether the model knows their kind: the applicability domain.

        Each is compared with the model's training molecules (see `search.applicability`): by
        elements, size, and similarity to the nearest ones. What counts as far was measured on
        molecules held out from training.

        Parameters
        ----------
        molecules
            N, as in `MolCLIP.encode_molecules`.

        Returns
        -------
        N answers in the order of the molecules, a `ParseFailure` where one cannot be read. Their
        `status` is `inside`, `edge`, `outside`, or `not known` for a model without
        `applicability.json` in its folder.
        """
        return self.judge.molecules(molecules)

    def text_applicability(self, texts: Sequence[str] | str) -> list[TextApplicability]:
        """Say of texts whether the model can read them: unknown words, length, flat scores.

        Parameters
        ----------
        texts
            N strings; a single string counts as one.

        Returns
        -------
        N answers; their `status` as in `applicability`.

        Raises
        ------
        InputError
            For what is no list of strings, and for an empty text.
        """
        return self.judge.texts(texts)

    def __len__(self) -> int:
        """Number of molecules that can be found."""
        return self._index.manifest.rows

    @property
    def embedded(self) -> bool:
        """Whether this is the embedded library."""
        return self._index.manifest.embedded

    @property
    def columns(self) -> dict[str, str]:
        """Columns that `where` may use, with their types (`string`, `double`, `int64`, ...)."""
        return dict(self._index.manifest.columns)

    @property
    def model(self) -> MolCLIP:
        """The model that reads queries; loaded on first use."""
        model: MolCLIP = self._handle.model
        return model

    def has_name(self, name: str) -> bool:
        """Whether a row goes by exactly this name, synonym or id; quick, and needs no model.

        Letter case, spaces and hyphens make no difference.
        """
        return self._index.has_name(name)

    def similar_names(self, name: str, k: int = 3) -> list[str]:
        """Return up to `k` names that begin with this one, hold it, or are spelled much like it.

        For a word that is no name and means nothing else: it may be a name with a slip of the pen.
        """
        if not name.strip() or self.identifier(name) is not None:
            return []
        hits = self.search(name, mode="name", k=k)
        return list(dict.fromkeys(str(hit["matched_name"]) for hit in hits))

    def identifier(self, text: str) -> str | None:
        """Say what identifier a text is, "the formula H2O4S" for instance, or None.

        An InChIKey always is one; its first block, or letters that may be more than a formula, are
        where a molecule of the library has them. Names and SMILES are none. Needs no model.
        """
        from molclip.search.identified import identify

        found = None if self.has_name(text) else identify(self._index, text)
        return None if found is None else found.said

    def get(self, id: str) -> dict[str, Any] | None:
        """Return one row by id with all its columns, or None."""
        rows = [row for row in self._index.rows.find("id", id) if self._index.alive[row]]
        return self._index.record(rows[-1]) if rows else None

    def vectors(self, sample: int | None = None, *, seed: int = 0) -> npt.NDArray[np.float32]:
        """Return unit vectors, shape `(N, D)` float32: all rows in order, or a seeded sample.

        A sample is what `MolCLIP.zero_shot_classify` takes as `background`; for the embedded
        library it is drawn from the curated rows.
        """
        index = self._index
        if sample is None:
            return index.vectors.take(np.flatnonzero(index.alive))
        pool = np.flatnonzero(index.alive if index.curated is None else index.curated)
        if sample < len(pool):
            pool = np.sort(np.random.default_rng(seed).choice(pool, sample, replace=False))
        return index.vectors.take(pool)

    def curated_vectors(self) -> tuple[npt.NDArray[np.float32], list[str]]:
        """Return unit vectors `(N, D)` and ids of the rows that `search` looks at by default.

        Those are the curated rows where the library knows them, else all.
        """
        index = self._index
        rows = np.flatnonzero(index.alive if index.curated is None else index.curated)
        ids = [str(index.rows.value(row, "id")) for row in rows.tolist()]
        return index.vectors.take(rows), ids

    def best_score(self, vector: npt.NDArray[np.float32]) -> float:
        """Return the highest cosine of any row with a unit vector `(D,)`.

        As in `search`, only curated rows count where the library knows them. Match levels are
        measured with it (`match_level.calibrate`).
        """
        _, scores = self._index.vectors.ranking(vector, self._index.curated).top(1)
        return float(scores[0]) if len(scores) else float("-inf")

    def info(self) -> LibraryInfo:
        """Return what the library is made of: counts, model, versions, source, columns."""
        index, manifest = self._index, self._index.manifest
        files = index.vectors.files
        return LibraryInfo(
            path=str(index.folder),
            embedded=manifest.embedded,
            rows=manifest.rows,
            curated_rows=None if index.curated is None else int(index.curated.sum()),
            failed=manifest.report.failed,
            failures_file=str(self._failures_file) if self._failures_file.is_file() else None,
            dimension=manifest.dimension,
            vector_type=files[0].storage if files else "float16",
            model_name=manifest.model_name,
            model_hash=manifest.model_hash,
            standardisation=manifest.standardisation,
            feature_version=manifest.feature_version,
            rdkit_version=manifest.rdkit_version,
            molclip_version=manifest.molclip_version,
            source=manifest.source,
            created=manifest.created,
            columns=self.columns,
            version=manifest.version,
            report=manifest.report,
        )

    @property
    def _failures_file(self) -> Path:
        from molclip.search.staging import FAILURES_FILE

        return self._index.folder / FAILURES_FILE

    def failures(self) -> Iterator[dict[str, Any]]:
        """Yield the rows that could not be embedded: file, row, id, input, reason, hint."""
        if self._failures_file.is_file():
            with self._failures_file.open(encoding="utf-8") as file:
                yield from map(json.loads, file)

    def export(
        self,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        where: str | None = None,
        columns: list[str] | None = None,
    ) -> int:
        """Write rows to a csv, sdf, jsonl or parquet file; return how many.

        Raises
        ------
        InputError
            For an unknown format or column, or a bad `where`.
        """
        from molclip.search.export import export

        return export(self._index, Path(path), format=format, where=where, columns=columns)


def _folder(path: str | PathLike[str]) -> Path:
    # An empty path is the working folder to pathlib, which nobody means by it.
    if not isinstance(path, (str, PathLike)) or not str(path).strip():
        raise InputError(
            f"The path of a library was given as {path!r}.",
            "Give a folder; Library.open() without one is the embedded library.",
        )
    return Path(path).expanduser()
