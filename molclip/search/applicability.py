"""Does a molecule, or a text, lie where the model knows its way?

A molecule is compared with the training molecules at hand: the rows of the embedded library (or of
a library of one's own, for a model of one's own) that the model was trained on. The nearest of them
by vector are looked up, and those are compared by structure: exact count Tanimoto of Morgan
environments up to radius 3, with chirality. So `similarity` is a lower bound of the largest
similarity with any training molecule: the most similar one need not be among the nearest by vector,
and training molecules that are in no library are not looked at.

What counts as far is measured on held-out molecules and texts (`domain`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem.elements import heavy_atoms
from molclip.chem.molecule import Molecule, ParseFailure
from molclip.search.domain import Domain, Finding, Status, candidates_of, verdict
from molclip.search.quantiles import percentile
from molclip.search.training_rows import TrainingRows, is_reference, reference_index
from molclip.search.vectors import Float32
from molclip.text.words import content_words, unknown_words

if TYPE_CHECKING:
    from molclip.models.molclip import MoleculeEmbeddings
    from molclip.search.index import Index
    from molclip.search.model_handle import ModelHandle
    from molclip.search.seen import SeenMolecules

_WHERE = {
    "outside": "Outside what the model was trained on",
    "edge": "At the edge of what the model was trained on",
}
_POOL_CHANGE = 0.1
"""A profile means what it did when it was measured while the pool changed by no more."""


@dataclass(frozen=True)
class Nearest:
    """A training molecule."""

    id: str | None
    name: str | None
    smiles: str


@dataclass(frozen=True)
class MoleculeApplicability:
    """How like its training molecules a molecule is to a model."""

    smiles: str
    status: Status
    """`inside`, `edge`, `outside`; `not known` where nothing was measured."""
    reasons: tuple[str, ...]
    """Why not `inside`, as parts of a sentence."""
    seen: bool | None
    """Whether the model was trained on this very molecule; it then is inside whatever it holds."""
    similarity: float | None
    """Largest count Tanimoto among the nearest training molecules by vector, 0 to 1."""
    similarity_percentile: float | None
    """Percent of held-out molecules with a lower one."""
    cosine: float | None
    """Largest cosine with a training molecule."""
    cosine_percentile: float | None
    nearest: Nearest | None
    """The training molecule of `similarity`."""
    heavy_atoms: int
    rare_elements: tuple[str, ...]
    """Elements that few training molecules hold."""

    @property
    def remark(self) -> str:
        """A sentence for the user; empty for a molecule inside."""
        return _remark(self.status, self.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON can hold them, with the remark."""
        return {**asdict(self), "remark": self.remark}


