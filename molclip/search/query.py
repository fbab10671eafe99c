"""One question from its reading to its ranked records."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError
from molclip.search.conditions import read_conditions
from molclip.search.evidence import Excluded, Linked
from molclip.search.identified import Identified, identify
from molclip.search.index import Index, Mask
from molclip.search.model_handle import ModelHandle
from molclip.search.names import NameHit, look_up
from molclip.search.question import Question
from molclip.search.remarks import Remarks
from molclip.search.result import TESTED, QueryInfo, SearchResult
from molclip.search.rows import FACTS
from molclip.search.structure import StructureQuery, read_structure
from molclip.search.substructure import SubstructureTest
from molclip.search.vectors import Float32

if TYPE_CHECKING:
    from molclip.search.applicability import Applicability

FUSION_CONSTANT = 60
"""The constant of reciprocal-rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

NAME_WEIGHT = 2.0
EXACT_BONUS = 1.0
"""Whoever gives a name exactly wants that molecule first, wherever the model sees it."""
FUSION_DEPTH = 200
"""Vector ranks of name hits count this far; fixed, so that pages fit together."""

NAME_HITS = 50


@dataclass(frozen=True)
class _Found:
    """A row on its way to becoming a record."""

    row: int
    score: float
    name: NameHit | None = None


