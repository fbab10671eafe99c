"""Labels for molecules in steps, so that a long job shows progress, can be cancelled, and ends."""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.outline import inchi_heavy_atoms, molblock_outline
from molclip.chem.parse import looks_like_molblock
from molclip.errors import InputError
from molclip.models.zero_shot import ZeroShotResult, percentiles_among
from molclip.text.words import is_strange

from .labels import Label, check_labels
from .limits import COMPARISONS, HEAVY_ATOMS, MOLECULE_SECONDS, SECONDS

if TYPE_CHECKING:
    from molclip.models.molclip import MolCLIP

    from .service import Service

FloatArray = npt.NDArray[np.float32]

STEP = 256
"""Molecules between two signs of progress."""
KEPT_SENTENCES = 8_000
"""Vectors of sentences that are kept: all sets of labels, and what visitors type."""

# Atoms of a SMILES: those in brackets, then the ones that need none. Hydrogens are not counted.
_ATOM = re.compile(r"\[(?!\d*H[+-]?\d*\])[^\]]*\]|Br|Cl|[BCNOPSFI*]|[bcnops]")
# Quotation marks and invisible characters before an InChI are taken off when it is read.
_INCHI = re.compile(r"\W*inchi=", re.IGNORECASE)


@dataclass(frozen=True)
class Labelled:
    """Ranked labels, and the sentences behind them."""

    result: ZeroShotResult
    labels: tuple[Label, ...]


class Labeller:
    """Ranks labels against the background of a service; one for all visitors (`labeller_of`).

    Parameters
    ----------
    service
        Gives the model and the background.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._sentences: OrderedDict[str, FloatArray] = OrderedDict()

    @property
    def _model(self) -> MolCLIP:
        return self._service.library.model

    def vectors(self, labels: Sequence[Label]) -> FloatArray:
        """Unit vectors ``(L, D)``: of each label the mean over its sentences, normalised again."""
        wanted = list(dict.fromkeys(s for label in labels for s in label.sentences))
        known: dict[str, FloatArray] = {}
        with self._lock:
            for sentence in wanted:
                if sentence in self._sentences:
                    known[sentence] = self._sentences[sentence]
                    self._sentences.move_to_end(sentence)
        missing = [sentence for sentence in wanted if sentence not in known]
        if missing:
            made = dict(zip(missing, self._model.encode_text(missing), strict=True))
            known |= made
            with self._lock:
                self._sentences.update(made)
                while len(self._sentences) > KEPT_SENTENCES:
                    self._sentences.popitem(last=False)
        means = np.stack(
            [
                np.mean([known[s] for s in label.sentences], axis=0) * (-1 if label.denies else 1)
                for label in labels
            ]
        )
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), dtype=np.float32)

    def steps(
        self, molecules: Sequence[Any], labels: Sequence[Label], threshold: float
    ) -> Iterator[int | Labelled]:
        """How many molecules are done, as they are; at last the answer.

        Parameters
        ----------
        molecules
            `Record`, `Molecule` or `ParseFailure`, which know their rows; bad ones stay in place.
        labels
            At least one.
        threshold
            0 to 1; see `MolCLIP.zero_shot_classify`.

        Raises
        ------
        InputError
            For too many labels or comparisons, or when the time is up before any molecule is
            done. When it is up later, the rest are failures that say so.
        """
        ends = time.monotonic() + SECONDS
        check_labels(labels)
        if not 0 <= threshold <= 1:
            raise InputError(
                f"The threshold {100 * threshold:g} is no percentile.", "Give 0 to 100."
            )
        if len(molecules) * len(labels) > COMPARISONS:
            raise InputError(
                f"{len(molecules):,} molecules and {len(labels):,} labels are "
                f"{len(molecules) * len(labels):,} comparisons; this page takes {COMPARISONS:,}.",
                "Take fewer labels or fewer molecules, or `molclip classify` on your own machine.",
            )
        vectors = self.vectors(labels)
        parts: list[FloatArray] = []
        read: list[Molecule | ParseFailure] = []
        for start in range(0, len(molecules), STEP):
            yield start
            left = ends - time.monotonic()
            if left <= 0 and not start:
                raise InputError(
                    f"This took longer than {SECONDS:g} s and was stopped after {start:,} of "
                    f"{len(molecules):,} molecules.",
                    "Take fewer or smaller molecules.",
                )
            block = [small_enough(item) for item in molecules[start : start + STEP]]
            encoded = self._model.encode_molecules(
                block, time_limit=MOLECULE_SECONDS, total_limit=left
            )
            parts.append(encoded.vectors)
            read += encoded.molecules
        scores = np.concatenate(parts) @ vectors.T
        percentiles = percentiles_among(scores, self._service.background @ vectors.T)
        yield Labelled(
            ZeroShotResult(
                [label.name for label in labels],
                scores,
                percentiles,
                read,
                threshold,
                (),
                self._strange(labels),
            ),
            tuple(labels),
        )

    def classify(
        self, molecules: Sequence[Any], labels: Sequence[Label], threshold: float
    ) -> Labelled:
        """The answer of `steps`."""
        *_, answer = self.steps(molecules, labels, threshold)
        assert isinstance(answer, Labelled)
        return answer

    def _strange(self, labels: Sequence[Label]) -> frozenset[str]:
        known = self._model.known_words
        if known is None:
            return frozenset()
        return frozenset(
            label.name
            for label in labels
            if all(
                is_strange(text, known) for text in (label.sentences if label.own else [label.name])
            )
        )


@lru_cache(maxsize=2)
def labeller_of(service: Service) -> Labeller:
    """The one labeller of a service, so that a sentence is read once for everybody."""
    return Labeller(service)


def small_enough(item: Any) -> Any:
    """The item, or a failure in its place where it has too many atoms; dummies count.

    Structures as text are judged by how they are written, before RDKit works on them.
    """
    text = getattr(item, "text", item)
    if not isinstance(text, str):
        return item
    atoms = _heavy_atoms(text)
    if atoms <= HEAVY_ATOMS:
        return item
    return ParseFailure(
        file=None,
        row=getattr(item, "row", 1),
        id=getattr(item, "id", None),
        input=text[:200],
        reason=f"too large: {atoms:,} heavy atoms, this page takes {HEAVY_ATOMS}.",
        hint="Use the command line for larger molecules.",
        name=getattr(item, "name", None),
    )


def _heavy_atoms(text: str) -> int:
    if looks_like_molblock(text):
        return molblock_outline(text.replace("\r\n", "\n").replace("\r", "\n")).heavy
    if _INCHI.match(text):
        return inchi_heavy_atoms(text)
    return len(_ATOM.findall(text))
