"""Labels that training never says, so that they can be measured as labels nobody taught.

The list is a file of the repository (`data/withheld_labels.tsv`). Training leaves out every text in
which a label or a synonym of it stands, and writes the list that was in force beside the weights:
only a label in that copy is unseen to the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from os import PathLike
from pathlib import Path

from molclip.errors import InputError, ModelError
from molclip.text.facts import MoleculeFacts

FILE_NAME = "withheld_labels.tsv"
"""Name of the list, in the package's data and in a model folder."""

COLUMNS = ("kind", "id", "label", "synonyms")
KINDS = ("chebi class", "chebi role", "pathway", "superclass", "class", "use", "odour")

_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.;])\s+")


@dataclass(frozen=True, slots=True)
class WithheldLabel:
    """One label that training must not say.

    Parameters
    ----------
    kind
        One of `KINDS`.
    id
        ChEBI id of a class or role; the label itself in other sets.
    label
        The label as its source writes it.
    synonyms
        Other words and phrases that would give it away.
    """

    kind: str
    id: str
    label: str
    synonyms: tuple[str, ...] = ()


def plain_words(text: str) -> list[str]:
    """Words as they are compared: letters and digits, lower case, plural *s* left off."""
    return [_singular(word) for word in _WORD.findall(text.casefold())]


@lru_cache(maxsize=65_536)
def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@dataclass(frozen=True)
class Withheld:
    """A list of withheld labels; the empty one withholds nothing.

    Parameters
    ----------
    labels
        In the order of the file.
    """

    labels: tuple[WithheldLabel, ...] = ()
    _phrases: dict[str, tuple[tuple[str, ...], ...]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        by_first: dict[str, list[tuple[str, ...]]] = {}
        for entry in self.labels:
            for phrase in (entry.label, *entry.synonyms):
                words = tuple(plain_words(phrase))
                if words:
                    by_first.setdefault(words[0], []).append(words)
        self._phrases.update((first, tuple(found)) for first, found in by_first.items())

    def __bool__(self) -> bool:
        return bool(self.labels)

    def mention(self, text: str) -> str | None:
        """Return the first withheld phrase in a text, as compared words; None where there is none.

        Whole words count, in their order, whatever stands between them: "fatty-amide" mentions
        "Fatty amides", "roseate" does not mention "rose".
        """
        if not self._phrases:
            return None
        # Every caption of a training run is asked, and next to none has even the first word.
        words = _WORD.findall(text.casefold())
        for place, word in enumerate(words):
            for phrase in self._phrases.get(_singular(word), ()):
                found = words[place : place + len(phrase)]
                if tuple(map(_singular, found)) == phrase:
                    return " ".join(phrase)
        return None

    def is_withheld(self, text: str) -> bool:
        """Whether a label, name or sentence says anything that is withheld."""
        return self.mention(text) is not None

    def said(self, texts: Iterable[str]) -> set[WithheldLabel]:
        """Return the entries that any of the texts mentions, in one pass over them."""
        by_first: dict[str, list[tuple[list[str], WithheldLabel]]] = {}
        for entry in self.labels:
            for phrase in (entry.label, *entry.synonyms):
                if wanted := plain_words(phrase):
                    by_first.setdefault(wanted[0], []).append((wanted, entry))
        found: set[WithheldLabel] = set()
        compared: dict[str, str] = {}
        for text in texts:
            words = _WORD.findall(text.casefold())
            for place, word in enumerate(words):
                if word not in compared:
                    compared[word] = _singular(word)
                for wanted, entry in by_first.get(compared[word], ()):
                    if [_singular(w) for w in words[place : place + len(wanted)]] == wanted:
                        found.add(entry)
        return found

    def find(self, kind: str, id_: str) -> WithheldLabel | None:
        """Return the entry of a label; None where it is not withheld."""
        return next((e for e in self.labels if e.kind == kind and e.id == id_), None)

    def both(self, other: Withheld) -> Withheld:
        """Return the entries that are in another list too, word for word."""
        return Withheld(tuple(entry for entry in self.labels if entry in other.labels))

    # -- leaving out --------------------------------------------------------------------------

    def kept(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the texts that mention nothing."""
        return tuple(text for text in texts if not self.is_withheld(text))

    def without(self, facts: MoleculeFacts) -> MoleculeFacts:
        """Return a molecule's facts without the texts that mention a label.

        Names, labels and relations go whole, descriptions sentence by sentence. Ids of classes and
        roles stay: which of them can be said is the caption maker's decision.
        """
        if not self:
            return facts
        texts = (
            " ".join(self.kept(_SENTENCE.split(text))) if self.is_withheld(text) else text
            for text in facts.texts
        )
        return replace(
            facts,
            names=self.kept(facts.names),
            labels=tuple(pair for pair in facts.labels if not self.is_withheld(pair[1])),
            relations=tuple(pair for pair in facts.relations if not self.is_withheld(pair[1])),
            texts=tuple(text for text in texts if text),
        )

    def of_phrases(self, phrases: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
        """Return phrases by term without those that mention a label, and terms left without."""
        kept = {term: self.kept(texts) for term, texts in phrases.items()}
        return {term: texts for term, texts in kept.items() if texts}

    # -- files --------------------------------------------------------------------------------

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Withheld:
        """Read a list.

        Raises
        ------
        molclip.errors.InputError
            When the file is missing or a row is malformed.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"Cannot read {path}: {error.strerror or error}.") from error
        return cls(tuple(_entries(text, str(path))))

    @classmethod
    def beside(cls, folder: str | PathLike[str] | None) -> Withheld:
        """Return the list that was in force when a model was trained; empty where it has none.

        Raises
        ------
        molclip.errors.ModelError
            When the copy is damaged.
        """
        if folder is None or not (Path(folder) / FILE_NAME).is_file():
            return cls()
        try:
            return cls.read(Path(folder) / FILE_NAME)
        except InputError as error:
            raise ModelError(error.message, "Take the file from the same model.") from error

    def write(self, folder: Path) -> None:
        """Write the list into a model folder; an empty list leaves no file."""
        path = folder / FILE_NAME
        path.unlink(missing_ok=True)
        if self:
            rows = ("\t".join((e.kind, e.id, e.label, "|".join(e.synonyms))) for e in self.labels)
            path.write_text("\n".join(("\t".join(COLUMNS), *rows, "")), encoding="utf-8")


@cache
def load_withheld() -> Withheld:
    """The list of the repository (read once)."""
    text = (files("molclip.data") / FILE_NAME).read_text(encoding="utf-8")
    return Withheld(tuple(_entries(text, FILE_NAME)))


def _entries(text: str, source: str) -> Iterable[WithheldLabel]:
    lines = text.splitlines()
    if not lines or tuple(lines[0].split("\t")) != COLUMNS:
        raise InputError(f"{source} does not begin with the columns {', '.join(COLUMNS)}.")
    for number, line in enumerate(lines[1:], start=1):
        cells = line.split("\t")
        if len(cells) != len(COLUMNS) or cells[0] not in KINDS or not plain_words(cells[2]):
            raise InputError(
                f"{source}, row {number}: {line!r} is not a kind ({', '.join(KINDS)}), an id, a "
                "label and synonyms."
            )
        kind, id_, label, synonyms = cells
        yield WithheldLabel(kind, id_, label, tuple(s for s in synonyms.split("|") if s))