class Search:
    """Answers one question on one version of a library.

    Parameters
    ----------
    index
        The opened library.
    handle
        Its model.
    question
        What is asked.
    judge
        Says whether the model can read the text and knows the kind of the structure.
    """

    def __init__(
        self, index: Index, handle: ModelHandle, question: Question, judge: Applicability
    ) -> None:
        self.index = index
        self.handle = handle
        self.question = question
        self.judge = judge
        self.info = QueryInfo(
            text=question.text,
            words=question.text,
            mode=question.mode,
            k=int(question.k),
            offset=int(question.offset),
            where=question.where,
            smarts=question.smarts,
            rows_in_library=int(index.alive.sum()),
        )
        self._text: Float32 | None = None
        self._structure: StructureQuery | None = None
        self._test: SubstructureTest | None = None
        self._unread: tuple[str, ...] = ()
        self._linked: Linked | None = None
        self._identified: Identified | None = None

    def run(self) -> SearchResult:
        """Find, rank, and describe the hits."""
        started = time.perf_counter()
        question = self.question
        self._read_structure()
        self._read_text()
        if question.smarts is not None:
            self._test = self.index.substructure(question.smarts)
        allowed, preferred = self._masks()
        preferred = self._without_excluded(preferred)
        allowed, preferred = self._recorded(allowed, preferred)
        self.info.rows_searched = int(preferred.sum())
        if question.mode != "vector" and not self.index.has_name(question.text or ""):
            self._identified = identify(self.index, question.text or "")
        if self._identified is not None:
            self.info.score = f"1 for the exact {self._identified.kind}"
            found = self._by_identifier(self._identified, allowed)
        elif question.mode == "name":
            self.info.score = "agreement of names, 1 is exact"
            found = self._by_name(allowed, preferred, question.offset + question.k)
        elif question.mode == "hybrid":
            self.info.score = (
                f"reciprocal-rank fusion: {NAME_WEIGHT:g}/({FUSION_CONSTANT}+name rank) + "
                f"1/({FUSION_CONSTANT}+vector rank), {EXACT_BONUS:g} more for an exact name"
            )
            found = self._fused(allowed, preferred)
        else:
            found = self._by_vector(preferred, question.offset + question.k)
        records = self._records(found[question.offset : question.offset + question.k])
        remarks = self._remarks()
        self.info.warnings += remarks.warnings(records)
        self.info.notes += remarks.notes(records)
        self.info.seconds = round(time.perf_counter() - started, 4)
        return SearchResult(self.info, records)

    def _remarks(self) -> Remarks:
        return Remarks(
            self.index,
            self.handle,
            self.judge,
            self.info,
            unread=self._unread,
            text=self._text,
            structure=self._structure,
            linked=self._linked,
            identified=self._identified,
        )

    # Reading -----------------------------------------------------------------------------------

    def _read_structure(self) -> None:
        if self.question.smiles is not None:
            self._structure = read_structure(self.question.smiles, self.index.manifest)
            self.info.smiles = self._structure.molecule.smiles
            self.info.warnings += self._structure.molecule.warnings

    def _read_text(self) -> None:
        if self.question.text is None or self.question.mode == "name":
            return
        # Only descriptions state conditions; a name may hold anything.
        if self.question.mode == "vector":
            read = read_conditions(self.question.text)
            self.info.words, self._unread = read.rest, read.unread
            self.info.conditions = [asdict(condition) for condition in read.found]
        self._linked = Linked()
        if self.index.evidence is not None:
            self._linked = self.index.evidence.link(self.info.words or "")
            self.info.asked_terms = self.index.evidence.describe(self._linked)
            self.info.unlinked_words = self._linked.unlinked

    def _without_excluded(self, mask: Mask) -> Mask:
        """Rows that are not what the text says they must not be.

        In a name "non" is no negation, so only descriptions are read this way.
        """
        evidence = self.index.evidence
        if self._linked is None or evidence is None or self.question.mode != "vector":
            return mask
        for excluded in self._linked.excluded:
            kept = mask & ~self._meant(excluded)
            self.info.left_out.append(
                {
                    "phrase": excluded.phrase,
                    "terms": evidence.names_of(excluded),
                    "elements": list(excluded.elements),
                    "rows": int(mask.sum() - kept.sum()),
                }
            )
            mask = kept
        return mask

    def _meant(self, excluded: Excluded) -> Mask:
        meant = np.ones(len(self.index.rows), dtype=bool)
        for terms in excluded.terms:
            meant &= self.index.rows.holding(FACTS, terms)
        if excluded.elements:
            # "N" is nitrogen, but not the first letter of "Na".
            pattern = f"({'|'.join(excluded.elements)})([^a-z]|$)"
            meant &= self.index.rows.matching("formula", pattern)
        return meant

    def _recorded(self, allowed: Mask, preferred: Mask) -> tuple[Mask, Mask]:
        """Count rows of which the source states all that is asked; where wanted, keep only these.

        Raises
        ------
        InputError
            Where only they are wanted, but there are no records, or no class or role is asked for.
        """
        wanted, evidence, linked = self.question.recorded, self.index.evidence, self._linked
        if wanted and evidence is None:
            raise InputError(
                "This library has no records of what its molecules are or do.",
                "Leave recorded out: every hit is the model's prediction.",
            )
        if evidence is None or linked is None or not linked.asked:
            if wanted:
                raise InputError(
                    "Only what the source records is wanted, but no word of the query asks for a "
                    "class or role of the source.",
                    "Name one, such as 'alkaloid' or 'antibiotic', or leave recorded out.",
                )
            return allowed, preferred
        stated = self._stated(linked)
        self.info.recorded_as = evidence.wording(linked)
        self.info.rows_recorded = self._count(np.flatnonzero(preferred & stated))
        if not wanted:
            return allowed, preferred
        self.info.recorded_only = True
        return allowed & stated, preferred & stated

    def _count(self, rows: npt.NDArray[np.int64]) -> int:
        """Number of rows with the substructure; of many, those whose fingerprint allows it."""
        if self._test is None or len(rows) > TESTED:
            return len(rows)
        return sum(self._passes(row) for row in rows.tolist())

    def _stated(self, linked: Linked) -> Mask:
        """Rows that `Evidence.judge` calls recorded."""
        stated = np.ones(len(self.index.rows), dtype=bool)
        for asked in linked.required:
            stated &= self.index.rows.holding(FACTS, asked.terms)
        return stated

    def _masks(self) -> tuple[Mask, Mask]:
        """Rows the filters allow, and those of them that are to be searched."""
        question, index = self.question, self.index
        allowed = index.alive
        if question.where is not None:
            allowed = allowed & index.where(question.where)
        if self.info.conditions:
            bounds = " AND ".join(part["where"] for part in self.info.conditions)
            allowed = allowed & index.where(bounds)
        if self._test is not None:
            allowed = index.screened(self._test, allowed)
        if index.curated is None:
            if question.curated:
                raise InputError(
                    "This library has no column that says what is curated.", "Leave curated out."
                )
            return allowed, allowed
        if question.curated is False:
            return allowed, allowed
        self.info.curated_only = True
        preferred = allowed & index.curated
        return (preferred if question.curated else allowed), preferred

    def _query_vector(self) -> Float32:
        """What rows are multiplied with: a unit vector, or the weighted sum of two."""
        if self.question.text is not None:
            with warnings.catch_warnings():
                # A text that is cut off is reported with the result (`_losses`).
                warnings.simplefilter("ignore", UserWarning)
                self._text = self.handle.model.encode_text([self.info.words or ""])[0]
        if self._structure is None:
            assert self._text is not None
            return self._text
        self._structure.encode(self.handle.model)
        assert self._structure.vector is not None
        if self._text is None:
            self.info.score = "cosine of structure and molecule"
            return self._structure.vector
        weight = float(self.question.weight)
        self.info.weight = weight
        self.info.score = (
            f"{weight:g} * cosine of text and molecule + {1 - weight:g} * cosine of structure and "
            "molecule"
        )
        mixed = weight * self._text + (1 - weight) * self._structure.vector
        return np.asarray(mixed, dtype=np.float32)

    # Finding -----------------------------------------------------------------------------------

    def _passes(self, row: int) -> bool:
        if self._test is None:
            return True
        return self._test.holds(row, str(self.index.rows.value(row, "smiles")))

    def _ranked(self, mask: Mask, wanted: int) -> Iterator[tuple[int, float]]:
        """Rows and scores in order, those without the substructure left out."""
        ranking = self.index.vectors.ranking(self._query_vector(), mask)
        done = 0
        size = wanted if self._test is None else max(64, 4 * wanted)
        while done < len(ranking):
            rows, scores = ranking.top(size)
            for row, score in zip(rows[done:].tolist(), scores[done:].tolist(), strict=True):
                if self._passes(row):
                    yield row, score
            done, size = len(rows), 4 * size

    def _by_vector(self, mask: Mask, wanted: int) -> list[_Found]:
        found: list[_Found] = []
        if wanted:
            for row, score in self._ranked(mask, wanted):
                found.append(_Found(row, score))
                if len(found) == wanted:
                    break
        return found

    def _by_name(
        self,
        allowed: Mask,
        preferred: Mask,
        wanted: int,
        *,
        guess: bool = True,
        strict: bool = False,
    ) -> list[_Found]:
        assert self.question.text is not None
        # With a substructure filter some names fall away again, so more are looked up.
        limit = wanted if self._test is None else max(1000, wanted)
        text, indexes = self.question.text, self.index.names
        hits = look_up(indexes, text, limit, allowed, preferred, guess=guess, strict=strict)
        return [_Found(hit.row, hit.score, hit) for hit in hits if self._passes(hit.row)][:wanted]

    def _by_identifier(self, identified: Identified, allowed: Mask) -> list[_Found]:
        """All rows that have it and nothing else: the model cannot read a formula or a key."""
        hits = identified.hits(self.index, allowed)
        return [_Found(hit.row, hit.score, hit) for hit in hits if self._passes(hit.row)]

    def _fused(self, allowed: Mask, preferred: Mask) -> list[_Found]:
        question = self.question
        depth = max(FUSION_DEPTH, question.offset + question.k)
        vector = self._by_vector(preferred, depth)
        # A misspelt name is a word or two; for a sentence, similar spelling finds only noise.
        guess = len((question.text or "").split()) <= 2
        # What merely looks like a name that is known would stand before what is like its molecule.
        names = self._by_name(allowed, preferred, NAME_HITS, guess=guess, strict=True)
        scores: dict[int, float] = {}
        named = {hit.row: hit.name for hit in names}
        for rank, hit in enumerate(names, start=1):
            scores[hit.row] = NAME_WEIGHT / (FUSION_CONSTANT + rank)
            if hit.name is not None and hit.name.how == "exact":
                scores[hit.row] += EXACT_BONUS
        for rank, hit in enumerate(vector, start=1):
            if hit.row not in named or rank <= FUSION_DEPTH:
                scores[hit.row] = scores.get(hit.row, 0.0) + 1.0 / (FUSION_CONSTANT + rank)
        order = sorted(scores, key=lambda row: (-scores[row], row))
        return [_Found(row, scores[row], named.get(row)) for row in order]

    # Describing --------------------------------------------------------------------------------

    def _records(self, found: list[_Found]) -> list[dict[str, Any]]:
        rows = np.array([hit.row for hit in found], dtype=np.int64)
        text_scores = self._cosines(self._text, rows)
        vector = self._structure.vector if self._structure is not None else None
        structure_scores = self._cosines(vector, rows)
        records = []
        for place, hit in enumerate(found):
            row = self.index.record(hit.row)
            record: dict[str, Any] = {
                "rank": self.question.offset + place + 1,
                **{column: row.pop(column, None) for column in ("id", "name", "smiles")},
                "score": float(hit.score),
            }
            record |= self._level(None if text_scores is None else float(text_scores[place]))
            record |= self._evidence(hit)
            seen = self.handle.seen
            record["seen"] = None if seen is None else row.get("inchikey") in seen
            if self._structure is not None:
                record["similarity"] = self._structure.similarity(record["smiles"])
            if text_scores is not None and self.info.score != "cosine of text and molecule":
                record["text_score"] = float(text_scores[place])
            if structure_scores is not None and text_scores is not None:
                record["structure_score"] = float(structure_scores[place])
            if self.question.mode != "vector":
                record["matched_name"] = hit.name.matched if hit.name else None
                record["matched_by"] = f"{hit.name.how} {hit.name.kind}" if hit.name else None
            records.append(record | row)
        return records

    def _cosines(
        self, vector: Float32 | None, rows: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float32] | None:
        return None if vector is None else self.index.vectors.exact(vector, rows)

    def _level(self, text_score: float | None) -> dict[str, Any]:
        calibration = self.handle.calibration if text_score is not None else None
        if calibration is None or text_score is None:
            return {"match_level": None, "percentile_true": None, "percentile_nonsense": None}
        level = calibration.level(text_score)
        return {
            "match_level": level.level,
            "percentile_true": level.percentile_true,
            "percentile_nonsense": level.percentile_nonsense,
        }

    def _evidence(self, hit: _Found) -> dict[str, Any]:
        linked = self._linked
        if hit.name is not None and hit.name.how == "exact":
            return {"evidence": "recorded", "recorded_terms": []}
        if linked is None:
            # A name was looked up, or only a structure given: nothing was claimed of the hit.
            return {
                "evidence": None if hit.name is None else "recorded",
                "recorded_terms": [],
            }
        if self.index.evidence is None:
            return {"evidence": "predicted", "recorded_terms": []}
        facts = self.index.rows.value(hit.row, FACTS)
        verdict, terms = self.index.evidence.judge(facts, linked)
        return {"evidence": verdict, "recorded_terms": terms}
