"""What a search says beside its hits: how the question was read, and where an answer is worth less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from molclip.chem.identifiers import cas_number
from molclip.search.evidence import Linked
from molclip.search.identified import Identified
from molclip.search.index import Index
from molclip.search.model_handle import ModelHandle
from molclip.search.result import QueryInfo, recorded_remark
from molclip.search.structure import StructureQuery
from molclip.search.vectors import Float32

if TYPE_CHECKING:
    from molclip.search.applicability import Applicability


@dataclass(frozen=True)
class Remarks:
    """Sentences for the user about one answered question; some figures of `info` are filled in."""

    index: Index
    handle: ModelHandle
    judge: Applicability
    """Says whether the model can read the text and knows the kind of the structure."""
    info: QueryInfo
    unread: tuple[str, ...]
    """Phrases that look like conditions and were read as words."""
    text: Float32 | None
    """Vector of the words, where the hits are ranked by it."""
    structure: StructureQuery | None
    linked: Linked | None
    """What the words ask of the source; None where they were not read for that."""
    identified: Identified | None

    def notes(self, records: list[dict[str, Any]]) -> list[str]:
        """How the question was read, and how many molecules the source records.

        Parameters
        ----------
        records
            The hits as they are shown.
        """
        said = [
            f"{part['phrase']!r} was read as the condition {part['where']}, computed by RDKit."
            for part in self.info.conditions
        ]
        said += [_left_out(part) for part in self.info.left_out]
        recorded = recorded_remark(self.info, records)
        return [*said, recorded] if recorded else said

    def warnings(self, records: list[dict[str, Any]]) -> list[str]:
        """What is wrong with the question or keeps it from a good answer.

        Parameters
        ----------
        records
            The hits as they are shown.
        """
        said = [
            f"{phrase!r} looks like a condition, but something denies it or stands beside it with "
            "an 'or', so it was read as words; a filter says it for certain."
            for phrase in self.unread
        ]
        if self.structure is not None:
            said += self._unlike()
        if self.text is not None:
            said += self._about_words(records)
        number = cas_number(self.info.text or "")
        if number is not None and not self.index.has_name(number):
            said.append(
                f"{number} is a CAS number, and no molecule of the library goes by it: give a name or "
                "a structure."
            )
        return said + self._nothing_found(records)

    def _about_words(self, records: list[dict[str, Any]]) -> list[str]:
        info = self.info
        said = self._losses()
        exact = bool(records) and str(records[0].get("matched_by")).startswith("exact")
        if records and info.offset == 0:
            info.match_level = records[0]["match_level"]
            # What the source records is an answer, whatever the model thinks of it.
            doubted = not exact and not info.recorded_only and self.structure is None
            if info.match_level == "none" and doubted:
                said.append(
                    "Even the best hit scores no higher than nonsense does: the library "
                    "probably has no answer."
                )
        unread = self._unread()
        # Whoever gives a name exactly needs no word to be understood.
        if not exact:
            said += unread
        if self.linked is not None and info.mode == "vector":
            said += [
                f"{phrase!r} is excluded by the query, but names no class, role or element, so "
                "nothing was left out for it."
                for phrase in self.linked.not_excluded
            ]
        linked_nothing = not info.asked_terms and not info.left_out
        if self.index.evidence is not None and linked_nothing and info.mode == "vector":
            said.append(
                "No word of the query names a class or role of the source, so every hit is "
                "the model's prediction."
            )
        return said

    def _losses(self) -> list[str]:
        """What the tokenizer could not take in."""
        encoded = self.handle.model.tokenize([self.info.words or ""])[0]
        said = []
        if encoded.dropped:
            said.append(
                f"The query is longer than the model reads: its last {encoded.dropped} pieces "
                "were left out."
            )
        pieces = max(1, len(encoded.ids) - 2)
        if 2 * encoded.unknown >= pieces:
            said.append(
                f"The model does not know {encoded.unknown} of the query's {pieces} pieces; it "
                "reads English."
            )
        elif encoded.unknown:
            said.append(f"The model does not know {encoded.unknown} of {pieces} pieces.")
        return said

    def _unread(self) -> list[str]:
        """What the model does not know of the text, apart from what is said already."""
        assert self.text is not None
        domain = self.handle.domain
        if domain is None:
            return []
        found = self.judge.text(self.info.words or "", self.text, compare=self.judge.at_hand)
        self.info.text_applicability = found.to_dict()
        said = [finding.reason for finding in domain.wording(found.words, found.unknown_words)]
        if found.flat and self.info.match_level != "none":
            said.append(found.reasons[-1])
        return [f"{reason[0].upper()}{reason[1:]}." for reason in said]

    def _unlike(self) -> list[str]:
        """Whether the structure is unlike what the model was trained on."""
        assert self.structure is not None
        assert self.structure.vector is not None
        if self.handle.domain is None:
            return []
        found = self.judge.molecule(
            self.structure.molecule, self.structure.vector, compare=self.judge.at_hand
        )
        self.info.structure_applicability = found.to_dict()
        return [found.remark] if found.remark else []

    def _nothing_found(self, records: list[dict[str, Any]]) -> list[str]:
        info = self.info
        filtered = info.where or info.smarts or info.left_out or info.conditions
        if not info.rows_in_library:
            return ["The library is empty."]
        if not info.rows_searched and info.recorded_only:
            return [f"The source records none of the molecules searched as {info.recorded_as}."]
        if not info.rows_searched and filtered:
            return ["No row passes the filters."]
        if records:
            return []
        if info.offset:
            return [f"There are no hits after the first {info.offset}."]
        if info.k and self.identified is not None:
            return [self.identified.missing]
        if info.mode == "name" and info.k:
            return ["No name in the library is like this one."]
        return []


def _left_out(part: dict[str, Any]) -> str:
    reasons = [f"that the source records as {' or '.join(part['terms'])}"] if part["terms"] else []
    reasons += [f"that hold {' or '.join(part['elements'])}"] if part["elements"] else []
    return f"Left out: {part['rows']:,} molecules {' and '.join(reasons)}."