@dataclass(frozen=True)
class TextApplicability:
    """How like its training texts a text is to a model."""

    text: str
    status: Status
    """`inside`, `edge`, `outside`; `not known` where nothing was measured."""
    reasons: tuple[str, ...]
    """Why not `inside`, as parts of a sentence."""
    flat: bool
    """Whether the last reason is that the scores are flat: the text singles out little."""
    words: int
    """Different content words."""
    unknown_words: tuple[str, ...]
    """Those that training did not have; none where the model has no list of words."""
    pieces: int
    dropped_pieces: int
    """Cut off past the length that the model reads."""
    unknown_pieces: int
    candidates: float | None
    """Number of molecules the text is spread over (`domain.candidates_of`): large is flat."""
    candidates_percentile: float | None
    """Percent of held-out texts that are spread over fewer."""
    pool: int | None
    """Molecules that `candidates` are counted among."""

    @property
    def remark(self) -> str:
        """A sentence for the user; empty for a text inside."""
        if self.flat and len(self.reasons) == 1:
            # Words may be well known and yet single out little.
            return f"{self.reasons[0][0].upper()}{self.reasons[0][1:]}."
        return _remark(self.status, self.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON can hold them, with the remark."""
        return {**asdict(self), "remark": self.remark}


class Applicability:
    """Judges molecules and texts for the model of a library.

    Use `Library.applicability` and `Library.text_applicability`.

    Parameters
    ----------
    index
        The library.
    handle
        Its model.
    """

    def __init__(self, index: Index, handle: ModelHandle) -> None:
        self._index = index
        self._handle = handle

    @property
    def domain(self) -> Domain | None:
        """What was measured of the model; None where nothing was."""
        return self._handle.domain

    @cached_property
    def at_hand(self) -> bool:
        """Whether the library itself is compared with, so that no other must be opened first."""
        return is_reference(self._index)

    @cached_property
    def _reference(self) -> Index:
        return reference_index(self._index)

    @cached_property
    def training(self) -> TrainingRows | None:
        """Training molecules at hand; None where the model does not say what it was trained on."""
        rows = None if self.seen is None else TrainingRows(self._reference, self.seen)
        return rows if rows is not None and len(rows) else None

    @property
    def seen(self) -> SeenMolecules | None:
        """What the model was trained on; None where it does not say."""
        return self._handle.seen

    @cached_property
    def pool(self) -> npt.NDArray[np.int64]:
        """Rows that a text's scores are looked at over: curated ones, where that is known."""
        index = self._reference
        return np.flatnonzero(index.alive if index.curated is None else index.curated)

    def scores(self, vector: Float32) -> Float32:
        """Cosines of a text's unit vector `(D,)` with the molecules of `pool`."""
        return np.asarray(self._reference.vectors.rough(vector)[self.pool], dtype=np.float32)

    # Molecules ---------------------------------------------------------------------------------

    def molecules(
        self, molecules: Iterable[Any] | str
    ) -> list[MoleculeApplicability | ParseFailure]:
        """Judge molecules, see `Library.applicability`."""
        return self.judge(self._handle.model.encode_molecules(molecules))

    def judge(
        self, embedded: MoleculeEmbeddings, *, compare: bool = True
    ) -> list[MoleculeApplicability | ParseFailure]:
        """Judge molecules that are embedded already; row-aligned, failures in their place.

        Parameters
        ----------
        embedded
            From the library's model.
        compare
            Look for similar training molecules. Without, elements and size alone are judged, in
            some microseconds each instead of some milliseconds.
        """
        return [
            item if isinstance(item, ParseFailure) else self.molecule(item, vector, compare=compare)
            for item, vector in zip(embedded.molecules, embedded.vectors, strict=True)
        ]

    def molecule(
        self, molecule: Molecule, vector: Float32, *, compare: bool = True
    ) -> MoleculeApplicability:
        """Judge one molecule that is embedded already, as a unit vector `(D,)`."""
        domain, training = self.domain, self.training if compare else None
        findings = [] if domain is None else domain.composition(molecule.smiles)
        similarity, cosine, nearest = None, None, None
        if domain is not None and training is not None:
            rows, cosines = training.nearest(vector, domain.neighbours)
            alike = training.similarities(molecule.mol, rows)
            best = int(np.argmax(alike))
            similarity, cosine = alike[best], float(cosines[0])
            nearest = _nearest(training.index, int(rows[best]))
            findings += domain.nearness(similarity, cosine)
        seen = None
        if compare and self.seen is not None:
            seen = molecule.inchikey in self.seen
        status = verdict(findings)
        if seen:
            status, findings = "inside", []
        elif domain is None or (similarity is None and status == "inside"):
            status = "not known"
        return MoleculeApplicability(
            smiles=molecule.smiles,
            status=status,
            reasons=tuple(finding.reason for finding in findings),
            seen=seen,
            similarity=similarity,
            similarity_percentile=_percent([] if domain is None else domain.similarity, similarity),
            cosine=cosine,
            cosine_percentile=_percent([] if domain is None else domain.cosine, cosine),
            nearest=nearest,
            heavy_atoms=heavy_atoms(molecule.smiles),
            rare_elements=() if domain is None else domain.rare(molecule.smiles),
        )

    # Texts -------------------------------------------------------------------------------------

    def texts(self, texts: Sequence[str] | str) -> list[TextApplicability]:
        """Judge texts, see `Library.text_applicability`."""
        given = [texts] if isinstance(texts, str) else texts
        with warnings.catch_warnings():
            # That a text was cut is part of the answer.
            warnings.simplefilter("ignore", UserWarning)
            vectors = self._handle.model.encode_text(given)
        return [self.text(text, vector) for text, vector in zip(given, vectors, strict=True)]

    def text(self, text: str, vector: Float32, *, compare: bool = True) -> TextApplicability:
        """Judge one text that is embedded already, as a unit vector `(D,)`.

        Without `compare` its words and length are judged, and not how its scores are spread.
        """
        domain, model = self.domain, self._handle.model
        known = getattr(model, "known_words", None)
        words = set(content_words(text))
        unknown = [] if known is None else unknown_words(text, known)
        encoded = model.tokenize([text])[0]
        pieces = max(1, len(encoded.ids) - 2)
        findings = _losses(pieces, encoded.dropped, encoded.unknown)
        findings += [] if domain is None else domain.wording(len(words), unknown)
        candidates, flat = None, False
        if compare and domain is not None and self._same_pool(domain):
            candidates = candidates_of(self.scores(vector), domain.scale)
            flat = bool(profile := domain.profile(candidates))
            findings += profile
        status = verdict(findings)
        if candidates is None and status == "inside":
            status = "not known"
        return TextApplicability(
            text=text,
            status=status,
            reasons=tuple(finding.reason for finding in findings),
            flat=flat,
            words=len(words),
            unknown_words=tuple(unknown),
            pieces=pieces + encoded.dropped,
            dropped_pieces=encoded.dropped,
            unknown_pieces=encoded.unknown,
            candidates=candidates,
            candidates_percentile=_percent([] if domain is None else domain.candidates, candidates),
            pool=None if candidates is None else len(self.pool),
        )

    def _same_pool(self, domain: Domain) -> bool:
        return abs(len(self.pool) - domain.pool) <= _POOL_CHANGE * domain.pool


def _losses(pieces: int, dropped: int, unknown: int) -> list[Finding]:
    found = []
    if dropped:
        found.append(Finding("edge", f"its last {dropped} pieces were left out, it is too long"))
    if unknown:
        status: Status = "outside" if 2 * unknown >= pieces else "edge"
        found.append(
            Finding(
                status,
                f"the model, which reads English, does not know {unknown} of {pieces} pieces",
            )
        )
    return found


def _nearest(index: Index, row: int) -> Nearest:
    id_, name, smiles = (index.rows.value(row, column) for column in ("id", "name", "smiles"))
    return Nearest(id_, name, smiles)


def _percent(known: list[float], value: float | None) -> float | None:
    return None if not known or value is None else round(percentile(known, value), 1)


def _remark(status: Status, reasons: Sequence[str]) -> str:
    if status not in _WHERE:
        return ""
    return f"{_WHERE[status]}: {'; '.join(reasons)}."
